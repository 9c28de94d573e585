/**
 * Warnings about the place of a breakpoint that was set. A debugger accepts a thread that does not exist and an address without memory,
 * and such a breakpoint never stops the program.
 */
import { type Answer, type Breakpoint, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import * as ConditionNames from "./ConditionNames.ts"

/** Returns the warning about a thread that the stopped program does not have. */
const absentThread = Effect.fnUntraced(function* (session: Session, { id, thread }: Breakpoint.Breakpoint) {
  if (thread === undefined || session.log.snapshot.state !== "stopped") return []
  const view = yield* session.view
  const threads = yield* view.threads
  if (threads.some((one) => one.id === thread)) return []
  const known = threads.map((one) => one.number ?? one.id).join(", ")
  const message = `breakpoint ${id}: no thread ${thread} now; there are: ${known}`
  return [{ code: "NOT_FOUND", message, hints: [Hint.call("threads", {})] }]
})

/** Returns the warning about an address at which the program has no memory. */
const unreadable = Effect.fnUntraced(function* (session: Session, { id, kind, requested }: Breakpoint.Breakpoint) {
  const address = /^\*\s*(0x[0-9a-f]{1,16}|\d{1,19})$/i.exec(requested.text)?.[1]
  if (kind !== "address" || address === undefined || session.log.snapshot.state !== "stopped") return []
  const { inspection } = yield* session.connection
  const memory = yield* Effect.option(inspection.memory(BigInt(address), 1))
  if (memory._tag === "Some" && memory.value.bytes.length === 1 && memory.value.unreadable.length === 0) return []
  const message = `breakpoint ${id}: the program has no memory at ${address}, so it stops there only after some is mapped`
  return [{ code: "NO_CODE", message, hints: [Hint.call("breakpoint.remove", { ids: [id] })] }]
})

/** Returns the warnings about a breakpoint that was set: its thread, its address, its names, its condition. */
export const warnings = (
  session: Session,
  breakpoint: Breakpoint.Breakpoint
): Effect.Effect<ReadonlyArray<Answer.Warning>> =>
  Effect.map(
    Effect.all([
      Effect.orElseSucceed(absentThread(session, breakpoint), () => []),
      Effect.orElseSucceed(unreadable(session, breakpoint), () => []),
      ConditionNames.warnings(session, breakpoint)
    ]),
    (all) => all.flat()
  )
