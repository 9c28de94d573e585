// Inside a package or an app, folders are layers: a module imports from its own folder and from the layers below it. No modules
// import each other in a cycle. Between packages, `turbo boundaries` holds the order.
import { assert, describe, it } from "@effect/vitest"
import { dirname, join, relative } from "node:path"
import { apps, none, packages, read, sources } from "./sources.ts"

/**
 * The layers of each package with folders, the lowest first. Folders of one layer do not import each other. A module outside of
 * a folder is a layer by its own name.
 */
const layers: { readonly [folder: string]: ReadonlyArray<ReadonlyArray<string>> } = {
  "packages/manager": [
    ["ports"],
    ["model"],
    ["launch", "breakpoints", "simulator"],
    ["session"],
    ["operations"],
    ["Handlers", "Requests"],
    ["Local"],
    ["index", "testing"]
  ],
  "packages/backends": [
    ["process", "simulator"],
    ["console"],
    ["adapters"],
    ["runs"],
    ["dap"],
    ["lldb-cli"],
    ["Backends"],
    ["index"]
  ],
  "packages/host": [
    ["runtime"],
    ["files"],
    ["config", "http", "process", "audit", "tracing"],
    ["debuggers"],
    ["daemon"],
    ["Adapters"],
    ["InstalledDebuggers"],
    ["Platform"],
    ["ClientLayers", "ServerEntry", "SimulatorCheck"],
    ["Sigtrap"],
    ["index", "testing"]
  ],
  "apps/cli": [
    ["help", "render", "thin"],
    ["runner"],
    ["commands"],
    ["repl"],
    ["supervisor", "answers"],
    ["daemon"],
    ["client", "run"],
    ["main"],
    ["binary"]
  ],
  "apps/mcp": [
    ["start", "tools"],
    ["compat"],
    ["results"],
    ["calls"],
    ["resources"],
    ["server"],
    ["install", "answers"],
    ["Program"],
    ["main"]
  ],
  "apps/web": [["connection", "language"], ["session"], ["view"], ["main"]]
}

/**
 * Most imports from one folder to another. A change that needs more has to say why: `runs` finds the server of an adapter and
 * uses the streams of `process`.
 */
const mostArrows: { readonly [folder: string]: number } = { "packages/manager": 31, "packages/backends": 22 }

/**
 * The text without the one import of types that closes a cycle: the constructors of hints take the payload types of the
 * operations, whose errors have hints. Types are not imported at run time.
 */
const importedAtRunTime = (text: string): string =>
  text.replace('import type * as Operations from "../Operations.ts"\n', "")

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

/** Returns the name of the folder that a module is in, or its own name. */
const placeOf = (module: string) => module.replace(/(?:\/.*|\.tsx?)$/, "")

/** Returns one path of imports that ends where it begins, for each module that closes one. */
const cycles = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
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

/** Returns the imports between what one folder contains: its folders, each as a whole, and its own modules. */
const inside = (
  folder: string,
  imports: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  const nameOf = (module: string) => module.slice(folder.length).replace(/\/.*/, "")
  for (const [from, targets] of imports) {
    if (!from.startsWith(folder)) continue
    const names = targets.filter((to) => to.startsWith(folder)).map(nameOf)
    const own = nameOf(from)
    found.set(own, [...(found.get(own) ?? []), ...names.filter((name) => name !== own)])
  }
  return found
}

/** Returns the folders below `src` that modules are in, each as `a/b/`. */
const foldersOf = (imports: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlySet<string> =>
  new Set(
    [...imports.keys()].flatMap((module) => {
      const names = module.split("/").slice(0, -1)
      return names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)
    })
  )

/** Returns the imports from one folder to another. */
const arrows = (imports: ReadonlyMap<string, ReadonlyArray<string>>) =>
  [...imports].flatMap(([from, targets]) =>
    targets.filter((to) => placeOf(to) !== placeOf(from)).map((to) => ({ from, to }))
  )

/** Returns the imports that do not go from a layer to one below it. */
const upward = (
  imports: ReadonlyMap<string, ReadonlyArray<string>>,
  order: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const layerOf = (module: string) => order.findIndex((layer) => layer.includes(placeOf(module)))
  return arrows(imports)
    .filter(({ from, to }) => layerOf(to) >= layerOf(from))
    .map(({ from, to }) => `${from} imports ${to}`)
}

describe("modules", () => {
  it.each([...packages, ...apps])("of %s do not import each other in a cycle", (folder) => {
    none(cycles(importsOf(folder)))
  })

  it.each([...packages, ...apps])("of %s are in folders that do not import each other in a cycle", (folder) => {
    const imports = importsOf(folder)
    none([...foldersOf(imports)].flatMap((one) => cycles(inside(one, imports)).map((cycle) => `${one}: ${cycle}`)))
  })

  it.each(Object.entries(layers))("of %s belong to a layer each", (folder, order) => {
    const known = new Set(order.flat())
    none([...importsOf(folder).keys()].filter((module) => !known.has(placeOf(module))))
  })

  it.each(Object.entries(layers))("of %s import from lower layers only", (folder, order) => {
    none(upward(importsOf(folder), order))
  })

  it.each(Object.entries(mostArrows))("of %s have at most %i imports between folders", (folder, most) => {
    const names = arrows(importsOf(folder)).map(({ from, to }) => `${placeOf(from)} imports ${placeOf(to)}`)
    assert.isAtMost(new Set(names).size, most)
  })

  it("that break the rules are found", () => {
    const imports = new Map([
      ["ports/A.ts", ["model/B.ts"]],
      ["model/B.ts", ["ports/A.ts"]]
    ])
    assert.deepStrictEqual(cycles(imports), ["ports/A.ts > model/B.ts > ports/A.ts"])
    const nested = new Map([
      ["s/a/A.ts", ["s/b/B.ts"]],
      ["s/b/B.ts", []],
      ["s/b/C.ts", ["s/a/D.ts"]]
    ])
    assert.deepStrictEqual(cycles(inside("s/", nested)), ["a > b > a"])
    assert.deepStrictEqual(upward(imports, [["ports"], ["model"]]), ["ports/A.ts imports model/B.ts"])
    assert.deepStrictEqual(upward(imports, [["ports", "model"]]), [
      "ports/A.ts imports model/B.ts",
      "model/B.ts imports ports/A.ts"
    ])
  })
})
