// The libraries as a program installs them with npm into an empty folder: what else that installs, that they run, and that their
// declarations compile under each TypeScript, also those of their dependencies.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Pack from "../../release/Pack.ts"
import * as Runtimes from "../../release/Runtimes.ts"

const run = promisify(execFile)

const libraries = Pack.workspaces().filter(({ directory }) => directory.startsWith("packages/"))

/** Installing, and compiling with all dependencies, take half a minute each on a busy machine. */
const slow = 240_000

describe("libraries that npm installed from tarballs", () => {
  let folder = ""
  beforeAll(async () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-libraries-")))
    folder = join(top, "app")
    for (const path of [folder, join(top, "packs")]) mkdirSync(path)
    const facts = Pack.shared()
    const tarballs = libraries.map((workspace) => Pack.pack(workspace, join(top, "packs"), facts).file)
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
    await run("npm", ["install", "--no-audit", "--no-fund", ...tarballs, `effect@${facts.catalog["effect"]}`], {
      cwd: folder
    })
  }, slow)
  afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }))

  const manifest = (name: string): { readonly exports: object } =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"))

  it("install no HTTP client, no database client and no tool", () => {
    const listed: { readonly packages: object } = JSON.parse(
      readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")
    )
    const names = Object.keys(listed.packages).map((path) => path.replace(/^.*node_modules\//, ""))
    assert.deepStrictEqual(
      names.filter((name) => !name.startsWith("@sigtrap/")).toSorted(),
      [
        "@effect/platform-node-shared",
        "@types/node",
        "@types/ws",
        "effect",
        "jsonc-parser",
        "re2js",
        "smol-toml",
        "undici-types",
        "ws",
        "yaml"
      ],
      "a new dependency of a library needs a reason"
    )
  })

  it("debug a program from a script", async () => {
    const source = readFileSync(join(Pack.root, "examples/adapter/main.ts"), "utf8")
    for (const name of ["sums-adapter.mjs", "four.sums"]) {
      copyFileSync(join(Pack.root, "examples/adapter", name), join(folder, name))
    }
    writeFileSync(join(folder, "main.ts"), source)
    const { stdout } = await run(process.execPath, ["--experimental-strip-types", "main.ts"], { cwd: folder })
    assert.strictEqual(stdout, "sums stopped at line 3\n")
  })

  it.each(["5.9", "6.0", "7.0"])(
    "compile under TypeScript %s without skipLibCheck, with every export",
    async (version) => {
      const paths = libraries.flatMap(({ name }) =>
        Object.keys(manifest(name).exports).map((path) => `${name}${path.slice(1)}`)
      )
      assert.isAbove(paths.length, 40)
      const imports = paths.map((path, index) => `import * as m${index} from "${path}"\nexport { m${index} }\n`)
      writeFileSync(join(folder, "all.ts"), imports.join(""))
      const compilerOptions = {
        target: "ES2024",
        lib: ["ES2024", "DOM", "ESNext.Disposable"],
        module: "NodeNext",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true
      }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["all.ts"] }))
      const compiler = Runtimes.executable("typescript", version, "bin/tsc")
      const found = await run(process.execPath, [compiler, "-p", folder]).then(
        () => "",
        (error: { readonly stdout: string }) => error.stdout
      )
      assert.strictEqual(found, "")
    },
    slow
  )
})
