// Inside a package or an app, folders are layers: a module imports from its own folder and from the layers below it. No modules
// import each other in a circle. Between packages, `turbo boundaries` holds the order.
import { assert, describe, it } from "@effect/vitest"
import { dirname, join, relative } from "node:path"
import { apps, none, packages, read, sources } from "./sources.ts"

/**
 * The layers of each package with folders, the lowest first. Folders of one layer do not import each other. "." is the root
 * of `src`. Fakes in `testing` may import everything, and nothing imports them.
 */
const layers: { readonly [folder: string]: ReadonlyArray<ReadonlyArray<string>> } = {
  "packages/manager": [
    ["ports"],
    ["model"],
    ["launch", "breakpoints", "simulator"],
    ["session"],
    ["operations"],
    ["."]
  ],
  "packages/backends": [
    ["process", "simulator"],
    ["console"],
    ["console/gdb", "console/lldb"],
    ["adapters"],
    ["dap"],
    ["lldb-cli"],
    ["."]
  ],
  "packages/host": [["runtime"], ["config", "http", "process"], ["daemon"], ["."]],
  "apps/cli": [["grammar"], ["help", "render", "thin"], ["runner"], ["commands"], ["."]],
  "apps/mcp": [["tools"], ["compat"], ["results"], ["calls"], ["resources"], ["server"], ["install"], ["."]]
}

/**
 * The text without the one import of types that closes a circle: the constructors of hints take the payload types of the
 * operations, whose errors have hints. Types are not imported at run time.
 */
const importedAtRunTime = (text: string): string =>
  text.replace('import type * as Operations from "./Operations.ts"\n', "")

/** The modules below a folder's `src`, each with the modules of the same folder that it imports. */
const importsOf = (folder: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const src = `${folder}/src`
  return new Map(
    sources
      .filter((path) => path.startsWith(`${src}/`))
      .map((path) => {
        const names = [...importedAtRunTime(read(path)).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(
          ([, name = ""]) => name
        )
        const modules = names.map((name) => relative(src, join(dirname(path), name)))
        return [relative(src, path), modules.filter((module) => !module.startsWith(".."))] as const
      })
  )
}

/** Returns one path of imports that ends where it begins, for each module that closes one. */
const circles = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (module: string, path: ReadonlyArray<string>) => {
    const start = path.indexOf(module)
    if (start !== -1) found.push([...path.slice(start), module].join(" > "))
    else if (!done.has(module)) {
      for (const next of imports.get(module) ?? []) visit(next, [...path, module])
      done.add(module)
    }
  }
  for (const module of imports.keys()) visit(module, [])
  return found
}

/** Returns the imports that do not go from a layer to one below it. */
const upward = (
  imports: ReadonlyMap<string, ReadonlyArray<string>>,
  order: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const layerOf = (folder: string) => order.findIndex((layer) => layer.includes(folder))
  return [...imports].flatMap(([module, modules]) => {
    const from = dirname(module)
    return modules.flatMap((imported) => {
      const to = dirname(imported)
      if (from === to || from === "testing") return []
      return layerOf(to) < layerOf(from) && to !== "testing" ? [] : [`${module} imports ${imported}`]
    })
  })
}

describe("modules", () => {
  const folders = [...packages, ...apps]

  it.each(folders)("of %s do not import each other in a circle", (folder) => {
    none(circles(importsOf(folder)))
  })

  it.each(Object.keys(layers))("of %s import from lower layers only", (folder) => {
    const imports = importsOf(folder)
    const order = layers[folder] ?? []
    const known = new Set([...order.flat(), "testing"])
    none([...new Set([...imports.keys()].map((module) => dirname(module)))].filter((name) => !known.has(name)))
    none(upward(imports, order))
  })

  it("that break the rules are found", () => {
    const imports = new Map([
      ["ports/A.ts", ["model/B.ts"]],
      ["model/B.ts", ["ports/A.ts"]]
    ])
    assert.deepStrictEqual(circles(imports), ["ports/A.ts > model/B.ts > ports/A.ts"])
    assert.deepStrictEqual(upward(imports, [["ports"], ["model"]]), ["ports/A.ts imports model/B.ts"])
    assert.deepStrictEqual(upward(imports, [["ports", "model"]]), [
      "ports/A.ts imports model/B.ts",
      "model/B.ts imports ports/A.ts"
    ])
  })
})
