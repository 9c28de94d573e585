/**
 * The memory whose last write is looked for: its address, its bytes at the stop, and for a local variable the call of the function
 * that it belongs to.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, StackFrame, WatchedMemory } from "../../ports/Backend.ts"
import { Activations } from "../../session/values/Activations.ts"
import { References } from "../../session/values/References.ts"
import type { Session } from "../../session/Session.ts"
import { checkStop } from "../../session/StateChecks.ts"
import { StopView } from "../../session/values/StopView.ts"
import * as Selection from "../frames/Selection.ts"
import * as AddressExpressions from "../../model/AddressExpressions.ts"
import * as IntegerTexts from "../../model/IntegerTexts.ts"
import * as Watchpoints from "../breakpoints/Watchpoints.ts"

/** The call of a function, by its frame and those outside of it. */
export interface FunctionCall {
  readonly function: string
  /** The frames outside, from the caller to the outermost. */
  readonly callers: ReadonlyArray<StackFrame>
}

/** A variable of a function call: its name, and its address at the stop. */
interface Variable {
  readonly name: string
  readonly address: bigint
}

/**
 * What the memory belongs to at the stop: a call of a function, with the variable if the expression names one; an allocator, if it is
 * in the heap or in other anonymous memory; or nothing that ends before the program does. An argument on the stack belongs to the call
 * that passes it.
 */
type Owner =
  | { readonly kind: "call"; readonly call: FunctionCall; readonly variable?: Variable; readonly isArgument?: boolean }
  | { readonly kind: "allocator" }
  | { readonly kind: "program" }
  | { readonly kind: "unknown" }

/** A value in memory. */
export interface WatchedValue {
  readonly expression: string
  readonly watch: WatchedMemory
  /** Type of the value, as it is written in an expression. */
  readonly type: string
  /** Expression that reads the value, valid in every frame. */
  readonly readExpression: string
  readonly bytes: Uint8Array
  readonly owner: Owner
}

/** Returns the function call to which the memory belongs; undefined if it belongs to none. */
export const callOf = ({ owner }: WatchedValue): FunctionCall | undefined =>
  owner.kind === "call" ? owner.call : undefined

/** Most frames that are read to find the call of a function. */
const mostFrames = 4096

/** Size of the area below the stack pointer that leaf functions may use, in bytes (System V ABI of x86-64). */
const redZone = 128n

/** Returns a view of the current stop that records nothing in the session: no references, no readings. */
const viewOf = Effect.fnUntraced(function* (session: Session) {
  const connection = yield* session.connection
  const { state, stop } = session.log.snapshot
  if (state !== "stopped") return yield* new Errors.NotStopped({})
  return new StopView({
    stop,
    connection,
    references: new References(),
    secrets: session.secrets,
    check: checkStop(session.log, stop),
    readings: () => undefined,
    activations: new Activations(),
    entering: () => undefined
  })
})

/** Reads memory as a whole; undefined if a part cannot be read. */
export const bytesAt = ({ inspection }: Connection, { address, size }: WatchedMemory) =>
  inspection.memory(BigInt(address), size).pipe(
    Effect.map(({ bytes, unreadable }) => (unreadable.length > 0 || bytes.length < size ? undefined : bytes)),
    Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
  )

/** True if two pieces of memory are equal. */
export const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index])

const hexOf = (bytes: Uint8Array): string =>
  `0x${[...bytes]
    .toReversed()
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")}`

/** Returns an expression with this value: a number of the type, undefined for other types. */
const literalOf = (type: string, bytes: Uint8Array): string | undefined => {
  if (bytes.length > 8) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (/\bfloat$/.test(type) && bytes.length === 4) return String(view.getFloat32(0, true))
  if (/\bdouble$/.test(type)) return bytes.length === 8 ? String(view.getFloat64(0, true)) : undefined
  return `(${type})${hexOf(bytes)}`
}

