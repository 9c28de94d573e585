/**
 * What a client is told while a call waits for the program: progress where it asked for it, and, when it gave up the
 * call, that the program was not stopped by that.
 *
 * A call that is cancelled gets no answer; the protocol forbids one. So the next answer to the same client says it.
 */
import { Clock, Effect, Exit, Schedule } from "effect"
import type { McpServer } from "effect/ai"
import { type Answer, Field, Operation } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import type { Peer } from "./ClientInfo.ts"

/** How often a client that waits is told that the call is alive. */
const beat = "5 seconds"

/** What waits, and what there is to tell of it. */
export interface Waiting {
  /** Runs a call of an operation for a client. */
  readonly during: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    operation: Operation.Any,
    fields: Keywords,
    peer: Peer
  ) => Effect.Effect<A, E, R>
  /** What the next answer to a client has to say of the calls that it gave up; told once. */
  readonly told: (peer: Peer) => ReadonlyArray<Answer.Warning>
}

/** Whether a call may take as long as its caller wants. */
const waits = (operation: Operation.Any, fields: Keywords): boolean =>
  fields["wait"] !== false && (Operation.meta(operation).resumes || fields["follow"] === true)

/** The waiting of one server. */
export const make = (server: McpServer.McpServer["Service"]): Waiting => {
  const cancelled = new Map<string, Set<string>>()

  const progress = (operation: Operation.Any, fields: Keywords, token: string | number) =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const timeout = Field.millis(typeof fields["timeout"] === "string" ? fields["timeout"] : "30s") / 1000
      const report = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const seconds = Math.round((now - began) / 1000)
        return server.notifications["notifications/progress"]({
          progressToken: token,
          progress: seconds,
          ...(Number.isFinite(timeout) && timeout >= seconds ? { total: timeout } : {}),
          message: `${operation._tag} waits for the program, ${seconds} s so far`
        })
      })
      yield* Effect.delay(report, beat).pipe(Effect.repeat(Schedule.forever))
    })

  const note = (operation: Operation.Any, peer: Peer) =>
    Effect.sync(() => {
      if (peer.key === undefined) return
      const tags = cancelled.get(peer.key) ?? new Set()
      tags.add(operation._tag)
      cancelled.set(peer.key, tags)
    })

  return {
    during: (call, operation, fields, peer) => {
      if (!waits(operation, fields)) return call
      let answered = false
      const awaited = Effect.onExit(call, (exit) =>
        Effect.sync(() => {
          answered ||= !Exit.hasInterrupts(exit)
        })
      )
      // Notes at once that the client gave up: the call itself may take a while to notice.
      const watch = Effect.onInterrupt(Effect.never, () => (answered ? Effect.void : note(operation, peer)))
      const noted = Effect.raceFirst(awaited, watch)
      const { progressToken } = peer
      return progressToken === undefined
        ? noted
        : Effect.raceFirst(noted, Effect.andThen(progress(operation, fields, progressToken), Effect.never))
    },
    told: ({ key }) => {
      const tags = key === undefined ? undefined : cancelled.get(key)
      if (tags === undefined || key === undefined) return []
      cancelled.delete(key)
      return [
        {
          code: "CANCELLED",
          message: `${[...tags].join(" and ")} was cancelled while it waited; that stopped nothing, the program went on`
        }
      ]
    }
  }
}
