/**
 * What LLDB's command line says by itself, turned into session events.
 *
 * Notices arrive in order and synchronously. A stop is told with the reasons of all threads, which have to be asked for:
 * so notices are worked through one after the other by a fiber of the connection (ends with its scope), and each ends as
 * the event that an adapter would have sent, which `dap/Events` translates as it does for every adapter.
 */
import { Frames, Parse, type Notice } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as DapEvents from "../dap/Events.ts"
import type { Console } from "./Console.ts"

/** What the translation is made from. */
export interface Options {
  readonly console: Console
  readonly context: DapEvents.Context
  /** Whether stops are told: not before the program was set going. */
  readonly telling: () => boolean
  /** A stop that is not told. */
  readonly held: (stop: Effect.Effect<void>, pid: number) => void
  /** LLDB has given a breakpoint places. */
  readonly bound: (theirs: number) => Effect.Effect<unknown, unknown>
  /** The program stands still anew: what was known of the last stop holds no more. */
  readonly stopped: () => void
  readonly letGo: () => void
}

/** The notices of one LLDB. */
export interface Notices {
  /** Takes a notice; never blocks. */
  readonly take: (notice: Notice.Notice) => void
  /** A command of the user's own is about to set the program going. */
  readonly resuming: () => void
  /** The thread that was resumed last, which a stop is told of first if it has a reason. */
  readonly resumed: (thread: number) => void
}

interface Thread {
  readonly tid: number
  readonly reason: string | undefined
}

const steps = /^(?:step |instruction step|trace|run to address|until)/

/** An adapter's word for a stop reason of LLDB. */
const reasonOf = (text: string, caught: boolean): string => {
  if (text.startsWith("breakpoint ")) return caught ? "exception" : "breakpoint"
  if (text.startsWith("watchpoint ")) return "data breakpoint"
  if (steps.test(text)) return "step"
  if (text.startsWith("exec")) return "entry"
  return /^v?fork/.test(text) ? "fork" : "exception"
}

const numbersIn = (text: string): ReadonlyArray<number> => {
  const list = /^breakpoint ((?:\d+(?:\.\d+)? ?)+)/.exec(text)?.[1]?.trim()
  return list === undefined ? [] : [...new Set(list.split(/\s+/).map((place) => Number.parseInt(place, 10)))]
}

/** The event of one thread's stop. */
const stopOf = (context: DapEvents.Context, { reason, tid }: Thread, focus: boolean) => {
  const text = reason ?? ""
  const numbers = numbersIn(text)
  const ours = context.ids.ours(numbers, undefined)
  const caught = (context.catches ?? []).find(({ id }) => ours.includes(id))
  return {
    reason: reasonOf(text, caught !== undefined),
    threadId: tid,
    hitBreakpointIds: numbers,
    ...(text === "" ? {} : { description: caught?.label ?? text }),
    ...(focus ? {} : { preserveFocusHint: true })
  }
}

/** Passes on what an adapter would have sent. */
export const handle = (context: DapEvents.Context, event: string, body: unknown): void =>
  DapEvents.handle(context, { type: "event", seq: 0, event, body })

/** Works the notices of a connection through, in its scope. */
export const make = Effect.fnUntraced(function* (options: Options): Effect.fn.Return<Notices, never, Scope.Scope> {
  const { console, context } = options
  const queue = yield* Queue.unbounded<Notice.Notice>()
  let resumedByCommand = false
  let lastThread: number | undefined

  const threads = (notice: Notice.Stopped) => {
    // It may be gone already; then what the notice says has to do.
    const own: ReadonlyArray<Thread> = [{ tid: notice.tid ?? 0, reason: notice.reason }]
    return console.formatted(Frames.threads).pipe(
      Effect.map((text) => Frames.threadList(text).map(({ stopReason, tid }): Thread => ({ tid, reason: stopReason }))),
      Effect.map((all) => (all.length === 0 ? own : all)),
      Effect.orElseSucceed(() => own)
    )
  }

  const tellStop = (all: ReadonlyArray<Thread>) =>
    Effect.sync(() => {
      if (resumedByCommand) handle(context, "continued", {})
      resumedByCommand = false
      const withReason = all.filter(({ reason }) => reason !== undefined && reason !== "")
      const told = withReason.length > 0 ? withReason : all.slice(0, 1)
      const focus = told.find(({ tid }) => tid === lastThread) ?? told[0]
      // The thread in focus comes first, since whoever waits for a stop takes the first one.
      const order = focus === undefined ? [] : [focus, ...told.filter((one) => one !== focus)]
      for (const thread of order) handle(context, "stopped", stopOf(context, thread, thread === focus))
    })

  const work = Effect.fnUntraced(function* (notice: Notice.Notice) {
    switch (notice.kind) {
      case "stopped": {
        options.stopped()
        console.moved()
        const stop = tellStop(yield* threads(notice))
        if (options.telling()) yield* stop
        else options.held(stop, notice.pid)
        return
      }
      case "resumed":
        if (options.telling()) handle(context, "continued", {})
        resumedByCommand = false
        return
      case "exited":
        handle(context, "exited", { exitCode: notice.status })
        handle(context, "terminated", {})
        return
      case "detached":
        return options.letGo()
      case "locations":
        return yield* Effect.ignore(options.bound(notice.breakpoint))
      case "condition": {
        const id = context.ids.oursOf(notice.breakpoint)
        if (id !== undefined) context.listener.conditionFailed?.(id, Parse.expressionProblem(notice.problem))
        return
      }
      case "text":
        return context.listener.emit({ _tag: "Output", channel: "console", text: `${notice.text}\n` })
      default:
    }
  })

  yield* Queue.take(queue).pipe(Effect.flatMap(work), Effect.forever, Effect.forkScoped)

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
