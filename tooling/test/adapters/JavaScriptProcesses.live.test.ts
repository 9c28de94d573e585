/** The processes, worker threads and connections of JavaScript programs under js-debug. */
import { createServer, type Server } from "node:net"
import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { marked } from "../support/fixtures.ts"
import * as Tools from "../support/tools.ts"
import { copied, here } from "./jsDebug.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

const tests: Parameters<typeof suite>[1] = (it) => {
  const bug = marked("js/app.js", "bug")

  it.effect("has its child processes and worker threads debugged with it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const places = ["child", "worker"].map((mark) => `family.js:${marked("js/family.js", mark)}`)
        const child = yield* start(`${yield* copied}/family.js`, { break: places })
        assert.deepInclude(child.data, { reason: "breakpoint", breakpoints: [1] })
        const threads = (yield* call("threads", {})).data.threads.map(({ current, id, state }) => [id, state, current])
        assert.deepStrictEqual(threads, [
          [1, "running", false],
          [2, "stopped", true]
        ])
        assert.strictEqual((yield* call("print", { expressions: ["doubled"] })).data.values[0]?.value, "42")
        const worker = yield* call("continue", {})
        assert.deepInclude(worker.data, { reason: "breakpoint", breakpoints: [2] })
        assert.strictEqual((yield* call("print", { expressions: ["half"] })).data.values[0]?.value, "21")
        assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        assert.strictEqual((yield* call("output", {})).data.text, "child says 42\nworker says 21\nthe end\n")
      })
    )
  )

  it.effect("is attached to at its inspector port, and keeps running after detach", () =>
    Effect.gen(function* () {
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const program = `${yield* copied}/ticks.js`
      // Its last word: where it listens, on a port that was free.
      const node = yield* spawner.spawn(ChildProcess.make("node", ["--inspect=127.0.0.1:0", program]))
      const words = yield* node.stderr.pipe(
        Stream.decodeText(),
        Stream.takeUntil((text) => text.includes("ws://")),
        Stream.mkString
      )
      const address = /ws:\/\/(127\.0\.0\.1:\d+)\//.exec(words)?.[1]
      assert(address !== undefined, words)
      const again = yield* debugging(({ call }) =>
        Effect.gen(function* () {
          const connected = yield* call("connect", { address, adapter: "js-debug", environment })
          assert.deepInclude(connected.data, { event: "stopped", reason: "pause" })
          assert.strictEqual(connected.data.adapter.name, "js-debug")
          yield* call("break", { at: `${program}:${marked("js/ticks.js", "tick")}` })
          const stopped = yield* call("continue", {})
          assert.deepInclude(stopped.data, { event: "stopped", reason: "breakpoint" })
          assert.deepInclude(stopped.data.location, { function: "tick", file: program })
          const before = (yield* call("print", { expressions: ["count"] })).data.values[0]?.value
          yield* call("detach", {})
          return Number(before)
        })
      )
      const ticks = node.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.map(Number))
      yield* Stream.runHead(Stream.filter(ticks, (count) => count > again)).pipe(Effect.timeout("10 seconds"))

      yield* node.kill()
      yield* debugging(({ call }) =>
        Effect.gen(function* () {
          const refused = yield* Effect.flip(call("connect", { address, adapter: "js-debug", environment }))
          assert(refused._tag === "AttachFailed")
          assert.include(refused.detail, "connection refused")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is not there where another server listens", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.callback<Server>((resume) => {
            const one = createServer((socket) => void socket.on("error", () => undefined))
            one.listen(0, "127.0.0.1", () => resume(Effect.succeed(one)))
          }),
          (one) => Effect.sync(() => void one.close())
        )
        const bound = server.address()
        assert(bound !== null && typeof bound === "object")
        const address = `127.0.0.1:${bound.port}`
        const refused = yield* Effect.flip(call("connect", { address, adapter: "js-debug", environment }))
        assert(refused._tag === "AttachFailed", refused._tag)
        assert.include(refused.detail, "the server speaks another protocol")
      })
    ).pipe(Effect.scoped)
  )

  it.effect("survives a detach, and is lost with its debugger", () =>
    debugging(({ alive, call, start }) =>
      Effect.gen(function* () {
        const program = `${yield* copied}/app.js`
        const started = yield* start(program, { args: ["loop"], break: [`app.js:${bug}`] })
        const { pid } = started.data
        assert(pid !== undefined)
        yield* call("detach", {})
        assert.include(alive(), pid)
        yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
        const second = yield* start(program, { args: ["wait"], break: [`app.js:${bug}`] })
        const debugger_ = alive().filter((one) => one !== second.data.pid && one !== pid)
        for (const one of debugger_) yield* Effect.sync(() => process.kill(one, "SIGKILL"))
        yield* call("wait", { timeout: "10s", for: "exit" }).pipe(Effect.ignore)
        assert.strictEqual((yield* call("status", {})).data.state, "lost")
      })
    )
  )
}

if (here) suite("the processes of a JavaScript program", tests)
else {
  layer(NodeServices.layer)("the processes of a JavaScript program", (it) => {
    it.effect("are tried under js-debug only", () =>
      Effect.sync(() => assert.isFalse(Tools.recorded("js-debug", here)))
    )
  })
}
