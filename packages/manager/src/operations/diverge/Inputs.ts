/**
 * Reads the two inputs of `diverge`: the payloads of `start` for the good and the bad run.
 */
import { Errors, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as CommandLine from "../../model/CommandLine.ts"

type Payload = Operations.Payload<"diverge">
type Start = Operations.Payload<"start">

/** The names of both sessions. */
export interface Names {
  readonly good: string
  readonly bad: string
}

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("diverge")] })

/** Returns the names of the sessions of a call. */
export const namesOf = ({ session }: Payload): Names => {
  const prefix = session === undefined ? "" : `${session.slice(0, 59)}.`
  return { good: `${prefix}good`, bad: `${prefix}bad` }
}

/** One of the two inputs, as the caller wrote it. */
interface Written {
  readonly command: string
  readonly input: string | undefined
  readonly env: ReadonlyArray<string>
}

const startOf = (payload: Payload, session: string, { command, env, input }: Written) =>
  Result.match(CommandLine.read(command), {
    onFailure: (problem) => Effect.fail(usage(`${command}: ${problem}`)),
    onSuccess: ({ env: before, words: [program, ...args] }) => {
      const {
        bad: _,
        bad_env: __,
        bad_input: ___,
        depth: ____,
        good: _____,
        good_env: ______,
        good_input: _______,
        ignore: ________,
        keep: _________,
        max: __________,
        ...rest
      } = payload
      const start: Start = {
        ...rest,
        program,
        args,
        env: [...before.map(([name, value]) => `${name}=${value}`), ...env],
        // No client writes to the program meanwhile, so it reads the end of its input at once.
        stdin: input ?? "/dev/null",
        session,
        break: [],
        pending: false,
        stop_on_entry: true,
        stop_at_main: false,
        run: true,
        wait: true,
        context: "none",
        lines: 0,
        timeout: payload.timeout
      }
      return Effect.succeed(start)
    }
  })

/** Returns the payloads of `start` of both runs. Fails if both have the same input. */
export const read = Effect.fnUntraced(function* (payload: Payload) {
  const { bad = payload.good, bad_env, bad_input, good, good_env, good_input } = payload
  const isSame = good === bad && good_input === bad_input && good_env.join("\0") === bad_env.join("\0")
  if (isSame) return yield* usage("both runs have the same input")
  const names = namesOf(payload)
  // The program is built once.
  const { build: _, ...built } = payload
  return {
    good: yield* startOf(payload, names.good, { command: good, input: good_input, env: good_env }),
    bad: yield* startOf(built, names.bad, { command: bad, input: bad_input, env: bad_env })
  }
})

/** Fails unless both runs have the same program. */
export const checkPrograms = (good: string, bad: string): Effect.Effect<void, Errors.Usage> =>
  good === bad
    ? Effect.void
    : Effect.fail(usage(`the runs are of two programs, ${good} and ${bad}; diverge compares the inputs of one`))
