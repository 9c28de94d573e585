/**
 * The exception filters that are on without a request of the user: those that the adapter marks as default, and those of its
 * quirks. They are on until the user sets or turns off them. The list of filters is sent as a whole (DAP `setExceptionBreakpoints`).
 *
 * An adapter stops at no exception before filters are set.
 */
import { Message, Requests, type Client, type Errors } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"

/** Returns the filters that are on by default. */
export const defaultsOf = (client: Client.Client, quirks: Quirks): ReadonlyArray<string> => {
  if (quirks.ignoresDefaultFilters === true) return []
  const chosen = quirks.defaultFilters ?? []
  const announced = client.capabilities()["exceptionBreakpointFilters"]
  return (Array.isArray(announced) ? announced : []).filter(Message.isRecord).flatMap((one) => {
    const { default: byDefault, filter } = one
    return typeof filter === "string" && (byDefault === true || chosen.includes(filter)) ? [filter] : []
  })
}

/** A filter with a condition. */
interface FilterOption {
  readonly filterId: string
  readonly condition: string
}

/** Returns the arguments of the request for filters: those without a condition, those that are on by default, and those with one. */
export const argumentsOf = (
  { runtimeCatches }: Quirks,
  plain: ReadonlyArray<string>,
  defaults: ReadonlyArray<string>,
  conditional: ReadonlyArray<FilterOption> = []
) => {
  const filters = [...plain, ...defaults]
  const options = (all: ReadonlyArray<FilterOption>) => (all.length === 0 ? {} : { filterOptions: all })
  if (runtimeCatches === undefined) return { filters, ...options(conditional) }
  const { caught, endsProgram, uncaught } = runtimeCatches
  const isTaken = [...filters, ...conditional.map(({ filterId }) => filterId)].includes(caught)
  const ending = filters.includes(uncaught) && !isTaken ? [{ filterId: caught, condition: endsProgram }] : []
  return { filters, ...options([...conditional, ...ending]) }
}

/** Sets these filters at the start; sends nothing if there are none. */
export const setAtStart = (
  client: Client.Client,
  quirks: Quirks,
  filters: ReadonlyArray<string>
): Effect.Effect<void, Errors.RequestError> =>
  filters.length === 0
    ? Effect.void
    : Effect.asVoid(client.request(Requests.SetExceptionBreakpoints, argumentsOf(quirks, [], filters)))
