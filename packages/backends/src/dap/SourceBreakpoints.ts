/**
 * Breakpoints on lines that an adapter cannot be left alone with: several at one place, and lines that it looks at late.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The first of those at each place, and for every other the one that is there already. */
export const firstAtEach = (wanted: ReadonlyArray<Backend.Wanted>) => {
  const taken = new Map<string, number>()
  const second = new Map<number, number>()
  const sent = wanted.filter(({ column, id, line }) => {
    const place = `${line ?? 0}:${column ?? ""}`
    const there = taken.get(place)
    if (there === undefined) taken.set(place, id)
    else second.set(id, there)
    return there === undefined
  })
  return { sent, second }
}

/** Why a line of a file cannot be bound whenever it is looked at; absent when it may be. */
export const beyondFile = (
  file: string,
  line: number,
  lastLine: (file: string) => Effect.Effect<number | "absent">
): Effect.Effect<string | undefined> =>
  Effect.map(lastLine(file), (last) =>
    last === "absent" ? `there is no file ${file}` : line <= last ? undefined : `${file} ends at line ${last}`
  )
