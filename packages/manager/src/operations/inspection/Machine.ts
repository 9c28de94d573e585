/**
 * Handlers of memory, registers, instructions and modules.
 */
import { type Answer, Errors, Hint, type Operations, Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as EvaluationError from "../../model/EvaluationError.ts"
import * as Capabilities from "../sessions/Capabilities.ts"
import type { Code, Inspection } from "../../ports/Inspection.ts"
import * as NamesNotFound from "../names/NamesNotFound.ts"
import * as MemoryWords from "../../model/MemoryWords.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import { expressionOf, isReference } from "../../session/values/References.ts"
import * as SimilarNames from "../../breakpoints/SimilarNames.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import * as Selection from "../frames/Selection.ts"
import * as SideEffects from "../values/SideEffects.ts"
import type { Session } from "../../session/Session.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import { FileReader, purposes } from "../../ports/FileReader.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import * as UnknownNames from "../names/UnknownNames.ts"
import * as UnlistedFrame from "../frames/UnlistedFrame.ts"

const hex = (address: bigint) => `0x${address.toString(16)}`

const literal = (text: string): bigint | undefined =>
  /^(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)$/.test(text)
    ? BigInt(text.replaceAll("_", ""))
    : undefined

const addressEnd = 2n ** 64n

/** Returns the address of a text: a number, a reference, or an expression that only reads. */
const addressOf = Effect.fnUntraced(function* (session: Session, view: StopView, at: Located, text: string) {
  const plain = text.replace(/^\*/, "").trim()
  const number = literal(plain)
  if (number !== undefined && number < addressEnd) return number
  const known = isReference(plain) ? yield* session.references.resolve(plain, view.stop) : undefined
  const expression = known === undefined ? plain : `&(${yield* expressionOf(known)})`
  // The expression of a value belongs to the frame in which it was read.
  const within = known === undefined ? at : (yield* Selection.locate(session, view, { frame: known.within })).at
  if (!Expression.onlyReads(expression)) return yield* SideEffects.refuse(expression)
  if (session.secrets.named(expression) && !(yield* Secrets.Reveal)) {
    return yield* new Errors.EvaluationFailed({ expression, detail: "it names a secret; use --reveal" })
  }
  const value = yield* view
    .evaluate(`(unsigned long long)(${expression})`, within, "read")
    .pipe(
      Effect.catchTag("AdapterError", (error) =>
        UnknownNames.missing(view, within, expression, EvaluationError.of(expression, error))
      )
    )
  const address = literal(value.value)
  if (address === undefined) {
    return yield* new Errors.EvaluationFailed({ expression, detail: `${value.value} is not an address; use &EXPR` })
  }
  return address
})

/** Resolves the address of a payload at the current stop. */
const resolved = Effect.fnUntraced(function* (
  session: Session,
  payload: Selection.NamedFrame & { readonly address: string }
) {
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const address = yield* addressOf(session, view, at, payload.address)
  const connection = yield* session.connection
  return { view, address, connection }
})

/** Handles `memory.read`. */
export const read = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"memory.read">) {
  yield* Capabilities.required(session, "read-memory", "reading memory", [Hint.call("context", {})])
  const { address, connection, view } = yield* resolved(session, payload)
  const format = payload.format === undefined ? undefined : MemoryWords.formatOf(payload.format)
  const size = yield* sizeIn(payload.size ?? (format === undefined ? undefined : MemoryWords.naturalSize(format)))
  if (format === "float" && size !== 4 && size !== 8) return yield* wrongSize("a float has 4 or 8 bytes")
  const count = address + BigInt(payload.count) > addressEnd ? Number(addressEnd - address) : payload.count
  const memory = yield* connection.inspection.memory(address, count)
  yield* view.check
  if (memory.unreadable.some(([from, to]) => from === 0 && to === count)) {
    return yield* new Errors.AdapterError({
      command: "memory read",
      detail: `no readable memory at ${hex(address)}`,
      remedies: [
        /^[A-Za-z_]\w*$/.test(payload.address)
          ? Hint.again("memory.read", { address: `&${payload.address}` }, "reads the variable itself")
          : Hint.call("registers", {}, "shows addresses of the program")
      ]
    })
  }
  return {
    data: {
      address: hex(address),
      count,
      data: Base64.encode(memory.bytes),
      unreadable: memory.unreadable,
      ...(size === undefined
        ? {}
        : { size, values: MemoryWords.words(memory.bytes, size, format ?? "hex", memory.unreadable) }),
      by: memory.by
    }
  }
})

const wrongSize = (problem: string) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.again("memory.read", { size: 4 })] })

const sizeIn = (size: number | undefined) => {
  const known = size === undefined ? undefined : MemoryWords.sizeOf(size)
  return size !== undefined && known === undefined
    ? Effect.fail(wrongSize(`a word has 1, 2, 4 or 8 bytes, not ${size}`))
    : Effect.succeed(known)
}

