/**
 * Hides tools that the debugger of the current session does not support.
 *
 * Two sources say what is unsupported: the answer of `capabilities` when a session starts, and refusals. An operation of
 * tier `observe` that failed with UNSUPPORTED fails again in this session. A hidden tool can still be called; the refusal
 * says why it is unsupported.
 *
 * A client that does not read the list again would not notice when a tool returns. So the first list is complete, and tools
 * are hidden only after the client has read the list again in response to a `list_changed` notification.
 */
import { Effect, Predicate } from "effect"
import type { McpServer } from "effect/ai"
import { type Answer, Capability, type Client, type Errors, Operation, Operations } from "@sigtrap/protocol"
import type { Entry } from "../tools/Tool.ts"
import * as Consent from "./Consent.ts"

/** The available tools of one server. */
export interface ToolAvailability {
  /** True if the list shows a tool. */
  readonly shows: (tool: Entry) => boolean
  /** Notes that a client reads the list. */
  readonly onList: () => void
  /** Returns what is hidden now, as a text: lists are equal while it is. */
  readonly hidden: () => string
  /** Reads the capabilities of a new session. */
  readonly onAnswer: (operation: Operation.Any, answer: Answer.Answer<unknown>) => Effect.Effect<void>
  /** Notes an operation that failed with UNSUPPORTED. */
  readonly onError: (operation: Operation.Any, error: Errors.SigtrapError) => Effect.Effect<void>
}

/** Returns the tags of operations whose capability has no supplier, from the data of `capabilities`. */
const unsupportedTags = (data: unknown): ReadonlyArray<string> => {
  const features = Predicate.isReadonlyObject(data) ? data["features"] : undefined
  if (!Array.isArray(features)) return []
  return features.flatMap((feature: unknown) =>
    Predicate.isReadonlyObject(feature) && feature["by"] === "none"
      ? Capability.operations(String(feature["id"])).filter(isOfSession)
      : []
  )
}

/** True if an operation concerns the current session: one that starts a session may use another debugger. */
const isOfSession = (tag: string): boolean => {
  const operation = Operations.find(tag)
  return operation !== undefined && Operation.meta(operation).execution !== "start"
}

/** Makes the availability of one server; without `notifies` all tools stay listed. */
export const make = (
  server: McpServer.McpServer["Service"],
  client: Client.Client["Service"],
  notifies: boolean
): ToolAvailability => {
  const unsupported = new Map<string, Set<string>>()
  let current: string | undefined
  let notifiedTags = ""
  let wasNotified = false
  let rereads = false

  const hiddenTags = () => (current === undefined ? new Set<string>() : (unsupported.get(current) ?? new Set<string>()))

  const notifyIfChanged = Effect.suspend(() => {
    const tags = [...hiddenTags()].toSorted().join(" ")
    if (!notifies || tags === notifiedTags) return Effect.void
    notifiedTags = tags
    wasNotified = true
    return server.notifications["notifications/tools/list_changed"]({})
  })

  const readCapabilities = Effect.fnUntraced(function* (session: string) {
    const operation = Operations.find("capabilities")
    const answer = operation === undefined ? undefined : yield* Effect.option(client.callAny(operation, { session }))
    const tags = answer?._tag === "Some" ? unsupportedTags(answer.value.data) : []
    unsupported.set(session, new Set(tags))
  })

  return {
    hidden: () => (rereads ? [...hiddenTags()].toSorted().join(" ") : ""),
    shows: ({ operations }) => !rereads || operations.some(({ _tag }) => !hiddenTags().has(_tag)),
    onList: () => {
      if (wasNotified) rereads = true
    },
    onAnswer: Effect.fnUntraced(function* (operation, answer) {
      if (answer.session === undefined || operation._tag === "capabilities") return
      const isNew = Consent.startsSession(operation) || !unsupported.has(answer.session)
      current = answer.session
      if (notifies && isNew) yield* readCapabilities(answer.session)
      yield* notifyIfChanged
    }),
    onError: Effect.fnUntraced(function* (operation, error) {
      if (error._tag !== "Unsupported" || Operation.meta(operation).tier !== "observe") return
      const session = error.session ?? current
      if (session === undefined) return
      current = session
      unsupported.set(session, new Set([...(unsupported.get(session) ?? []), operation._tag]))
      yield* notifyIfChanged
    })
  }
}
