// Commands that run in the client: arguments, skill, scenario validation, log, setup.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Answer, Command, Place } from "../../src/commands/ClientCommand.ts"
import { RuntimeDirectory } from "@sigtrap/host"
import * as LogCommand from "../../src/commands/LogCommand.ts"
import * as SetupCommand from "../../src/commands/SetupCommand.ts"
import * as SkillCommand from "../../src/commands/SkillCommand.ts"
import * as TestCommand from "../../src/commands/TestCommand.ts"
import * as Arguments from "../../src/commands/Arguments.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-local-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const at = (directory: string, environment: { readonly [name: string]: string } = {}): Place => ({
  directory,
  environment: { HOME: directory, ...environment },
  runtimeDirectory: undefined
})

/** Returns the text of an answer, or the code of its problem or error. */
const said = (command: Command, words: string, place: Place) =>
  command(words === "" ? [] : words.split(" "), place).pipe(
    Effect.map((answer: Answer) => answer.problem?.code ?? answer.text),
    Effect.catch((error) => Effect.succeed(`${error._tag}: ${error.message}`))
  )

describe("words", () => {
  it("are divided into options with and without values, and other words", () => {
    const read = Arguments.read("test", ["a", "--keep", "--report=x", "-q", "--report", "y", "-j", "2", "--", "--keep"])
    assert(Result.isSuccess(read))
    assert.deepStrictEqual(read.success.words, ["a", "--keep"])
    assert.deepStrictEqual([...read.success.flags], ["keep", "quiet"])
    assert.strictEqual(read.success.values.get("report"), "y")
    assert.strictEqual(read.success.values.get("jobs"), "2")
  })

  it("that are unknown options are reported with the nearest option", () => {
    const wrong = Arguments.read("test", ["--kep"])
    assert(Result.isFailure(wrong))
    assert.include(wrong.failure.message, "nearest: --keep")
    assert.isTrue(Result.isFailure(Arguments.read("test", ["--report"])))
  })
})

describe("the skill", () => {
  it.effect("is written once; only --force replaces it", () =>
    Effect.gen(function* () {
      const place = at(yield* temporary)
      const file = (yield* said(SkillCommand.skill, "install", place)).trim()
      const [, description = ""] =
        /^---\nname: sigtrap\ndescription: (.+)\n---\n/.exec(readFileSync(file, "utf8")) ?? []
      // In YAML, a colon or a number sign beside a blank ends a text without quotes.
      assert.match(description, /^[A-Z]/)
      assert.notMatch(description, /:\s|\s#/)
      assert.include(yield* said(SkillCommand.skill, "install", place), "FileExists")
      assert.strictEqual((yield* said(SkillCommand.skill, "install --force", place)).trim(), file)
      assert.include(yield* said(SkillCommand.skill, "install --target clade", place), "nearest: claude")
    })
  )
})

describe("test validate", () => {
  it.effect("reads files and directories, and reports mistakes", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      writeFileSync(join(directory, "a.yaml"), "name: a\nsteps: [{check_state: null}]\n")
      const place = at(directory)
      assert.include(yield* said(TestCommand.run, "validate .", place), "a.yaml is valid")
      writeFileSync(join(directory, "b.yaml"), "name: b\nsteps: [{chek_state: null}]\n")
      assert.strictEqual(yield* said(TestCommand.run, "validate .", place), "INVALID_CONFIG")
      assert.strictEqual(yield* said(TestCommand.run, "b.yaml", place), "INVALID_CONFIG")
      assert.strictEqual(yield* said(TestCommand.run, "none.yaml", place), "INVALID_CONFIG")
      assert.include(yield* said(TestCommand.run, "a.yaml --report junti", place), "nearest: junit")
    })
  )
})

describe("log", () => {
  it.effect("shows the newest lines, by severity, source, session and pattern", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const { log: file } = yield* RuntimeDirectory.make(directory)
      const record = (level: string, text: string, rest = "") =>
        `timestamp=2026-01-01T00:00:00.000Z level=${level} fiber=#1 message="${text}"${rest}`
      const lines = [
        record("INFO", "listening on a socket"),
        record("DEBUG", "next is answered", " source=ipc session=web"),
        record("WARN", "a connection was refused"),
        record("DEBUG", "next failed", " source=ipc session=other")
      ]
      writeFileSync(file, `${lines.join("\n")}\n`)
      const place = { ...at(directory), runtimeDirectory: directory }
      const shown = (words: string) =>
        Effect.map(said(LogCommand.log, words, place), (text) => text.trimEnd().split("\n"))
      assert.deepStrictEqual(yield* shown("-n 2"), lines.slice(2))
      assert.deepStrictEqual(yield* shown("--level warn"), [lines[2]])
      assert.deepStrictEqual(yield* shown("--source daemon"), [lines[0], lines[2]])
      assert.deepStrictEqual(yield* shown("--session web"), [lines[1]])
      assert.deepStrictEqual(yield* shown("--match refused|listening -n 1"), [lines[2]])
      assert.include((yield* shown("--level lound"))[0], "not one of debug, info, warn, error")
      assert.include((yield* shown("--source elsewhere"))[0], "not one of daemon, ipc")
      assert.strictEqual((yield* shown("audit"))[0], "Usage: log takes no 'audit'; nearest: --audit")
      yield* shown("--clear")
      assert.deepStrictEqual(yield* shown(""), [""])
    })
  )
})

describe("setup", () => {
  it.effect("proposes the newest packaged LLDB up to the one that the live tests run with", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const place = at(directory, { PATH: directory })
      const proposed = (...packages: ReadonlyArray<string>) => {
        const lines = packages.map((name) => `echo '${name} - Next generation, high-performance debugger'`)
        for (const [name, script] of [
          ["apt-get", ""],
          ["apt-cache", lines.join("\n")]
        ] as const) {
          writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
        }
        return said(SetupCommand.setup, "lldb-dap --dry-run", place)
      }
      assert.strictEqual(yield* proposed("lldb-9", "lldb-16", "lldb-19", "lldb-22"), "apt-get install --yes lldb-19\n")
      assert.strictEqual(yield* proposed("lldb-16", "lldb-22"), "apt-get install --yes lldb-16\n")
      assert.strictEqual(yield* proposed("lldb-22", "lldb-20"), "apt-get install --yes lldb-20\n")
      assert.strictEqual(yield* proposed(), "apt-get install --yes lldb\n")
    })
  )

  it.effect("prints the installation of each adapter, and the nearest name of an unknown one", () =>
    Effect.gen(function* () {
      const place = at(yield* temporary, { PATH: "/nowhere" })
      assert.include(yield* said(SetupCommand.setup, "delve codelldb --dry-run", place), "delve: go install")
      assert.include(yield* said(SetupCommand.setup, "debugpy --dry-run", place), "python3 -m pip install debugpy")
      assert.include(yield* said(SetupCommand.setup, "debugp", place), "adapters: lldb-dap")
      assert.strictEqual(yield* said(SetupCommand.setup, "delve --check", place), "TOOL_MISSING")
      // A person has to install it, so setup fails.
      assert.strictEqual(yield* said(SetupCommand.setup, "js-debug", place), "TOOL_MISSING")
      assert.include(yield* said(SetupCommand.setup, "js-debug --dry-run", place), "download js-debug-dap")
      assert.include(yield* said(SetupCommand.setup, "--list", place), "js-debug  not installed")
      writeFileSync(join(place.directory, "go.mod"), "")
      assert.strictEqual(
        yield* said(SetupCommand.setup, "--auto --dry-run", place),
        "go install github.com/go-delve/delve/cmd/dlv@latest\n"
      )
    })
  )
})
