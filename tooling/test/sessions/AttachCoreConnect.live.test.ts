/** Attach, core files and remote targets: stop, restart, detach. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Scope } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { debugging, environment, platform, Programs, type Debugging } from "../support/fixturePrograms.ts"
import { standing } from "../support/processes.ts"

let count = 0

/** A program that runs by itself, under a name that no other has; `run` starts one more process of it. */
interface Target {
  readonly name: string
  readonly run: Effect.Effect<number>
}

/** Runs a test with programs that outlive its debugger: one that is killed while it is traced would never end. */
const beside = <A, E, R>(
  test: (debugging: Debugging, target: Target) => Effect.Effect<A, E, R>,
  name = `loop-${process.pid}-${count++}`
) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const fs = yield* FileSystem.FileSystem
    const { directory } = yield* Programs
    const scope = yield* Effect.scope
    yield* fs.copyFile(`${directory}/loop`, `${directory}/${name}`)
    yield* fs.chmod(`${directory}/${name}`, 0o755)
    const run = spawner.spawn(ChildProcess.make(`${directory}/${name}`, ["one", "two"])).pipe(
      Effect.map((handle) => Number(handle.pid)),
      Scope.provide(scope),
      Effect.orDie
    )
    return yield* debugging((tools) => test(tools, { name, run }))
  }).pipe(Effect.scoped)

const free = (pid: number) => {
  const { state, tracer } = standing(pid) ?? {}
  assert.strictEqual(tracer, "0", "no debugger traces it")
  assert.notInclude(["T", "t", "Z"], state, "it is neither stopped nor dead")
}

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a running process", (it) => {
  it.effect("keeps running at attach, is paused and inspected, and keeps running after detach", () =>
    beside(({ call }, target) =>
      Effect.gen(function* () {
        const pid = yield* target.run
        // The process runs the old file, the debugger reads the new one.
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        yield* fs.remove(`${directory}/${target.name}`)
        yield* fs.copyFile(`${directory}/loop`, `${directory}/${target.name}`)
        const attached = yield* call("attach", { pid, environment })
        assert.deepStrictEqual(
          attached.warnings.map(({ code }) => code),
          ["PROGRAM_REPLACED"]
        )
        assert.deepInclude(attached.data, { event: "running", pid, args: ["one", "two"] })
        assert.strictEqual(attached.data.program.split("/").at(-1), target.name)
        const paused = yield* call("pause", {})
        assert.deepInclude(paused.data, { event: "stopped", reason: "pause" })
        assert.strictEqual(paused.data.location?.function, "main")
        yield* call("break", { at: "loop.c:8" })
        // The user paused it: SIGSTOP is how the debugger does that.
        assert.deepStrictEqual(
          (yield* call("threads", {})).data.threads.map((one) => one.stop_reason),
          ["pause"]
        )
        assert.deepInclude((yield* call("continue", {})).data, { event: "stopped", reason: "breakpoint" })
        const detached = yield* call("detach", {})
        assert.deepStrictEqual(detached.data, { pid, alive: true, suspended: false, traced: false })
        free(pid)
        assert.strictEqual((yield* call("status", {})).data.state, "detached")
      })
    )
  )

  it.effect("that is an interpreter is attached to with the adapter that debugs its program as a hint", () =>
    beside(
      ({ call }, target) =>
        Effect.gen(function* () {
          const pid = yield* target.run
          const { warnings } = yield* call("attach", { pid, environment })
          assert.deepStrictEqual(
            warnings.map(({ code, hints = [] }) => [
              code,
              ...hints.map((one) => ("operation" in one ? one.operation : ""))
            ]),
            [["INTERPRETER", "attach"]]
          )
          assert.include(warnings[0]?.message, "after detach, debugpy can debug the program that it runs")
          yield* call("detach", {})
          free(pid)
        }),
      "python3.99"
    )
  )

  it.effect("is found by its exact name and left alive by stop", () =>
    beside(({ call }, target) =>
      Effect.gen(function* () {
        const pid = yield* target.run
        const attached = yield* call("attach", { name: target.name, pause: true, break: ["loop.c:8"], environment })
        assert.deepInclude(attached.data, { event: "stopped", reason: "pause", pid })
        assert.strictEqual((yield* call("thread", {})).data.thread.stop_reason, "pause")
        const second = yield* target.run
        const ambiguous = yield* Effect.flip(call("attach", { name: target.name, session: "other", environment }))
        assert.strictEqual(ambiguous._tag, "ProcessNotFound")
        const listed = ambiguous._tag === "ProcessNotFound" ? ambiguous.matches.map((match) => match.pid) : []
        assert.sameMembers(listed, [pid, second])
        const held = yield* Effect.flip(call("attach", { pid, session: "other", environment }))
        assert.strictEqual(held._tag, "AttachFailed")
        assert.deepInclude((yield* call("stop", {})).data.sessions[0], { how: "detached" })
        free(pid)
      })
    )
  )

  it.effect("waits for a process to start, until the timeout", () =>
    beside(({ call }, target) =>
      Effect.gen(function* () {
        yield* target.run
        const late = yield* Effect.flip(
          call("attach", { name: target.name, wait: true, timeout: "100ms", environment })
        )
        assert.strictEqual(late._tag, "WaitTimeout", "one that is there already is not taken")
        const attaching = yield* call("attach", { name: target.name, wait: true, pause: true, environment }).pipe(
          Effect.forkScoped({ startImmediately: true })
        )
        const pid = yield* target.run
        assert.strictEqual((yield* Fiber.join(attaching)).data.pid, pid)
        yield* call("detach", {})
        free(pid)
      })
    )
  )

  it.effect("refuses a process that does not exist and the daemon's own", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(call("attach", { pid: 4_000_000 })))._tag, "ProcessNotFound")
        assert.strictEqual((yield* Effect.flip(call("attach", { pid: 1 })))._tag, "Permission")
        assert.strictEqual((yield* Effect.flip(call("attach", { pid: process.pid })))._tag, "Permission")
        assert.strictEqual((yield* Effect.flip(call("attach", { pid: process.ppid })))._tag, "Permission")
        assert.strictEqual((yield* Effect.flip(call("attach", { name: "no-such-program" })))._tag, "ProcessNotFound")
        assert.strictEqual((yield* Effect.flip(call("attach", {})))._tag, "Usage")
      })
    )
  )
})

