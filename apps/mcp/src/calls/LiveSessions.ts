/**
 * The names of the live sessions, for consent and subscriptions.
 */
import { Effect, Option, Schema } from "effect"
import { type Client, Operations, Session } from "@sigtrap/protocol"

const isListed = Schema.is(Schema.Struct({ sessions: Schema.Array(Session.SessionSummary) }))

/** Returns the names of the live sessions; none if the list cannot be read. */
export const names = (client: Client.Client["Service"]): Effect.Effect<Option.Option<ReadonlyArray<string>>> => {
  const operation = Operations.find("sessions")
  if (operation === undefined) return Effect.succeedNone
  return Effect.map(Effect.option(client.callAny(operation, {})), (answer) =>
    Option.flatMap(answer, ({ data }) =>
      isListed(data)
        ? Option.some(data.sessions.filter(({ state }) => Session.isLive(state)).map(({ name }) => name))
        : Option.none()
    )
  )
}
