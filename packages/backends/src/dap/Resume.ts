/**
 * Setting a program going: all of it or one thread alone, stepping into functions with debug information or into any.
 *
 * What the protocol of an adapter cannot say, LLDB is told on its command line.
 */
import { Capabilities, Requests, type Client, type Errors as Dap } from "@sigtrap/dap"
import { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Quirks } from "../adapters/Quirks.ts"

/** What is needed of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly commandText: (line: string, frame?: number) => Effect.Effect<string, Backend.Failure>
  readonly failed: (error: Dap.RequestError) => Backend.Failure
  readonly isLldb: boolean
  readonly quirks: Quirks
  /** A line for the debugger's own command line. */
  readonly console: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly name: string
}

type Whole = Exclude<Backend.Resume, "stepi" | "nexti">

const requests = { next: Requests.Next, step: Requests.StepIn, finish: Requests.StepOut } as const

const alone = {
  next: "thread step-over -m this-thread",
  step: "thread step-in -m this-thread",
  finish: "thread step-out -m this-thread"
} as const

const avoid = "settings set target.process.thread.step-in-avoid-nodebug"

/** The departures of one connection. */
export const make = ({ client, commandText, console, failed, isLldb, name, quirks }: Options) => {
  const { stepsAnywhere } = quirks
  /** Whether steps enter functions without debug information now. */
  let anywhere = false

  const supportsOne = () => Capabilities.supports(client.capabilities(), "supportsSingleThreadExecutionRequests")

  const request = (how: Whole, thread: number, single: boolean) => {
    const body = { threadId: thread, ...(single ? { singleThread: true } : {}) }
    const sent: Effect.Effect<unknown, Dap.RequestError> =
      how === "continue" ? client.request(Requests.Continue, body) : client.request(requests[how], body)
    return Effect.asVoid(Effect.mapError(sent, failed))
  }

  const run = Effect.fnUntraced(function* (line: string, frame?: number) {
    const text = yield* commandText(line, frame)
    const problem = Parse.failure(text)
    if (problem !== undefined) return yield* new Errors.AdapterError({ command: line, detail: problem.trim() })
    return text
  })

  /** A command acts on the selected thread, which is that of the frame it is given. */
  const byCommand = Effect.fnUntraced(function* (how: Whole, thread: number) {
    const page = yield* client
      .request(Requests.StackTrace, { threadId: thread, startFrame: 0, levels: 1 })
      .pipe(Effect.mapError(failed))
    const frame = page.stackFrames[0]?.id
    if (how !== "continue") return yield* run(alone[how], frame)
    const number = /thread #(\d+)/.exec(yield* run("thread info", frame))?.[1]
    return yield* run(`thread continue ${number ?? "1"}`, frame)
  })

  return {
    /** Sets the program going. */
    depart: Effect.fnUntraced(function* (how: Whole, thread: number, manner: Backend.Manner) {
      const unsupported = (what: string) => new Errors.Unsupported({ what, by: name, remedies: [Hint.call(how, {})] })
      if (stepsAnywhere !== undefined && anywhere !== (manner.system === true)) {
        anywhere = manner.system === true
        yield* console(anywhere ? stepsAnywhere.on : stepsAnywhere.off)
      }
      if (manner.system === true && !isLldb && stepsAnywhere === undefined)
        return yield* unsupported("stepping into functions without debug information")
      if (manner.only === true && !supportsOne() && !isLldb) return yield* unsupported("running one thread alone")
      const going =
        manner.only === true && !supportsOne()
          ? Effect.asVoid(byCommand(how, thread))
          : request(how, thread, manner.only === true)
      if (manner.system !== true || stepsAnywhere !== undefined) return yield* going
      // A step looks at the setting when it begins.
      yield* run(`${avoid} false`)
      yield* going.pipe(Effect.ensuring(Effect.ignore(commandText(`${avoid} true`))))
    })
  }
}
