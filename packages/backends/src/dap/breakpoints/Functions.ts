/**
 * Function breakpoints of a debug adapter, each with its own answer.
 *
 * lldb-dap answers in the order of a hash table, not of the request. So answers are matched by the adapter's breakpoint
 * number. New breakpoints are added one per request: the one unknown number in the response is that of the new one.
 */
import { Requests, type Client, type Errors as Dap, type Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { BreakpointIds } from "../../console/BreakpointIds.ts"

/** A breakpoint and its part of the request. */
export interface Entry {
  readonly wanted: Backend.BreakpointRequest
  readonly breakpoint: { readonly name: string; readonly condition?: string; readonly hitCondition?: string }
}

/** What setting breakpoints at functions needs of a connection. */
export interface Options {
  readonly client: Client.Client
  readonly ids: BreakpointIds
  /** Answers are in the order of the request. */
  readonly ordered: boolean
}

type Answer = Effect.Effect<ReadonlyArray<Models.Breakpoint | undefined>, Dap.RequestError>

/** Replaces all function breakpoints; the answers are in the order of the request. */
export const set = Effect.fnUntraced(function* (
  { client, ids, ordered }: Options,
  all: ReadonlyArray<Entry>
): Effect.fn.Return<ReadonlyArray<Models.Breakpoint | undefined>, Dap.RequestError> {
  const send = (list: ReadonlyArray<Entry>) =>
    Effect.map(
      client.request(Requests.SetFunctionBreakpoints, { breakpoints: list.map(({ breakpoint }) => breakpoint) }),
      ({ breakpoints }) => breakpoints
    )
  const sent = ids.functions
  ids.functions = new Map(all.map(({ breakpoint, wanted }) => [wanted.id, breakpoint.name]))
  if (ordered || all.length < 2) return yield* send(all)
  const numbers = new Map<Entry, number>()
  const fresh: Array<Entry> = []
  for (const one of all) {
    // A breakpoint that was disabled in the last list is new to the adapter.
    const known = sent.has(one.wanted.id) ? ids.debuggerIdOf(one.wanted.id) : undefined
    if (known === undefined) fresh.push(one)
    else numbers.set(one, known)
  }
  const sorted = (list: ReadonlyArray<Entry>, added: Entry | undefined): Answer =>
    Effect.map(send(list), (answers) => {
      const taken = new Set(numbers.values())
      const other = answers.find(({ id }) => id === undefined || !taken.has(id))
      if (added !== undefined && other?.id !== undefined) numbers.set(added, other.id)
      return all.map((one) => {
        const number = numbers.get(one)
        return number === undefined ? undefined : answers.find(({ id }) => id === number)
      })
    })
  if (fresh.length === 0) return yield* sorted(all, undefined)
  let answers: ReadonlyArray<Models.Breakpoint | undefined> = []
  for (const [index, added] of fresh.entries()) {
    const later = new Set(fresh.slice(index + 1))
    answers = yield* sorted(
      all.filter((one) => !later.has(one)),
      added
    )
  }
  return answers
})
