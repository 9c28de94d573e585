/**
 * Where the source of a program is on this machine, as a person wrote it in this browser. A map changes only what the page shows:
 * breakpoints keep the paths of the debug information. The server reads only files that the session may show.
 */
import { isTexts, remembered } from "../Preferences.ts"

/** The maps, newest first: a directory of the debug information and one of this machine, with a line break between them. */
const maps = remembered<ReadonlyArray<string>>("maps", [], isTexts)

const withoutSlash = (path: string): string => path.replace(/[/\\]+$/, "")

/** Returns a path with the first map applied whose directory holds it; undefined without one. */
export const mapped = (file: string): string | undefined => {
  for (const [from = "", to = ""] of maps.value.map((map) => map.split("\n"))) {
    if (file.startsWith(`${from}/`)) return `${to}${file.slice(from.length)}`
  }
  return undefined
}

/** Returns a path as a map would have it. */
export const mappedBy = (file: string, from: string, to: string): string | undefined =>
  file.startsWith(`${withoutSlash(from)}/`) ? `${withoutSlash(to)}${file.slice(withoutSlash(from).length)}` : undefined

/** Remembers a map. */
export const remember = (from: string, to: string): void => {
  const start = `${withoutSlash(from)}\n`
  maps.value = [`${start}${withoutSlash(to)}`, ...maps.value.filter((map) => !map.startsWith(start))].slice(0, 20)
}