/** Returns the bytes to write, from numbers, hexadecimal digits or a file. */
const bytesOf = Effect.fnUntraced(function* (payload: Operations.Payload<"memory.write">, path: Path.Path) {
  const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("memory.write")] })
  const forms = [payload.values.length > 0, payload.hex !== undefined, payload.file !== undefined]
  if (forms.filter((one) => one).length !== 1) {
    return yield* usage("give numbers, --hex or --file")
  }
  if (payload.file !== undefined) {
    const file = path.resolve(payload.directory ?? ".", payload.file)
    return yield* FileReader.use((reader) => reader.bytes(file, purposes.named)).pipe(
      Effect.mapError(({ message }) => usage(message))
    )
  }
  if (payload.hex !== undefined) {
    const digits = payload.hex.replace(/^0x/, "").replaceAll(/[ _]/g, "")
    return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  }
  const size = (yield* sizeIn(payload.size)) ?? 1
  const words = yield* Effect.forEach(payload.values, (text) =>
    Effect.mapError(Effect.fromResult(MemoryWords.encoded(text, size)), usage)
  )
  return Uint8Array.from(words.flatMap((word) => [...word]))
})

/** Handles `memory.write`. */
export const write = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"memory.write">,
  fs: FileSystem.FileSystem,
  path: Path.Path
) {
  if (payload.file !== undefined) {
    yield* Policy.checkProgramInput(session.policy, path.resolve(payload.directory ?? ".", payload.file), { fs, path })
  }
  yield* Capabilities.required(session, "write-memory", "writing memory", [Hint.call("context", {})])
  const bytes = yield* bytesOf(payload, path)
  const { address, connection, view } = yield* resolved(session, payload)
  yield* view.check
  const by = yield* connection.inspection.write(address, bytes).pipe(Effect.ensuring(Effect.sync(() => view.forget())))
  const after = yield* connection.inspection.memory(address, bytes.length)
  return {
    data: { address: hex(address), written: bytes.length, readback: Base64.encode(after.bytes), by }
  }
})

/** Writes a register's number in another format. Text after the number, and a value without a number, stay. */
const registerAs = (value: string, format: Operations.WordFormat): string => {
  const [, digits, rest = ""] = /^(0x[0-9a-fA-F]{1,16}|\d{1,20})(?![\w.])(.*)$/s.exec(value) ?? []
  if (digits === undefined || format === "float" || format === "string") return value
  const width = digits.startsWith("0x") ? Math.ceil((digits.length - 2) / 2) : 8
  const size = MemoryWords.sizes.find((one) => one >= width) ?? 8
  return `${MemoryWords.written(BigInt(digits), size, format)}${rest}`
}

/** Generic register names with the names by architecture, widest first (on x86-64 `sp` is a part of `rsp`). */
const generic: { readonly [name: string]: ReadonlyArray<string> } = {
  pc: ["rip", "eip", "pc"],
  sp: ["rsp", "esp", "sp"],
  fp: ["rbp", "ebp", "fp", "x29", "r11"],
  flags: ["rflags", "eflags", "cpsr"],
  ra: ["lr", "x30"]
}

/** Registers that are parts of wider ones, by a register that only their architecture has. */
const parts: ReadonlyArray<{ readonly has: string; readonly parts: RegExp }> = [
  {
    has: "rip",
    parts: /^(?:e(?:[abcd]x|[sd]i|[bs]p)|[abcd][xhl]|[sd]il?|[bs]pl?|r(?:8|9|1[0-5])[dwlb])$/
  },
  { has: "eip", parts: /^(?:[abcd][xhl]|[sd]i|[bs]p)$/ },
  { has: "x0", parts: /^w(?:\d|[12]\d|30|sp)$/ }
]

/** Returns the warning about registers of a caller's frame whose values the called functions did not save. */
const notSaved = (names: ReadonlyArray<string>, frame: number): Answer.Warning => ({
  code: "NOT_FOUND",
  message: `frame ${frame} has no register ${names.map((name) => `'${name}'`).join(", ")} with a saved value`,
  hints: [Hint.again("registers", { frame: 0 })]
})

