/**
 * Translates the notices of LLDB's command line to events of an adapter, which `dap/Events` translates to session events.
 *
 * A fiber of the connection processes the notices one after another, since a stop needs a command: it lists the stop reasons
 * of all threads. The fiber ends with the scope.
 */
import { Frames, Parse, type Notice } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Backend } from "@sigtrap/manager"
import type { BreakpointIds } from "../console/BreakpointIds.ts"
import type { Prologues, StepEnds } from "../console/Dialect.ts"
import * as ProgramEnd from "../console/lldb/ProgramEnd.ts"
import type { Translator } from "../dap/events/Events.ts"
import type { Console } from "./Console.ts"

/** What the translation is made from. */
export interface Options {
  readonly console: Console
  readonly events: Translator
  readonly listener: Backend.Listener
  readonly ids: BreakpointIds
  /** True once `run` has started the program. Stops before it are not reported. */
  readonly reportsStops: () => boolean
  /** Receives a stop that is not reported; `stop` reports it later. */
  readonly unreportedStop: (stop: Effect.Effect<void>, pid: number) => void
  /** Run when LLDB has added locations to a breakpoint. */
  readonly resolved: Effect.Effect<unknown, unknown>
  readonly prologues: Prologues
  readonly stepEnds: StepEnds
  /** Reports what was recorded before a stop; undefined if there is nothing. */
  readonly beforeStop: () => Effect.Effect<void> | undefined
  /** Called at each stop. Handles of the last stop are no longer valid. */
  readonly stopped: () => void
  readonly detached: () => void
}

/** The notices of one LLDB. */
export interface Notices {
  /** Adds a notice to the queue; never blocks. */
  readonly take: (notice: Notice.Notice) => void
  /** Records that a command of the user is about to resume the program. */
  readonly resuming: () => void
  /** Records the resumed thread. If this thread has a stop reason, its stop is reported first. */
  readonly resumed: (thread: number) => void
}

interface Thread {
  readonly tid: number
  readonly reason: string | undefined
  /** The reason of a stop that ends a step where the program continues after an exception or `longjmp`. */
  readonly landed?: string
}

const steps = /^(?:step |instruction step|trace|run to address|until)/

/** The reason (DAP) for a stop reason of LLDB. */
const reasonOf = (text: string, caught: boolean): string => {
  if (text.startsWith("breakpoint ")) return caught ? "exception" : "breakpoint"
  if (text.startsWith("watchpoint ")) return "data breakpoint"
  if (steps.test(text)) return "step"
  // Loading a library was the next occasion for a pause that was requested.
  if (text === "shared-library-event") return "pause"
  if (text.startsWith("exec")) return "entry"
  return /^v?fork/.test(text) ? "fork" : "exception"
}

const numbersIn = (text: string): ReadonlyArray<number> => {
  const list = /^breakpoint ((?:\d+(?:\.\d+)? ?)+)/.exec(text)?.[1]?.trim()
  return list === undefined ? [] : [...new Set(list.split(/\s+/).map((place) => Number.parseInt(place, 10)))]
}

/** The body of the `stopped` event for one thread. */
const stopOf = ({ events, ids }: Pick<Options, "events" | "ids">, { landed, reason, tid }: Thread, focus: boolean) => {
  if (landed !== undefined) return { reason: landed, threadId: tid, hitBreakpointIds: [], description: landed }
  const text = reason ?? ""
  const numbers = numbersIn(text)
  const managerIds = ids.managerIdsOf(numbers, undefined)
  const caught = events.filters.find(({ id }) => managerIds.includes(id))
  return {
    reason: reasonOf(text, caught !== undefined),
    threadId: tid,
    hitBreakpointIds: numbers,
    ...(text === "" ? {} : { description: caught?.label ?? text }),
    ...(focus ? {} : { preserveFocusHint: true })
  }
}

/** Passes an event in the form of DAP to the translator. */
export const handle = (events: Translator, event: string, body: unknown): void =>
  events.handle({ type: "event", seq: 0, event, body })

