/**
 * Capabilities of a session: those of the debugger, and those that the manager adds.
 */
import type { Session as Protocol } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../session/Session.ts"

/** What the manager does whichever debugger it is. */
const supplied = [
  "temporary breakpoints",
  "text anchors",
  "hit counts",
  "logpoints",
  "until",
  "restart",
  "changed values",
  "output history"
] as const

/** What needs a process that can run. */
const running = /^(?:stepping|instruction steps|pause|writing|standard input|until|restart)/

/** The features of a session; of one without a debugger, what is left. */
export const of = Effect.fnUntraced(function* (session: Session) {
  const connection = yield* session.connection
  const told = connection.features()
  const names = new Set(told.filter(({ by }) => by !== "none").map(({ name }) => name))
  const all: ReadonlyArray<Protocol.Feature> = [
    ...told.filter(({ by, name }) => by !== "none" || !supplied.some((one) => one === name)),
    ...supplied.filter((name) => !names.has(name)).map((name) => ({ name, by: "manager" as const }))
  ]
  const { existing } = session.launch
  return all.map((feature): Protocol.Feature =>
    (existing?.kind === "core" && running.test(feature.name)) || (existing !== undefined && feature.name === "restart")
      ? { ...feature, by: "none" }
      : feature
  )
})
