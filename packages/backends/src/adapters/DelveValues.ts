/**
 * The texts and the types of values in Delve. (Delve: `convertVariable` in service/dap/server.go.)
 */

/** Matches an unsigned number, or a constant with its number, before Delve's hexadecimal form, which is 0 for each constant. */
const hexadecimal = /^(-?\d+|[\w.]+ \(\d+\)) = 0x[\da-f]+$/

/** Matches a text, and the comma that Delve writes after the last entry of a map. */
const textOrLastComma = /"(?:[^"\\]|\\.)*"|, \]/g

/**
 * Matches the types of integers: `u` if unsigned, and the width in bits. Go programs that Delve debugs have 64 bits. Delve calls
 * constants `int` too, which may be larger, such as `math.MaxUint64`.
 */
const integer = /^(?:(u)int(8|16|32|64|ptr)?|int(8|16|32|64))$/

/**
 * Returns an integer as its type has it. Delve negates and complements without the type: `^u` of a `uint8` with the value 200 is -201,
 * which is 55 in Go.
 */
const wrapped = (number: string, type: string): string => {
  const known = integer.exec(type)
  if (known === null || !/^-?\d{1,40}$/.test(number)) return number
  const [, unsigned, width = "64", signedWidth] = known
  if (unsigned === undefined) return String(BigInt.asIntN(Number(signedWidth), BigInt(number)))
  return String(BigInt.asUintN(width === "ptr" ? 64 : Number(width), BigInt(number)))
}

/** Returns the text of a value of a type as Go has it. */
export const text = (shown: string, type = ""): string =>
  wrapped(
    shown.replace(hexadecimal, "$1").replace(textOrLastComma, (part) => (part === ", ]" ? "]" : part)),
    type
  )

/** The only child of a pointer has no name, and that of an interface the expression `i.(data)`. */
export const target = {
  of: "all",
  isTarget: ({ expression, name }: { readonly expression?: string; readonly name: string }): boolean =>
    name === "" || (name === "data" && expression?.endsWith(".(data)") === true)
} as const
