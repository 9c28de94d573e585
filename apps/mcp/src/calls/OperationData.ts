/**
 * Reads data for this server itself: for completions and for results that need more than one operation.
 */
import { Effect } from "effect"
import { type Client, Operations, Payload } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"

/** Returns the data of an operation; `undefined` if it fails. */
export const read = (
  client: Client.Client["Service"],
  caller: Payload.Caller,
  tag: Operations.Tag,
  fields: Keywords
): Effect.Effect<unknown> => {
  const operation = Operations.find(tag)
  if (operation === undefined) return Effect.undefined
  return Payload.decode(operation, Payload.fill(operation, fields, caller)).pipe(
    Effect.flatMap((payload) => client.callAny(operation, payload)),
    Effect.map(({ data }) => data),
    Effect.orElseSucceed(() => undefined)
  )
}
