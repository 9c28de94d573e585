/**
 * Creates named pipes with the system's `mkfifo`; Node has no call for them.
 *
 * `mkfifo` gets no environment of the daemon: a preloaded library or a locale of the user changes neither its work nor its
 * messages.
 */
import { ProgramStreams } from "@sigtrap/backends"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as SystemPrograms from "./SystemPrograms.ts"

const failed = (detail: string) => new ProgramStreams.StreamsFailed({ detail })

/** Longest part of the messages of `mkfifo` in an error, in characters. The reason is at their end. */
const longestMessage = 400

/** Returns the end of a text as one line without control characters. */
const plain = (text: string) => {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > longestMessage ? `…${line.slice(-longestMessage)}` : line
}

/** Creates pipes that only this user can open. Fails with the message of `mkfifo`. */
export const create = Effect.fn("NamedPipes.create")(function* (
  spawner: ChildProcessSpawner.ChildProcessSpawner["Service"],
  paths: ReadonlyArray<string>
) {
  const mkfifo = SystemPrograms.find("mkfifo")
  if (mkfifo === undefined) return yield* failed("mkfifo is not in a directory of the system")
  const run = Effect.gen(function* () {
    const handle = yield* spawner.spawn(
      ChildProcess.make(mkfifo, ["-m", "600", ...paths], {
        env: { LC_ALL: "C" },
        extendEnv: false,
        stdin: "ignore",
        stdout: "ignore",
        forceKillAfter: "1 second"
      })
    )
    const message = yield* handle.stderr.pipe(
      Stream.decodeText(),
      Stream.runFold(
        () => "",
        (end, text) => `${end}${text}`.slice(-4 * longestMessage)
      )
    )
    return { exitCode: yield* handle.exitCode, message: plain(message) }
  })
  const { exitCode, message } = yield* Effect.scoped(run).pipe(Effect.mapError((error) => failed(String(error))))
  if (exitCode !== 0) return yield* failed(`mkfifo exited with ${exitCode}${message === "" ? "" : `: ${message}`}`)
})
