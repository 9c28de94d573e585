/** A new adapter is one value and one entry in the list: a fictional one for Ruby. */
import { assert, describe, it } from "@effect/vitest"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Effect, FileSystem, Tracer } from "effect"
import * as Attach from "../../src/adapters/Attach.ts"
import * as ProgramKind from "../../src/adapters/ProgramKind.ts"
import { type Adapter, Backends, Registry } from "../../src/index.ts"
import { argumentsOf, briefly, commands, connect, platform } from "../support.ts"

const ruby: Adapter.Adapter = {
  name: "rdbg",
  aliases: ["ruby"],
  id: "rdbg",
  file: /^rdbg$/,
  languages: ["Ruby"],
  extensions: [".rb"],
  recognizes: (contents) => ProgramKind.isScriptOf(contents, "ruby[\\d.]*"),
  editorTypes: [{ types: ["ruby", "rdbg"], adapter: "rdbg", options: ["useBundler"] }],
  transport: "stdio",
  streams: "events",
  supports: [],
  lacks: ["attach-core-remote"],
  find: () => Effect.succeed({ path: "/opt/rdbg", version: "1.9.2", major: 1 }),
  all: () => Effect.succeed([{ path: "/opt/rdbg", version: "1.9.2" }]),
  start: () => ({ args: ["--open=vscode"], env: {} }),
  quirks: () => ({ outputInEvents: true, functionNames: { main: "<main>" }, emptyDescriptions: /^Paused$/ }),
  attach: (_, existing) => Attach.unsupported(existing, "rdbg"),
  launchArguments: (launch) => Effect.succeed({ script: launch.program })
}

const withRuby = Effect.provideService(Registry.Adapters, [...Registry.builtIn, ruby])

describe("a new adapter", () => {
  it.layer(platform)("", (it) => {
    it.effect("is chosen by its name, by a source file and by the first line of a script", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" })
        yield* fs.writeFileString(`${directory}/tool`, "#!/usr/bin/env ruby\nputs 1\n")
        for (const request of [
          { program: "/src/app.rb" },
          { program: `${directory}/tool` },
          { program: "/bin/app", adapter: "ruby" },
          { program: "/bin/app", adapter: "/usr/bin/rdbg" }
        ]) {
          assert.strictEqual((yield* Registry.choose(request)).name, "rdbg", JSON.stringify(request))
          assert.strictEqual(yield* Backends.choose({ env: {}, ...request }), "dap")
        }
        const unknown = yield* Effect.flip(Registry.choose({ program: "/bin/app", adapter: "rdbgg" }))
        assert.deepInclude(unknown, { _tag: "Usage", near: ["rdbg"] })
      }).pipe(withRuby)
    )

    it.effect("is listed among the adapters of the machine", () =>
      Effect.gen(function* () {
        const found = yield* Registry.discover({ PATH: "" })
        assert.deepInclude(found, { name: "rdbg", languages: ["Ruby"], path: "/opt/rdbg", version: "1.9.2" })
      }).pipe(withRuby)
    )
  })

  it.effect("debugs a program by its own arguments and quirks, in phases that a trace names", () => {
    const spans: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        spans.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    return Effect.gen(function* () {
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* adapter.respond(yield* adapter.expect("initialize"), { supportsFunctionBreakpoints: true })
          const launch = yield* adapter.expect("launch")
          yield* adapter.event("initialized")
          yield* adapter.respond(launch)
          yield* adapter.respond(yield* adapter.expect("setFunctionBreakpoints"), {
            breakpoints: [{ id: 3, verified: true }]
          })
          yield* adapter.event("output", { category: "stdout", output: "hello\n" })
          yield* adapter.event("stopped", { reason: "breakpoint", threadId: 1, hitBreakpointIds: [3] })
          yield* adapter.respond(yield* adapter.expect("disconnect"))
        })
      )
      const { events, launch } = yield* connect(adapter, { launch: { program: "/src/app.rb", adapter: "rdbg" } })
      const connection = yield* launch
      yield* connection.setBreakpoints({ kind: "function" }, [{ id: 1, function: "main" }])
      yield* connection.run
      yield* connection.end("kill")
      yield* adapter.finished
      assert.deepStrictEqual(commands(adapter), ["initialize", "launch", "setFunctionBreakpoints", "disconnect"])
      assert.deepStrictEqual(argumentsOf(adapter, "launch"), { script: "/src/app.rb" })
      assert.deepStrictEqual(argumentsOf(adapter, "setFunctionBreakpoints"), { breakpoints: [{ name: "<main>" }] })
      assert.deepStrictEqual(connection.adapter, { name: "rdbg", backend: "dap", version: "1.9.2" })
      assert.deepInclude(events, { _tag: "Output", channel: "stdout", text: "hello\n" })
      assert.deepStrictEqual(events.map(briefly), ["output", "breakpoint 1"])
      const supplier = (id: string) => connection.features().find((feature) => feature.id === id)?.by
      assert.strictEqual(supplier("attach-core-remote"), "none")
      assert.strictEqual(supplier("separate-streams"), "adapter")
      assert.strictEqual(supplier("watchpoints"), "none")
      const phases = ["launch", "choose", "startAdapter", "converse", "initialize", "requestLaunch"]
      const named = [...phases, "setBreakpoints", "run", "end"].map((name) => `DapBackend.${name}`)
      assert.deepStrictEqual(
        spans.filter((name) => named.includes(name)),
        named
      )
    }).pipe(withRuby, Effect.provideService(Tracer.Tracer, tracer), Effect.provide(platform))
  })

  it.effect("offers its types of launch configurations", () =>
    Effect.gen(function* () {
      const types = (yield* Registry.Adapters).flatMap(({ editorTypes }) => editorTypes.flatMap(({ types }) => types))
      assert.includeMembers(types, ["ruby", "rdbg", "lldb-dap", "go"])
      assert.strictEqual(new Set(types).size, types.length)
    }).pipe(withRuby)
  )
})
