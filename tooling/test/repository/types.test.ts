// The two programs that tooling/check.mjs checks cover the workspace, and the packages stay free of a runtime.
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, normalize } from "node:path"
import { none, root, sources } from "./sources.ts"

/** Runs the compiler of the workspace; returns what it printed. */
const tsc = (...args: ReadonlyArray<string>) =>
  spawnSync(join(root, "node_modules/.bin/tsc"), args, { cwd: root, encoding: "utf8" }).stdout

/** The files of the workspace that a program includes. Those that it would find only by imports are left out. */
const filesOf = (config: string): ReadonlySet<string> => {
  const { files }: { readonly files: ReadonlyArray<string> } = JSON.parse(tsc("-p", config, "--showConfig"))
  return new Set(files.map((file) => normalize(file)))
}

const typescript = sources.filter((path) => path.endsWith(".ts"))

describe("types", () => {
  it("are checked in every file", () => {
    const checked = filesOf("tsconfig.json")
    none(typescript.filter((path) => !checked.has(path)))
  })

  it("are checked without a runtime in every source of a package but host", () => {
    const checked = filesOf("tsconfig.portable.json")
    const portable = typescript.filter((path) => /^packages\/(?!host\/)\w+\/src\//.test(path))
    assert.isAbove(portable.length, 100)
    none(portable.filter((path) => !checked.has(path)))
  })

  it("of a package do not contain `process`", () => {
    const directory = mkdtempSync(join(tmpdir(), "sigtrap-types-"))
    try {
      const original = join(root, "packages/simctl")
      for (const name of ["src", "package.json"])
        cpSync(join(original, name), join(directory, name), { recursive: true })
      symlinkSync(join(original, "node_modules"), join(directory, "node_modules"))
      const module = join(directory, "src/index.ts")
      writeFileSync(module, `${readFileSync(module, "utf8")}\nexport const pid = process.pid\n`)
      const config = join(directory, "tsconfig.json")
      writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.portable.json"), include: ["src"] }))
      const errors = tsc("-p", config, "--checkers", "1").match(/error TS.*/g)
      assert.strictEqual(errors?.length, 1)
      assert.match(errors?.[0] ?? "", /Cannot find name 'process'/)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
