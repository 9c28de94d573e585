/**
 * The dialect of GDB's own adapter. A line of the context `repl` (DAP `evaluate`) is a GDB command. Questions are Python
 * scripts.
 */
import type { Client } from "@sigtrap/dap"
import { Errors, type Event } from "@sigtrap/protocol"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Connection, Dialect, Signal } from "../Dialect.ts"
import * as Breakpoints from "./Breakpoints.ts"
import * as Console from "./Console.ts"
import * as Inspection from "./Inspection.ts"
import * as Lookup from "./Lookup.ts"
import * as Scripts from "./Scripts.ts"

/** Timeout of a question at a stop or at the program's end. After it the event is reported without the answer. */
const stopTimeout = "2 seconds"

const interactive =
  /^\s*(?:$|q(?:uit)?\b|exit\b|sh(?:ell)?\b|!|make\b|pipe\b|\||edit\b|tui\b|layout\b|(?:py(?:thon)?|pi|python-interactive|gu(?:ile)?|commands|define|document)\s*(?:[\w.-]*\s*)?$)/

/** Makes a console for questions at a stop. Their failures are ignored. */
const atStop = (client: Client.Client) =>
  Console.make({ client, failed: () => new Errors.AdapterError({ command: "evaluate", detail: "refused" }) })

/** The C++ exception at a filter, or the signal of the stop. */
const exception = (console: Console.Console, lastStop: Connection["lastStop"]) =>
  Effect.suspend(() => {
    const { signal, text } = lastStop()
    return Effect.map(
      signal === undefined ? console.ask(Scripts.exception, {}) : Effect.succeed({ type: null, what: null }),
      ({ type, what }): Backend.ExceptionDetails => ({
        id: signal ?? "exception",
        ...(text === undefined ? {} : { text }),
        ...(type === null ? {} : { type }),
        ...(what === null ? {} : { message: what })
      })
    )
  })

/** The commands of GDB that `dap` sends. */
export const dialect: Dialect = {
  expression: (command) => command,
  interactive: (command) => interactive.test(command),
  open: ({ calling, client, failed, ids, lastStop, text }) => {
    const console = Console.make({ client, calling, failed })
    const { instruction, ...answers } = Inspection.make(console)
    let entersSystem = false
    return {
      breakpoints: Breakpoints.make(console, ids),
      answers: { ...answers, lookup: Lookup.make(console) },
      assign: Lookup.assign(console),
      systemThreads: Effect.map(console.ask(Scripts.threads, {}), (found) => new Map(found)),
      instruction,
      exception: exception(console, lastStop),
      resumeEntering: Effect.fnUntraced(function* (enter, resume) {
        if (enter !== entersSystem) {
          entersSystem = enter
          yield* text(`set step-mode ${enter ? "on" : "off"}`)
        }
        yield* resume
      })
    }
  },
  signal: (client) =>
    atStop(client)
      .ask(Scripts.signal, {})
      .pipe(
        Effect.map(({ address, name }): Signal | undefined =>
          name === null ? undefined : { name, ...(address === null ? {} : { address }) }
        ),
        Effect.timeout(stopTimeout),
        Effect.orElseSucceed(() => undefined)
      ),
  coreThread: (client) =>
    atStop(client)
      .ask(Scripts.selectedThread, {})
      .pipe(
        Effect.map((thread) => thread ?? undefined),
        Effect.timeout(stopTimeout),
        Effect.orElseSucceed(() => undefined)
      ),
  end: (client, exitCode = 0) =>
    exitCode !== 0
      ? undefined
      : atStop(client)
          .ask(Scripts.endedBy, {})
          .pipe(
            Effect.map(({ code, signal }): Event.Event | undefined =>
              signal !== null ? { _tag: "Exited", signal } : code === null ? { _tag: "Exited" } : undefined
            ),
            Effect.timeout(stopTimeout),
            Effect.orElseSucceed(() => undefined)
          )
}
