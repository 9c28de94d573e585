/**
 * Implements the manager's `Connection` by LLDB commands: translates requests to commands, and their output to data.
 */
import { Command, Frames, Instruction } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as StopText from "../console/lldb/StopText.ts"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Translator } from "../dap/events/Events.ts"
import type { Breakpoints } from "./Breakpoints.ts"
import type { Console } from "./Console.ts"
import type { Notices } from "./Events.ts"
import * as LldbCliInspection from "./Inspection.ts"
import type { Values } from "./Values.ts"
import * as ReturnedValue from "../console/lldb/values/ReturnedValue.ts"
import * as DueBreakpoints from "../console/lldb/breakpoints/DueBreakpoints.ts"
import * as UnknownNames from "../console/lldb/values/UnknownNames.ts"
import * as Reexecution from "../console/lldb/Reexecution.ts"
import * as SelectedFrame from "../console/lldb/frames/SelectedFrame.ts"
import * as CallFrames from "../console/lldb/frames/CallFrames.ts"
import * as FrameHandles from "../console/lldb/frames/FrameHandles.ts"
import * as LldbStacks from "../console/lldb/frames/Stacks.ts"
import * as ChildExpressions from "../console/lldb/values/ChildExpressions.ts"
import * as References from "../console/lldb/values/References.ts"
import * as UnreadableMemory from "../console/lldb/values/UnreadableMemory.ts"
import * as UnreliableValues from "../console/lldb/values/UnreliableValues.ts"

/** What a connection is made from. */
export interface Options {
  readonly console: Console
  readonly events: Translator
  readonly ids: BreakpointIds
  readonly notices: Notices
  readonly values: Values
  readonly breakpoints: Breakpoints
}

/** The requests of a connection, without its start and end. */
export type Conversation = Omit<Backend.Connection, "adapter" | "features" | "run" | "end">

/** Timeout of the notice after the output of a command that resumes. */
const resumeTimeout = "500 millis"

/** Matches a command about settings, and one that runs other commands. */
const setting = /^\s*(?:set|com)/

const steps: Readonly<Record<Exclude<Backend.Resume, "continue">, string>> = {
  next: "thread step-over",
  step: "thread step-in",
  finish: "thread step-out",
  stepi: Instruction.step.stepi,
  nexti: Instruction.step.nexti
}

/** Makes the search for LLDB's number of a thread, by the operating system's; it changes from stop to stop. */
const threadNumbers = (console: Console) =>
  Effect.fnUntraced(function* (thread: number) {
    const known = yield* Frames.threadListInSteps(yield* console.formatted(Frames.threads))
    const found = known.find(({ tid }) => tid === thread)
    if (found !== undefined) return found.index
    return yield* new Errors.AdapterError({ command: "thread list", detail: `there is no thread ${thread}` })
  })

/** Makes the resumes of all threads or one; steps skip functions without debug information unless `system` is set. */
const resumes =
  (console: Console, numberOf: ReturnType<typeof threadNumbers>) =>
  (how: Backend.Resume, thread: number, { frame, only = false, system = false }: Backend.ResumeOptions) => {
    if (how === "continue" && !only) return console.command("process continue")
    const alone = only && (how === "next" || how === "step" || how === "finish") ? " --run-mode this-thread" : ""
    const into = system && how === "step" ? " --step-in-avoids-no-debug false" : ""
    const line = how === "continue" ? "thread continue" : `${steps[how]}${alone}${into}`
    return Effect.flatMap(numberOf(thread), (number) => {
      if (how !== "finish") return console.command(`${line} ${number}`)
      // LLDB finishes the selected frame, and an earlier request may have selected another one.
      const finished = frame ?? FrameHandles.handleOf(number, 0)
      return Effect.andThen(
        Effect.ignore(console.text(ReturnedValue.recordCommand, finished)),
        console.command(`${line} ${number}`, finished)
      )
    })
  }

