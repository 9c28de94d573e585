/** Kills real daemons with SIGKILL and recovers their sessions: launched, attached, core files, debug servers. */
import { assert, layer } from "@effect/vitest"
import { Breakpoint } from "@sigtrap/protocol"
import { Effect, FileSystem, Schedule, Schema } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { platform, Programs } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const sigtrap = fileURLToPath(new URL("../../../apps/cli/dist/sigtrap.js", import.meta.url))

const Listed = Schema.decodeUnknownSync(Schema.Struct({ breakpoints: Schema.Array(Breakpoint.Breakpoint) }))

type Data = { readonly [field: string]: unknown }

/** Returns the fields of an object. */
export const record = (value: unknown): Data => Object.fromEntries(Object.entries(Object(value)))

/** Returns true if a process runs. The main thread of one that was killed may end before the others, which have its files open. */
const isAlive = (pid: number) => {
  const tasks = `/proc/${pid}/task`
  const runs = (task: string) => !/^State:\s+[ZX]/m.test(readFileSync(`${tasks}/${task}/status`, "utf8"))
  try {
    return readdirSync(tasks).some(runs)
  } catch {
    // A thread ended between the list and its status; without the list, the process has ended.
    return existsSync(tasks)
  }
}

/** A daemon in a runtime directory of its own, as the command line reaches it. It is stopped with the scope. */
export const machine = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  const temporary = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-recover-" }))
  const runtime = `${temporary}/run`
  const adapter = process.env["SIGTRAP_LLDB_DAP"]
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: temporary,
    TMPDIR: temporary,
    SIGTRAP_RUNTIME_DIR: runtime,
    LLVM_DISABLE_SYMBOLIZATION: "1",
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    ...(adapter === undefined ? {} : { SIGTRAP_LLDB_DAP: adapter })
  }
  const run = (words: ReadonlyArray<string>, more: { readonly [name: string]: string } = {}) =>
    Effect.sync(() => {
      const { stderr, stdout, status } = spawnSync(process.execPath, [sigtrap, "--json", ...words], {
        cwd: directory,
        env: { ...environment, ...more },
        encoding: "utf8",
        timeout: 50_000
      })
      const answer = record(JSON.parse(stdout === "" ? stderr : stdout))
      const error = record(answer["error"])
      return { code: status, state: answer["state"], data: record(answer["data"]), error, text: stdout }
    })
  /** Runs a command that must succeed. */
  const data = (...words: ReadonlyArray<string>) =>
    Effect.map(run(words), (answer) => {
      assert.strictEqual(answer.code, 0, `${words.join(" ")}: ${answer.text}`)
      return answer.data
    })
  const breakpoints = Effect.map(data("breakpoints"), (found) => Listed(found).breakpoints)
  /** Kills the daemon, and waits until it is gone. */
  const kill = Effect.gen(function* () {
    const pid = Number((yield* data("daemon", "status"))["pid"])
    yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
    yield* Effect.repeat(
      Effect.sync(() => isAlive(pid)),
      { while: (alive) => alive, schedule: Schedule.spaced("10 millis") }
    )
  })
  const records = () => (existsSync(`${runtime}/intent`) ? readdirSync(`${runtime}/intent`) : [])
  /** Returns the stored events of the default session. */
  const stored = () => {
    const file = `${runtime}/events/default.jsonl`
    return existsSync(file) ? readFileSync(file, "utf8") : ""
  }
  yield* Effect.addFinalizer(() => run(["daemon", "stop"]))
  return { run, data, breakpoints, kill, records, stored, directory, temporary }
})

/** What was asked of breakpoints. */
export const asked = (all: ReadonlyArray<Breakpoint.Breakpoint>) =>
  all.map(({ condition, enabled, hits_wanted, id, kind, name, requested, resolved }) => ({
    id,
    kind,
    text: requested.text,
    enabled,
    resolved,
    condition,
    hits_wanted,
    name
  }))

/** Returns how often each breakpoint was hit. */
export const counts = (all: ReadonlyArray<Breakpoint.Breakpoint>) => all.map(({ hit_count }) => hit_count)

