/**
 * The exceptions at which an adapter stops unless it is told otherwise: those it marks as its defaults.
 *
 * An adapter that marks some stops at none until filters have been set (DAP `setExceptionBreakpoints`).
 */
import { Message, Requests, type Client, type Errors } from "@sigtrap/dap"
import * as Effect from "effect/Effect"

/** Sets the adapter's own default filters, and those chosen in their place; asks nothing of one that has none. */
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