/** True if an earlier value can be read as a number of the type. That of an array, a class or a pointer to a function is known as bytes only. */
export const isNumber = ({ readExpression, type, watch: { address, size } }: WatchedValue): boolean =>
  size <= 8 && AddressExpressions.expressionsOf(type, size, address).includes(readExpression)

/** Most frames in which the expression of the value is looked for. */
const mostCallers = 8

/**
 * Reads a value whose type cannot be written in an expression. LLDB knows the type by its name only after it has read the value by a
 * variable, which one of the frames has.
 */
const textOfOther = Effect.fnUntraced(function* (
  connection: Connection,
  frames: ReadonlyArray<StackFrame>,
  { expression, readExpression, watch }: WatchedValue
) {
  const [innermost] = frames
  if (innermost === undefined || readExpression.startsWith("*(unsigned ")) return undefined
  for (const frame of frames.slice(0, mostCallers)) {
    const address = yield* addressIn(connection, `(${expression})`, frame)
    if (address !== BigInt(watch.address)) continue
    const { value } = yield* connection.evaluate(readExpression, innermost.handle, "read")
    return value
  }
  return undefined
})

/** Returns the text of the value that memory has now, or had with these bytes. */
export const textOf = Effect.fnUntraced(function* (
  session: Session,
  watched: WatchedValue,
  bytes: Uint8Array,
  time: "now" | "before"
) {
  const { expression, readExpression, type } = watched
  const { stopped } = session.log.snapshot
  const connection = yield* session.connection
  const hex = hexOf(bytes)
  if (!isNumber(watched)) {
    const typed = /^\*\((.+) \*\)0x/.exec(readExpression)?.[1] ?? type
    const other =
      time === "before"
        ? IntegerTexts.of(typed, bytes)
        : yield* connection.stack(stopped?.thread ?? 0, 0, mostCallers).pipe(
            Effect.flatMap(({ frames }) => textOfOther(connection, frames, watched)),
            Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
          )
    return session.secrets.shown({ name: expression, value: other ?? hex }, false).value
  }
  const wanted = time === "now" ? readExpression : (literalOf(type, bytes) ?? hex)
  const value = yield* connection.stack(stopped?.thread ?? 0, 0, 1).pipe(
    Effect.flatMap(({ frames: [frame] }) => connection.evaluate(wanted, frame?.handle ?? 0, "read")),
    Effect.map((found) => found.value),
    Effect.catchTag("AdapterError", () => Effect.succeed(hex))
  )
  return session.secrets.shown({ name: expression, value }, false).value
})

/** Returns the number that an expression has in a frame; undefined if it cannot be evaluated. */
const numberIn = ({ evaluate }: Connection, expression: string, frame: StackFrame) =>
  evaluate(expression, frame.handle, "read").pipe(
    Effect.map(({ value }) => /0x[0-9a-f]+/i.exec(value)?.[0] ?? /^\d+/.exec(value)?.[0]),
    Effect.map((digits) => (digits === undefined ? undefined : BigInt(digits))),
    Effect.catchTag("AdapterError", () => Effect.succeed(undefined))
  )

/** Returns the address that a variable has in a frame; undefined if the frame has no such variable in memory. */
export const addressIn = (connection: Connection, name: string, frame: StackFrame) =>
  numberIn(connection, `&${name}`, frame)

/** True if a stack was read to its end: the first function of the program or of its loader. */
export const isWhole = (frames: ReadonlyArray<StackFrame>): boolean => {
  const last = frames.at(-1)
  if (last === undefined || frames.length >= mostFrames) return false
  return /^_?start$|^_dl_start/.test(last.function) || /(?:^|\/)(?:ld[-.]|dyld)/.test(last.module ?? "")
}

const callAt = (frames: ReadonlyArray<StackFrame>, index: number): Owner => {
  const own = frames[index]
  if (own === undefined || !isWhole(frames)) return { kind: "unknown" }
  return { kind: "call", call: { function: own.function, callers: frames.slice(index + 1) } }
}

/** Returns the lowest address of the part of the stack that a frame has; undefined if it is not known. */
const stackPointer = (connection: Connection, frame: StackFrame | undefined) =>
  frame === undefined ? Effect.undefined : numberIn(connection, "(unsigned long)$sp", frame)

