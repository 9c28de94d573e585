/**
 * The standard streams of a program we launch: three named pipes, ours at one end.
 *
 * Byte-exact, stdout and stderr apart, a real standard input, back-pressure. Reading never blocks; `drain` delivers,
 * before it returns, everything the program has written so far, so that a stop report can tell all output before it.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The pipes cannot be made or written to. */
export class StreamsFailed extends Data.TaggedError("StreamsFailed")<{ readonly detail: string }> {}

/** Takes bytes of one stream; called synchronously, may not keep the array. */
export type OnBytes = (channel: "stdout" | "stderr", bytes: Uint8Array) => void

/** The streams of one program. Their files are removed with the scope. */
export interface Streams {
  /** Paths of the three named pipes, mode 0600 in a directory of their own. */
  readonly input: string
  readonly output: string
  readonly error: string
  readonly drain: () => void
  /** Writes to the program's standard input, waiting while the pipe is full. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, StreamsFailed>
  /** End of file on the program's standard input. */
  readonly closeInput: Effect.Effect<void>
}

/** The service; the platform provides it. */
export class ProgramStreams extends Context.Service<
  ProgramStreams,
  { readonly open: (onBytes: OnBytes) => Effect.Effect<Streams, StreamsFailed, Scope.Scope> }
>()("@sigtrap/backends/ProgramStreams") {}
