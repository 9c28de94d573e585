// A debugger is named only in its own files: the manager names none, and packages/backends has one file or folder for each.
import { describe, it } from "@effect/vitest"
import { join, normalize } from "node:path"
import { none, read, sources } from "./sources.ts"

const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")

describe("the manager", () => {
  /** Names of debuggers. What a debugger needs that others do not belongs to its own file in `packages/backends`. */
  const debuggers = /\b(?:lldb|gdb|debugpy|delve|dlv|codelldb|js-debug|vsdbg)\b/i

  it("names no debugger outside of comments", () => {
    const modules = sources.filter((path) => path.startsWith("packages/manager/src/"))
    none(modules.filter((path) => debuggers.test(withoutComments(read(path)))))
  })
})

const root = "packages/backends/src/"

/** The files of one debugger. */
const own =
  /^(?:adapters\/(?:LldbDap|LldbAttach|LldbRust|Gdb|Debugpy|Delve|JsDebug|CodeLldb)\.ts$|console\/(?:lldb|gdb)\/|lldb-cli\/)/

/** Files that may import a debugger's files: the list of adapters, and the choice of the backend. */
const lists = new Set(["adapters/Registry.ts", "Backends.ts", "index.ts"])

const modules = sources.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length))

const code = new Map(modules.map((module) => [module, withoutComments(read(root + module))]))

const imports = new Map(
  [...code].map(([module, text]) => [
    module,
    [...text.matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(([, path = ""]) => normalize(join(module, "..", path)))
  ])
)

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