const servers = ["/usr/bin/lldb-server-19", "/usr/bin/lldb-server"]

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a program on a debug server", (it) => {
  it.effect("reads a core file and refuses to resume it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const core = `${yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-core-" })}/core`
        const crashed = yield* start("crash")
        assert.strictEqual(crashed.data.reason, "signal")
        yield* call("raw", { command: `process save-core "${core}"` })
        yield* call("stop", {})
        const opened = yield* call("core", { file: core, program: `${directory}/crash`, environment })
        assert.deepInclude(opened.data, { event: "stopped", core, fatal_signal: "SIGSEGV" })
        assert.deepStrictEqual(opened.data.location?.function, crashed.data.location?.function)
        assert.deepStrictEqual(opened.data.location?.line, crashed.data.location?.line)
        const frames = (yield* call("backtrace", {})).data.frames.map((frame) => frame.function)
        assert.include(frames, "main")
        for (const tag of [
          "continue",
          "next",
          "step",
          "finish",
          "stepi",
          "pause",
          "detach",
          "restart",
          "run"
        ] as const) {
          assert.strictEqual((yield* Effect.flip(call(tag, {})))._tag, "InvalidState", tag)
        }
        assert.strictEqual((yield* Effect.flip(call("run", {}))).message, "a core file cannot be resumed")
        assert.strictEqual((yield* Effect.flip(call("break", { at: "main" })))._tag, "Unsupported")
        assert.strictEqual((yield* Effect.flip(call("watch", { expression: "node" })))._tag, "Unsupported")
        assert.deepInclude((yield* call("stop", {})).data.sessions[0], { name: "default", how: "closed" })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("says that a core file is cut, and shows no address as the value of a pointer that is missing", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const place = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-core-" })
        const line = `ulimit -c unlimited; cd "${place}" && "${directory}/crash"`
        spawnSync("sh", ["-c", line], { stdio: "ignore" })
        const left = (yield* fs.readDirectory(place)).find((name) => name.startsWith("core"))
        // Another program may take the core files of this machine.
        if (left === undefined) return
        const core = `${place}/${left}`
        const bytes = yield* fs.readFile(core)
        const open = (length: number, backend: "dap" | "lldb-cli") =>
          Effect.andThen(
            fs.writeFile(core, bytes.subarray(0, length)),
            call("core", { file: core, program: `${directory}/crash`, environment, backend, replace: true })
          )
        for (const backend of ["dap", "lldb-cli"] as const) {
          assert.deepStrictEqual((yield* open(bytes.length, backend)).warnings, [])
          const cut = yield* open(Math.floor(bytes.length / 2), backend)
          assert.deepStrictEqual(
            cut.warnings.map(({ code }) => code),
            ["CORE_CUT"]
          )
          const [node] = (yield* call("locals", {})).data.variables
          assert.match(node?.value ?? "", /^<cannot access memory at 0x7f/)
          assert.match(
            (yield* Effect.flip(open(256, backend))).message,
            /is cut before its registers: 256 bytes are there/
          )
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("reads a core file of a program without a crash", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { directory } = yield* Programs
        const core = `${yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-core-" })}/core`
        yield* start("app", { break: ["sum_scores"] })
        yield* call("raw", { command: `process save-core "${core}"` })
        yield* call("stop", {})
        const opened = yield* call("core", { file: core, program: `${directory}/app`, environment })
        assert.strictEqual(opened.state, "stopped")
        assert.strictEqual(opened.data.location?.function, "sum_scores")
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is debugged through a debug server", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const server = servers.find((path) => existsSync(path))
        assert(server !== undefined, `none of ${servers.join(", ")} is installed; it is needed for this test`)
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const fs = yield* FileSystem.FileSystem
        const { directory, line } = yield* Programs
        const pipe = `${yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-port-" })}/port`
        assert.strictEqual(Number(yield* spawner.exitCode(ChildProcess.make("mkfifo", [pipe]))), 0)
        yield* spawner.spawn(
          ChildProcess.make(server, ["gdbserver", "--named-pipe", pipe, "127.0.0.1:0", "--", `${directory}/app`])
        )
        // The server writes its port, and a zero behind it, into the pipe.
        const port = yield* spawner.string(ChildProcess.make("cat", [pipe]))
        const address = `127.0.0.1:${port.replace(/\D/g, "")}`
        const bug = line("app.c", "bug")
        const program = `${directory}/app`
        const connected = yield* call("connect", { address, program, break: [`app.c:${bug}`], environment })
        assert.deepInclude(connected.data, { event: "stopped", reason: "pause" })
        const stopped = yield* call("continue", {})
        assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
        assert.strictEqual(stopped.data.location?.line, bug)
        const [n] = (yield* call("print", { expressions: ["n"] })).data.values
        assert.strictEqual(n?.value, "3")
        assert.strictEqual((yield* Effect.flip(call("restart", {})))._tag, "InvalidState")
        yield* call("breakpoint.remove", { all: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("reports a debug server that does not listen", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(call("connect", { address: "127.0.0.1:1", environment }))
        assert.strictEqual(refused._tag, "AttachFailed")
        assert.strictEqual((yield* Effect.flip(call("connect", { address: "nowhere" })))._tag, "Usage")
        assert.strictEqual((yield* Effect.flip(call("core", { file: "/no/such/core" })))._tag, "ProgramNotFound")
        assert.strictEqual((yield* call("sessions", {})).data.sessions.length, 0)
      })
    )
  )
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a program that was started", (it) => {
  it.effect("restarts with its breakpoints and their numbers", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const bug = line("app.c", "bug")
        yield* start("app", { break: [`app.c:${line("app.c", "hello")}`, `app.c:${bug} if i == 1`] })
        yield* call("breakpoint.remove", { ids: [1] })
        yield* call("continue", {})
        const before = yield* call("status", {})
        const again = yield* call("restart", { args: ["three"] })
        assert.deepInclude(again.data, { event: "stopped", reason: "breakpoint", args: ["three"] })
        assert.deepStrictEqual(again.data.breakpoints, [2])
        assert.deepStrictEqual(again.data.hit_counts, [1])
        assert.strictEqual(again.stop, (before.data.stop ?? 0) + 1)
        assert.notStrictEqual(again.data.pid, before.data.pid)
        assert.strictEqual((yield* call("print", { expressions: ["i"] })).data.values[0]?.value, "1")
        yield* call("breakpoint.remove", { all: true })
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 3 })
        // Also one that has ended.
        assert.deepInclude((yield* call("restart", {})).data, { event: "exited", exit_code: 3, args: ["three"] })
      })
    )
  )

  it.effect("runs to a location and removes the breakpoint for it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const [bug, returns] = [line("app.c", "bug"), line("app.c", "return")]
        yield* start("app", { break: [`app.c:${bug}`] })
        const way = yield* call("until", { at: `${returns}` })
        assert.deepInclude(way.data, { event: "stopped", reason: "breakpoint", reached: false })
        assert.deepStrictEqual(
          (yield* call("breakpoint.list", {})).data.breakpoints.map(({ id }) => id),
          [1]
        )
        yield* call("breakpoint.remove", { all: true })
        const there = yield* call("continue", { to: `app.c:${returns}` })
        assert.deepInclude(there.data, { event: "stopped", reason: "until", reached: true })
        assert.strictEqual(there.data.location?.line, returns)
        assert.deepStrictEqual((yield* call("breakpoint.list", {})).data.breakpoints, [])
        const nowhere = yield* Effect.flip(call("until", { at: "no_such_function" }))
        assert.strictEqual(nowhere._tag, "BreakpointUnresolved")
        assert.deepInclude((yield* call("until", { at: `${bug}` })).data, { event: "exited", reached: false })
      })
    )
  )

  it.effect("steps by instructions and reports what a function returned", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("app", { break: [`app.c:${line("app.c", "call")}`] })
        const over = yield* call("nexti", {})
        assert.deepInclude(over.data, { event: "stopped", reason: "step" })
        assert.match(over.data.instruction ?? "", /^0x[0-9a-f]+ \w+/)
        const inside = yield* call("stepi", { count: 12 })
        assert.strictEqual(inside.data.location?.function, "sum_scores")
        const finished = yield* call("finish", {})
        assert.deepInclude(finished.data, { event: "stopped", reason: "finish" })
        assert.deepInclude(finished.data.return_value, { value: "60", type: "int" })
        // Another client that reads the stop sees it too.
        assert.deepInclude((yield* call("context", {})).data.return_value, { value: "60", type: "int" })
      })
    )
  )

  it.effect("passes the environment and arguments that files contain", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-files-" })
        yield* fs.writeFileString(`${directory}/env`, "# ours\n\nTARGETS_A=one two\nTARGETS_B=b\n")
        yield* fs.writeFileString(`${directory}/args`, "first\nsecond word\n")
        const started = yield* start("app", {
          break: ["main"],
          args: ["third"],
          arg_file: `${directory}/args`,
          env_file: `${directory}/env`,
          unset_env: ["TARGETS_B"]
        })
        assert.deepStrictEqual(started.data.args, ["first", "second word", "third"])
        const a = yield* call("eval", { expression: '(char*)getenv("TARGETS_A")' })
        assert.match(a.data.value.value, /"one two"/)
        const b = yield* call("eval", { expression: '(char*)getenv("TARGETS_B") == 0' })
        assert.strictEqual(b.data.value.value, "true")
      })
    ).pipe(Effect.scoped)
  )
})
