/**
 * The facts of a fault: what the instruction did to which address, what the address means, and which expression of the source line
 * it was.
 */
import type { Explanation, Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FaultAddress from "../../model/crashes/FaultAddress.ts"
import * as PointerText from "../../model/crashes/PointerText.ts"
import * as SignalCodes from "../../model/signals/SignalCodes.ts"
import * as Traps from "../../model/signals/Traps.ts"
import type { Instruction, Region, SignalInfo } from "../../ports/Faults.ts"
import { accessOf, callOf, divisionOf, type Place, registersOf } from "./FaultExpressions.ts"
import * as TransferFacts from "./TransferFacts.ts"

type Fact = Explanation.Fact

/**
 * The facts of a fault, and the parts of a summary: what was done at which address. `returned` is the stack pointer after a return to an
 * address that has no code. `at` is the line of the instruction, if the innermost frame has that of the next one.
 */
export interface FaultFacts {
  readonly facts: ReadonlyArray<Fact>
  readonly action?: string
  readonly meaning?: FaultAddress.Meaning
  readonly returned?: bigint
  readonly at?: Location.Position
}

const hex = (value: bigint) => `0x${value.toString(16)}`

const isMapped = (region: Region) => region.readable || region.writable || region.executable

/** The regions around an address, as far as the debugger knows them. */
type Regions = Pick<FaultAddress.Fault, "region" | "below" | "above">

/** Reads the regions around an address. */
const around = Effect.fnUntraced(function* ({ faults }: Place, address: bigint) {
  const region = yield* faults.region(address)
  const isAlone = region === undefined || isMapped(region)
  const below = isAlone || region.from === 0n ? undefined : yield* faults.region(region.from - 1n)
  const above = isAlone ? undefined : yield* faults.region(region.to)
  const regions: Regions = {
    ...(region === undefined ? {} : { region }),
    ...(below === undefined ? {} : { below }),
    ...(above === undefined ? {} : { above })
  }
  return regions
})

/** The stack pointers of the frames of a page, the innermost first, as far as the debugger knows them. */
const stackPointers = ({ page, thread, view }: Place) =>
  Effect.forEach(page.frames, ({ index }) =>
    Effect.map(view.frame(thread, index), ({ activation }) =>
      activation !== undefined && /^0x[0-9a-f]+$/i.test(activation) ? [BigInt(activation)] : []
    )
  ).pipe(
    Effect.map((all) => all.flat()),
    Effect.orElseSucceed((): ReadonlyArray<bigint> => [])
  )

/** Reads what the stack pointers of the frames say of the stack: the outermost one, and the stack of the caller. */
const stackOf = Effect.fnUntraced(function* (place: Place, sp: bigint | undefined) {
  const all = yield* stackPointers(place)
  const outerSp = all.length < 2 ? undefined : all.at(-1)
  const callerSp = sp === undefined ? undefined : all.find((pointer) => pointer > sp)
  const stack = callerSp === undefined ? undefined : yield* place.faults.region(callerSp)
  return {
    ...(sp === undefined ? {} : { sp }),
    ...(outerSp === undefined ? {} : { outerSp }),
    ...(callerSp === undefined || stack === undefined ? {} : { caller: { sp: callerSp, stack } })
  }
})

/** Returns the address that faulted: the kernel's, or that of the operand where the kernel has none. */
const addressOf = (
  { address, by, code, name, sent }: SignalInfo,
  operand: bigint | undefined
): { readonly address: bigint; readonly by: Explanation.By } | undefined => {
  if ((name !== "SIGSEGV" && name !== "SIGBUS") || sent === true) return undefined
  if (address !== undefined && code !== SignalCodes.kernel) return { address, by }
  return operand === undefined ? undefined : { address: operand, by: "registers" }
}

/** True if only a write fails at an address: what is there can be read, and it is mapped. */
const isWrite = (region: Region | undefined, code: string | undefined): boolean =>
  code === "SEGV_ACCERR" && region?.readable === true && !region.writable

const verbs = { read: "reading", write: "writing", execute: "executing" } as const

const bytes = (size: number) => `${size} byte${size === 1 ? "" : "s"}`

/** Returns what an address means, in one line that does not say it twice: NULL is the null pointer. */
const factText = ({ address, text }: FaultAddress.Meaning): string => {
  if (text === "") return address
  if (text !== "a null pointer") return `${address}: ${text}`
  return address === "NULL" ? "the pointer is NULL" : `${address}: the pointer is NULL`
}

/** Kinds of addresses outside of the memory of the program. */
const wrong: ReadonlySet<FaultAddress.Meaning["kind"]> = new Set(["unmapped", "execute", "not-canonical"])

/** The pointers of a fault: those of its expression, then the address. */
const pointersOf = (address: bigint, found: Fact | undefined): ReadonlyArray<bigint> => [
  ...(found?.values ?? []).flatMap(({ value }) => (/^0x[0-9a-f]+$/.test(value) ? [BigInt(value)] : [])),
  address
]

/** Returns the facts of an access to memory that faulted. */
export const ofAccess = Effect.fnUntraced(function* (place: Place, info: SignalInfo) {
  const registers = yield* registersOf(place).pipe(
    Effect.catchTag(["AdapterError", "Unsupported"], () => Effect.succeed(new Map<string, bigint>()))
  )
  const instruction = yield* place.faults.instruction(place.top.handle)
  const operand = instruction?.operand
  const target = operand === undefined ? undefined : FaultAddress.effective(operand, registers)
  const transfer =
    info.code === SignalCodes.kernel ? yield* TransferFacts.transferOf(place, instruction, registers) : undefined
  if (transfer !== undefined && FaultAddress.isNotCanonical(transfer.target, 48n)) {
    return yield* TransferFacts.notCanonical(place, transfer)
  }
  const faulted = addressOf(info, target?.address)
  if (faulted === undefined) return none
  const { address, by } = faulted
  const pcText = place.top.frame.address
  const pc = pcText === undefined ? undefined : BigInt(pcText)
  // The instruction explains the fault only if its operand has the address.
  const isOperand =
    target !== undefined && target.address <= address && address < target.address + BigInt(operand?.size ?? 1)
  const { code } = info
  const near = yield* around(place, address)
  const onlyWrite = isWrite(near.region, code) ? "write" : undefined
  const access = pc === address ? undefined : ((isOperand ? operand?.access : undefined) ?? onlyWrite)
  const sp = registers.get("rsp") ?? registers.get("sp")
  const meaning = FaultAddress.meaningOf({
    address,
    ...near,
    ...(pc === undefined ? {} : { pc }),
    ...(yield* stackOf(place, sp)),
    ...(access === undefined ? {} : { access }),
    ...(code === undefined ? {} : { code }),
    ...(isOperand && operand !== undefined ? { operand } : {}),
    ...(isOperand && target.base !== undefined ? { base: target.base } : {}),
    ...(isOperand && target.index !== undefined ? { index: target.index } : {})
  })
  // Without the kernel's word, the operand is the cause only if the program may not access it.
  if (by === "registers" && meaning.kind === "unknown") return none
  const did = pc === address ? "execute" : access
  const fact: Fact = {
    kind: "address",
    text: factText(meaning),
    by,
    address: hex(address),
    ...(did === undefined ? {} : { access: did }),
    ...(isOperand && operand?.size !== undefined ? { size: operand.size } : {})
  }
  const isReturned = pc === address && (yield* TransferFacts.isReturned(place, address, registers))
  const found = isReturned
    ? TransferFacts.returnFact(address, code === "SEGV_MAPERR" && address > TransferFacts.lowest)
    : yield* pc === address
        ? callOf(place, address)
        : accessOf(place, { address, ...(isOperand && operand?.size !== undefined ? { size: operand.size } : {}) })
  const more = meaning.text === "a null pointer" || meaning.text === "" ? "" : `, ${meaning.text}`
  const pointers = wrong.has(meaning.kind) && !isReturned ? pointersOf(address, found) : []
  const expression =
    found === undefined || isReturned
      ? found
      : { ...found, text: `${PointerText.written(found.text, pointers)}${more}` }
  const size = isOperand && operand?.size !== undefined ? ` ${bytes(operand.size)} at` : ""
  const facts: FaultFacts = {
    facts: [
      ...(expression === undefined ? [] : [expression]),
      { ...fact, text: PointerText.written(fact.text, pointers) }
    ],
    action: `${did === undefined ? "at" : verbs[did]}${did === "execute" ? "" : did === undefined ? "" : size} ${meaning.address}`,
    meaning,
    ...(isReturned && sp !== undefined ? { returned: sp } : {})
  }
  return facts
})

const none: FaultFacts = { facts: [] }

/** Reads the divisor of an instruction. */
const divisorOf = Effect.fnUntraced(function* (place: Place, instruction: Instruction) {
  const registers = yield* registersOf(place)
  if (instruction.divisor !== undefined) return registers.get(instruction.divisor)
  const { operand } = instruction
  const target = operand === undefined ? undefined : FaultAddress.effective(operand, registers)
  if (target === undefined || operand?.size === undefined) return undefined
  const memory = yield* place.view.connection.inspection.memory(target.address, operand.size)
  if (memory.unreadable.length > 0) return undefined
  return memory.bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
})

/** Returns the facts of a division that faulted. */
export const ofDivision = Effect.fnUntraced(function* (place: Place) {
  const instruction = yield* place.faults.instruction(place.top.handle)
  if (instruction === undefined || !/^i?div$/.test(instruction.mnemonic)) return none
  const divisor = yield* divisorOf(place, instruction)
  if (divisor === undefined) return none
  if (divisor !== 0n) {
    const fact: Fact = {
      kind: "instruction",
      text: "the quotient does not fit: the smallest integer was divided by -1, or the dividend is too large",
      by: "registers"
    }
    const division = yield* divisionOf(place, -1n)
    const values =
      division === undefined ? undefined : { ...division, text: `${division.text}, the quotient does not fit` }
    return { facts: values === undefined ? [fact] : [values], action: "dividing" } satisfies FaultFacts
  }
  const division = yield* divisionOf(place, 0n)
  return {
    facts: division === undefined ? [] : [division],
    action: "dividing by zero"
  } satisfies FaultFacts
})

/** The instruction `int3` of x86-64. A debugger's own breakpoints are not in the memory that it shows. */
const breakpointInstruction = 0xcc

/**
 * Returns the facts of a breakpoint instruction in the code of the program. x86-64 stops behind it, so the innermost frame may have the
 * line of the next instruction. The kernel sends that signal for this instruction only.
 */
const ofBreakpointInstruction = Effect.fnUntraced(function* ({ top, view }: Place, info: SignalInfo) {
  const { address } = top.frame
  if (info.name !== "SIGTRAP" || info.code !== "SI_KERNEL" || address === undefined) return none
  const { inspection } = view.connection
  const { bytes, unreadable } = yield* inspection.memory(BigInt(address) - 1n, 1)
  if (unreadable.length > 0 || bytes[0] !== breakpointInstruction) return none
  const at = yield* inspection.lineBefore?.(BigInt(address)) ?? Effect.undefined
  const text = "a breakpoint instruction of the program (int3)"
  const facts: FaultFacts = {
    facts: [{ kind: "instruction", text, by: "memory" }],
    ...(at === undefined ? {} : { at })
  }
  return facts
})

/** Returns the facts of an instruction that stops the program on purpose. */
export const ofTrap = Effect.fnUntraced(function* (place: Place, info: SignalInfo) {
  const before = yield* ofBreakpointInstruction(place, info)
  if (before.facts.length > 0) return before
  const instruction = yield* place.faults.instruction(place.top.handle)
  const text = instruction === undefined ? undefined : Traps.of(instruction)
  const fact: Fact | undefined = text === undefined ? undefined : { kind: "instruction", text, by: "memory" }
  return fact === undefined ? none : ({ facts: [fact] } satisfies FaultFacts)
})
