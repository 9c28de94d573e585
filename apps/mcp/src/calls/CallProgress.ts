/**
 * Reports on calls that wait for the program: sends progress notifications to clients that asked for them, and tells a
 * client that cancelled a call what became of the program.
 *
 * MCP forbids an answer to a cancelled call, so the warning is part of the next answer to the same client.
 */
import { Effect, Exit, Schedule } from "effect"
import type { McpServer } from "effect/ai"
import { type Answer, Field, MonotonicTime, Operation } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import type { ClientInfo } from "./ClientInfo.ts"

/** The interval of progress notifications. */
const interval = "5 seconds"

/** The progress of one server's calls. */
export interface CallProgress {
  /** Runs a call of an operation and reports on it. */
  readonly report: <A, E, R>(
    call: Effect.Effect<A, E, R>,
    operation: Operation.Any,
    fields: Keywords,
    mcpClient: ClientInfo
  ) => Effect.Effect<A, E, R>
  /** Returns the warnings about calls that a client cancelled, and forgets them. */
  readonly takeWarnings: (mcpClient: ClientInfo) => ReadonlyArray<Answer.Warning>
}

/** True if a call waits for the program as long as its timeout allows. */
const waits = (operation: Operation.Any, fields: Keywords): boolean =>
  fields["wait"] !== false &&
  (Operation.meta(operation).resumes || Operation.meta(operation).composite || fields["follow"] === true)

/** What happened to the program of a cancelled call: to one that the call ran itself, and to that of a session. */
const outcomes = {
  own: "what it ran was ended",
  session: "the program was not stopped and kept running"
} as const

const sentence = (operations: ReadonlyArray<Operation.Any>, outcome: string): ReadonlyArray<string> => {
  const tags = [...new Set(operations.map(({ _tag }) => _tag))]
  return tags.length === 0 ? [] : [`${tags.join(" and ")} was cancelled while waiting; ${outcome}`]
}

/** Makes the progress reports of one server. */
export const make = (server: McpServer.McpServer["Service"]): CallProgress => {
  const cancelled = new Map<string, Array<Operation.Any>>()

  const notify = (operation: Operation.Any, fields: Keywords, token: string | number) =>
    Effect.gen(function* () {
      const startedAt = yield* MonotonicTime.now
      const timeout = Field.millis(typeof fields["timeout"] === "string" ? fields["timeout"] : "30s") / 1000
      const report = Effect.flatMap(MonotonicTime.now, (now) => {
        const seconds = Math.round((now - startedAt) / 1000)
        return server.notifications["notifications/progress"]({
          progressToken: token,
          progress: seconds,
          ...(Number.isFinite(timeout) && timeout >= seconds ? { total: timeout } : {}),
          message: `${operation._tag} has waited ${seconds} s for the program`
        })
      })
      yield* Effect.delay(report, interval).pipe(Effect.repeat(Schedule.forever))
    })

  const noteCancelled = (operation: Operation.Any, mcpClient: ClientInfo) =>
    Effect.sync(() => {
      if (mcpClient.key === undefined) return
      cancelled.set(mcpClient.key, [...(cancelled.get(mcpClient.key) ?? []), operation])
    })

  return {
    report: (call, operation, fields, mcpClient) => {
      if (!waits(operation, fields)) return call
      let answered = false
      const observed = Effect.onExit(call, (exit) =>
        Effect.sync(() => {
          answered ||= !Exit.hasInterrupts(exit)
        })
      )
      // Notes the cancellation at once: interrupting the call itself may take a while.
      const watch = Effect.onInterrupt(Effect.never, () =>
        answered ? Effect.void : noteCancelled(operation, mcpClient)
      )
      const watched = Effect.raceFirst(observed, watch)
      const { progressToken } = mcpClient
      return progressToken === undefined
        ? watched
        : Effect.raceFirst(watched, Effect.andThen(notify(operation, fields, progressToken), Effect.never))
    },
    takeWarnings: ({ key }) => {
      const operations = key === undefined ? undefined : cancelled.get(key)
      if (operations === undefined || key === undefined) return []
      cancelled.delete(key)
      const isOwn = (operation: Operation.Any) => Operation.meta(operation).ownProgram
      return [
        ...sentence(
          operations.filter((one) => !isOwn(one)),
          outcomes.session
        ),
        ...sentence(operations.filter(isOwn), outcomes.own)
      ].map((message) => ({ code: "CANCELLED", message }))
    }
  }
}
