/**
 * Lines that some adapters handle wrongly: several breakpoints at one place, and lines after the end of a file.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** The first breakpoint at each place; `taken` names it for every later one at the place. */
export const firstAtEach = (wanted: ReadonlyArray<Backend.BreakpointRequest>) => {
  const first = new Map<string, number>()
  const taken = new Map<number, number>()
  const sent = wanted.filter(({ column, id, line }) => {
    const place = `${line ?? 0}:${column ?? ""}`
    const other = first.get(place)
    if (other === undefined) first.set(place, id)
    else taken.set(id, other)
    return other === undefined
  })
  return { sent, taken }
}

/** Why a line of a file can never have a breakpoint; undefined if it may. */
export const beyondFile = (
  file: string,
  line: number,
  lastLine: (file: string) => Effect.Effect<number | "absent">
): Effect.Effect<string | undefined> =>
  Effect.map(lastLine(file), (last) =>
    last === "absent" ? `there is no file ${file}` : line <= last ? undefined : `${file} ends at line ${last}`
  )
