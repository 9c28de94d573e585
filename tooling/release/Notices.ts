/** The licences of the libraries whose code is in the bundles of `sigtrap`. */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A library in the bundles. */
export interface Library {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

interface LibraryManifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: { readonly [name: string]: string }
}

const read = (folder: string): LibraryManifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Returns the folder of a package that a module in `folder` imports. */
const find = (name: string, folder: string): string | undefined => {
  const path = join(folder, "node_modules", name)
  if (existsSync(join(path, "package.json"))) return realpathSync(path)
  return folder === dirname(folder) ? undefined : find(name, dirname(folder))
}

const licenceText = (folder: string): string => {
  const file = readdirSync(folder).find((name) => /^(?:licen[cs]e|copying)(?:\.\w+)?$/i.test(name))
  return file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()
}

/** Adds a workspace's or a library's dependencies, and theirs. Workspaces themselves are not listed. */
const collect = (folder: string, found: Map<string, Library>): void => {
  const { dependencies = {} } = read(folder)
  const names = Object.keys(dependencies)
  // The bundles have Effect, which packages name as a peer.
  for (const name of folder.startsWith(join(root, "packages/")) ? [...names, "effect"] : names) {
    const path = find(name, folder)
    if (path === undefined) continue
    const own = read(path)
    if (found.has(path)) continue
    // Packages of types have no code.
    if (!name.startsWith("@sigtrap/") && !/^@types\/|-types$/.test(name)) {
      const { license = "unknown", version } = own
      found.set(path, { name, version, license, text: licenceText(path) })
    }
    collect(path, found)
  }
}

/** Returns the libraries in the bundles, by name. */
export const libraries = (): ReadonlyArray<Library> => {
  const found = new Map<string, Library>()
  for (const name of ["host", "protocol", "scenario", "text", "backends", "manager"]) {
    collect(join(root, "packages", name), found)
  }
  collect(join(root, "apps/mcp"), found)
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name))
}

/** Returns the notices: name, version, licence and licence text of every library in the bundles. */
export const text = (): string =>
  [
    "The bundles of sigtrap contain code of these libraries.",
    ...libraries().map(
      ({ license, name, text: own, version }) => `${"-".repeat(72)}\n${name} ${version} (${license})\n\n${own}`
    )
  ].join("\n\n") + "\n"