/** Finds the function call on whose part of the stack an address is. The outermost frame has the program's arguments, too. */
const ownerOnStack = Effect.fnUntraced(function* (
  connection: Connection,
  frames: ReadonlyArray<StackFrame>,
  address: bigint
) {
  const above = (index: number) => stackPointer(connection, frames[index])
  const unknown: Owner = { kind: "unknown" }
  const inner = yield* above(0)
  if (inner === undefined || address + redZone < inner) return unknown
  let [low, high] = [0, frames.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const outer = yield* above(middle + 1)
    if (outer === undefined) return unknown
    if (outer > address) high = middle
    else low = middle + 1
  }
  const program: Owner = { kind: "program" }
  return low === frames.length - 1 && isWhole(frames) ? program : callAt(frames, low)
})

/** Finds what memory belongs to at the current stop. */
const ownerOf = Effect.fnUntraced(function* (
  connection: Connection,
  at: { readonly thread: number; readonly index: number },
  memory: { readonly expression: string; readonly local: boolean; readonly address: string }
) {
  const kind = yield* connection.reexecution?.kindOf(memory.address) ?? Effect.undefined
  const owner: Owner = { kind: kind === "static" ? "program" : kind === "dynamic" ? "allocator" : "unknown" }
  if (!memory.local && kind !== "stack") return owner
  const { frames } = yield* connection.stack(at.thread, 0, mostFrames)
  if (!memory.local) return yield* ownerOnStack(connection, frames, BigInt(memory.address))
  const outer = yield* stackPointer(connection, frames[at.index + 1])
  if (outer !== undefined && BigInt(memory.address) >= outer) {
    const caller = callAt(frames, at.index + 1)
    const argument: Owner = caller.kind === "call" ? { ...caller, isArgument: true } : caller
    return argument
  }
  const own = callAt(frames, at.index)
  const name = /^[A-Za-z_]\w*/.exec(memory.expression.trim())?.[0]
  const frame = frames[at.index]
  if (own.kind !== "call" || name === undefined || frame === undefined) return own
  const address = yield* addressIn(connection, name, frame)
  const named: Owner = address === undefined ? own : { ...own, variable: { name, address } }
  return named
})

/** Finds the memory of an expression at the current stop of a session. */
export const find = Effect.fnUntraced(function* (
  session: Session,
  payload: { readonly expression: string; readonly size?: number; readonly frame?: number | string }
) {
  const { expression } = payload
  const view = yield* viewOf(session)
  const { at, thread } = yield* Selection.locate(
    session,
    view,
    payload.frame === undefined ? {} : { frame: payload.frame }
  )
  const { local, readExpression, type, watch } = yield* Watchpoints.memoryOf(view, at, {
    expression,
    access: "write",
    ...(payload.size === undefined ? {} : { size: payload.size })
  })
  const connection = yield* session.connection
  const bytes = yield* bytesAt(connection, watch)
  if (bytes === undefined) return yield* new Errors.WatchUnavailable({ expression, why: "address" })
  const place = { thread: thread.id, index: at.frame.index }
  const owner = yield* ownerOf(connection, place, { expression, local, address: watch.address })
  const found: WatchedValue = { expression, watch, type, readExpression, bytes, owner }
  return found
})

/**
 * Returns the frame of a function call in a stack, as its index; undefined if the stack does not have it. The callers outside of it
 * wait at the same instructions while the call lasts.
 */
export const frameIn = (frames: ReadonlyArray<StackFrame>, { callers, function: name }: FunctionCall) => {
  const index = frames.length - callers.length - 1
  if (frames[index]?.function !== name) return undefined
  const isSame = callers.every((caller, i) => {
    const other = frames[index + 1 + i]
    return other?.function === caller.function && other.address === caller.address
  })
  return isSame ? index : undefined
}

/** Most frames that a stack may have for `frameIn`. */
export const maxFrames = mostFrames
