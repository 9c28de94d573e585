// The commands that concern the machine: their words, settings, skill, checks of scenario files.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Config from "../src/local/Config.ts"
import * as ConfigCommand from "../src/local/ConfigCommand.ts"
import type { Answer, Command } from "../src/local/Local.ts"
import * as Skill from "../src/local/Skill.ts"
import * as TestCommand from "../src/local/TestCommand.ts"
import * as Words from "../src/local/Words.ts"
import { run } from "./fakes.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-local-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const at = (directory: string, environment: { readonly [name: string]: string } = {}) => ({
  directory,
  environment: { HOME: directory, ...environment },
  runtimeDirectory: undefined
})

/** The text of an answer, or the code of its problem or error. */
const said = (command: Command, words: string, place: ReturnType<typeof at>) =>
  command(words === "" ? [] : words.split(" "), place).pipe(
    Effect.map((answer: Answer) => answer.problem?.code ?? answer.text),
    Effect.catch((error) => Effect.succeed(`${error._tag}: ${error.message}`))
  )

describe("words", () => {
  const grammar = { command: "test", flags: ["keep"], valued: ["report"], letters: { r: "report" } }

  it("are options with and without values, and the rest", () => {
    const read = Words.read(grammar, ["a", "--keep", "--report=x", "-q", "-r", "y", "--", "--keep"])
    assert(Result.isSuccess(read))
    assert.deepStrictEqual(read.success.words, ["a", "--keep"])
    assert.deepStrictEqual([...read.success.flags], ["keep", "quiet"])
    assert.strictEqual(read.success.values.get("report"), "y")
  })

  it("that are no options are told with the nearest", () => {
    const wrong = Words.read(grammar, ["--kep"])
    assert(Result.isFailure(wrong))
    assert.include(wrong.failure.message, "nearest: --keep")
    assert.isTrue(Result.isFailure(Words.read(grammar, ["--report"])))
  })
})

