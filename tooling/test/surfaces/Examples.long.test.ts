// Runs the examples of the READMEs and of the library guide as they are written, and compares what they print. A `ts` block is a
// program, or with the word `vitest` a test file; the `text` block after it is its output. A `console` block is typed into a shell.
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
import { toolPath } from "../simulator/fakeMachine.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

interface Example {
  readonly name: string
  readonly language: string
  readonly code: string
  readonly output: string
}

/** The examples of a document, in order. */
const examplesOf = (file: string): ReadonlyArray<Example> =>
  [
    ...readFileSync(join(root, file), "utf8").matchAll(
      /^```(ts(?: vitest)?|console)\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?/gms
    )
  ].map(([, language = "", code = "", output = ""], index) => ({
    name: `${file} ${index + 1}`,
    language,
    code,
    output
  }))

const documents = [
  "docs/guide/library.md",
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
  const imported = [...code.matchAll(/from "((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name = ""]) => name)
  const home = folders.find((folder) => {
    const there = known(folder)
    return imported.every((name) => there.has(name))
  })
  assert(home !== undefined, `no workspace has all of ${imported.join(", ")}`)
  return home
}

/** What is printed as a pattern: `…` is anything. */
const pattern = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
      .join("[^]*"),
    "u"
  )

const config = join(root, "tooling", `.example-${process.pid}.tsconfig.json`)
const vitest = join(root, "tooling", `.example-${process.pid}.vitest.mjs`)
let work = ""
let environment: NodeJS.ProcessEnv = {}

/** The file of each program: imports are found from its workspace. */
const files = new Map(
  programs.map(({ code, index, language }) => [
    `${index}`,
    join(root, homeOf(code), `.example-${process.pid}-${index}.${language === "ts" ? "ts" : "test.ts"}`)
  ])
)

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
  for (const language of ["c", "sums"]) cpSync(join(root, "tooling/fixtures", language), work, { recursive: true })
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
  for (const name of ["lldb", "lldb-dap"])
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
  for (const { code, index } of programs) writeFileSync(files.get(`${index}`) ?? "", code)
  writeFileSync(
    config,
    JSON.stringify({
      extends: "../tsconfig.json",
      compilerOptions: { types: ["./node_modules/bun-types"] },
      include: [],
      files: [...files.values()].map((file) => relative(dirname(config), file))
    })
  )
  const conditions = JSON.stringify(["@sigtrap/source", "module", "node", "development|production"])
  writeFileSync(
    vitest,
    `export default { resolve: { conditions: ${conditions} }, ssr: { resolve: { conditions: ${conditions} } }, test: { include: ["**/.example-*.test.ts"] } }\n`
  )
})

afterAll(() => {
  run("sigtrap", ["daemon", "stop"], work)
  // What an example puts into the background and did not come to end.
  for (const name of globSync("*.pid", { cwd: work })) run("/bin/sh", ["-c", `kill -9 $(cat ${name})`], work)
  for (const file of [...files.values(), config, vitest]) rmSync(file, { force: true })
  rmSync(work, { recursive: true, force: true })
})

describe("examples", () => {
  it("exist in the README of every package and app", () => {
    const folders = globSync("{packages,apps}/*", { cwd: root })
    assert.isAbove(folders.length, 10)
    for (const folder of folders) assert.isAbove(examplesOf(join(folder, "README.md")).length, 0, folder)
  })

  it("have correct types", () => {
    const { status, text } = run(join(root, "node_modules/.bin/tsc"), ["-p", config, "--noEmit"], root, 170_000)
    assert.strictEqual(status, 0, text)
  }, 180_000)

  it.each(programs.filter(({ language }) => language === "ts"))(
    "$name prints what it says",
    ({ index, name, output }) => {
      const { status, text } = run(
        process.execPath,
        ["--conditions=@sigtrap/source", "--disable-warning=ExperimentalWarning", files.get(`${index}`) ?? ""],
        work
      )
      assert.strictEqual(status, 0, `${name}\n${text}`)
      assert.match(text, pattern(output), name)
    }
  )

  it.each(programs.filter(({ language }) => language === "ts vitest"))("$name is a test that passes", ({ index }) => {
    const file = files.get(`${index}`) ?? ""
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

  it.each(examples.filter(({ language }) => language === "console"))("$name can be typed", ({ code, name }) => {
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