/** Starts a program beside the debugger. It is killed with the scope. */
const running = (file: string, args: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(file, args, { stdio: "ignore" })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** Returns a port of the loopback address on which nothing listens. */
const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port = 0 } = record(server.address())
  server.close()
  await once(server, "close")
  return Number(port)
})

/** Defines the tests of an adapter for programs that it starts or attaches to. */
export const recoverTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(
    `after a kill of the daemon, ${adapter}`,
    (it) => {
      it.effect("starts a program again with its breakpoints, watchpoints, catchpoints and counts", () =>
        Effect.gen(function* () {
          const { breakpoints, data, directory, kill, records, run } = yield* machine
          const { line, source } = yield* Programs
          const body = line("counted.c", "body")
          const map = `${source("counted.c").replace(/\/[^/]+$/, "")}=${directory}`
          const first = ["--adapter", adapter, "--break", `counted.c:${body} if i > 1`, "--source-map", map]
          const started = yield* data("start", "./counted", ...first, "--catch", "fork", "--env", "MY_TOKEN=not-stored")
          yield* data("watch", "written", "--condition", "written > 1000")
          yield* data("break", "finish_up", "--name", "end", "--hits", "1")
          yield* data("break", "work", "--disabled")
          yield* data("continue")
          const before = yield* breakpoints
          assert.deepStrictEqual(counts(before), [2, 0, 0, 0, 0])
          assert.isTrue(before.every(({ enabled, resolved }) => resolved || !enabled))
          yield* kill

          const lost = yield* run(["next"])
          assert.strictEqual(lost.error["code"], "SESSION_LOST")
          assert.include(JSON.stringify(lost.error["hints"]), "recover default")
          assert.isFalse(isAlive(Number(started["pid"])))
          const plan = yield* data("recover")
          assert.isFalse(plan["done"])
          assert.include(JSON.stringify(plan["plan"]), "MY_TOKEN")
          assert.strictEqual((yield* run(["status"])).state, "lost")
          assert.deepStrictEqual(yield* breakpoints, before)

          const recovered = yield* run(["recover", "--yes"], { MY_TOKEN: "again" })
          assert.deepStrictEqual([recovered.code, recovered.state], [0, "stopped"], recovered.text)
          assert.deepStrictEqual(record(recovered.data["recovered"])["lost"], [])
          assert.deepStrictEqual(asked(yield* breakpoints), asked(before))
          assert.deepStrictEqual(counts(yield* breakpoints), counts(before))
          const pid = Number((yield* data("status"))["pid"])
          assert.include(readFileSync(`/proc/${pid}/environ`, "utf8"), "MY_TOKEN=again\0")
          assert.deepInclude(yield* data("continue"), { reason: "breakpoint", breakpoints: [1] })
          assert.include(JSON.stringify(yield* data("print", "i")), '"value":"2"')
          assert.deepStrictEqual(counts(yield* breakpoints), [3, 0, 0, 0, 0])
          assert.deepStrictEqual(records(), ["default.jsonl"])
          yield* data("stop")
          assert.deepStrictEqual(records(), [])
        })
      )

      it.effect("attaches again to a program that lives on, and leaves it alive", () =>
        Effect.gen(function* () {
          const { breakpoints, data, directory, kill, run } = yield* machine
          const { line } = yield* Programs
          const child = yield* running(`${directory}/loop`)
          const pid = child.pid ?? 0
          yield* data("attach", `${pid}`, "--adapter", adapter, "--pause")
          yield* data("break", `loop.c:${line("loop.c", "loop")}`, "--condition", "turns > 5")
          yield* data("continue")
          const before = yield* breakpoints
          yield* kill
          assert.strictEqual((yield* run(["status"])).state, "lost")
          assert.isTrue(isAlive(pid))
          assert.include(JSON.stringify(yield* data("recover")), `"pid":${pid}`)
          const recovered = yield* data("recover", "--yes")
          assert.deepInclude(record(recovered["recovered"]), { how: "attach", lost: [] })
          assert.strictEqual(recovered["pid"], pid)
          assert.deepStrictEqual(asked(yield* breakpoints), asked(before))
          const stopped = yield* data("wait")
          assert.isAtLeast(counts(yield* breakpoints)[0] ?? 0, 1, JSON.stringify(stopped))
          yield* data("stop")
          assert.isTrue(isAlive(pid))
        })
      )
    }
  )
}

