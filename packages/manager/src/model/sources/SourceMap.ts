/**
 * Maps source paths of the debug information to paths of this machine. Every debugger
 * maps the paths in frames. This module maps the paths in other answers, which some debuggers do not map.
 */
import * as Effect from "effect/Effect"
import type { Connection, LaunchRequest } from "../../ports/Backend.ts"

const below = (file: string, directory: string): string | undefined => {
  const top = directory.replace(/[/\\]+$/, "")
  const rest = file.slice(top.length)
  return file.startsWith(top) && (rest === "" || /^[/\\]/.test(rest)) ? rest : undefined
}

/** Maps a path by the first pair whose prefix fits. A path that is already mapped stays. */
export const mapped = (map: LaunchRequest["sourceMap"], file: string): string => {
  for (const [from, to] of map ?? []) {
    const rest = below(file, from)
    if (rest !== undefined && below(file, to) === undefined) return `${to.replace(/[/\\]+$/, "")}${rest}`
  }
  return file
}

/** Maps the file of a location. */
export const placed = <A extends { readonly file?: string }>(map: LaunchRequest["sourceMap"], at: A): A =>
  at.file === undefined || map === undefined ? at : { ...at, file: mapped(map, at.file) }

/** Returns the connection with mapped paths in the answers that the debugger does not map. */
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
