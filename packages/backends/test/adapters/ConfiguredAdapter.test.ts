/** Adapters that the caller's configuration describes: their requests, and the programs that a project's file chooses. */
import { assert, describe, it } from "@effect/vitest"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import type { Backend } from "@sigtrap/manager"
import { AdapterSettings, Settings } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import * as ProjectDebugger from "../../src/adapters/ProjectDebugger.ts"
import * as Configuration from "../../src/adapters/Configuration.ts"
import { Backends, type Quirks, Registry } from "../../src/index.ts"
import { argumentsOf, connect, executable, platform } from "../support.ts"

const described: Settings.Values = {
  "adapters.rdbg.languages": ["Ruby"],
  "adapters.rdbg.extensions": [".rb"],
  "adapters.rdbg.id": "ruby",
  "adapters.rdbg.quirks": ["stops_without_ids", "plain_function_names"],
  "adapters.rdbg.types": ["ruby", "rdbg"],
  "adapters.rdbg.options": ["useBundler"],
  "adapters.rdbg.launch":
    '{"script":"${program}","args":"${args}","cwd":"${cwd}","stop":"${stop_on_entry}","type":"rdbg"}',
  "adapters.rdbg.attach": '{"debugPort":"${pid}"}'
}

/** Launches a program with a scripted adapter that the configuration describes. */
const launched = Effect.fnUntraced(function* (request: Partial<Backend.LaunchRequest>) {
  const adapter = yield* ScriptedAdapter.make((adapter) =>
    Effect.gen(function* () {
      yield* adapter.respond(yield* adapter.expect("initialize"), {})
      const asked = yield* adapter.expect("launch")
      yield* adapter.event("initialized")
      yield* adapter.respond(asked)
      yield* adapter.respond(yield* adapter.expect("disconnect"))
    })
  )
  const { launch } = yield* connect(adapter, { launch: request })
  const connection = yield* launch
  yield* connection.run
  yield* connection.end("kill")
  yield* adapter.finished
  return { adapter, connection }
})

describe("an adapter of the configuration", () => {
  it.layer(platform)("", (it) => {
    it.effect("is chosen by its name and by the suffix of a program", () =>
      Effect.gen(function* () {
        const settings = { ...described, "adapters.rdbg.command": "/opt/rdbg" }
        for (const request of [{ program: "/src/app.rb" }, { program: "/src/app", adapter: "rdbg" }]) {
          assert.strictEqual((yield* Registry.choose({ ...request, settings })).name, "rdbg")
          assert.strictEqual(yield* Backends.choose({ ...request, settings, env: {} }), "dap")
        }
        const none = yield* Effect.flip(Registry.choose({ program: "/src/app", adapter: "rdbg" }))
        assert.include(none.message, "there is no adapter rdbg")
        const near = yield* Effect.flip(Registry.choose({ program: "/src/app", adapter: "rdbgg", settings }))
        assert.deepStrictEqual(near.near, ["rdbg"])
        const found = yield* Registry.discover({ PATH: "" }, settings)
        assert.deepInclude(found, {
          name: "rdbg",
          languages: ["Ruby"],
          problem: "not found",
          remedy: "edit adapters.rdbg of the configuration"
        })
      })
    )

    it.effect("gets the arguments of its templates", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" })
        const command = yield* executable(`${directory}/rdbg`)
        const settings = { ...described, "adapters.rdbg.command": command }
        const launch = yield* launched({ program: "/src/app.rb", adapter: "rdbg", settings, stopOnEntry: true })
        assert.deepStrictEqual(argumentsOf(launch.adapter, "launch"), {
          script: "/src/app.rb",
          args: ["one", "two words"],
          cwd: "/src",
          stop: true,
          type: "rdbg"
        })
        assert.strictEqual(argumentsOf(launch.adapter, "initialize")["adapterID"], "ruby")
        assert.deepStrictEqual(launch.connection.adapter, { name: "rdbg", backend: "dap" })
        const usual = { "adapters.rdbg.command": command }
        const plain = yield* launched({ program: "/src/app.rb", adapter: "rdbg", settings: usual })
        assert.deepStrictEqual(argumentsOf(plain.adapter, "launch"), {
          program: "/src/app.rb",
          args: ["one", "two words"],
          cwd: "/src",
          env: { PATH: "/nowhere", WORD: "a b" },
          stopOnEntry: false
        })
      })
    )
  })

  it("has the quirks, the types of launch.json and the arguments that it names", () => {
    const settings = {
      ...described,
      "adapters.rdbg.command": "rdbg",
      "adapters.rdbg.transport": "tcp",
      "adapters.rdbg.args": ["--open", "--port=${port}"],
      "adapters.rdbg.env.RUBY_DEBUG_PORT": "${port}"
    }
    const [adapter] = Registry.configured(Registry.builtIn, settings)
    assert(adapter !== undefined)
    const quirks: Quirks.Quirks = { outputInEvents: true, stopsWithoutIds: true, plainFunctionNames: true }
    assert.deepStrictEqual(adapter.quirks(0), quirks)
    assert.deepStrictEqual(adapter.editorTypes, [{ types: ["ruby", "rdbg"], options: ["useBundler"], adapter: "rdbg" }])
    const request: Backend.LaunchRequest = { program: "/a.rb", args: [], cwd: "/", env: { A: "1" }, stopOnEntry: false }
    const launch = { ...request, settings }
    const started = Configuration.start(launch, "rdbg", adapter.start({ path: "/rdbg" }, launch, "/home"), 4711)
    assert.deepStrictEqual(started, { args: ["--open", "--port=4711"], env: { A: "1", RUBY_DEBUG_PORT: "4711" } })
    assert.deepStrictEqual(adapter.transport, { port: "free" })
    const attach = adapter.attach(launch, { kind: "process", pid: 7, started: "1" }, adapter.quirks(0))
    assert.deepInclude(attach, {
      success: { request: "attach", arguments: { debugPort: 7 }, keepsRunning: true }
    })
    const core = adapter.attach(launch, { kind: "core", file: "/core" }, adapter.quirks(0))
    assert.strictEqual(core._tag, "Failure")
  })

  it("replaces a built-in one of the same name, and has every quirk that a file may name", () => {
    const settings = { "adapters.gdb.command": "mine", "adapters.gdb.quirks": AdapterSettings.quirks }
    const found = Registry.configured(Registry.builtIn, settings).filter(({ name }) => name === "gdb")
    assert.strictEqual(found.length, 1)
    // A file cannot name the quirk about the output of programs.
    assert.strictEqual(Object.keys(found[0]?.quirks(0) ?? {}).length, AdapterSettings.quirks.length + 1)
  })
})

