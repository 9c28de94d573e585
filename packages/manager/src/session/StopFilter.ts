/**
 * Holds back stops that may be nobody's business: at breakpoints whose count or message is kept by the manager.
 *
 * Stands between what the debugger reports and the session's log. A stop that is held counts as running; when the
 * debugger has answered one more request, everything that belongs to the stop has arrived, and it is either told or
 * passed over. A step that comes to its end at such a place is told as that step. Whatever goes wrong, the stop is told.
 * Fibers: one for each stop that is held, in the session's scope.
 */
import type { Event } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Connection, Failure, Resume } from "../ports/Backend.ts"
import type { Registry } from "../breakpoints/Registry.ts"
import * as LogMessage from "../model/LogMessage.ts"
import type { Secrets } from "../model/Secrets.ts"
import * as StopDescription from "../model/StopDescription.ts"

type Stopped = Extract<Event.Event, { readonly _tag: "Stopped" }>

/** What a gate needs of its session. */
export interface Options {
  /** Passes an event on to the log. */
  readonly emit: (event: Event.Event) => void
  readonly secrets: Secrets
  readonly breakpoints: () => Registry
  readonly connection: Effect.Effect<Connection, Failure>
  /** Whether the session stands at a stop already. */
  readonly isStopped: () => boolean
  /** What it means that a guard was hit, by its number; the words of its stop. */
  readonly guarded: (id: number) => string | undefined
  /** Starts what decides over a stop. */
  readonly fork: (work: Effect.Effect<void>) => void
}

/** Where a thread stood when a step began. */
interface Departure {
  readonly how: Exclude<Resume, "continue">
  readonly thread: number
  readonly function: string
  readonly line: number | undefined
  readonly stackPointer: bigint | undefined
}

const stackPointer = (live: Connection, frame: number) =>
  live.evaluate("$sp", frame, "read").pipe(
    Effect.map(({ value }) => /0x[0-9a-f]+|\d+/i.exec(value)?.[0]),
    Effect.map((text) => (text === undefined ? undefined : BigInt(text))),
    Effect.orElseSucceed(() => undefined)
  )

/** Whether the innermost frame is where a step ends; in doubt it is. */
const arrived = (from: Departure, at: Omit<Departure, "how" | "thread">): boolean => {
  if (
    from.how === "stepi" ||
    from.how === "nexti" ||
    from.stackPointer === undefined ||
    at.stackPointer === undefined
  ) {
    return true
  }
  if (from.how === "finish") return at.stackPointer > from.stackPointer
  const elsewhere = from.line !== at.line || from.function !== at.function
  return elsewhere && (from.how === "step" || at.stackPointer >= from.stackPointer)
}

/** The gate of one session. */
export interface StopFilter {
  /** Takes what the debugger reports; synchronous, in order. */
  readonly take: (event: Event.Event) => void
  /** To be called before a resume: a step is followed to its end. */
  readonly departing: (how: Resume, thread: number) => Effect.Effect<void>
  /** The next stop is to be told whatever it is at. */
  readonly interrupt: () => void
  /** Notes that a condition cannot be evaluated. */
  readonly conditionFailed: (id: number, problem: string) => void
  /** What went wrong with conditions at this stop. */
  readonly problems: () => ReadonlyArray<{ readonly id: number; readonly problem: string }>
  /** Whether a stop that is told now has been counted already. */
  readonly counted: () => boolean
}

