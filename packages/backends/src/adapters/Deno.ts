/**
 * Programs of Deno under js-debug. js-debug loads code into programs of Node only, so Deno listens for it at a port and waits.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { AdapterSockets } from "../process/AdapterSockets.ts"
import type { Arguments } from "./Adapter.ts"

const words = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.filter(Predicate.isString) : [])

/**
 * Returns launch arguments in which a program of Deno waits at a free port. With `--inspect-wait`, Deno runs tests before it has read
 * the breakpoints; with `--inspect-brk` it stops first, and the adapter continues. `--quiet` leaves out its messages about that.
 */
export const withInspector = Effect.fnUntraced(function* (args: Arguments) {
  const { runtimeArgs, runtimeExecutable } = args
  if (!Predicate.isString(runtimeExecutable) || !/(?:^|\/)deno$/.test(runtimeExecutable)) return args
  const port = yield* (yield* AdapterSockets).freePort
  const [command = "run", ...options] = words(runtimeArgs)
  const others = options.filter((option) => !/^--inspect\b/.test(option))
  const completed: Arguments = {
    ...args,
    runtimeArgs: [command, "--quiet", `--inspect-brk=127.0.0.1:${port}`, ...others],
    attachSimplePort: port,
    continueOnAttach: true
  }
  return completed
})
