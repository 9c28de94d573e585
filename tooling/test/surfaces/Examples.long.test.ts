// Runs the programs of examples/ and of the READMEs, and compares what they print with the documents. A `ts` block is a program, or with
// the word `vitest` a test file; the `text` block after it is its output. A `console` block is typed into a shell. The library guide
// names the file of each of its programs; those of a README are written into a file.
import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { prepare } from "../../fake-xcrun/src/Seed.ts"
import { pattern } from "../../src/exampleBlocks.ts"
import { toolPath } from "../simulator/fakeMachine.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

interface Example {
  readonly name: string
  readonly language: string
  readonly code: string
  readonly output: string
  /** The file of the program in examples/. */
  readonly file: string | undefined
}

/** The examples of a document, in order. */
const examplesOf = (file: string): ReadonlyArray<Example> =>
  [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^(?:<!-- example: (\S+) -->\n\n)?```(ts(?: vitest)?|console)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms
    )
  ].map(([, path, language = "", code = "", output = ""], index) => ({
    name: path ?? `${file} ${index + 1}`,
    language,
    code,
    output,
    file: path
  }))

const documents = [
  "docs/guide/library.md",
  "docs/guide/http.md",
  ...globSync("{packages,apps}/*/README.md", { cwd: root }).toSorted((a, b) => a.localeCompare(b))
]
const examples = documents.flatMap(examplesOf)
const programs = examples
  .filter(({ language }) => language !== "console")
  .map((example, index) => ({ ...example, index }))

/** The dependencies of a workspace, with itself. */
const known = (folder: string): ReadonlySet<string> => {
  const manifest: { readonly name: string; readonly [key: string]: unknown } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8")
  )
  return new Set([
    manifest.name,
    ...["dependencies", "devDependencies"].flatMap((key) => Object.keys(Object(manifest[key])))
  ])
}

const folders = ["tooling", ...globSync("packages/*", { cwd: root })]

/** A workspace that can import what an example imports. */
const homeOf = (code: string): string => {
  const imported = [...code.matchAll(/from "(?!node:)((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = ""]) => name)
  const home = folders.find((folder) => {
    const there = known(folder)
    return imported.every((name) => there.has(name))
  })
  assert(home !== undefined, `no workspace has all of ${imported.join(", ")}`)
  return home
}

const config = join(root, "tooling", `.example-${process.pid}.tsconfig.json`)
const vitest = join(root, "tooling", `.example-${process.pid}.vitest.mjs`)
let work = ""
let environment: NodeJS.ProcessEnv = {}

/** The file of each program of a README: imports are found from its workspace. */
const written = new Map(
  programs
    .filter(({ file }) => file === undefined)
    .map(({ code, index }) => [index, join(root, homeOf(code), `.example-${process.pid}-${index}.ts`)] as const)
)

const fileOf = ({ file, index }: (typeof programs)[number]): string =>
  file === undefined ? (written.get(index) ?? "") : join(root, file)

const run = (command: string, args: ReadonlyArray<string>, cwd: string, timeout = 50_000) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    cwd,
    env: environment,
    encoding: "utf8",
    timeout
  })
  return { status, text: stdout + stderr }
}

/** Returns the first of these programs on PATH. */
const onPath = (...names: ReadonlyArray<string>): string => {
  const found = names.map((name) =>
    spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim()
  )
  const first = found.find((path) => path !== "")
  assert(first !== undefined, `${names.join(" or ")} is needed for these tests`)
  return first
}

beforeAll(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "st-ex-")))
  cpSync(join(root, "tooling/fixtures/c"), work, { recursive: true })
  for (const name of ["sums-adapter.mjs", "four.sums"]) cpSync(join(root, "examples/adapter", name), join(work, name))
  const bin = join(work, "bin")
  mkdirSync(bin)
  for (const [app, name] of [
    ["cli", "sigtrap"],
    ["mcp", "sigtrap-mcp"],
    ["http", "sigtrap-http"]
  ] as const) {
    const path = join(bin, name)
    writeFileSync(
      path,
      `#!/bin/sh\nexec "${process.execPath}" "${join(root, "apps", app, "dist", `${name}.js`)}" "$@"\n`
    )
    chmodSync(path, 0o755)
  }
  const lldb = ["", "-20", "-19", "-18"]
  for (const name of ["lldb", "lldb-dap", "lldb-server"])
    symlinkSync(onPath(...lldb.map((version) => name + version)), join(bin, name))
  const machine = join(work, "machine")
  prepare(machine, {})
  environment = {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    SIGTRAP_DAEMON: join(bin, "sigtrap"),
    SIGTRAP_XCRUN: toolPath("xcrun"),
    SIGTRAP_SIM_STATE: machine
  }
  assert.strictEqual(run("cc", ["-g", "-O0", "-o", "app", "app.c"], work).status, 0)
  for (const { code, index } of programs) {
    const file = written.get(index)
    if (file !== undefined) writeFileSync(file, code)
  }
  writeFileSync(
    config,
    JSON.stringify({
      extends: "../tsconfig.json",
      compilerOptions: { types: ["./node_modules/bun-types"] },
      include: [],
      files: [...written.values()].map((file) => relative(dirname(config), file))
    })
  )
  const conditions = JSON.stringify(["@sigtrap/source", "module", "node", "development|production"])
  writeFileSync(
    vitest,
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } }, test: { include: ["*.test.ts"] } }\n`
  )
})

afterAll(() => {
  run("sigtrap", ["daemon", "stop"], work)
  // What an example puts into the background and did not come to end.
  for (const name of globSync("*.pid", { cwd: work })) run("/bin/sh", ["-c", `kill -9 $(cat ${name})`], work)
  for (const file of [...written.values(), config, vitest]) rmSync(file, { force: true })
  rmSync(work, { recursive: true, force: true })
})

describe("examples", () => {
  it("exist in the README of every package and app", () => {
    const folders = globSync("{packages,apps}/*", { cwd: root })
    assert.isAbove(folders.length, 10)
    for (const folder of folders) assert.isAbove(examplesOf(join(folder, "README.md")).length, 0, folder)
  })

  it("of examples/ are all in a guide", () => {
    const folders = globSync("examples/*/", { cwd: root }).map((path) => path.replace(/\/$/, ""))
    const shown = programs.flatMap(({ file }) => (file === undefined ? [] : [dirname(file)]))
    assert.deepStrictEqual(shown.toSorted(), folders.toSorted())
  })

  it("of READMEs have correct types", () => {
    const { status, text } = run(join(root, "node_modules/.bin/tsc"), ["-p", config, "--noEmit"], root, 170_000)
    assert.strictEqual(status, 0, text)
  }, 180_000)

  it.each(programs.filter(({ language }) => language === "ts"))("$name prints what it says", (program) => {
    const { name, output } = program
    const { status, text } = run(
      process.execPath,
      ["--conditions=@sigtrap/source", "--disable-warning=ExperimentalWarning", fileOf(program)],
      work
    )
    assert.strictEqual(status, 0, `${name}\n${text}`)
    assert.match(text.trim(), new RegExp(`^${pattern(output).source}$`, "u"), name)
  })

  it.each(programs.filter(({ language }) => language === "ts vitest"))("$name is a test that passes", (program) => {
    const file = fileOf(program)
    const { status, text } = run(
      process.execPath,
      [
        join(root, "node_modules/vitest/vitest.mjs"),
        "run",
        "--config",
        vitest,
        "--root",
        dirname(file),
        "--dir",
        dirname(file)
      ],
      work
    )
    assert.strictEqual(status, 0, text)
    assert.match(text, /1 passed/)
  })

  // HttpGuide.long.test.ts types that of the HTTP server.
  const consoles = examples.filter(({ language, name }) => language === "console" && !name.includes("guide/http.md"))
  it.each(consoles)("$name can be typed", ({ code, name }) => {
    const typed = code
      .split(/^\$ /m)
      .filter((part) => part !== "")
      .map((part) => part.trimEnd().split("\n"))
    for (const [line = "", ...shown] of typed) {
      const { status, text } = run("/bin/sh", ["-c", line], work)
      assert.strictEqual(status, 0, `${name}: ${line}\n${text}`)
      assert.match(text, pattern(shown.join("\n")), `${name}: ${line}`)
    }
  })
})
