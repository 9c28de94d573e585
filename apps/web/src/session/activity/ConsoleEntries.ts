/**
 * The values that other clients read or evaluated, as entries of the console.
 */
import type { EventLine, Value } from "../../connection/Answers.ts"
import { nameOf, whoIs, type Who } from "../words/ActorWords.ts"

/** An expression of another client with its value. `seq` is the number of its event. */
export interface OthersEntry {
  readonly key: string
  readonly seq: number
  readonly who: Who
  readonly actor: string
  readonly text: string
  readonly value: Value
}

/** Returns what others read and evaluated, oldest first. `own` is the id of this page. */
export const entriesOfOthers = (events: ReadonlyArray<EventLine>, own: string): ReadonlyArray<OthersEntry> =>
  events.flatMap(({ actor, event, seq }) => {
    if (event._tag !== "Acted" || event.values === undefined || actor === undefined || actor.id === own) return []
    return event.values.map(({ expression, value, type }, index) => ({
      key: `${seq}.${index}`,
      seq,
      who: whoIs(actor, own),
      actor: nameOf(actor, own),
      text: expression,
      value: { name: expression, value, ...(type === undefined ? {} : { type }) }
    }))
  })

/** Returns own entries and those of others in the order of the session, at most `most`. An own one comes after the event `seq`. */
export const inOrder = <Own extends { readonly seq: number }>(
  own: ReadonlyArray<Own>,
  others: ReadonlyArray<OthersEntry>,
  most: number
): ReadonlyArray<Own | OthersEntry> => [...others, ...own].toSorted((a, b) => a.seq - b.seq).slice(-most)
