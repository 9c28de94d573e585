/**
 * The standard streams of a launched program: three named pipes, of which this process holds one end.
 *
 * Output is byte-exact, and stdout and stderr are separate. Writes wait while the pipe is full. Reading never blocks. `drain`
 * delivers everything the program has written so far, so that output is reported before the stop that follows it.
 */
import type { Backend, Processes, ProgramRuns } from "@sigtrap/manager"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** The pipes or a directory cannot be created, or a pipe cannot be written to. */
export class StreamsFailed extends Data.TaggedError("StreamsFailed")<{ readonly detail: string }> {}

/** Receives bytes of one stream; called synchronously, must not keep the array. */
export type OnBytes = (channel: "stdout" | "stderr", bytes: Uint8Array) => void

/** The streams of one program. Their files are removed with the scope. */
export interface Streams {
  /** Paths of the three named pipes, mode 0600 in a directory of their own. */
  readonly input: string
  readonly output: string
  readonly error: string
  readonly drain: () => void
  /** Other processes that have one of the pipes open; none where the system does not tell, which only Linux does. */
  readonly holders: Effect.Effect<ReadonlyArray<Processes.Description>>
  /** Writes to the program's standard input, waiting while the pipe is full. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, StreamsFailed>
  /** Closes the program's standard input. */
  readonly closeInput: Effect.Effect<void>
}

/** Returns arguments of `/bin/sh` that open the pipes and `exec` the program. The program's words follow them. */
export const redirected = (paths: Pick<Streams, "input" | "output" | "error">): ReadonlyArray<string> => [
  "-c",
  'in=$1 out=$2 err=$3; shift 3; exec "$@" <"$in" >"$out" 2>"$err"',
  "sh",
  paths.input,
  paths.output,
  paths.error
]

/** The service that makes the streams of programs; the platform provides it. */
export class ProgramStreams extends Context.Service<
  ProgramStreams,
  {
    readonly open: (onBytes: OnBytes) => Effect.Effect<Streams, StreamsFailed, Scope.Scope>
    /**
     * Creates the private directory of one debugger, its home and temporary directory. It is removed with the scope, and by
     * the next daemon if this one is killed. If the debugger binds sockets there, the path is short.
     */
    readonly home: (bindsSockets: boolean) => Effect.Effect<string, StreamsFailed, Scope.Scope>
  }
>()("@sigtrap/backends/ProgramStreams") {}

/** Opens the streams of a program. If the listener keeps pipes, they belong to its scope, else to that of the launch. */
export const open = Effect.fnUntraced(function* (
  place: ProgramStreams["Service"],
  { pipes }: Backend.Listener,
  onBytes: OnBytes
) {
  if (pipes === undefined) return yield* place.open(onBytes)
  const streams = yield* Scope.provide(place.open(onBytes), pipes.scope)
  pipes.opened(streams)
  return streams
})

/** Takes over the streams of a held program, with what it has written so far. The end of their scope releases the program. */
export const takeOver = Effect.fnUntraced(function* (
  { release, streams }: ProgramRuns.Held,
  { emit, pipes }: Backend.Listener,
  onBytes: OnBytes
): Effect.fn.Return<Streams, StreamsFailed, Scope.Scope> {
  // A debugger that has detached leaves nothing to kill; `kill` was carried out before.
  const released = Effect.addFinalizer(() => release("detach"))
  yield* pipes === undefined ? released : Scope.provide(released, pipes.scope)
  pipes?.opened(streams)
  const dropped = streams.redirect(onBytes)
  if (dropped > 0) {
    emit({ _tag: "Output", channel: "console", text: `${dropped} bytes of earlier output were not kept\n` })
  }
  const { closeInput, drain, error, holders, input, output } = streams
  const write = (bytes: Uint8Array) =>
    Effect.mapError(streams.write(bytes), ({ detail }) => new StreamsFailed({ detail }))
  return { closeInput, drain, error, holders, input, output, write }
})
