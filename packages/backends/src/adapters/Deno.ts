/**
 * Programs of Deno under js-debug. js-debug loads code into programs of Node only, so Deno listens for it at a port and waits.
 *
 * Deno itself catches what the top level of a module and callbacks of timers throw, so V8 takes such an exception as caught. With a file
 * to load first (`--preload`), Deno waits a second time for a debugger, which js-debug does not answer. So the condition at the first
 * caught exception adds a listener, which throws the error again when Deno reports it, after the frames of the program have ended.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { AdapterSockets } from "../process/AdapterSockets.ts"
import type { Arguments } from "./Adapter.ts"
import * as NodeExceptions from "./NodeExceptions.ts"

/** The code that adds the listener. It answers what the debugger asks the file that Node loads (`NodeExceptions`). */
const listener = `"use strict"
${NodeExceptions.reporting}
const value = { endsProgram: () => false, noteStop: markStopped, stopAgain, isReporting: () => isReporting }
Object.defineProperty(globalThis, "sigtrap.exceptions", { value })
process.on("uncaughtExceptionMonitor", report)
//# sourceURL=file:///sigtrap/deno.mjs
`

/**
 * Returns an expression that adds the listener in a program of Deno without one and is false then. Otherwise its value is that of the
 * given expression. Tests of Deno have a file of their own for this.
 */
export const withListener = (expression: string): string => {
  const isMissing = [
    '"Deno" in globalThis',
    'globalThis["sigtrap.exceptions"] === undefined',
    'globalThis["sigtrap.failure"] === undefined',
    'typeof process === "object"'
  ]
  return `(${isMissing.join(" && ")} ? new Function(${JSON.stringify(listener)})() === true : ${expression})`
}

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
