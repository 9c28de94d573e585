// The folders of src in layers: a module imports only modules of its own folder and of the folders before it, and no
// modules import each other.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"

const root = join(import.meta.dirname, "../src")

/** The folders from the lowest layer to the highest; "" are the modules directly in src. */
const layers = ["tools", "compat", "results", "calls", "resources", "server", "install", ""]

const modules = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.replaceAll("\\", "/"))

const folderOf = (module: string) => (module.includes("/") ? (module.split("/")[0] ?? "") : "")

const importsOf = (module: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, module), "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+\.ts)"/g)].map(([, path = ""]) =>
    relative(root, resolve(root, dirname(module), path))
  )

describe("the modules of src", () => {
  it("are in a folder with a layer", () => {
    for (const module of modules) assert.include(layers, folderOf(module), module)
  })

  it("import only from their own folder and lower layers", () => {
    const upward = modules.flatMap((module) =>
      importsOf(module)
        .filter((imported) => layers.indexOf(folderOf(imported)) > layers.indexOf(folderOf(module)))
        .map((imported) => `${module} imports ${imported}`)
    )
    assert.strictEqual(upward.join("\n"), "")
  })

  it("import each other in no cycle", () => {
    const acyclic = new Set<string>()
    let remaining = modules
    for (;;) {
      const next = remaining.filter((module) => !importsOf(module).every((imported) => acyclic.has(imported)))
      for (const module of remaining) if (!next.includes(module)) acyclic.add(module)
      if (next.length === remaining.length) break
      remaining = next
    }
    assert.strictEqual(remaining.join("\n"), "")
  })
})