describe("the program that a project's file chooses", () => {
  const file = "/src/.sigtrap.toml"
  const rdbg = { name: "rdbg", isFile: () => false }
  const lldb = { name: "lldb-dap", isFile: (name: string) => name === "lldb-dap" }
  const marked = (values: Settings.Values, keys: ReadonlyArray<string>) => Settings.withProject(values, { file, keys })
  const command = { "adapters.rdbg.command": "ruby", "adapters.rdbg.args": ["-x", "a b"], "adapters.rdbg.env.A": "1" }
  const own = { ...command, "defaults.adapter": "./lldb-dap" }

  it.each([
    ["its command", undefined, rdbg, marked(command, ["adapters.rdbg.command"]), "A=1 ruby -x 'a b'"],
    ["its arguments", undefined, rdbg, marked(command, ["adapters.rdbg.args"]), "A=1 ruby -x 'a b'"],
    ["its variables", "rdbg", rdbg, marked(command, ["adapters.rdbg.env.A"]), "A=1 ruby -x 'a b'"],
    ["another adapter's command", undefined, lldb, marked(command, ["adapters.rdbg.command"]), undefined],
    ["nothing: the user's file does", "rdbg", rdbg, command, undefined],
    [
      "a path under an unknown name",
      "mine",
      lldb,
      marked({ "adapters.mine.path": "/x" }, ["adapters.mine.path"]),
      "/x"
    ],
    ["the usual adapter", undefined, lldb, marked(own, ["defaults.adapter"]), "./lldb-dap"],
    ["the usual adapter, for another kind", undefined, rdbg, marked(own, ["defaults.adapter"]), undefined],
    ["the usual adapter, but the caller named one", "lldb-dap", lldb, marked(own, ["defaults.adapter"]), undefined]
  ] as const)("is known by %s", (_, adapter, chosen, settings, expected) => {
    const found = ProjectDebugger.of({ settings, ...(adapter === undefined ? {} : { adapter }) }, chosen)
    assert.strictEqual(found?.command, expected)
    if (found !== undefined) assert.include(found.source, file)
  })
})