/** Handles `registers`. */
export const registers = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"registers">) {
  const view = yield* session.view
  const { at, thread } = yield* Selection.locate(session, view, payload)
  const read = yield* view.registers(at)
  const format = payload.format === undefined ? undefined : MemoryWords.formatOf(payload.format)
  const inFormat = (value: string) => (format === undefined ? value : registerAs(value, format))
  const { changes } = yield* session.viewpoint
  const marked = read.map((group) => ({
    name: group.name,
    registers: changes
      .mark(view.stop, `registers ${thread.id}/${at.frame.index}/${group.name}`, group.registers)
      .map(({ name, value, changed, old }) => ({
        name,
        value: inFormat(value),
        ...(changed === undefined ? {} : { changed }),
        ...(old === undefined ? {} : { old: inFormat(old) })
      }))
  }))
  const listed = new Set(marked.flatMap(({ registers }) => registers.map(({ name }) => name.toLowerCase())))
  const isPart = (name: string) => parts.some((one) => listed.has(one.has) && one.parts.test(name.toLowerCase()))
  const requestedNames = payload.names.map((text) => {
    const name = text.replace(/^[$%]/, "").toLowerCase()
    return (Object.hasOwn(generic, name) ? generic[name] : undefined)?.find((own) => listed.has(own)) ?? name
  })
  const isGroup = (name: string) => requestedNames.includes(name.toLowerCase())
  const groups = marked
    .map((group, index) => ({
      name: group.name,
      registers: group.registers.filter(
        (register) =>
          (requestedNames.length === 0
            ? payload.all || (index === 0 && !isPart(register.name))
            : isGroup(group.name) || requestedNames.includes(register.name.toLowerCase())) &&
          (!payload.changed || register.changed === true)
      )
    }))
    .filter((group) => group.registers.length > 0)
  const known = new Set(
    marked
      .flatMap(({ name, registers }) => [name, ...registers.map((one) => one.name)])
      .map((name) => name.toLowerCase())
  )
  const missing = payload.names.filter((_, index) => !known.has(requestedNames[index] ?? ""))
  const { index } = at.frame
  const unknown = UnlistedFrame.warnings(at.frame, "registers")
  if (unknown.length > 0) return { data: { groups, not_found: missing }, warnings: unknown }
  const warnings =
    index === 0 || missing.length === 0
      ? NamesNotFound.warnings("register", missing, [...known], Hint.call("registers", { all: true }))
      : [notSaved(missing, index)]
  return { data: { groups, not_found: missing }, warnings }
})

/** Default number of instructions around the current one, and of a function. */
const aroundCount = 12
const functionCount = 200

const failedFor = (name: string, inspection: Inspection) =>
  Effect.fnUntraced(function* (error: Errors.AdapterError) {
    if (error.reason !== "unknown-function") return yield* error
    const near = yield* SimilarNames.functions(inspection, name)
    const [at] = near
    return yield* new Errors.SymbolNotFound({
      name,
      near,
      ...(at === undefined ? {} : { remedies: [Hint.again("disassemble", { at })] })
    })
  })

/** Handles `disassemble`. */
export const disassemble = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"disassemble">) {
  const sources = yield* SourceFiles
  const view = yield* session.view
  const { at } = yield* Selection.locate(session, view, payload)
  const connection = yield* session.connection
  const here = at.frame.address
  const requested = payload.at
  const isAddress = requested !== undefined && /^(?:[*$&]|0[xX]|[@:]v\d)/.test(requested)
  const [from, to] = (payload.range ?? "").split("-")
  if (payload.range !== undefined && requested !== undefined) {
    return yield* new Errors.Usage({
      problem: "a place and a range cannot be combined",
      near: [],
      remedies: [Hint.call("disassemble", { range: "0x1000-0x1040" })]
    })
  }
  const code: Code =
    from !== undefined && to !== undefined
      ? { kind: "range", from: hex(BigInt(from)), to: hex(BigInt(to)) }
      : requested === undefined
        ? { kind: "around", address: here ?? "$pc" }
        : isAddress
          ? {
              kind: "from",
              address: hex(yield* addressOf(session, view, at, requested)),
              count: payload.count ?? aroundCount
            }
          : { kind: "function", name: requested }
  const { by, instructions } = yield* connection.inspection
    .disassemble(code, payload.flavor)
    .pipe(Effect.catchTag("AdapterError", failedFor(requested ?? at.frame.function, connection.inspection)))
  yield* view.check
  const pc = instructions.findIndex(({ address }) => address === here)
  const limit =
    payload.count ??
    (requested === undefined && !payload.function && payload.range === undefined ? aroundCount : functionCount)
  // A third of the instructions before the current one, the rest after it.
  const first =
    requested === undefined && !payload.function && payload.range === undefined
      ? Math.max(0, pc - Math.floor((limit - 1) / 3))
      : 0
  const shown = instructions.slice(first, first + limit).map((instruction) => ({
    ...instruction,
    ...(instruction.address === here ? { current: true } : {})
  }))
  const lines = new Map(
    shown.flatMap(({ file, line }) =>
      file === undefined || line === undefined ? [] : [[`${file}:${line}`, { file, line }]]
    )
  )
  const texts = payload.source
    ? yield* Effect.forEach([...lines.values()], (place) =>
        Effect.map(Effect.option(sources.window(place.file, place.line, 0)), (window) =>
          Option.isSome(window) ? [{ ...place, text: window.value.lines[0] ?? "" }] : []
        )
      )
    : []
  const end = first + shown.length
  const symbol = shown[0]?.symbol
  return {
    data: {
      ...(symbol === undefined ? {} : { function: symbol }),
      instructions: shown,
      ...(payload.source ? { sources: texts.flat() } : {}),
      by
    },
    truncated:
      end < instructions.length && (requested !== undefined || payload.function)
        ? [
            {
              path: "data.instructions",
              shown: shown.length,
              total: instructions.length,
              hints: [Hint.again("disassemble", { at: instructions[end]?.address })]
            }
          ]
        : []
  }
})

/** Handles `modules`. */
export const modules = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"modules">) {
  const connection = yield* session.connection
  const all = yield* connection.inspection.modules
  const text = payload.match?.toLowerCase()
  return {
    data: { modules: text === undefined ? all : all.filter(({ path }) => path.toLowerCase().includes(text)) }
  }
})