/** Defines the tests of an adapter for core files, debug servers and the output of ended programs. */
export const recoverTargetTests = (adapter: "lldb-dap" | "lldb"): void => {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(
    `after a kill of the daemon, ${adapter} on other targets`,
    (it) => {
      it.effect("opens a core file again, connects again to a server that listens, and says when none does", () =>
        Effect.gen(function* () {
          const { data, directory, kill, run, temporary } = yield* machine
          const core = `${temporary}/core`
          yield* data("start", "./crash", "--adapter", adapter, "-S", "crash")
          yield* data("-S", "crash", "raw", `process save-core "${core}"`)
          yield* data("stop", "crash")
          yield* data("core", core, "--program", "./crash", "--adapter", adapter, "-S", "core")
          const server = ["/usr/bin/lldb-server-19", "/usr/bin/lldb-server"].find((path) => existsSync(path))
          const port = yield* freePort
          const serve = (path: string) => running(path, ["gdbserver", `127.0.0.1:${port}`, "--", `${directory}/app`])
          if (Tools.recorded("lldb-server", server !== undefined) && server !== undefined) {
            yield* serve(server)
            yield* data(
              "connect",
              `127.0.0.1:${port}`,
              "--wait",
              "10s",
              "--program",
              "./app",
              "--adapter",
              adapter,
              "-S",
              "far"
            )
            yield* data("break", "sum_scores", "-S", "far")
          }
          yield* kill
          const plans = JSON.stringify(yield* data("recover", "--all"))
          assert.include(plans, `"core":"${core}"`)
          if (server === undefined) {
            const opened = yield* data("recover", "core", "--yes")
            assert.deepInclude(opened, { event: "stopped", reason: "signal", signal: "SIGSEGV" })
            return
          }
          assert.include(plans, `"address":"127.0.0.1:${port}"`)
          // The server ended with its client. The other session is recovered all the same.
          const alone = yield* run(["recover", "far", "--yes"])
          assert.strictEqual(alone.error["code"], "ATTACH_FAILED")
          assert.include(JSON.stringify(alone.error["hints"]), `"address":"127.0.0.1:${port}"`)
          const both = yield* run(["recover", "--all", "--yes"])
          const sessions = Object.values(record(both.data["sessions"])).map(record)
          const state = (name: string) => sessions.find(({ session }) => session === name)?.["state"]
          assert.deepStrictEqual([state("core"), state("far")], ["stopped", "lost"], both.text)
          assert.include(both.text, "ATTACH_FAILED")
          assert.strictEqual(both.code, alone.code)
          assert.notStrictEqual(both.code, 0)
          assert.strictEqual((yield* run(["status", "-S", "far"])).state, "lost")
          yield* serve(server)
          const connected = yield* run(["recover", "far", "--yes"]).pipe(
            Effect.repeat({ until: ({ code }) => code === 0, schedule: Schedule.spaced("100 millis"), times: 30 })
          )
          assert.strictEqual(connected.code, 0, JSON.stringify(connected.error))
          assert.deepStrictEqual(record(connected.data["recovered"])["lost"], [], connected.text)
          assert.strictEqual(record(yield* data("continue", "-S", "far"))["reason"], "breakpoint")
        })
      )

      it.effect("the output of the ended program can be read", () =>
        Effect.gen(function* () {
          const { data, kill, stored } = yield* machine
          yield* data("start", "./app", "--adapter", adapter, "--break", "sum_scores", "--", "one")
          yield* Effect.repeat(
            Effect.sync(() => stored().includes("hello from app")),
            { until: (found) => found, schedule: Schedule.spaced("50 millis") }
          )
          yield* kill
          assert.include(JSON.stringify(yield* data("output")), "hello from app, argc=2")
          const recovered = yield* data("recover", "--yes")
          assert.strictEqual(record(recovered["output"])["bytes"], "hello from app, argc=2\n".length)
          assert.lengthOf(JSON.stringify((yield* data("output"))["entries"]).match(/hello from app/g) ?? [], 2)
        })
      )
    }
  )
}
