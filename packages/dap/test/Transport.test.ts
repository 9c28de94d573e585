import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { Client, Requests, Transport } from "../src/index.ts"
import { bytes } from "./support.ts"

const live = Effect.provide(NodeServices.layer)

/** Runs JavaScript as the adapter. */
const script = (source: string, options?: Partial<Transport.SpawnOptions>) =>
  Transport.spawn({ command: "node", args: ["-e", source], ...options })

const text = (transport: Transport.Transport) => Stream.mkString(Stream.decodeText(transport.incoming))

const adapter = `
  let buffer = Buffer.alloc(0)
  const write = (message) => {
    const body = Buffer.from(JSON.stringify(message))
    process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n")
    process.stdout.write(body)
  }
  process.stdin.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk])
    for (;;) {
      const end = buffer.indexOf("\\r\\n\\r\\n")
      if (end < 0) return
      const size = Number(/Content-Length: (\\d+)/.exec(buffer.toString("latin1", 0, end))[1])
      if (buffer.length < end + 4 + size) return
      const { seq, command, arguments: args } = JSON.parse(buffer.toString("utf8", end + 4, end + 4 + size))
      buffer = buffer.subarray(end + 4 + size)
      if (command === "initialize") write({ seq: 0, type: "event", event: "initialized" })
      write({ seq: 0, type: "response", request_seq: seq, success: true, command, body: { result: args?.expression } })
      if (command === "disconnect") process.exit(3)
    }
  })
`

describe("a child process", () => {
  it.live("connects a client and exits with a code", () =>
    Effect.gen(function* () {
      const transport = yield* script(adapter)
      const client = yield* Client.make({ transport, onEvent: () => {} })
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      yield* client.initialized
      for (const expression of ["a", "日🧵", "x".repeat(300_000)]) {
        assert.deepStrictEqual(yield* client.request(Requests.Evaluate, { expression }), { result: expression })
      }
      yield* client.request(Requests.Disconnect)
      assert.strictEqual((yield* client.closed).reason, "ended")
      assert.deepStrictEqual(yield* transport.exit, { code: 3 })
      const late = yield* Effect.flip(client.request(Requests.Threads))
      assert.strictEqual(late._tag, "ConnectionClosed")
    }).pipe(live)
  )

  it.live("is the adapter of a layer, and ends with it", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.gen(function* () {
        const client = yield* Client.Client
        yield* client.request(Requests.Initialize, { adapterID: "x" })
        assert.deepStrictEqual(yield* client.request(Requests.Evaluate, { expression: "a" }), { result: "a" })
        return client.closed
      }).pipe(Effect.provide(Client.layerProcess({ command: "node", args: ["-e", adapter] }, { onEvent: () => {} })))
      assert.strictEqual((yield* closed).reason, "shutdown")
    }).pipe(live)
  )

  it.live("that does not exist fails the layer", () =>
    Effect.gen(function* () {
      const layer = Client.layerProcess({ command: "/no/such/adapter" }, { onEvent: () => {} })
      const error = yield* Effect.flip(Effect.provide(Effect.asVoid(Client.Client), layer))
      assert.strictEqual(error.reason, "notFound")
    }).pipe(live)
  )

  it.live("gets bytes in order, and exits when its input is closed", () =>
    Effect.gen(function* () {
      const transport = yield* script("process.stdin.pipe(process.stdout)")
      for (let index = 0; index < 1_000; index++) yield* transport.send(bytes(`${index},`))
      yield* transport.closeInput
      assert.strictEqual(yield* text(transport), Array.from({ length: 1_000 }, (_, index) => `${index},`).join(""))
      assert.deepStrictEqual(yield* transport.exit, { code: 0 })
      assert.strictEqual((yield* Effect.flip(transport.send(bytes("more")))).reason, "closed")
    }).pipe(live)
  )

  it.live("that dies by a signal reports the signal", () =>
    Effect.gen(function* () {
      const transport = yield* script("setInterval(() => {}, 1000); console.log('up')")
      const up = yield* Latch.make()
      const reader = yield* Effect.forkChild(Stream.runForEach(transport.incoming, () => up.open))
      yield* up.await
      yield* transport.kill("SIGKILL")
      assert.deepStrictEqual(yield* transport.exit, { signal: "SIGKILL" })
      yield* Fiber.join(reader)
      yield* transport.kill("SIGKILL")
    }).pipe(live)
  )

  it.live("has its stderr read, and the last 64 KiB kept", () =>
    Effect.gen(function* () {
      const transport = yield* script(
        "process.stderr.write('start' + 'x'.repeat(500000) + 'last words', () => console.log('done'))"
      )
      assert.strictEqual(yield* text(transport), "done\n")
      yield* transport.exit
      const tail = transport.stderrTail()
      assert.strictEqual(tail.length, 64 * 1024)
      assert.match(tail, /^x+last words$/)
    }).pipe(live)
  )

  it.live("is reported as exited although another process keeps its pipe open", () =>
    Effect.gen(function* () {
      const transport = yield* script(
        "const { spawn } = require('child_process')" +
          "; const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'inherit', detached: true })" +
          "; child.unref(); console.log(child.pid); child.on('spawn', () => process.exit(0))"
      )
      const pid = (yield* text(transport)).trim()
      assert.match(pid, /^\d+$/)
      assert.deepStrictEqual(yield* transport.exit, { code: 0 })
      const killer = yield* script(`process.kill(${pid}, 'SIGKILL')`)
      assert.deepStrictEqual(yield* killer.exit, { code: 0 })
    }).pipe(live)
  )

  it.live("gets the environment of this process with additions, or only the given one", () =>
    Effect.gen(function* () {
      const print = "console.log([process.env.SIGTRAP_TEST, process.env.PATH !== undefined].join())"
      const env = { SIGTRAP_TEST: "1" }
      assert.strictEqual(yield* text(yield* script(print, { env })), "1,true\n")
      const { stdout } = { stdout: text(yield* script(print, { env: { ...env, PATH: undefined } })) }
      assert.strictEqual(yield* Effect.orElseSucceed(stdout, () => ""), "1,false\n")
    }).pipe(live)
  )

  it.live("has exited when its scope is closed", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.scoped(
        Effect.map(script("setInterval(() => {}, 1000)"), (transport) => transport.exit)
      )
      assert.deepStrictEqual(yield* exit, { signal: "SIGTERM" })
    }).pipe(live)
  )

  it.live("that cannot be started reports why", () =>
    Effect.gen(function* () {
      const check = (options: Transport.SpawnOptions, reason: string, words: RegExp) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Transport.spawn(options))
          assert.strictEqual(error.reason, reason)
          assert.match(error.message, words)
        })
      yield* check({ command: "no-such-adapter" }, "notFound", /no-such-adapter.*does not exist/)
      yield* check({ command: "/" }, "permissionDenied", /not? ?.*executable/)
      yield* check({ command: "node", cwd: "/no/such/folder" }, "notFound", /working directory/)
    }).pipe(live)
  )
})
