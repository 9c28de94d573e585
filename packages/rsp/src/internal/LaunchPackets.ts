/**
 * The requests that launch a program: its environment, directory and streams first, then the program.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Errors from "../Errors.ts"
import * as Hex from "../Hex.ts"
import { textOf, type Ask } from "./Target.ts"

/** A program to launch. */
export interface LaunchOptions {
  readonly program: string
  readonly args?: ReadonlyArray<string>
  /** Variables that are added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Files of its standard streams. Only LLDB's servers support them. */
  readonly stdin?: string
  readonly stdout?: string
  readonly stderr?: string
  /** True to randomize addresses, false to keep them the same in each run; by default the server decides. */
  readonly aslr?: boolean
  /** Timeout of the launch itself. The default is the timeout of other requests. */
  readonly timeout?: Duration.Input
}

/** Sends the requests and returns the answer to the launch: a stop reply. */
export const send = Effect.fnUntraced(function* (
  launch: LaunchOptions,
  ask: Ask,
  limit: Duration.Duration
): Effect.fn.Return<string, Errors.RequestError> {
  const { args = [], aslr, cwd, env = {}, program } = launch
  const file = (name: string, path: string | undefined) =>
    path === undefined ? [] : [ask(`QSetSTD${name}:${Hex.encode(path)}`)]
  yield* Effect.all(
    [
      ...Object.entries(env).map(([name, value]) => ask(`QEnvironmentHexEncoded:${Hex.encode(`${name}=${value}`)}`)),
      ...(cwd === undefined ? [] : [ask(`QSetWorkingDir:${Hex.encode(cwd)}`)]),
      ...file("IN", launch.stdin),
      ...file("OUT", launch.stdout),
      ...file("ERR", launch.stderr),
      ...(aslr === undefined
        ? []
        : [
            ask(`QSetDisableASLR:${aslr ? 0 : 1}`).pipe(
              Effect.catchTag("NotSupported", () => ask(`QDisableRandomization:${aslr ? 0 : 1}`))
            )
          ])
    ],
    { concurrency: "unbounded", discard: true }
  )
  const within = launch.timeout ?? limit
  const words = [program, ...args].map((word) => Hex.encode(word))
  // Extended mode, which GDB's server needs to launch. LLDB's servers do not know it.
  yield* ask("!").pipe(Effect.catchTag(["NotSupported", "RequestFailed"], () => Effect.void))
  return yield* Effect.map(ask(`vRun;${words.join(";")}`, within), textOf).pipe(
    Effect.catchTag("NotSupported", () => older(words, ask, within))
  )
})

/** The requests of servers without `vRun`: LLDB up to 15. */
const older = Effect.fnUntraced(function* (words: ReadonlyArray<string>, ask: Ask, within: Duration.Input) {
  yield* ask(`A${words.map((word, index) => `${word.length},${index},${word}`).join(",")}`, within)
  yield* ask("qLaunchSuccess")
  return textOf(yield* ask("?"))
})
