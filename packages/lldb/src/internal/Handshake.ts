/**
 * The first commands to a new LLDB: the prompt, its version, and the settings that it needs for being driven.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { LldbError } from "../Errors.ts"
import * as Parse from "../Parse.ts"
import type { Failure } from "./CommandQueue.ts"
import type { Ended } from "./StreamSplitter.ts"
import * as Settings from "./Settings.ts"

/** What the first commands are sent with. */
export interface Options {
  readonly executable: string
  readonly send: (command: string) => Effect.Effect<Ended, Failure>
  readonly prompt: string
  /** The random token in the stop formats (`Notice.settings`). */
  readonly token: string
  /** How long all first commands together may take. */
  readonly limit: Duration.Duration
  /** Returns the last output to stderr, for the error. */
  readonly tail: () => string
}

/** Sends the first commands and returns the version; fails if this LLDB cannot be used. */
export const make = (options: Options) => {
  const { limit, prompt, send, tail, token } = options
  const unusable = (detail: string) =>
    Effect.fail(new LldbError({ reason: "unusable", executable: options.executable, detail }))

  const handshake = Effect.gen(function* () {
    yield* send(`settings set prompt "${prompt}"`)
    const { output } = yield* send("version")
    const text = Parse.version(output)
    const major = Number.parseInt(text ?? "", 10)
    if (text === undefined || Number.isNaN(major)) {
      return yield* unusable(`it does not print its version: ${output.slice(0, 200)}`)
    }
    for (const [name, value] of Settings.all(major, token)) {
      // A version without this setting refuses it; the probes fail if the setting is needed.
      yield* Effect.catchTag(send(`settings set ${name} ${value}`), "CommandFailed", () => Effect.void)
    }
    for (const [command, expected] of Settings.probes(token)) {
      const answer = yield* send(command)
      if (!answer.output.includes(expected)) {
        return yield* unusable(`a setting was not applied: ${command} prints ${answer.output.slice(0, 200)}`)
      }
    }
    return { major, text }
  })

  return handshake.pipe(
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () => unusable(`it does not answer within ${Duration.format(limit)}. It printed: ${tail()}`)
    }),
    Effect.catchTags({
      CommandFailed: ({ command, text }) => unusable(`${command} fails: ${text}`),
      CommandTimedOut: (error) => unusable(error.message),
      LldbLost: (error) =>
        Effect.fail(new LldbError({ reason: "failed", executable: options.executable, detail: error.message }))
    })
  )
}
