/**
 * Conditions of `wait --for`: a stop, the exit, one of some breakpoints, a state, or output.
 *
 * The end of the program ends every wait. Output is searched from the newest resume on, so that output before the call
 * is included.
 */
import { Errors, type Event, Hint, Session as Model, type Session as Protocol, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../session/Session.ts"

/** A condition. */
export type WaitCondition =
  | { readonly kind: "state"; readonly test: (snapshot: Snapshot.Snapshot) => boolean }
  | { readonly kind: "output"; readonly pattern: RegExp }

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
    return yield* Effect.try({
      try: (): WaitCondition => ({ kind: "output", pattern: new RegExp(source, flags === "i" ? "im" : "m") }),
      catch: () => usage(`/${source}/ is not a regular expression`)
    })
  }
  return yield* usage(`${text} is not a condition; write stop, exit, any, breakpoint:ID, state:running or output:/RE/`)
})

const isProgramOutput = (event: Event.Event): event is Extract<Event.Event, { readonly _tag: "Output" }> =>
  event._tag === "Output" && event.channel !== "console"

/** Completes when output since the newest resume matches, or the program has ended. */
const outputMatches = (session: Session, pattern: RegExp) =>
  Effect.gen(function* () {
    for (;;) {
      const { journal, snapshot } = session.log
      const { entries, next } = journal.since(1)
      const from = entries.findLastIndex(({ event }) => event._tag === "Resumed")
      const text = entries
        .slice(from + 1)
        .map(({ event }) => (isProgramOutput(event) ? event.text : ""))
        .join("")
      if (pattern.test(text) || isOver(snapshot)) return snapshot
      yield* session.log.reaches(next)
    }
  })

/** Completes with the first snapshot that satisfies the condition. */
export const until = (session: Session, condition: WaitCondition): Effect.Effect<Snapshot.Snapshot> =>
  condition.kind === "output" ? outputMatches(session, condition.pattern) : session.log.until(condition.test)