/** Processes the notices of a connection in its scope. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Notices, never, Scope.Scope> {
  const { console, events, ids, listener, prologues } = options
  const queue = yield* Queue.unbounded<Notice.Notice>()
  let resumedByCommand = false
  let lastThread: number | undefined

  const threads = (notice: Notice.Stopped) => {
    // After the process has ended, only the notice is known.
    const noticed: ReadonlyArray<Thread> = [{ tid: notice.tid ?? 0, reason: notice.reason }]
    return console.formatted(Frames.threads).pipe(
      Effect.flatMap(Frames.threadListInSteps),
      Effect.map((listed) => listed.map(({ stopReason, tid }): Thread => ({ tid, reason: stopReason }))),
      Effect.map((all) => (all.length === 0 ? noticed : all)),
      Effect.orElseSucceed(() => noticed)
    )
  }

  const withHandler = (thread: Thread) =>
    Effect.map(options.stepEnds.landed(numbersIn(thread.reason ?? "")) ?? Effect.undefined, (landed): Thread => ({
      ...thread,
      ...(landed === undefined ? {} : { landed })
    }))

  const reportStop = (all: ReadonlyArray<Thread>) =>
    Effect.sync(() => {
      if (resumedByCommand) handle(events, "continued", {})
      resumedByCommand = false
      const stopped = all.filter(({ reason }) => reason !== undefined && reason !== "")
      const isOther = ({ reason }: Thread) => !prologues.isLibraryStop([], reason)
      const withReason = stopped.some(isOther) ? stopped.filter(isOther) : stopped
      const reported = withReason.length > 0 ? withReason : all.slice(0, 1)
      const focus = reported.find(({ tid }) => tid === lastThread) ?? reported[0]
      // The thread in focus comes first, since a waiting caller takes the first stop.
      const order = focus === undefined ? [] : [focus, ...reported.filter((one) => one !== focus)]
      for (const thread of order) handle(events, "stopped", stopOf(options, thread, thread === focus))
    })

  /** Resumes after a stop that is not the end of what was requested. Returns false if the stop has to be reported. */
  const isResumed = Effect.fnUntraced(function* (all: ReadonlyArray<Thread>) {
    const stopped = all.filter(({ reason }) => reason !== undefined && reason !== "")
    const [one] = stopped
    if (one?.reason === undefined) return false
    if (stopped.some(({ reason }) => prologues.isLibraryStop([], reason))) {
      const alone = yield* prologues.loaded
      if (!alone || events.pausing) return false
      yield* console.command("process continue")
      return true
    }
    return events.resumed === "step" && steps.test(one.reason) && (yield* prologues.completeStep(one.tid))
  })

  const process = Effect.fnUntraced(function* (notice: Notice.Notice) {
    switch (notice.kind) {
      case "stopped": {
        options.stopped()
        console.forgetSelection()
        const all = yield* Effect.forEach(yield* threads(notice), withHandler)
        if (options.reportsStops() && (yield* Effect.orElseSucceed(isResumed(all), () => false))) return
        yield* options.beforeStop() ?? Effect.void
        const stop = reportStop(all)
        if (options.reportsStops()) yield* stop
        else options.unreportedStop(stop, notice.pid)
        return
      }
      case "resumed":
        if (options.reportsStops()) handle(events, "continued", {})
        resumedByCommand = false
        return
      case "exited": {
        yield* events.beforeEnd() ?? Effect.void
        const end = yield* ProgramEnd.of(notice.status, (command) => console.text(command)) ?? Effect.undefined
        if (end?._tag === "Exited" && end.signal !== undefined) events.reportExit({ signal: end.signal })
        else handle(events, "exited", { exitCode: notice.status })
        handle(events, "terminated", {})
        return
      }
      case "detached":
        return options.detached()
      case "locations":
        return yield* Effect.ignore(options.resolved)
      case "condition": {
        const id = ids.managerIdOf(notice.breakpoint)
        if (id !== undefined) listener.conditionFailed?.(id, Parse.expressionProblem(notice.problem))
        return
      }
      case "text":
        return listener.emit({ _tag: "Output", channel: "console", text: `${notice.text}\n` })
      default:
    }
  })

  yield* Queue.take(queue).pipe(Effect.flatMap(process), Effect.forever, Effect.forkScoped)

  return {
    take: (notice) => void Queue.offerUnsafe(queue, notice),
    resuming: () => {
      resumedByCommand = true
    },
    resumed: (thread) => {
      lastThread = thread
    }
  }
})
