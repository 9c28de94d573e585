// Rules of packages/manager/src beside the order of its folders (layers.test.ts): few imports between folders, short functions,
// and no debugger by its name.
import { assert, describe, it } from "@effect/vitest"
import { dirname, join, normalize } from "node:path"
import { none, read, sources } from "./sources.ts"

const root = "packages/manager/src/"

/** Names of debuggers. What only one debugger needs belongs to its own file in `packages/backends`. */
const debuggers = /\b(?:lldb|gdb|debugpy|delve|dlv|codelldb|js-debug|vsdbg)\b/i

const modules = sources.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

/** A module of the root of `src` counts as a folder of its own. */
const folderOf = (module: string) => (module.includes("/") ? dirname(module) : module)

/** Every pair of folders of which the first imports from the second. */
const arrows = new Set(
  modules.flatMap((module) =>
    [...read(root + module).matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)]
      .map(([, path = ""]) => normalize(join(module, "..", path)))
      .filter((imported) => folderOf(imported) !== folderOf(module))
      .map((imported) => `${folderOf(module)} > ${folderOf(imported)}`)
  )
)

/** Returns the top-level functions of a module with their lengths in lines. */
const functionsOf = (module: string) => {
  const lines = read(root + module).split("\n")
  return lines.flatMap((line, start) => {
    const name = /^(?:export )?const (\w+)\b.*(?:=>|function\*)/.exec(line)?.[1]
    const length = lines.slice(start + 1).findIndex((one) => /^[^\s)\]]/.test(one)) + 2
    return name === undefined ? [] : [{ name, length }]
  })
}

describe("the modules of the manager", () => {
  it("have at most 34 imports between folders", () => {
    assert.isAtMost(arrows.size, 34)
  })

  it("have functions of at most 150 lines", () => {
    none(
      modules.flatMap((module) =>
        functionsOf(module)
          .filter(({ length }) => length > 150)
          .map(({ length, name }) => `${module}: ${name} has ${length} lines`)
      )
    )
  })

  it("name no debugger outside of comments", () => {
    none(
      modules.filter((module) =>
        debuggers.test(read(root + module).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, ""))
      )
    )
  })
})
