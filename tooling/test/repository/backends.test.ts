// Rules of packages/backends/src: the order of its folders, no import cycle, short functions, and no debugger by its name
// outside of that debugger's own files.
import { assert, describe, it } from "@effect/vitest"
import { join, normalize } from "node:path"
import { none, read, sources } from "./sources.ts"

const root = "packages/backends/src/"

/** Folders, the lowest layer first. A module outside of a folder is a layer by its own name. */
const layers: ReadonlyArray<ReadonlyArray<string>> = [
  ["process", "simulator"],
  ["console"],
  ["adapters"],
  ["dap"],
  ["lldb-cli"],
  ["Backends", "index"]
]

/** The files of one debugger. */
const own =
  /^(?:adapters\/(?:LldbDap|LldbAttach|Gdb|Debugpy|Delve|JsDebug|CodeLldb)\.ts$|console\/(?:lldb|gdb)\/|lldb-cli\/)/

/** Files that may import a debugger's files: the list of adapters, and the choice of the backend. */
const lists = new Set(["adapters/Registry.ts", "Backends.ts", "index.ts"])

const modules = sources.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

const code = new Map(
  modules.map((module) => [module, read(root + module).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")])
)

const imports = new Map(
  [...code].map(([module, text]) => [
    module,
    [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(([, path = ""]) => normalize(join(module, "..", path)))
  ])
)

const folderOf = (module: string) =>
  module.includes("/") ? module.slice(0, module.indexOf("/")) : module.replace(/\.ts$/, "")

const layerOf = (module: string) => layers.findIndex((folders) => folders.includes(folderOf(module)))

/** Returns whether a module is reached from itself. */
const isCyclic = (start: string): boolean => {
  const seen = new Set<string>()
  const next = [...(imports.get(start) ?? [])]
  for (let module = next.pop(); module !== undefined; module = next.pop()) {
    if (module === start) return true
    if (seen.has(module)) continue
    seen.add(module)
    next.push(...(imports.get(module) ?? []))
  }
  return false
}

describe("the modules of packages/backends", () => {
  it("belong to a layer, of which there are at most six", () => {
    assert.isAtMost(layers.length, 6)
    none(modules.filter((module) => layerOf(module) < 0))
  })

  it("import no module of a higher layer", () => {
    none(
      [...imports].flatMap(([from, targets]) =>
        targets.filter((to) => layerOf(to) > layerOf(from)).map((to) => `${from} imports ${to}`)
      )
    )
  })

  it("have no import cycle", () => {
    none(modules.filter(isCyclic))
  })

  it("have at most 400 lines", () => {
    none(modules.filter((module) => read(root + module).split("\n").length > 401))
  })

  it("have functions of at most 150 lines", () => {
    none(
      modules.flatMap((module) => {
        const lines = read(root + module).split("\n")
        return lines.flatMap((line, start) => {
          const name = /^(?:export )?const (\w+) = .*(?:=>|function\*)/.exec(line)?.[1]
          if (name === undefined) return []
          const length = lines.slice(start + 1).findIndex((one) => /^[^\s)\]]/.test(one))
          return length > 150 ? [`${module}: ${name} has ${length} lines`] : []
        })
      })
    )
  })
})

describe("a debugger", () => {
  const others = modules.filter((module) => !own.test(module))

  it("is imported only by its own files and by the list of adapters", () => {
    none(
      others
        .filter((module) => !lists.has(module))
        .flatMap((module) =>
          (imports.get(module) ?? []).filter((path) => own.test(path)).map((path) => `${module} imports ${path}`)
        )
    )
  })

  it("is named by no condition outside of its own files", () => {
    const named =
      /\bis(?:Lldb|Gdb|Debugpy|Delve|JsDebug|CodeLldb)\b|\bfamily\b|"(?:lldb-dap|lldb|codelldb|gdb|debugpy|delve|js-debug)"/
    none(
      others.flatMap((module) =>
        (code.get(module) ?? "")
          .split("\n")
          // A hint may recommend an adapter; it decides nothing.
          .filter((line) => named.test(line) && !/\bHint\.\w+\(/.test(line))
          .map((line) => `${module}: ${line.trim()}`)
      )
    )
  })
})
