/** Options of start, steps and sessions under the backend lldb-cli. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { renameSync } from "node:fs"
import { compile, debugging, environment as outside, platform, Programs } from "../support/fixturePrograms.ts"

const cli = { backend: "lldb-cli" } as const

const options = { excludeTestServices: true, timeout: "60 seconds" } as const

layer(platform, options)("LLDB's command line, at a start,", (it) => {
  it.effect("runs the caller's commands after those of sigtrap, and keeps their settings", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", {
          ...cli,
          break: ["sum_scores"],
          init_cmd: ["settings set target.max-children-count 7"],
          pre_run_cmd: ["settings set target.auto-apply-fixits true"]
        })
        const setting = (name: string) =>
          Effect.map(call("raw", { command: `settings show ${name}` }), ({ data }) => data.output)
        // Values were read in between, with a setting of the backend.
        yield* call("locals", {})
        assert.include(yield* setting("target.max-children-count"), "= 7")
        assert.include(yield* setting("target.auto-apply-fixits"), "= true")
        yield* call("raw", { command: "settings set target.max-children-count 9" })
        yield* call("expand", { target: "items" })
        assert.include(yield* setting("target.max-children-count"), "= 9")
      })
    )
  )

  it.effect("does not start if a command fails, waits for input, resumes the program or ends the debugger", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        for (const [command, tag] of [
          ["no such command", "LaunchFailed"],
          ["script", "Usage"],
          ["run", "Usage"],
          ["settings set prompt mine", "Unsupported"]
        ] as const) {
          for (const wish of [{ init_cmd: [command] }, { pre_run_cmd: [command] }]) {
            assert.strictEqual((yield* Effect.flip(start("app", { ...cli, ...wish })))._tag, tag, JSON.stringify(wish))
          }
        }
        assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])
      })
    )
  )

  it.effect("finds the sources of a program that was compiled elsewhere", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { line, source } = yield* Programs
        const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const [there, here] = [`${directory}/there`, `${directory}/it's "here"`]
        yield* fs.makeDirectory(there)
        yield* fs.copyFile(source("app.c"), `${there}/app.c`)
        yield* compile(`${there}/app.c`, `${directory}/app`)
        renameSync(there, here)
        const begun = yield* start(`${directory}/app`, {
          ...cli,
          break: ["sum_scores"],
          source_map: [`${there}=${here}`]
        })
        assert.strictEqual(begun.data.location?.file, `${here}/app.c`)
        yield* call("break", { at: `${here}/app.c:${line("app.c", "bug")}` })
        assert.deepInclude((yield* call("continue", {})).data, { reason: "breakpoint", breakpoints: [2] })
      }).pipe(Effect.scoped)
    )
  )

  it.effect("loads without beginning, and writes the program's output into files of any name", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped()
        const [stdout, stderr] = [`${directory}/-o "\`1\`" it's `, `${directory}/err'`]
        const loaded = yield* start("two_streams", { ...cli, run: false, stdout, stderr })
        assert.deepStrictEqual([loaded.data.event, loaded.state], ["loaded", "starting"])
        assert.deepInclude((yield* call("run", {})).data, { event: "exited", exit_code: 0 })
        assert.match(yield* fs.readFileString(stdout), /^out 1/m)
        assert.match(yield* fs.readFileString(stderr), /^err 1/m)
        const both = yield* Effect.flip(start("two_streams", { ...cli, stdout, merge_stderr: true }))
        assert.strictEqual(both._tag, "Usage")
        yield* start("two_streams", { ...cli, merge_stderr: true })
        const { entries } = (yield* call("output", {})).data
        assert.isTrue(entries.length > 0 && entries.every(({ channel }) => channel === "stdout"))
      }).pipe(Effect.scoped)
    )
  )

  it.effect("randomizes addresses on request, and repeats them otherwise", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const address = Effect.fnUntraced(function* (aslr: "on" | "off") {
          yield* start("app", { ...cli, aslr, stop_at_main: true, replace: true })
          return (yield* call("registers", { names: ["rip", "pc"] })).data
        })
        const [first, second] = [yield* address("off"), yield* address("off")]
        assert.deepStrictEqual(first, second)
        assert.notDeepEqual([yield* address("on"), yield* address("on")], [first, first])
      })
    )
  )

  it.effect("is chosen by the configuration where the environment says nothing", () =>
    debugging(({ call, start, temporary }) =>
      Effect.gen(function* () {
        const { SIGTRAP_BACKEND: _, ...neutral } = outside
        const environment = { ...neutral, TMPDIR: temporary, HOME: temporary }
        const settings = { "defaults.backend": "lldb-cli" }
        const begun = yield* start("app", { settings, environment, stop_at_main: true })
        assert.strictEqual(begun.data.adapter.backend, "lldb-cli")
        const told = { ...environment, SIGTRAP_BACKEND: "dap" }
        const other = yield* start("app", { settings, environment: told, stop_at_main: true, replace: true })
        assert.strictEqual(other.data.adapter.backend, "dap")
        yield* call("stop", {})
      })
    )
  )
})

layer(platform, options)("LLDB's command line, in a session,", (it) => {
  it.effect("says of nothing that an adapter does it, and refuses what would take the connection away", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("app", { ...cli, break: ["main"] })
        const { features } = (yield* call("capabilities", {})).data
        assert.isAbove(features.length, 20)
        assert.notInclude(
          features.map(({ by }) => by),
          "adapter"
        )
        for (const command of ["settings set prompt x", "settings set -- auto-confirm false", "settings clear -a"]) {
          assert.strictEqual((yield* Effect.flip(call("raw", { command })))._tag, "Unsupported", command)
        }
        assert.include((yield* call("raw", { command: "breakpoint delete" })).data.output, "All breakpoints removed")
      })
    )
  )

  it.effect("lets one thread continue alone, and a step enter a function without debug information", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("threads", { ...cli, break: ["work"] })
        assert.strictEqual((yield* call("next", { only_thread: true })).data.reason, "step")
        yield* start("secrets", { ...cli, break: [`secrets.c:${line("secrets.c", "check")}`], replace: true })
        assert.include((yield* call("step", { into_system: true })).data.location?.function, "strlen")
      })
    )
  )

  it.effect("masks what has a secret name", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("secrets", { ...cli, break: [`secrets.c:${line("secrets.c", "call")}`] })
        const answers = [
          yield* call("locals", { full: true }),
          yield* call("print", { expressions: ["login", "&login", "client_secret"], depth: 3 }),
          yield* call("expand", { target: "login", depth: 3 }),
          yield* call("eval", { expression: "login.password" }),
          yield* call("globals", {})
        ]
        const all = JSON.stringify(answers)
        for (const secret of ["hunter2", "topsec1"]) assert.notInclude(all, secret)
        const shown = yield* call("print", { expressions: ["login"], depth: 2, reveal: true })
        assert.include(JSON.stringify(shown), "hunter2")
      })
    )
  )
})
