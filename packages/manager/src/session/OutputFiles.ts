/**
 * Copies output that a program writes to files into the session's journal.
 *
 * One fiber of the session reads new output every 75 ms, because file notifications are not reliable for files that
 * another process writes. It ends with the session, after a last read. A stop report also reads, so that it includes
 * everything before the stop.
 */
import type { Output } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Session } from "./Session.ts"

/** Files of the two streams, as absolute paths. */
export interface Files {
  readonly stdout: string
  readonly stderr: string
}

/** Size of one read, in bytes. */
const readSize = 65_536

/** Time between two reads. */
const interval = "75 millis"

/** Makes empty files in a temporary folder, which belongs to the caller's scope. */
export const files = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-app-" })
  const made: Files = { stdout: `${folder}/stdout`, stderr: `${folder}/stderr` }
  yield* fs.writeFile(made.stdout, new Uint8Array())
  yield* fs.writeFile(made.stderr, new Uint8Array())
  return made
})

/** Follows the files while the session lives. Unreadable files are ignored. */
export const follow = Effect.fnUntraced(function* (session: Session, files: Files) {
  const fs = yield* FileSystem.FileSystem
  const oneRead = yield* Semaphore.make(1)

  const reader = Effect.fnUntraced(function* (channel: Extract<Output.Channel, "stdout" | "stderr">, path: string) {
    const file = yield* fs.open(path, { flag: "r" })
    const decoder = new TextDecoder()
    return Effect.gen(function* () {
      for (;;) {
        const bytes = yield* file.readAlloc(readSize)
        if (Option.isNone(bytes)) return
        const text = decoder.decode(bytes.value, { stream: true })
        if (text !== "") session.log.emit({ _tag: "Output", channel, text })
      }
    }).pipe(Effect.ignore)
  })

  yield* Effect.gen(function* () {
    const stdout = yield* reader("stdout", files.stdout)
    const stderr = yield* reader("stderr", files.stderr)
    const read = oneRead.withPermit(Effect.andThen(stdout, stderr))
    session.notes.setOutputReader(read)
    yield* Effect.addFinalizer(() => read)
    yield* read.pipe(Effect.repeat(Schedule.spaced(interval)), Effect.forkScoped)
  }).pipe(Scope.provide(session.scope), Effect.ignore)
})
