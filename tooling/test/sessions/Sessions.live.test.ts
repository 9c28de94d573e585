/** Sessions under a real debugger: load and run, redirect output, every way to end. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"
import { isOver, standing } from "../support/processes.ts"

const environment = { PATH: process.env["PATH"] ?? "" }

/** A program that runs by itself, beside the debugger. */
const running = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { directory } = yield* Programs
  return Number((yield* spawner.spawn(ChildProcess.make(`${directory}/loop`))).pid)
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a session", (it) => {
  it.effect("loads a program without starting it, and runs it on request", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const loaded = yield* start("two_streams", { run: false })
        assert.deepStrictEqual([loaded.data.event, loaded.state, loaded.data.output?.bytes], ["loaded", "starting", 0])
        yield* call("break", { at: "main" })
        const run = yield* call("run", {})
        assert.deepInclude(run.data, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
        assert.strictEqual((yield* call("continue", {})).data.event, "exited")
      })
    )
  )

  it.effect("writes to the given file, and both streams into one", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-output-" })
        const [stdout, stderr] = [`${directory}/out`, `${directory}/err`]
        yield* fs.writeFileString(stdout, "much that was there before\n".repeat(100))
        const ended = yield* start("two_streams", { stdout, stderr })
        assert.deepStrictEqual([ended.data.event, ended.data.output?.bytes], ["exited", 0])
        const plain = yield* start("two_streams", {})
        const apart = (yield* call("output", {})).data.entries
        const of = (channel: string) =>
          apart.flatMap((entry) => (entry.channel === channel ? [entry.text] : [])).join("")
        assert.isAbove(plain.data.output?.bytes ?? 0, 0)
        assert.strictEqual(yield* fs.readFileString(stdout), of("stdout"))
        assert.strictEqual(yield* fs.readFileString(stderr), of("stderr"))
        yield* start("two_streams", { merge_stderr: true })
        const merged = (yield* call("output", {})).data.entries
        assert.isTrue(merged.every(({ channel }) => channel === "stdout"))
        assert.strictEqual(merged.map(({ text }) => text).join("").length, of("stdout").length + of("stderr").length)
      })
    ).pipe(Effect.scoped)
  )

  it.effect("runs the debugger's commands that it was given, and does not start when one fails", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("two_streams", {
          init_cmd: ["settings set target.max-children-count 7"],
          pre_run_cmd: ["breakpoint set -n main"]
        })
        const setting = yield* call("raw", { command: "settings show target.max-children-count" })
        assert.include(setting.data.output, "= 7")
        const failed = yield* Effect.flip(start("two_streams", { init_cmd: ["no such command"], session: "other" }))
        assert.strictEqual(failed._tag, "LaunchFailed")
        assert.include(failed.message, "a debugger command of init_cmd failed")
        assert.deepStrictEqual(failed.hints, [Hint.help("start")])
        assert.strictEqual((yield* call("sessions", {})).data.sessions.length, 1)
      })
    )
  )

  it.effect("randomizes addresses on request, and repeats them otherwise", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const address = Effect.fnUntraced(function* (aslr: "on" | "off") {
          const { data } = yield* start("two_streams", { aslr, stop_at_main: true, replace: true })
          return data.frames?.[0] === undefined ? "" : (yield* call("registers", { names: ["rip", "pc"] })).data
        })
        const [first, second] = [yield* address("off"), yield* address("off")]
        assert.deepStrictEqual(first, second)
        assert.notDeepEqual([yield* address("on"), yield* address("on")], [first, first])
      })
    )
  )

  it.effect("lists its capabilities and who provides each", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("two_streams", { stop_at_main: true })
        const { features } = (yield* call("capabilities", {})).data
        const by = new Map(features.map((feature) => [feature.id, feature.by]))
        assert.strictEqual(by.get("watchpoints"), "command")
        assert.strictEqual(by.get("until"), "manager")
        assert.strictEqual(by.get("line-breakpoints"), "adapter")
        // What is said to work does.
        yield* call("memory.read", { address: "$sp", count: 16 })
        yield* call("disassemble", {})
        assert.notStrictEqual(by.get("read-memory"), "none")
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the end of a session", (it) => {
  it.effect("leaves a launched program alive, running and untraced, by detach and by stop --detach", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        for (const how of ["detach", "stop"] as const) {
          const { data } = yield* start("loop", { break: ["main"] })
          const pid = data.pid ?? 0
          yield* call("break", { at: "loop.c:8" })
          yield* how === "detach" ? call("detach", {}) : call("stop", { detach: true })
          const { state, tracer } = standing(pid) ?? {}
          assert.strictEqual(tracer, "0", how)
          assert.notInclude(["T", "t", undefined], state, how)
          yield* call("attach", { pid, environment, session: "again" })
          yield* call("stop", { names: ["again"], kill: true })
        }
      })
    )
  )

  it.effect("kills an attached process only on request", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const pid = yield* running
        yield* call("attach", { pid, environment, pause: true })
        const kept = yield* call("stop", {})
        assert.deepStrictEqual([kept.data.sessions[0]?.how, kept.data.leftovers], ["detached", []])
        assert.isFalse(isOver(pid))
        yield* call("attach", { pid, environment })
        const killed = yield* call("stop", { kill: true })
        assert.deepStrictEqual([killed.data.sessions[0]?.how, killed.data.leftovers], ["killed", []])
        assert.isTrue(isOver(pid))
      })
    ).pipe(Effect.scoped)
  )

  it.effect("lets a program end by itself when it is given time", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { data } = yield* start("loop", { break: ["main"] })
        const { data: ended } = yield* call("stop", { grace: "5s" })
        assert.deepStrictEqual([ended.sessions[0]?.how, ended.leftovers], ["killed", []])
        assert.isTrue(isOver(data.pid ?? 0))
      })
    )
  )

  it.effect("leaves a program stopped on request", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const pid = yield* running
        yield* call("attach", { pid, environment })
        const { data } = yield* call("detach", { suspended: true })
        assert.deepStrictEqual(data, { pid, alive: true, suspended: true, traced: false })
        const found = standing(pid)
        // A stopped process hears nothing else.
        process.kill(pid, "SIGKILL")
        assert.deepStrictEqual(found, { state: "T", tracer: "0" })
      })
    ).pipe(Effect.scoped)
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a start", (it) => {
  it.effect("stops at the entry after a restart on request, once", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("two_streams", { break: ["main"] })
        assert.strictEqual((yield* call("restart", { stop_on_entry: true })).data.reason, "entry")
        assert.strictEqual((yield* call("restart", { stop_on_entry: false })).data.reason, "breakpoint")
      })
    )
  )

  it.effect("takes the child that runs a program, not the wrapper around it", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const { directory } = yield* Programs
        const program = `${directory}/loop`
        const wrapper = yield* spawner.spawn(ChildProcess.make("/bin/sh", ["-c", `"${program}" & echo ready; wait`]))
        const pid = Number(wrapper.pid)
        const attached = yield* call("attach", { pid, descend: true, program, environment, pause: true }).pipe(
          // The shell may not have come to its child yet.
          Effect.retry({ times: 50, while: (error) => error._tag === "ProcessNotFound" })
        )
        assert.notStrictEqual(attached.data.pid, pid)
        assert.strictEqual(attached.data.program, program)
        yield* call("stop", { kill: true })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("reports a port on which nothing listens", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(call("connect", { address: "localhost:1", environment }))
        assert.strictEqual(error._tag, "AttachFailed")
        assert.include(error.message, "connection refused")
      })
    )
  )
})
