/**
 * How a server reports refusals to the daemon's audit log: those of its access rules, and those of a person who was asked.
 *
 * A report never fails and never waits. Equal refusals are counted, and a flood of different ones is counted together.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Refusal } from "./RefusalRecord.ts"

/** A refusal without its count. */
export type Report = Omit<Refusal, "times">

/** Reports a refusal. Without a daemon (`--isolated`) there is no audit log. */
export const Refusals = Context.Reference<(report: Report) => Effect.Effect<void>>("@sigtrap/host/Refusals", {
  defaultValue: () => () => Effect.void
})

/** Time between two reports to the daemon. */
const PERIOD = "1 second"

/** Different refusals of one period that are named; further ones are counted together. */
const maxNamed = 20

/** Makes the reporter of a server. `send` passes a refusal to the daemon. Fiber: one that sends (ends with the scope). */
export const make = Effect.fnUntraced(function* (send: (refusal: Refusal) => Effect.Effect<void>) {
  const reported = yield* Latch.make(false)
  let waiting = new Map<string, Refusal>()

  const add = (report: Report) => {
    const shown = { ...report, operation: report.operation.slice(0, 120), rule: report.rule.slice(0, 200) }
    const named = [shown.actor.kind, shown.operation, shown.code, shown.rule].join("\n")
    const isNamed = waiting.has(named) || waiting.size < maxNamed
    const key = isNamed ? named : ""
    const refusal = isNamed ? shown : { ...shown, operation: "other requests" }
    waiting.set(key, { ...refusal, times: (waiting.get(key)?.times ?? 0) + 1 })
    reported.openUnsafe()
  }

  const sendAll = Effect.suspend(() => {
    const all = [...waiting.values()]
    waiting = new Map()
    reported.closeUnsafe()
    return Effect.forEach(all, send, { discard: true })
  })

  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(reported.await, Effect.andThen(sendAll, Effect.sleep(PERIOD))))
  )
  return (report: Report) => Effect.sync(() => add(report))
})

/** Returns the reporter of connections that a server closes, for its listener. */
export const ofConnections = (kind: "http" | "mcp"): Effect.Effect<(rule: string) => Effect.Effect<void>> =>
  Effect.map(
    Refusals,
    (report) => (rule: string) => report({ actor: { kind }, operation: "a connection", code: "ACCESS_DENIED", rule })
  )
