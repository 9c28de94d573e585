/**
 * The facts of a fault: what the instruction did to which address, what the address means, and which expression of the source line
 * it was.
 *
 * An expression is named only if its own address is the one that faulted, as the debugger computes it from the variables of the
 * frame, and if no other expression of the line has that address.
 */
import type { Explanation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FaultAddress from "../model/FaultAddress.ts"
import * as SignalCodes from "../model/SignalCodes.ts"
import * as SourceAccesses from "../model/SourceAccesses.ts"
import { SourceFiles } from "../model/SourceFiles.ts"
import type { Faults, Instruction, Region, SignalInfo } from "../ports/Faults.ts"
import type { Located, Page, StopView } from "../session/StopView.ts"

type Fact = Explanation.Fact

/** The stop that is explained: the innermost frame, the frame of the user, and the stack that is known. */
export interface Place {
  readonly view: StopView
  readonly faults: Faults
  readonly thread: number
  readonly top: Located
  readonly user: Located
  readonly page: Page
}

/** The facts of a fault, and the parts of a summary: what was done at which address. */
export interface FaultFacts {
  readonly facts: ReadonlyArray<Fact>
  readonly action?: string
  readonly meaning?: FaultAddress.Meaning
}

const hex = (value: bigint) => `0x${value.toString(16)}`

const registersOf = Effect.fnUntraced(function* ({ top, view }: Place) {
  const groups = yield* view.registers(top)
  const values = new Map<string, bigint>()
  for (const { name, value } of groups.flatMap(({ registers }) => registers)) {
    const number = /^0x[0-9a-fA-F]{1,16}\b/.exec(value)?.[0]
    if (number !== undefined && !values.has(name)) values.set(name, BigInt(number))
  }
  return values
})

const isMapped = (region: Region) => region.readable || region.writable || region.executable

/** Reads the regions around an address. */
const around = Effect.fnUntraced(function* ({ faults }: Place, address: bigint) {
  const region = yield* faults.region(address)
  if (region === undefined) return {}
  if (isMapped(region)) return { region }
  const below = region.from === 0n ? undefined : yield* faults.region(region.from - 1n)
  const above = yield* faults.region(region.to)
  return { region, ...(below === undefined ? {} : { below }), ...(above === undefined ? {} : { above }) }
})

/** The stack pointer of the outermost frame of a page. */
const outerPointer = Effect.fnUntraced(
  function* ({ page, thread, view }: Place) {
    const outer = page.frames.at(-1)
    if (outer === undefined || outer.index === 0) return undefined
    const { activation } = yield* view.frame(thread, outer.index)
    return activation !== undefined && /^0x[0-9a-f]+$/i.test(activation) ? BigInt(activation) : undefined
  },
  Effect.orElseSucceed(() => undefined)
)

/** The value of a pointer or number as it is shown: without the text or object that a pointer is shown with. */
const shownValue = (value: string) => {
  const [digits] = /^0x[0-9a-fA-F]+/.exec(value) ?? []
  if (digits === undefined) return value
  return BigInt(digits) === 0n ? "NULL" : hex(BigInt(digits))
}

/** Reads the values of expressions; secrets are masked. */
const valuesOf = (place: Place, expressions: ReadonlyArray<string>) =>
  Effect.forEach(expressions, (expression) =>
    place.view.evaluate(expression, place.user, "read").pipe(
      Effect.map(({ value }): ReadonlyArray<Explanation.NamedValue> => [{ expression, value: shownValue(value) }]),
      Effect.catchTag("AdapterError", () => Effect.succeed([]))
    )
  ).pipe(Effect.map((all) => all.flat()))

const inWords = (values: ReadonlyArray<Explanation.NamedValue>) =>
  values.map(({ expression, value }) => `${expression} = ${value}`).join(", ")

const lineOf = Effect.fnUntraced(
  function* ({ user: { frame } }: Place) {
    const { file, line } = frame
    if (file === undefined || line === undefined) return undefined
    const sources = yield* SourceFiles
    return (yield* sources.window(file, line, 0)).lines[0]
  },
  Effect.orElseSucceed(() => undefined)
)

/** Largest distance of the fault from the beginning of an expression whose size is read, in bytes. */
const largest = 1n << 24n

/** True if an expression is at the address that faulted. */
const isAt = Effect.fnUntraced(function* ({ faults, user }: Place, expression: string, address: bigint) {
  const start = yield* faults.number(`&(${expression})`, user.handle)
  if (start === undefined || address < start || address - start >= largest) return false
  if (address === start) return true
  const size = yield* faults.number(`sizeof(${expression})`, user.handle)
  return size !== undefined && address < start + size
})

/** Returns the access of a line that faulted, if exactly one has the address. */
const accessAt = Effect.fnUntraced(function* (
  place: Place,
  accesses: ReadonlyArray<SourceAccesses.Access>,
  address: bigint
) {
  const found: Array<SourceAccesses.Access> = []
  const hasObject = (yield* place.faults.number("this", place.user.handle)) !== undefined
  for (const access of accesses) {
    if (access.root === "this" && access.values[0] === "this" && !access.expression.includes("this") && !hasObject)
      continue
    if (yield* isAt(place, access.expression, address)) found.push(access)
  }
  // `a->b` is a part of `a->b.c`: the longest of such expressions is the one that was accessed.
  const whole = found.filter(
    ({ expression }) =>
      !found.some((other) => other.expression !== expression && other.expression.startsWith(expression))
  )
  return whole.length === 1 ? whole[0] : undefined
})

/**
 * Reads the values that make up the address of an access. An array inside an object cannot be read if the object cannot: then the
 * pointer to the object is the wrong one.
 */
const pointersOf = (
  place: Place,
  { values }: SourceAccesses.Access,
  accesses: ReadonlyArray<SourceAccesses.Access>
): ReturnType<typeof valuesOf> =>
  Effect.gen(function* () {
    const read = yield* valuesOf(place, values)
    const last = values.at(-1)
    const inner = accesses.find(({ expression }) => expression === last)
    if (inner === undefined || read.some(({ expression }) => expression === last)) return read
    return [...read, ...(yield* pointersOf(place, inner, accesses))]
  })

/** The address of the object that an access begins with, where its value cannot be read: a reference to no object. */
const referenceOf = Effect.fnUntraced(function* ({ faults, user }: Place, { expression, root }: SourceAccesses.Access) {
  if (root === "" || root === "this" || !expression.startsWith(root)) return []
  const address = yield* faults.number(`&${root}`, user.handle)
  const value = address === undefined ? undefined : shownValue(hex(address))
  return value === undefined ? [] : [{ expression: `&${root}`, value }]
})

/** The fact of the expression that faulted. */
const expressionFact = Effect.fnUntraced(function* (place: Place, address: bigint, isCalled: boolean) {
  const text = yield* lineOf(place)
  if (text === undefined) return undefined
  const { accesses, calls } = SourceAccesses.of(text)
  if (isCalled) {
    const called: Array<string> = []
    for (const call of calls) {
      if ((yield* place.faults.number(call, place.user.handle)) === address) called.push(call)
    }
    const [expression] = called
    if (expression === undefined || called.length > 1) return undefined
    const values = [{ expression, value: address === 0n ? "NULL" : hex(address) }]
    const fact: Fact = {
      kind: "expression",
      text: `call of ${expression}: ${inWords(values)}`,
      expression,
      values,
      by: "memory"
    }
    return fact
  }
  // The expression belongs to the frame of the user only if that frame executes the instruction.
  if (place.user.frame.index !== place.top.frame.index) return undefined
  const access = yield* accessAt(place, accesses, address)
  if (access === undefined) return undefined
  const read = yield* pointersOf(place, access, accesses)
  const values = read.length === 0 ? yield* referenceOf(place, access) : read
  if (values.length === 0) return undefined
  const fact: Fact = {
    kind: "expression",
    text: `${access.expression}: ${inWords(values)}`,
    expression: access.expression,
    values,
    by: "memory"
  }
  return fact
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

const verbs = { read: "reading", write: "writing", execute: "executing" } as const

const bytes = (size: number) => `${size} byte${size === 1 ? "" : "s"}`

/** Returns the facts of an access to memory that faulted. */
export const ofAccess = Effect.fnUntraced(function* (place: Place, info: SignalInfo) {
  const registers = yield* registersOf(place).pipe(
    Effect.catchTag(["AdapterError", "Unsupported"], () => Effect.succeed(new Map<string, bigint>()))
  )
  const instruction = yield* place.faults.instruction(place.top.handle)
  const operand = instruction?.operand
  const target = operand === undefined ? undefined : FaultAddress.effective(operand, registers)
  const faulted = addressOf(info, target?.address)
  if (faulted === undefined) return none
  const { address, by } = faulted
  const pcText = place.top.frame.address
  const pc = pcText === undefined ? undefined : BigInt(pcText)
  // The instruction explains the fault only if its operand has the address.
  const isOperand =
    target !== undefined && target.address <= address && address < target.address + BigInt(operand?.size ?? 1)
  const access = pc === address ? undefined : isOperand ? operand?.access : undefined
  const { code } = info
  const sp = registers.get("rsp") ?? registers.get("sp")
  const outerSp = yield* outerPointer(place)
  const meaning = FaultAddress.meaningOf({
    address,
    ...(yield* around(place, address)),
    ...(pc === undefined ? {} : { pc }),
    ...(sp === undefined ? {} : { sp }),
    ...(outerSp === undefined ? {} : { outerSp }),
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
    text: meaning.text === "" ? meaning.address : `${meaning.address}: ${meaning.text}`,
    by,
    address: hex(address),
    ...(did === undefined ? {} : { access: did }),
    ...(isOperand && operand?.size !== undefined ? { size: operand.size } : {})
  }
  const found = yield* expressionFact(place, address, pc === address)
  const more = meaning.text === "a null pointer" || meaning.text === "" ? "" : `, ${meaning.text}`
  const expression = found === undefined ? undefined : { ...found, text: `${found.text}${more}` }
  const size = isOperand && operand?.size !== undefined ? ` ${bytes(operand.size)} at` : ""
  const facts: FaultFacts = {
    facts: [...(expression === undefined ? [] : [expression]), fact],
    action: `${did === undefined ? "at" : verbs[did]}${did === "execute" ? "" : did === undefined ? "" : size} ${meaning.address}`,
    meaning
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
    return { facts: [fact], action: "dividing" } satisfies FaultFacts
  }
  const text = place.user.frame.index === place.top.frame.index ? yield* lineOf(place) : undefined
  const zero: Array<SourceAccesses.Division> = []
  for (const division of text === undefined ? [] : SourceAccesses.of(text).divisions) {
    if ((yield* place.faults.number(division.divisor, place.user.handle)) === 0n) zero.push(division)
  }
  const [one] = zero
  if (one === undefined || zero.length > 1) return { facts: [], action: "dividing by zero" } satisfies FaultFacts
  const values = [{ expression: one.divisor, value: "0" }]
  const fact: Fact = {
    kind: "expression",
    text: `${one.expression}: ${inWords(values)}`,
    expression: one.expression,
    values,
    by: "registers"
  }
  return { facts: [fact], action: "dividing by zero" } satisfies FaultFacts
})
