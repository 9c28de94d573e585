/**
 * Works around adapters that mishandle several breakpoints at one location, and lines after the end of a file.
 */
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** Returns the first breakpoint at each location (`sent`). `taken` maps every later one to the first at its location. */
export const firstAtEach = (wanted: ReadonlyArray<Backend.BreakpointRequest>) => {
  const first = new Map<string, number>()
  const taken = new Map<number, number>()
  const sent = wanted.filter(({ column, function: name, id, line }) => {
    const place = name ?? `${line ?? 0}:${column ?? ""}`
    const other = first.get(place)
    if (other === undefined) first.set(place, id)
    else taken.set(id, other)
    return other === undefined
  })
  return { sent, taken }
}

/** Returns why a line cannot have a breakpoint: no such file or line. Undefined if it can. */
export const beyondFile = (
  file: string,
  line: number,
  lastLine: (file: string) => Effect.Effect<number | "absent">
): Effect.Effect<string | undefined> =>
  Effect.map(lastLine(file), (last) =>
    last === "absent" ? `there is no file ${file}` : line <= last ? undefined : `${file} ends at line ${last}`
  )
