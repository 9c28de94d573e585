/**
 * The meaning of an instruction that stops the program on purpose.
 *
 * With `-fsanitize=undefined -fsanitize-trap`, clang writes the number of the failed check into the instruction (`llvm.ubsantrap` of
 * LLVM's language reference; the numbers are those of `SanitizerHandler` in clang): `ud1` of x86-64 has it as the displacement, `brk` of
 * arm64 as its low byte, after 0x55. gcc has no numbers.
 */

/** What failed, by the number of clang. */
const checks: ReadonlyArray<string> = [
  "an addition overflowed",
  "code was reached that __builtin_unreachable excludes",
  "control flow integrity: a call or a cast has another type",
  "a division by zero or a quotient that does not fit",
  "an object has another dynamic type",
  "a floating point number does not fit the type it is converted to",
  "a function was called by a pointer of another type",
  "an implicit conversion changed the value",
  "a builtin got an argument that it does not take",
  "an Objective-C object has another type than the cast says",
  "a loaded value does not belong to its type, such as a bool of 2",
  "a function that returns a value ended without one",
  "a multiplication overflowed",
  "a negation overflowed",
  "an argument that must not be null is null",
  "a result that must not be null is null",
  "an argument that must not be null is null",
  "a result that must not be null is null",
  "an index is out of bounds",
  "a pointer computation overflowed",
  "a shift by a negative or too large number, or of a value that does not fit",
  "a subtraction overflowed",
  "a pointer is null, not aligned, or points to too small an object",
  "a pointer is not aligned as was assumed",
  "a variable length array has no elements or fewer"
]

/** A trap: its instruction, and the number that it carries. */
interface Trap {
  readonly mnemonic: string
  readonly trap?: number
}

/** Returns what a trap means, as a clause; undefined for another instruction. */
export const of = ({ mnemonic, trap }: Trap): string | undefined => {
  if (mnemonic === "ud2") {
    return "a trap of the compiler (ud2): __builtin_trap, code that must not be reached, or a check of -fsanitize-trap"
  }
  const number =
    mnemonic === "ud1" ? trap : mnemonic === "brk" && trap !== undefined && trap >> 8 === 0x55 ? trap & 0xff : undefined
  if (number !== undefined) {
    return `a check of -fsanitize-trap failed: ${checks[number] ?? `number ${number}`}`
  }
  return mnemonic === "brk" && trap === 1
    ? "a trap of the compiler (brk 1): __builtin_trap, or code that must not be reached"
    : undefined
}
