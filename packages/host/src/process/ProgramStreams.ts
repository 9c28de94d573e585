/**
 * Named pipes for the standard streams of a program, and private directories of debuggers.
 *
 * Each pipe is opened for reading and writing, so that opening does not block and the program's exit is not an end of
 * file. Nothing is buffered here: a full pipe blocks the program until it is read. `PipeReader` and `PipeWriter` hide how
 * each runtime waits for a pipe; the synchronous `drain` works alike in all.
 */
import { ProgramStreams } from "@sigtrap/backends"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NamedPipes from "./NamedPipes.ts"
import * as PipeHolders from "./PipeHolders.ts"
import * as PipeReader from "./PipeReader.ts"
import * as PipeWriter from "./PipeWriter.ts"
import { RuntimeDirectory } from "../runtime/RuntimeDirectory.ts"

const failed = (error: unknown) => new ProgramStreams.StreamsFailed({ detail: String(error) })

const directory = (parent: string, prefix: string) =>
  Effect.acquireRelease(Effect.try({ try: () => mkdtempSync(join(parent, prefix)), catch: failed }), (path) =>
    Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

/** Longest directory in which programs can bind sockets with names of their own, in bytes. */
const socketDirectoryLimit = 62

/** Makes the private directory of one debugger. The system's temporary directory has a shorter path on some systems. */
const home = (parent: string, bindsSockets: boolean) => {
  const isShort = Buffer.byteLength(join(parent, "home-123456")) <= socketDirectoryLimit
  return isShort || !bindsSockets ? directory(parent, "home-") : directory(tmpdir(), "sigtrap-")
}

const open = Effect.fn("ProgramStreams.open")(function* (
  spawner: ChildProcessSpawner.ChildProcessSpawner["Service"],
  parent: string,
  onBytes: ProgramStreams.OnBytes
) {
  const folder = yield* directory(parent, "sigtrap-streams-")
  const [input, output, error] = [join(folder, "stdin"), join(folder, "stdout"), join(folder, "stderr")]
  yield* NamedPipes.create(spawner, [input, output, error])
  const holders = yield* Effect.try({
    try: () => PipeHolders.finder([input, output, error].map((path) => realpathSync(path))),
    catch: failed
  })
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
    holders: Effect.sync(holders),
    write: (bytes: Uint8Array) => Effect.tryPromise({ try: () => writer.write(bytes), catch: failed }),
    closeInput: Effect.promise(writer.end)
  }
})

const make = (parent: () => string) =>
  Effect.map(ChildProcessSpawner.ChildProcessSpawner, (spawner) =>
    ProgramStreams.ProgramStreams.of({
      open: (onBytes) => open(spawner, parent(), onBytes),
      home: (bindsSockets) => home(parent(), bindsSockets)
    })
  )

/** Creates pipes and directories in the system's temporary directory. */
export const layer: Layer.Layer<ProgramStreams.ProgramStreams, never, ChildProcessSpawner.ChildProcessSpawner> =
  Layer.effect(ProgramStreams.ProgramStreams, make(tmpdir))

/** Creates them in the runtime directory. The daemon has removed those of earlier daemons. */
export const layerRuntime: Layer.Layer<
  ProgramStreams.ProgramStreams,
  never,
  ChildProcessSpawner.ChildProcessSpawner | RuntimeDirectory
> = Layer.effect(
  ProgramStreams.ProgramStreams,
  Effect.flatMap(RuntimeDirectory, ({ streams }) => make(() => streams))
)