/** Makes the requests over one console. */
export const make = ({ breakpoints, console, events, ids, notices, values }: Options): Conversation => {
  const numberOf = threadNumbers(console)
  const calls = CallFrames.make((line) => console.text(line))
  const stacks = LldbStacks.make(console.formatted, console.text, calls)
  const { prologues } = breakpoints

  const proceed = resumes(console, numberOf)
  const inspection = LldbCliInspection.make(console, values, calls)
  const corrected = prologues.corrected(
    UnreliableValues.make({
      command: console.command,
      calls,
      addressOf: prologues.addressOf,
      lookUp: breakpoints.lookUp,
      locals: values.locals,
      evaluate: values.evaluate
    })
  )
  const named = ChildExpressions.make({
    commandText: console.text,
    ...UnreadableMemory.make({
      commandText: console.text,
      ...References.make({ locals: corrected.locals, children: values.children, evaluate: corrected.evaluate })
    })
  })

  return {
    setBreakpoints: breakpoints.setBreakpoints,
    ...(breakpoints.addBreakpoints === undefined ? {} : { addBreakpoints: breakpoints.addBreakpoints }),
    lines: breakpoints.lines,
    filters: breakpoints.filters,

    exception: Effect.fnUntraced(function* (thread) {
      const threads = yield* Frames.threadListInSteps(yield* console.formatted(Frames.threads))
      const text = threads.find(({ tid }) => tid === thread)?.stopReason ?? ""
      const number = Number(/^breakpoint (\d+)/.exec(text)?.[1] ?? -1)
      const managerId = ids.managerIdOf(number)
      const caught = events.filters.find(({ id }) => id === managerId)
      if (caught !== undefined) return { id: caught.filter, text: caught.label }
      return {
        id: text.startsWith("signal ") ? "signal" : "exception",
        ...(text === "" || StopText.numbers.test(text) ? {} : { text })
      }
    }),

    resumeSilently: (thread) =>
      Effect.suspend(() => {
        for (const known of [corrected, named]) known.forget()
        const proceed = Effect.asVoid(console.command("process continue"))
        return Effect.andThen(breakpoints.beforeResume("continue", thread), proceed)
      }),

    resume: (how, thread, manner = {}) =>
      Effect.suspend(() => {
        const interrupted = events.resume(how)
        notices.resumed(thread)
        corrected.forget()
        named.forget()
        const discard = interrupted ? Effect.ignore(console.text("thread plan discard 1")) : Effect.void
        return Effect.all([breakpoints.resuming(how, thread, manner.frame), discard, proceed(how, thread, manner)], {
          discard: true
        })
      }),

    finishesFrames: true,
    tracer: breakpoints.tracer,
    paths: breakpoints.paths,

    pause: Effect.suspend(() => {
      events.pause()
      return console.command("process interrupt").pipe(
        // It has just stopped, or does not run yet: the stop is reported, or the session pauses again.
        Effect.catchTag("AdapterError", (error) => (error.reason === "not-running" ? Effect.void : Effect.fail(error))),
        Effect.asVoid
      )
    }),

    threads: Effect.map(Effect.flatMap(console.formatted(Frames.threads), Frames.threadListInSteps), (threads) =>
      threads.map(({ name, tid }) => ({ id: tid, os_id: tid, ...(name === undefined ? {} : { name }) }))
    ),

    stack: (thread, start, count) =>
      Effect.map(stacks(thread, start, count), (stack) =>
        prologues.seen(stack ?? { frames: [], ...(start === 0 ? { total: 0 } : {}) })
      ),

    readsContainers: true,
    refusesCode: true,
    locals: named.locals,
    children: named.children,
    evaluate: named.evaluate,
    inspection: {
      ...inspection,
      globals: (frame) =>
        inspection.globals(frame).pipe(
          Effect.flatMap(References.completed(values.children)),
          Effect.map((found) => named.seen(found, frame))
        )
    },

    instruction: (frame) =>
      Effect.map(console.text(Instruction.here, frame), (text) => {
        const found = Instruction.parse(text)
        return found === undefined ? undefined : `${found.address} ${found.text}`
      }),

    returned: (frame) => ReturnedValue.read(console.text, frame),
    ...DueBreakpoints.make({ text: (line) => console.text(line), ids, major: console.major }),
    ...UnknownNames.make((line) => console.text(line), ids),
    reexecution: Reexecution.make({ text: console.text, watchIds: events.watchIds, major: console.major }),

    command: Effect.fnUntraced(function* (line, frame, within) {
      const moves = Command.resumes(line)
      const stateChange = events.awaitStateChange()
      if (moves) notices.resuming()
      const text = yield* console.command(line, frame, within).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            values.forget()
            console.forgetSelection()
          })
        )
      )
      // The command answers at once; the notice that the program runs comes later.
      if (moves) yield* Effect.timeoutOption(stateChange.happened, resumeTimeout)
      else if (setting.test(line)) yield* values.readSettings
      stateChange.cancel()
      return text
    }),

    selectedBy: SelectedFrame.make((line) => console.text(line))
  }
}
