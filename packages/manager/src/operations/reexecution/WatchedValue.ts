/**
 * The memory whose last write is looked for: its address, its bytes at the stop, and for a local variable the call of the function
 * that it belongs to.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, StackFrame, WatchedMemory } from "../../ports/Backend.ts"
import { Activations } from "../../session/Activations.ts"
import { References } from "../../session/References.ts"
import type { Session } from "../../session/Session.ts"
import { StopView } from "../../session/StopView.ts"
import * as Selection from "../Selection.ts"
import * as Watchpoints from "../Watchpoints.ts"

/** The call of a function, by its frame and those outside of it. */
export interface FunctionCall {
  readonly function: string
  /** The frames outside, from the caller to the outermost. */
  readonly callers: ReadonlyArray<StackFrame>
}

/** A value in memory. */
export interface WatchedValue {
  readonly expression: string
  readonly watch: WatchedMemory
  /** Type of the value, as it is written in an expression. */
  readonly type: string
  /** Expression that reads the value, valid in every frame. */
  readonly readExpression: string
  readonly bytes: Uint8Array
  /** For a local variable. */
  readonly call?: FunctionCall
}

/** Most frames that are read to find the call of a function. */
const mostFrames = 512

/** Returns a view of the present stop that records nothing in the session: no references, no readings. */
const viewOf = Effect.fnUntraced(function* (session: Session) {
  const connection = yield* session.connection
  const { state, stop } = session.log.snapshot
  if (state !== "stopped") return yield* new Errors.NotStopped({})
  return new StopView({
    stop,
    connection,
    references: new References(),
    secrets: session.secrets,
    current: () => session.log.snapshot.state === "stopped" && session.log.snapshot.stop === stop,
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

/** Returns the text of the value that memory has now, or had with these bytes. */
export const textOf = Effect.fnUntraced(function* (
  session: Session,
  { expression, readExpression, type }: Pick<WatchedValue, "expression" | "readExpression" | "type">,
  bytes: Uint8Array,
  time: "now" | "before"
) {
  const { stopped } = session.log.snapshot
  const connection = yield* session.connection
  const hex = hexOf(bytes)
  // Of an array or a class there is no type to write, so its bytes are shown.
  if (bytes.length > 8) return session.secrets.shown({ name: expression, value: hex }, false).value
  const wanted = time === "now" ? readExpression : (literalOf(type, bytes) ?? hex)
  const value = yield* connection.stack(stopped?.thread ?? 0, 0, 1).pipe(
    Effect.flatMap(({ frames: [frame] }) => connection.evaluate(wanted, frame?.handle ?? 0, "read")),
    Effect.map((found) => found.value),
    Effect.catchTag("AdapterError", () => Effect.succeed(hex))
  )
  return session.secrets.shown({ name: expression, value }, false).value
})

/** Finds the memory of an expression at the present stop of a session. */
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
  const found: WatchedValue = { expression, watch, type, readExpression, bytes }
  if (!local) return found
  const { frames } = yield* connection.stack(thread.id, 0, mostFrames)
  const callers = frames.slice(at.frame.index + 1)
  const own: WatchedValue = { ...found, call: { function: at.frame.function, callers } }
  return own
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
