// `sigtrap config`, and what a configuration does to other commands.
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

/** A home with a project in it, and what `config` says there: its text, or the code and sentence of what is wrong. */
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

/** Columns of a line about a key. */
const line = (text: string, key: string) =>
  text
    .split("\n")
    .find((each) => each.startsWith(`${key} `))
    ?.split(/ +/)

describe("config", () => {
  it.effect("sets, shows with its origin, and takes out", () =>
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

  it.effect("has a project's file that counts when it is trusted", () =>
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

  it.effect("begins a file with every key, opens an editor on it, and replaces none unasked", () =>
    Effect.gen(function* () {
      const { config } = yield* home
      const file = (yield* config("init")).trim()
      assert.include(readFileSync(file, "utf8"), "# wait = ")
      assert.include(yield* config("init"), "--force")
      assert.strictEqual(yield* config("edit", { EDITOR: "true" }), `${file}\n`)
      assert.include(yield* config("edit", { EDITOR: "false" }), "the editor false ended with 1")
    })
  )

  it.effect("refuses keys and values that are none, and says what is wrong with a file", () =>
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

  it.effect("gives a session that begins what it has to know", () =>
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

  it.effect("has commands of the user's own, which never hide ours", () =>
    Effect.gen(function* () {
      const { call, config } = yield* home
      yield* config("set alias.nn", {}, ["next 2 --lines 3"])
      yield* config("set alias.next status")
      const { calls } = yield* call(["--json", "nn", "--timeout", "1s"])
      assert.deepInclude(calls[0]?.payload, { count: 2, lines: 3, timeout: "1s" })
      assert.strictEqual((yield* call(["next"])).calls[0]?.tag, "next")
    })
  )

  it.effect("says that a project's file was left out, where a session begins", () =>
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

  it.effect("ends at a mistake in a file, and help is there all the same", () =>
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