/** The gate of one session. */
export const make = (options: Options): StopFilter => {
  const { breakpoints, emit, secrets } = options
  const failed = new Map<number, string>()
  let held: Array<Stopped> | undefined
  let telling = false
  let interrupted = false
  let departure: Departure | undefined

  const tell = (events: ReadonlyArray<Stopped>) => {
    held = undefined
    interrupted = false
    telling = true
    for (const event of events) emit(event)
    telling = false
  }

  const top = Effect.fnUntraced(function* (live: Connection, thread: number) {
    const frame = (yield* live.stack(thread, 0, 1)).frames[0]
    if (frame === undefined) return undefined
    return {
      handle: frame.handle,
      function: frame.function,
      line: frame.line,
      stackPointer: yield* stackPointer(live, frame.handle)
    }
  })

  /** The numbers of those hits that the program stops for; writes what is to be written. */
  const verdicts = Effect.fnUntraced(function* (
    live: Connection,
    event: Stopped,
    names: ReadonlyMap<number, string | undefined>
  ) {
    const stays: Array<number> = []
    for (const id of event.breakpoints) {
      if (!breakpoints().managed(id)) {
        stays.push(id)
        continue
      }
      if (!breakpoints().concerns(id, event.thread, names.get(event.thread ?? -1))) continue
      if (failed.has(id) && breakpoints().forgives(id)) continue
      breakpoints().hit([id], event.thread === undefined ? {} : { thread: event.thread })
      const verdict = failed.has(id) ? "stop" : breakpoints().decide(id)
      if (verdict === "stop") stays.push(id)
      if (typeof verdict === "object") {
        const frame = event.thread === undefined ? undefined : yield* top(live, event.thread)
        const text =
          "log" in verdict
            ? frame === undefined
              ? verdict.log
              : yield* LogMessage.write(live, verdict.log, frame.handle, secrets)
            : yield* recorded(live, id, verdict.evaluate, frame?.handle)
        emit({ _tag: "Output", channel: "log", text: `${text}\n` })
        yield* Effect.ignore(breakpoints().tire([id]))
      }
    }
    return stays
  })

  /** Evaluates what is to be recorded at a hit; answers with the line to write. */
  const recorded = Effect.fnUntraced(function* (
    live: Connection,
    id: number,
    expressions: ReadonlyArray<string>,
    frame: number | undefined
  ) {
    const values = yield* Effect.forEach(frame === undefined ? [] : expressions, (expression) =>
      Effect.map(LogMessage.write(live, `{${expression}}`, frame ?? 0, secrets), (value) => ({ expression, value }))
    )
    breakpoints().recorded(id, values)
    const times = breakpoints().history(id).at(-1)?.hit ?? 0
    const said = values.map(({ expression, value }) => `${expression} = ${value}`).join(", ")
    return `breakpoint ${id} (hit ${times})${said === "" ? "" : `: ${said}`}`
  })

  const stepEnded = Effect.fnUntraced(function* (live: Connection, events: ReadonlyArray<Stopped>) {
    const from = departure
    if (from === undefined || !events.some((event) => event.thread === from.thread)) return false
    const at = yield* top(live, from.thread)
    return at === undefined || arrived(from, at)
  })

  const judge = Effect.gen(function* () {
    const live = yield* options.connection
    const names = new Map((yield* live.threads).map(({ id, name }) => [id, name]))
    const events = held ?? []
    const judged: Array<Stopped> = []
    let stops = false
    for (const event of events) {
      const stays = yield* verdicts(live, event, names)
      stops ||= stays.length > 0 || event.breakpoints.length === 0
      judged.push({ ...event, breakpoints: stays })
    }
    if (held === undefined) return
    if (stops) return tell(judged)
    if (interrupted) return tell(judged.map((event) => ({ ...event, reason: "pause" })))
    if (yield* stepEnded(live, events)) {
      const reason = departure?.how === "finish" ? "finish" : "step"
      return tell(judged.map((event) => ({ ...event, reason })))
    }
    if (held === undefined) return
    held = undefined
    yield* live.goOn(events[0]?.thread ?? 0).pipe(Effect.catch(() => Effect.sync(() => tell(judged))))
  }).pipe(Effect.catch(() => Effect.sync(() => (held === undefined ? undefined : tell(held)))))

  /** Guards are nobody's breakpoints: their stops are told in their own words. The debugger's own numbers are not told. */
  const unguarded = ({ description: said, ...rest }: Stopped): Stopped => {
    const event = said === undefined || StopDescription.areNumbers(said) ? rest : { ...rest, description: said }
    const guards = event.breakpoints.filter((id) => id < 0)
    if (guards.length === 0) return event
    const description = guards.map(options.guarded).find((text) => text !== undefined)
    const ids = event.breakpoints.filter((id) => id > 0)
    return {
      ...event,
      breakpoints: ids,
      ...(ids.length === 0 ? { reason: description === undefined ? ("until" as const) : ("watchpoint" as const) } : {}),
      ...(description === undefined ? {} : { description })
    }
  }

  return {
    take: (reported) => {
      const event =
        reported._tag === "Stopped"
          ? unguarded(reported)
          : reported._tag === "Output" && reported.channel === "log"
            ? { ...reported, text: secrets.inText(reported.text) }
            : reported
      if (event._tag === "Stopped") {
        if (held !== undefined) return void held.push(event)
        if (!options.isStopped() && event.breakpoints.some((id) => breakpoints().managed(id))) {
          held = [event]
          return options.fork(judge)
        }
        interrupted = false
      }
      if (event._tag === "Exited" || event._tag === "Terminated" || event._tag === "Lost") held = undefined
      emit(event)
    },

    departing: Effect.fnUntraced(function* (how, thread) {
      failed.clear()
      interrupted = false
      departure = undefined
      if (
        how === "continue" ||
        !breakpoints()
          .list()
          .some(({ enabled, id }) => enabled && breakpoints().managed(id))
      ) {
        return
      }
      const at = yield* Effect.flatMap(options.connection, (live) => top(live, thread)).pipe(
        Effect.orElseSucceed(() => undefined)
      )
      if (at === undefined) return
      departure = { how, thread, function: at.function, line: at.line, stackPointer: at.stackPointer }
    }),

    interrupt: () => {
      interrupted = true
    },
    conditionFailed: (id, problem) => {
      const condition =
        breakpoints()
          .list()
          .find((one) => one.id === id)?.condition ?? ""
      failed.set(id, secrets.inProblem(condition, problem))
    },
    problems: () => [...failed].map(([id, problem]) => ({ id, problem })),
    counted: () => telling
  }
}
