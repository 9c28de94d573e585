/**
 * Sets exception filters at the start: those that the adapter marks as default, and those of its quirks.
 *
 * An adapter stops at no exception before filters are set (DAP `setExceptionBreakpoints`).
 */
import { Message, Requests, type Client, type Errors } from "@sigtrap/dap"
import * as Effect from "effect/Effect"

/** Sets the adapter's default filters and the chosen ones; sends nothing if there are none. */
export const setDefaults = (
  client: Client.Client,
  chosen: ReadonlyArray<string> = []
): Effect.Effect<void, Errors.RequestError> =>
  Effect.suspend(() => {
    const announced = client.capabilities()["exceptionBreakpointFilters"]
    const filters = (Array.isArray(announced) ? announced : []).filter(Message.isRecord).flatMap((one) => {
      const { default: byDefault, filter } = one
      return typeof filter === "string" && (byDefault === true || chosen.includes(filter)) ? [filter] : []
    })
    return filters.length === 0
      ? Effect.void
      : Effect.asVoid(client.request(Requests.SetExceptionBreakpoints, { filters }))
  })
