/**
 * An LLDB command line with its program as the manager sees it: our requests as commands, the answers as data.
 */
import { Command, Frames, Instruction } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as DapEvents from "../dap/Events.ts"
import type { Breakpoints } from "./Breakpoints.ts"
import type { Console } from "./Console.ts"
import type { Notices } from "./Events.ts"
import * as LldbCliInspection from "./Inspection.ts"
import type { Values } from "./Values.ts"
import * as LldbStacks from "../console/lldb/Stacks.ts"

/** What a connection is made from. */
export interface Options {
  readonly console: Console
  readonly events: DapEvents.Context
  readonly notices: Notices
  readonly values: Values
  readonly breakpoints: Breakpoints
}

/** The requests of a connection, without its beginning and end. */
export type Conversation = Omit<Backend.Connection, "adapter" | "features" | "run" | "end">

/** How long LLDB may take to say that a command of its own has set the program going. */
const resumesWithin = "500 millis"

/** A command about settings, or one that runs others. */
const setting = /^\s*(?:set|com)/

/** LLDB's refusal to interrupt a program that stands still. */
const notYet = /Process is not running/i

const steps: Readonly<Record<Exclude<Backend.Resume, "continue">, string>> = {
  next: "thread step-over",
  step: "thread step-in",
  finish: "thread step-out",
  stepi: Instruction.step.stepi,
  nexti: Instruction.step.nexti
}

/** The requests over one console. */
export const make = ({ breakpoints, console, events, notices, values }: Options): Conversation => {
  /** LLDB's own numbers of threads, by the system's; read anew at every stop. */
  const numberOf = Effect.fnUntraced(function* (thread: number) {
    const known = Frames.threadList(yield* console.formatted(Frames.threads))
    const found = known.find(({ tid }) => tid === thread)
    if (found !== undefined) return found.index
    return yield* new Errors.AdapterError({ command: "thread list", detail: `there is no thread ${thread}` })
  })

  const stacks = LldbStacks.make(console.formatted)

  /** Other threads run along unless one is meant alone; what has no debug information is stepped over. */
  const proceed = (how: Backend.Resume, thread: number, { only = false, system = false }: Backend.Manner) => {
    if (how === "continue" && !only) return console.command("process continue")
    const alone = only && (how === "next" || how === "step" || how === "finish") ? " --run-mode this-thread" : ""
    const into = system && how === "step" ? " --step-in-avoids-no-debug false" : ""
    const words = how === "continue" ? "thread continue" : `${steps[how]}${alone}${into}`
    return Effect.flatMap(numberOf(thread), (number) => console.command(`${words} ${number}`))
  }

  const inspection = LldbCliInspection.make(console, values)

  return {
    setBreakpoints: breakpoints.setBreakpoints,
    lines: breakpoints.lines,
    filters: breakpoints.filters,

    exception: Effect.fnUntraced(function* (thread) {
      const places = yield* inspection.places
      const text = places.find(({ id }) => id === thread)?.stop_reason ?? ""
      const number = Number(/^breakpoint (\d+)/.exec(text)?.[1] ?? -1)
      const ours = events.ids.oursOf(number)
      const caught = (events.catches ?? []).find(({ id }) => id === ours)
      if (caught !== undefined) return { id: caught.filter, text: caught.label }
      return { id: text.startsWith("signal ") ? "signal" : "exception", ...(text === "" ? {} : { text }) }
    }),

    goOn: () => Effect.asVoid(console.command("process continue")),

    resume: (how, thread, manner = {}) =>
      Effect.suspend(() => {
        const abandoned = events.stepCutShort
        events.lastResume = how
        events.stepCutShort = false
        events.pausing = false
        notices.resumed(thread)
        const abandon = abandoned ? Effect.ignore(console.text("thread plan discard 1")) : Effect.void
        return Effect.andThen(abandon, Effect.asVoid(proceed(how, thread, manner)))
      }),

    pause: Effect.suspend(() => {
      events.pausing = true
      return console.command("process interrupt").pipe(
        // It has just stopped by itself, or not begun to run yet: the stop is told, or the session asks once more.
        Effect.catchTag("AdapterError", (error) => (notYet.test(error.detail) ? Effect.void : Effect.fail(error))),
        Effect.asVoid
      )
    }),

    threads: Effect.map(console.formatted(Frames.threads), (text) =>
      Frames.threadList(text).map(({ name, tid }) => ({ id: tid, os_id: tid, ...(name === undefined ? {} : { name }) }))
    ),

    stack: (thread, start, count) =>
      Effect.map(
        stacks(thread, start, count),
        (stack): Backend.Stack => stack ?? { frames: [], ...(start === 0 ? { total: 0 } : {}) }
      ),

    locals: values.locals,
    children: values.children,
    evaluate: values.evaluate,
    inspection,

    instruction: (frame) =>
      Effect.map(console.text(Instruction.here, frame), (text) => {
        const found = Instruction.parse(text)
        return found === undefined ? undefined : `${found.address} ${found.text}`
      }),

    returned: (frame) =>
      Effect.map(console.text(Instruction.about, frame), (text) => {
        const found = Instruction.returned(text)
        return found === undefined ? undefined : { name: "return", kind: "return" as const, handle: 0, ...found }
      }),

    command: Effect.fnUntraced(function* (line, frame, within) {
      const moves = Command.resumes(line)
      const moved = yield* Deferred.make<void>()
      events.moved = moved
      if (moves) notices.resuming()
      const text = yield* console.command(line, frame, within).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            values.forget()
            console.moved()
          })
        )
      )
      // It answers at once; that the program moves is told a moment later.
      if (moves) yield* Effect.timeoutOption(Deferred.await(moved), resumesWithin)
      else if (setting.test(line)) yield* values.settled
      events.moved = undefined
      return text
    })
  }
}
