// Rules of packages/backends/src: short modules and functions, and no debugger by its name outside of that debugger's own
// files.
import { describe, it } from "@effect/vitest"
import { join, normalize } from "node:path"
import { none, read, sources } from "./sources.ts"

const root = "packages/backends/src/"

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

describe("the modules of packages/backends", () => {
  it("have at most 400 lines", () => {
    none(modules.filter((module) => read(root + module).split("\n").length > 401))
  })

  it("have functions of at most 150 lines", () => {
    none(
      modules.flatMap((module) => {
        const lines = read(root + module).split("\n")
        return lines.flatMap((line, start) => {
          const name = /^(?:export )?const (\w+) = /.exec(line)?.[1]
          if (name === undefined) return []
          const length = lines
            .slice(start + 1)
            .findIndex((one) => /^(?:export|const|class|interface|type|\/\*\*)/.test(one))
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
