/**
 * Where the source of a program is that was compiled elsewhere. Debuggers show the mapped path in frames, and some the
 * path of the debug information everywhere else; here both become the one that is there.
 */
import * as Effect from "effect/Effect"
import type { Connection, LaunchRequest } from "../ports/Backend.ts"

const below = (file: string, directory: string): string | undefined => {
  const top = directory.replace(/[/\\]+$/, "")
  const rest = file.slice(top.length)
  return file.startsWith(top) && (rest === "" || /^[/\\]/.test(rest)) ? rest : undefined
}

/** A path of the debug information as the first pair maps it that fits; one that is mapped already stays. */
export const mapped = (map: LaunchRequest["sourceMap"], file: string): string => {
  for (const [from, to] of map ?? []) {
    const rest = below(file, from)
    if (rest !== undefined && below(file, to) === undefined) return `${to.replace(/[/\\]+$/, "")}${rest}`
  }
  return file
}

/** The same thing at its mapped path. */
export const placed = <A extends { readonly file?: string }>(map: LaunchRequest["sourceMap"], at: A): A =>
  at.file === undefined || map === undefined ? at : { ...at, file: mapped(map, at.file) }

/** A connection that speaks of source files by their mapped paths where the debugger does not. */
export const applied = (map: LaunchRequest["sourceMap"], connection: Connection): Connection =>
  map === undefined
    ? connection
    : {
        ...connection,
        lines: (file) => Effect.map(connection.lines(file), (all) => all.map((one) => placed(map, one))),
        inspection: {
          ...connection.inspection,
          files: Effect.map(connection.inspection.files, (all) => [...new Set(all.map((file) => mapped(map, file)))])
        }
      }
