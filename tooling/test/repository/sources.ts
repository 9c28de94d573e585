/** The files of the repository, for the tests of its rules. */
import { assert } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository; ends with a slash. */
export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Returns the text of a file, whose path is relative to the root. */
export const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Returns a JSON document, whose path is relative to the root. */
export const json = (path: string) => JSON.parse(read(path))

/** Folders that git ignores, and git's own. */
const ignored = new Set(["node_modules", "dist", ".turbo", ".git", ".artifacts", "coverage"])

/** Returns the paths of all files below a folder, relative to the root. */
const walk = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (ignored.has(entry.name)) return []
    return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : []
  })

/** Every file of the repository. */
export const files = walk(".")

/** Every TypeScript and JavaScript file that is written by hand. */
export const sources = files.filter((path) => /\.(tsx?|mjs)$/.test(path) && !path.endsWith(".d.ts"))

/** True for the sources of the page: they run in a browser, not in a process that several clients share. */
export const inBrowser = (path: string): boolean => path.startsWith("apps/web/")

const folders = (parent: string) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)

/** Folders of the packages. */
export const packages = folders("packages")

/** The folder of the page, which is not published by itself: the HTTP server sends its files. */
export const page = "apps/web"

/** Folders of the apps. */
export const apps = folders("apps")

/** Folders of the apps that are commands. */
export const commands = apps.filter((folder) => folder !== page)

/** Folders of the examples: private workspaces, which are not released. */
export const examples = folders("examples").filter((path) => !path.endsWith(".md"))

/** Folders of all other workspaces. */
export const workspaces = [...packages, ...apps, "tooling"]

/** Fails with one line for each violation. */
export const none = (violations: ReadonlyArray<string>) => assert.strictEqual(violations.join("\n"), "")
