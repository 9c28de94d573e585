// Rules of packages/manager/src: the order of its folders, no import cycle, and no debugger by its name.
import { assert, describe, it } from "@effect/vitest"
import { join, normalize } from "node:path"
import { none, read, sources } from "./sources.ts"

const root = "packages/manager/src/"

/** Folders, the lowest layer first. A module outside of a folder is a layer by its own name. */
const layers: ReadonlyArray<ReadonlyArray<string>> = [
  ["ports"],
  ["model"],
  ["launch", "breakpoints", "simulator"],
  ["session"],
  ["operations"],
  ["Handlers", "Requests"],
  ["Local"],
  ["index", "testing"]
]

/** Names of debuggers. What a debugger needs that others do not belongs to its own file in `packages/backends`. */
const debuggers = /\b(?:lldb|gdb|debugpy|delve|dlv|codelldb|js-debug|vsdbg)\b/i

const modules = sources.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

/** Returns the modules of the manager that a module imports. */
const importsOf = (module: string): ReadonlyArray<string> =>
  [...read(root + module).matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(([, path = ""]) =>
    normalize(join(module, "..", path))
  )

const imports = new Map(modules.map((module) => [module, importsOf(module)]))

const folderOf = (module: string) =>
  module.includes("/") ? module.slice(0, module.indexOf("/")) : module.replace(/\.ts$/, "")

const layerOf = (module: string) => layers.findIndex((folders) => folders.includes(folderOf(module)))

/** Every import from one folder to another. */
const arrows = [...imports].flatMap(([from, targets]) =>
  targets.filter((to) => folderOf(to) !== folderOf(from)).map((to) => ({ from, to }))
)

/** Returns the path of imports from a module back to itself, if there is one. */
const cycleFrom = (start: string): ReadonlyArray<string> => {
  const seen = new Set<string>()
  const follow = (module: string, path: ReadonlyArray<string>): ReadonlyArray<string> => {
    for (const next of imports.get(module) ?? []) {
      if (next === start) return [...path, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = follow(next, [...path, next])
      if (found.length > 0) return found
    }
    return []
  }
  return follow(start, [start])
}

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")

describe("the modules of the manager", () => {
  it("belong to a layer each", () => {
    none(modules.filter((module) => layerOf(module) < 0))
  })

  it("import from their own folder and from lower layers", () => {
    none(arrows.filter(({ from, to }) => layerOf(to) >= layerOf(from)).map(({ from, to }) => `${from} imports ${to}`))
  })

  it("import each other without a cycle", () => {
    none(modules.map((module) => cycleFrom(module).join(" -> ")).filter((path) => path !== ""))
  })

  it("have at most 8 layers and 34 imports between folders", () => {
    assert.isAtMost(layers.length, 8)
    assert.isAtMost(new Set(arrows.map(({ from, to }) => `${folderOf(from)} -> ${folderOf(to)}`)).size, 34)
  })

  it("name no debugger outside of comments", () => {
    none(modules.filter((module) => debuggers.test(withoutComments(read(root + module)))))
  })
})
