/**
 * The handler that writes to the program's standard input.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type { Reply } from "./Reply.ts"
import * as Policy from "../model/permissions/Policy.ts"
import { FileReader, purposes } from "../ports/FileReader.ts"
import type { Session } from "../session/Session.ts"

/** Timeout for writing to a full pipe, in milliseconds. The rest is then written in the background. */
const pipeTimeout = 1000

const encoder = new TextEncoder()

const bytesOf = Effect.fnUntraced(function* (payload: Operations.Payload<"input">, path: Path.Path) {
  const { text, file } = payload
  if (text !== undefined && file !== undefined) {
    return yield* new Errors.Usage({
      problem: "TEXT and --file cannot be combined",
      near: [],
      remedies: [Hint.help("input")]
    })
  }
  if (file !== undefined) {
    const place = path.resolve(payload.directory ?? ".", file)
    return yield* FileReader.use((reader) => reader.bytes(place, purposes.input)).pipe(
      Effect.mapError(({ message, rule }) => {
        const help = rule === "size" ? Hint.help("start", "--stdin FILE has no such limit") : Hint.help("input")
        return new Errors.Usage({ problem: message, near: [], remedies: [help] })
      })
    )
  }
  if (text === undefined) {
    if (payload.eof) return new Uint8Array()
    return yield* new Errors.Usage({ problem: "nothing to send", near: [], remedies: [Hint.help("input")] })
  }
  return encoder.encode(payload.newline ? `${text}\n` : text)
})

/** Handles `input`. */
export const input = Effect.fnUntraced(function* (
  session: Session,
  payload: Operations.Payload<"input">,
  fs: FileSystem.FileSystem,
  path: Path.Path
) {
  const connection = yield* session.connection
  const stream = connection.input
  if (stream === undefined) {
    return yield* new Errors.Unsupported({
      what: "writing to the program's input",
      by: session.launch.stdin === undefined ? "a program that was not started here" : "a program that reads a file",
      remedies: [Hint.help("start")]
    })
  }
  if (payload.file !== undefined) {
    yield* Policy.checkProgramInput(session.policy, path.resolve(payload.directory ?? ".", payload.file), { fs, path })
  }
  const bytes = yield* bytesOf(payload, path)
  session.sentInput.record(bytes, payload.eof)
  // Bytes that do not fit stay queued, in order, after the answer. The queue ends with the session.
  const work = yield* stream
    .write(bytes)
    .pipe(
      Effect.andThen(payload.eof ? stream.close : Effect.void),
      Effect.forkIn(session.scope, { startImmediately: true })
    )
  const done = yield* Effect.timeoutOption(Fiber.await(work), pipeTimeout)
  // The input may have ended the program, and so the session and this fiber.
  if (Option.isSome(done) && Exit.isFailure(done.value) && !Cause.hasInterruptsOnly(done.value.cause)) {
    yield* done.value
  }
  return {
    data: { bytes: bytes.length, eof: payload.eof, pending: Option.isNone(done) }
  } satisfies Reply<Operations.Data<"input">>
})
