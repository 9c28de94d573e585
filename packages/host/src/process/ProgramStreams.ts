/**
 * Named pipes as the standard streams of a program, ours at one end.
 *
 * Each pipe is opened for reading and writing, so that opening never waits and the program's end is no end of file.
 * Nothing is kept: a full pipe stops the program until we have read. How a pipe is waited on differs between runtimes
 * and is the business of `PipeReader` and `PipeWriter`; the synchronous `drain` is the same in all.
 */
import { ProgramStreams } from "@sigtrap/backends"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PipeReader from "./PipeReader.ts"
import * as PipeWriter from "./PipeWriter.ts"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"

const failed = (error: unknown) => new ProgramStreams.StreamsFailed({ detail: String(error) })

const directory = (parent: string) =>
  Effect.acquireRelease(
    Effect.try({ try: () => mkdtempSync(join(parent, "sigtrap-streams-")), catch: failed }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const open = Effect.fnUntraced(function* (
  spawner: ChildProcessSpawner.ChildProcessSpawner["Service"],
  parent: string,
  onBytes: ProgramStreams.OnBytes
) {
  const folder = yield* directory(parent)
  const [input, output, error] = [join(folder, "stdin"), join(folder, "stdout"), join(folder, "stderr")]
  const made = yield* spawner
    .exitCode(
      ChildProcess.make("mkfifo", ["-m", "600", input, output, error], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
        forceKillAfter: "1 second"
      })
    )
    .pipe(Effect.mapError(failed))
  if (made !== 0) return yield* failed(`mkfifo exited with ${made}`)
  const reader = (path: string, channel: "stdout" | "stderr") =>
    Effect.acquireRelease(
      Effect.try({ try: () => PipeReader.make(path, (bytes) => onBytes(channel, bytes)), catch: failed }),
      (reader) => Effect.promise(reader.close)
    )
  const stdout = yield* reader(output, "stdout")
  const stderr = yield* reader(error, "stderr")
  const writer = yield* Effect.acquireRelease(
    Effect.try({ try: () => PipeWriter.make(input), catch: failed }),
    (writer) => Effect.promise(writer.close)
  )
  return {
    input,
    output,
    error,
    drain: () => {
      stdout.drain()
      stderr.drain()
    },
    write: (bytes: Uint8Array) => Effect.tryPromise({ try: () => writer.write(bytes), catch: failed }),
    closeInput: Effect.promise(writer.end)
  }
})

const make = (parent: () => string) =>
  Effect.map(ChildProcessSpawner.ChildProcessSpawner, (spawner) =>
    ProgramStreams.ProgramStreams.of({ open: (onBytes) => open(spawner, parent(), onBytes) })
  )

/** Named pipes in a private directory for each program, below the system's temporary directory. */
export const layer: Layer.Layer<ProgramStreams.ProgramStreams, never, ChildProcessSpawner.ChildProcessSpawner> =
  Layer.effect(ProgramStreams.ProgramStreams, make(tmpdir))

/** The same below the runtime directory. Removes what a daemon before left there, so only the lock's holder builds it. */
export const layerRuntime: Layer.Layer<
  ProgramStreams.ProgramStreams,
  never,
  ChildProcessSpawner.ChildProcessSpawner | RuntimeDirectory
> = Layer.effect(
  ProgramStreams.ProgramStreams,
  Effect.gen(function* () {
    const { streams } = yield* RuntimeDirectory
    yield* Effect.try(() => {
      rmSync(streams, { recursive: true, force: true })
      mkdirSync(streams, { mode: 0o700 })
    }).pipe(Effect.catch((error) => Effect.logWarning(`program streams: ${String(error.cause)}`)))
    return yield* make(() => streams)
  })
)
