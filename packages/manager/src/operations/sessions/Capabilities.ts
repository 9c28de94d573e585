/**
 * The capabilities of a session and who supplies each: the debugger, as its connection states, or the manager, which
 * supplies some for every debugger.
 */
import { type Capability, Errors, type Hint, Session as Protocol } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"

/** The capabilities that the manager supplies for every debugger. */
const supplied: ReadonlyArray<Capability.Id> = [
  "temporary-breakpoints",
  "text-anchors",
  "hit-counts",
  "logpoints",
  "until",
  "restart",
  "changed-values",
  "output-history"
]

/** The capabilities that a core file lacks: they need a process that can run. */
const needsProcess: ReadonlySet<Capability.Id> = new Set([
  "stepping",
  "instruction-stepping",
  "pause",
  "write-variables",
  "write-memory",
  "standard-input",
  "until",
  "restart",
  "re-execution"
])

/** Returns the capabilities of a session that has a debugger. */
export const of = Effect.fnUntraced(function* (session: Session) {
  const connection = yield* session.connection
  const stated = connection.features()
  const byDebugger = new Set(stated.filter(({ by }) => by !== "none").map(({ id }) => id))
  const all: ReadonlyArray<Protocol.Feature> = [
    ...stated.filter(({ by, id }) => by !== "none" || !supplied.includes(id)),
    ...supplied.filter((id) => !byDebugger.has(id)).map((id) => Protocol.feature(id, "manager"))
  ]
  const { existing } = session.launch
  return all.map((feature): Protocol.Feature => {
    const lacking =
      (existing?.kind === "core" && needsProcess.has(feature.id)) ||
      (existing !== undefined && (feature.id === "restart" || feature.id === "re-execution"))
    return lacking ? { ...feature, by: "none" } : feature
  })
})

/** Fails if the debugger of a session states that it lacks a capability. `what` names it in the error. */
export const required = Effect.fnUntraced(function* (
  session: Session,
  id: Capability.Id,
  what: string,
  remedies: ReadonlyArray<Hint.Hint>
) {
  const { adapter, features } = yield* session.connection
  if (features().some((feature) => feature.id === id && feature.by === "none")) {
    return yield* new Errors.Unsupported({ what, by: adapter.name, remedies })
  }
})
