/**
 * Which tools are offered while a session is on: not those that its debugger cannot serve.
 *
 * What a debugger cannot do is learnt from the operation `capabilities` where there is one, and from refusals: an operation
 * that only reads and was called UNSUPPORTED will be the next time, too. Only the list gets shorter: a withdrawn tool
 * still answers when it is called, with the refusal that says why.
 *
 * A client that does not read the list again would miss a tool that comes back. So the first list is always whole, and
 * tools are left out only for a client that has read it again after it was told of a change.
 */
import { Effect, Predicate } from "effect"
import type { McpServer } from "effect/ai"
import { type Answer, type Client, type Errors, Operation, Operations } from "@sigtrap/protocol"
import type * as Catalogue from "../tools/Catalogue.ts"
import * as Consent from "./Consent.ts"

/** What is offered by one server. */
export interface Offer {
  /** Whether the list shows a tool. */
  readonly shows: (tool: Catalogue.Tool) => boolean
  /** Notes that the list was read. */
  readonly listed: () => void
  /** Learns from an answer. */
  readonly answered: (operation: Operation.Any, answer: Answer.Answer<unknown>) => Effect.Effect<void>
  /** Learns from a refusal. */
  readonly refused: (operation: Operation.Any, error: Errors.SigtrapError) => Effect.Effect<void>
}

/** The tags of features that nobody serves, from the answer of `capabilities`. */
const missing = (data: unknown): ReadonlyArray<string> => {
  const features = Predicate.isReadonlyObject(data) ? data["features"] : undefined
  if (!Array.isArray(features)) return []
  return features.flatMap((feature: unknown) =>
    Predicate.isReadonlyObject(feature) && feature["by"] === "none"
      ? [String(feature["name"]).replaceAll(/[\s_-]+/g, ".")]
      : []
  )
}

/** The offer of a server over a transport that can tell clients of changes, or of one that cannot. */
export const make = (
  server: McpServer.McpServer["Service"],
  client: Client.Client["Service"],
  follows: boolean
): Offer => {
  const withdrawn = new Map<string, Set<string>>()
  let current: string | undefined
  let shown = ""
  let told = false
  let reads = false

  const gone = () => (current === undefined ? new Set<string>() : (withdrawn.get(current) ?? new Set<string>()))

  const changed = Effect.suspend(() => {
    const now = [...gone()].toSorted().join(" ")
    if (!follows || now === shown) return Effect.void
    shown = now
    told = true
    return server.notifications["notifications/tools/list_changed"]({})
  })

  const look = Effect.fnUntraced(function* (session: string) {
    const operation = Operations.find("capabilities")
    const answer = operation === undefined ? undefined : yield* Effect.option(client.callAny(operation, { session }))
    const tags = answer?._tag === "Some" ? missing(answer.value.data) : []
    withdrawn.set(session, new Set(tags.filter((tag) => Operations.isTag(tag))))
  })

  return {
    shows: ({ operations }) => !reads || operations.some(({ _tag }) => !gone().has(_tag)),
    listed: () => {
      if (told) reads = true
    },
    answered: Effect.fnUntraced(function* (operation, answer) {
      if (answer.session === undefined || operation._tag === "capabilities") return
      const fresh = Consent.begins(operation) || !withdrawn.has(answer.session)
      current = answer.session
      if (follows && fresh) yield* look(answer.session)
      yield* changed
    }),
    refused: Effect.fnUntraced(function* (operation, error) {
      if (error._tag !== "Unsupported" || Operation.meta(operation).tier !== "observe") return
      const session = error.session ?? current
      if (session === undefined) return
      current = session
      withdrawn.set(session, new Set([...(withdrawn.get(session) ?? []), operation._tag]))
      yield* changed
    })
  }
}
