/**
 * Conditions of `wait --for`: a stop, the exit, one of some breakpoints, a state, output, or the end of another's control.
 *
 * The end of the program ends every wait. Output is searched from the newest resume on, so that output before the call
 * is included.
 */
import {
  Caller,
  Errors,
  type Event,
  Hint,
  Pattern,
  Session as Model,
  type Session as Protocol,
  type Snapshot
} from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"

/** What `wait --for` waits for. */
export type WaitCondition =
  | { readonly kind: "state" | "control"; readonly test: (snapshot: Snapshot.Snapshot) => boolean }
  | { readonly kind: "output"; readonly pattern: Pattern.Pattern }

const isOver = ({ state }: Snapshot.Snapshot) => !Model.isLive(state) && state !== "none"

const state = (test: (snapshot: Snapshot.Snapshot) => boolean): WaitCondition => ({
  kind: "state",
  test: (snapshot) => isOver(snapshot) || test(snapshot)
})

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("wait")] })

const states: ReadonlySet<string> = new Set<Protocol.SessionState>(["running", "stopped", "exited"])

/** Parses `stop`, `exit`, `any`, `breakpoint:1,2`, `state:running`, `output:/RE/`. Stops up to `after` do not count. */
export const parse = Effect.fnUntraced(function* (text: string, after: number) {
  const stopped = (snapshot: Snapshot.Snapshot) => snapshot.state === "stopped" && snapshot.stop > after
  if (text === "stop" || text === "any") return state(stopped)
  if (text === "exit") return state(() => false)
  if (text === "control") {
    const id = Caller.id((yield* Caller.Current).actor)
    const isFree = ({ lease }: Snapshot.Snapshot) => lease === undefined || lease.holder.id === id
    return { kind: "control", test: isFree } satisfies WaitCondition
  }
  const [, kind, rest = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? []
  if (kind === "state" && states.has(rest)) return state((snapshot) => snapshot.state === rest)
  if (kind === "breakpoint" && /^\d+(?:,\d+)*$/.test(rest)) {
    const ids = rest.split(",").map(Number)
    return state(
      (snapshot) => stopped(snapshot) && (snapshot.stopped?.breakpoints.some((id) => ids.includes(id)) ?? false)
    )
  }
  const [, source, flags] = /^\/(.+)\/(i?)$/s.exec(rest) ?? []
  if (kind === "output" && source !== undefined) {
    const pattern = yield* Effect.mapError(Pattern.compile(source, flags === "i" ? "im" : "m"), ({ problem }) =>
      usage(problem)
    )
    return { kind: "output", pattern } satisfies WaitCondition
  }
  return yield* usage(
    `${text} is not a condition; write stop, exit, any, control, breakpoint:ID, state:running or output:/RE/`
  )
})

const isProgramOutput = (event: Event.Event): event is Extract<Event.Event, { readonly _tag: "Output" }> =>
  event._tag === "Output" && event.channel !== "console"

/** Returns the end of a searched text that a match may begin in: the last line, or a quarter of a window. */
const tail = ({ window }: Pattern.Pattern, text: string): string => {
  if (text.length <= window / 4) return text
  const overlap = text.length - Math.floor(window / 4)
  const begin = text.lastIndexOf("\n", overlap) + 1
  return text.slice(text.length - begin > window ? overlap : begin)
}

/** Completes when output since the newest resume matches, or the program has ended. Each text is searched once. */
const outputMatches = (session: Session, pattern: Pattern.Pattern) =>
  Effect.gen(function* () {
    let from = 1
    let text = ""
    for (;;) {
      const { entries, next } = session.log.journal.since(from)
      from = next
      for (const { event } of entries) {
        if (event._tag === "Resumed") text = ""
        if (isProgramOutput(event)) text += event.text
        while (text.length > pattern.window) {
          const { end, next: after = end } = Pattern.windowAt(pattern, text, 0)
          if (pattern.testWindow(text.slice(0, end))) return session.log.snapshot
          text = text.slice(after)
          yield* Effect.yieldNow
        }
      }
      if (pattern.testWindow(text) || isOver(session.log.snapshot)) return session.log.snapshot
      text = tail(pattern, text)
      yield* session.log.reaches(next)
    }
  })

/** Completes with the first snapshot that satisfies the condition. */
export const until = (session: Session, condition: WaitCondition): Effect.Effect<Snapshot.Snapshot> =>
  condition.kind === "output" ? outputMatches(session, condition.pattern) : session.log.until(condition.test)