describe("the settings file", () => {
  it("has tables and dotted keys, strings, numbers and comments", () => {
    const text = `# mine\noutput.budget = 4000\n[timeouts]\nwait = "1m" # long\n[defaults]\nadapter = '/opt/x y'\n`
    const read = Config.parse(text)
    assert(Result.isSuccess(read))
    assert.deepStrictEqual(
      read.success.map(({ key, line, value }) => [key, value, line]),
      [
        ["output.budget", "4000", 2],
        ["timeouts.wait", "1m", 4],
        ["defaults.adapter", "/opt/x y", 6]
      ]
    )
  })

  it.each([
    ["[timeouts]\nwiat = 1", "line 2: no key timeouts.wiat; nearest: timeouts.wait"],
    ["timeouts.wait = soon", "line 1"],
    ['timeouts.wait = "soon"', "write a duration"],
    ["timeouts.wait = '1s'\n[timeouts]\nwait = '2s'", "is there twice"],
    ["output.budget = [1]", "line 1: expected"]
  ])("%j is refused", (text, problem) => {
    const read = Config.parse(text)
    assert(Result.isFailure(read))
    assert.include(read.failure.join("; "), problem)
  })

  it.prop(
    "keeps every other line when a key is set or taken out",
    [Schema.Literals(Config.keys.map(({ key }) => key)), Schema.Literals(["", "# a\n[output]\n# b\nbudget = 1\n"])],
    ([key, text]) => {
      const value = Config.keys.find((known) => known.key === key)?.fallback ?? ""
      const set = Config.change(text, key, value)
      const read = Config.parse(set)
      assert(Result.isSuccess(read), set)
      assert.strictEqual(read.success.find((other) => other.key === key)?.value, value)
      for (const line of text.split("\n").filter((line) => line.startsWith("#"))) assert.include(set, line)
      const unset = Config.parse(Config.change(set, key, undefined))
      assert(Result.isSuccess(unset))
      assert.isUndefined(unset.success.find((other) => other.key === key))
    }
  )

  it.effect("is below the environment and above what is built in", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const place = at(directory)
      assert.include(yield* said(ConfigCommand.run, "list", place), "timeouts.wait      30s          default")
      assert.strictEqual(yield* said(ConfigCommand.run, "set timeouts.wait 2m", place), "timeouts.wait = 2m\n")
      assert.strictEqual(yield* said(ConfigCommand.run, "get timeouts.wait", place), "2m\n")
      const above = at(directory, { SIGTRAP_TIMEOUT: "5s" })
      assert.include(yield* said(ConfigCommand.run, "list", above), "timeouts.wait      5s           env")
      const file = (yield* said(ConfigCommand.run, "path", place)).trim()
      assert.strictEqual(statSync(file).mode & 0o077, 0, "nobody else reads it")
      yield* said(ConfigCommand.run, "unset timeouts.wait", place)
      assert.strictEqual(yield* said(ConfigCommand.run, "get timeouts.wait", place), "30s\n")
    })
  )

  it.effect("refuses keys and values that are none, and says what is wrong with a file", () =>
    Effect.gen(function* () {
      const place = at(yield* temporary)
      assert.include(yield* said(ConfigCommand.run, "get wait", place), "nearest: timeouts.wait")
      assert.include(yield* said(ConfigCommand.run, "set timeouts.wait soon", place), "write a duration")
      assert.include(yield* said(ConfigCommand.run, "lst", place), "nearest: list")
      yield* said(ConfigCommand.run, "set timeouts.wait 1m", place)
      writeFileSync((yield* said(ConfigCommand.run, "path", place)).trim(), "x = 1\n")
      assert.strictEqual(yield* said(ConfigCommand.run, "validate", place), "INVALID_CONFIG")
    })
  )

  it.effect("changes what commands do, not the environment of the program", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const place = at(directory)
      yield* said(ConfigCommand.run, "set timeouts.wait 7s", place)
      yield* said(ConfigCommand.run, "set defaults.adapter /opt/lldb-dap", place)
      const environment = { HOME: directory }
      const [call] = (yield* run(["start", "app"], { line: { environment } })).calls
      assert.deepInclude(call?.payload, { timeout: "7s", adapter: "/opt/lldb-dap", environment })
      const [other] = (yield* run(["start", "app", "--timeout", "1s"], { line: { environment } })).calls
      assert.deepInclude(other?.payload, { timeout: "1s" })
      writeFileSync(join(directory, ".config/sigtrap/config.toml"), "x = 1\n")
      const broken = yield* run(["status"], { line: { environment } })
      assert.deepStrictEqual([broken.code, broken.calls.length], [2, 0])
      assert.include(broken.stderr, "no key x")
    })
  )
})

describe("the skill", () => {
  it.effect("is written once; replacing it must be asked for", () =>
    Effect.gen(function* () {
      const place = at(yield* temporary)
      const file = (yield* said(Skill.skill, "install", place)).trim()
      assert.match(readFileSync(file, "utf8"), /^---\nname: sigtrap\ndescription: .+\n---\n/)
      assert.include(yield* said(Skill.skill, "install", place), "--force")
      assert.strictEqual((yield* said(Skill.skill, "install --force", place)).trim(), file)
      assert.include(yield* said(Skill.skill, "install --target clade", place), "nearest: claude")
    })
  )
})

describe("test validate", () => {
  it.effect("reads files and directories, and names what is wrong", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      writeFileSync(join(directory, "a.yaml"), "name: a\nsteps: [{check_state: null}]\n")
      const place = at(directory)
      assert.include(yield* said(TestCommand.run, "validate .", place), "a.yaml is fine")
      writeFileSync(join(directory, "b.yaml"), "name: b\nsteps: [{chek_state: null}]\n")
      assert.strictEqual(yield* said(TestCommand.run, "validate .", place), "INVALID_CONFIG")
      assert.strictEqual(yield* said(TestCommand.run, "b.yaml", place), "INVALID_CONFIG")
      assert.include(yield* said(TestCommand.run, "none.yaml", place), "cannot be read")
      assert.include(yield* said(TestCommand.run, "a.yaml --report junti", place), "nearest: junit")
    })
  )
})
