// `sigtrap config`, and the effect of a configuration on other commands.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ConfigCommand from "../../src/commands/ConfigCommand.ts"
import { run } from "../fakes.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-config-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Makes a home directory with a project, and a function that runs `config` there: its text, or its error code and message. */
const home = Effect.map(temporary, (path) => {
  const directory = join(path, "project", "src")
  mkdirSync(directory, { recursive: true })
  const environment = { HOME: path }
  const config = (line: string, more: { readonly [name: string]: string } = {}, last: ReadonlyArray<string> = []) =>
    ConfigCommand.run([...line.split(" "), ...last], {
      directory,
      environment: { ...environment, ...more },
      runtimeDirectory: undefined
    }).pipe(
      Effect.map(({ problem, text }) => (problem === undefined ? text : `${problem.code}: ${problem.message}`)),
      Effect.catch((error) => Effect.succeed(`${error._tag}: ${error.message}`))
    )
  const call = (argv: ReadonlyArray<string>) => run(argv, { line: { directory, environment } })
  return { directory, config, call }
})

/** Returns the columns of the line of a key. */
const line = (text: string, key: string) =>
  text
    .split("\n")
    .find((each) => each.startsWith(`${key} `))
    ?.split(/ +/)

describe("config", () => {
  it.effect("sets a key, lists it with its origin, and unsets it", () =>
    Effect.gen(function* () {
      const { config } = yield* home
      assert.deepStrictEqual(line(yield* config("list"), "timeouts.wait"), ["timeouts.wait", "30s", "default"])
      assert.strictEqual(yield* config("set timeouts.wait 2m"), "timeouts.wait = 2m\n")
      assert.deepStrictEqual(line(yield* config("list"), "timeouts.wait"), ["timeouts.wait", "2m", "user"])
      assert.strictEqual(yield* config("set redact.names pin iban"), "redact.names = pin,iban\n")
      assert.deepStrictEqual(line(yield* config("list"), "redact.names"), ["redact.names", "pin,iban", "user"])
      const above = yield* config("list", { SIGTRAP_TIMEOUT: "5s" })
      assert.deepStrictEqual(line(above, "timeouts.wait"), ["timeouts.wait", "5s", "env"])
      const file = (yield* config("path")).trim()
      assert.strictEqual(statSync(file).mode & 0o077, 0, "no other user can read it")
      yield* config("unset timeouts.wait")
      assert.strictEqual(yield* config("get timeouts.wait"), "30s\n")
    })
  )

  it.effect("reads a project's file only if it is trusted", () =>
    Effect.gen(function* () {
      const { config, directory } = yield* home
      assert.include(yield* config("trust"), "sigtrap.toml here or above")
      assert.strictEqual(yield* config("set --project output.lines 3"), "output.lines = 3\n")
      const untrusted = yield* config("list")
      assert.deepStrictEqual(line(untrusted, "output.lines"), ["output.lines", "1", "default"])
      assert.include(untrusted, "is not trusted and is ignored")
      yield* config("trust")
      assert.deepStrictEqual(line(yield* config("list"), "output.lines"), ["output.lines", "3", "project"])
      yield* config("set --project output.lines 4")
      assert.strictEqual(
        yield* config("get output.lines"),
        "4\n",
        "who changes a trusted file by this command trusts it"
      )
      assert.include(readFileSync(join(directory, ".sigtrap.toml"), "utf8"), "lines")
      yield* config("trust --revoke")
      assert.strictEqual(yield* config("get output.lines"), "1\n")
    })
  )

  it.effect("creates a file with every key, edits it, and replaces it only with --force", () =>
    Effect.gen(function* () {
      const { config } = yield* home
      const file = (yield* config("init")).trim()
      assert.include(readFileSync(file, "utf8"), "# wait = ")
      assert.include(yield* config("init"), "FileExists")
      assert.strictEqual(yield* config("edit", { EDITOR: "true" }), `${file}\n`)
      assert.include(yield* config("edit", { EDITOR: "false" }), "the editor false ended with 1")
    })
  )

  it.effect("refuses unknown keys and invalid values, and reports mistakes in a file", () =>
    Effect.gen(function* () {
      const { config } = yield* home
      assert.include(yield* config("get wait"), "nearest: timeouts.wait")
      assert.include(yield* config("set timeouts.wait soon"), "write a duration")
      assert.include(yield* config("set adapters.gdb.pth x"), "nearest: adapters.gdb.path")
      assert.include(yield* config("lst"), "nearest: list")
      yield* config("set timeouts.wait 1m")
      writeFileSync((yield* config("path")).trim(), "x = 1\n")
      assert.include(yield* config("validate"), "INVALID_CONFIG: ")
      assert.include(yield* config("list"), "InvalidConfig: ")
    })
  )
})

describe("a configured command line", () => {
  it.effect("uses configured values, and options override them", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("set timeouts.wait 7s")
      yield* config("set values.depth 3")
      const payload = (argv: ReadonlyArray<string>) => Effect.map(call(argv), ({ calls }) => calls[0]?.payload)
      assert.deepInclude(yield* payload(["next"]), { timeout: "7s" })
      assert.deepInclude(yield* payload(["next", "--timeout", "2s"]), { timeout: "2s" })
      assert.deepInclude(yield* payload(["expand", "@v1"]), { depth: 3 })
    })
  )

  it.effect("sends the settings to a new session", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("set adapters.lldb-dap.path /opt/lldb-dap")
      yield* config("set defaults.stop_on_entry true")
      yield* config("set session.idle 5m")
      const { calls } = yield* call(["start", "./app"])
      assert.deepInclude(calls[0]?.payload, {
        settings: { "adapters.lldb-dap.path": "/opt/lldb-dap", "defaults.stop_on_entry": "true" },
        stop_on_entry: true,
        ttl: "5m"
      })
    })
  )

  it.effect("expands the user's aliases, which never hide commands", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("set alias.nn", {}, ["next 2 --lines 3"])
      yield* config("set alias.next status")
      const { calls } = yield* call(["--json", "nn", "--timeout", "1s"])
      assert.deepInclude(calls[0]?.payload, { count: 2, lines: 3, timeout: "1s" })
      assert.strictEqual((yield* call(["next"])).calls[0]?.tag, "next")
    })
  )

  it.effect("warns about an untrusted project file when a session starts", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("set --project output.lines 3")
      const { stdout } = yield* call(["start", "./app", "--json"])
      assert.strictEqual(JSON.parse(stdout).warnings[0].code, "UNTRUSTED_CONFIG")
      assert.notInclude((yield* call(["status"])).stdout, "trusted")
      yield* config("trust")
      assert.deepStrictEqual(JSON.parse((yield* call(["start", "./app", "--json"])).stdout).warnings, [])
    })
  )

  it.effect("fails at a mistake in a file, except for help", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("init")
      writeFileSync((yield* config("path")).trim(), "x = 1\n")
      const wrong = yield* call(["next"])
      assert.deepStrictEqual([wrong.code, wrong.calls.length], [2, 0])
      assert.include(wrong.stderr, "[INVALID_CONFIG]")
      assert.strictEqual((yield* call(["help"])).code, 0)
    })
  )
})
