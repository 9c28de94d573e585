/**
 * The files of a bundle. A build cache restores the files of a build beside those of earlier ones, so a folder may have parts that no
 * module imports any more.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The name of a part: that of its bundle and a hash. */
const part = /^[a-z]+-[0-9a-z]{8}\.mjs$/

/** Returns the names of the modules that a module imports from its own folder. */
const imports = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/["'`]\.\/([\w.-]+\.m?js)["'`]/g)].map(([, name = ""]) => name)

/** Returns the names of the files in a folder of bundles that are in use: the entries, and the parts that they import. */
export const used = (folder: string): ReadonlySet<string> => {
  const names = new Set(readdirSync(folder))
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name) || !names.has(name)) return
    found.add(name)
    if (/\.m?js$/.test(name)) for (const next of imports(readFileSync(join(folder, name), "utf8"))) add(next)
  }
  for (const name of names) if (!part.test(name)) add(name)
  return found
}
