import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Client, Packet } from "../src/index.ts"
import { ScriptedServer } from "../src/testing/index.ts"

const entry = "T13thread:a;threads:a;thread-pcs:1000;reason:signal;"

const launched = Effect.fnUntraced(function* (
  answer: (packet: string) => ScriptedServer.Answer,
  options?: ScriptedServer.Options
) {
  const server = yield* ScriptedServer.make(
    (packet) => answer(packet) ?? (packet.startsWith("vRun") ? entry : packet === "!" ? "" : undefined),
    options
  )
  const client = yield* Client.make({ transport: server.transport })
  const stop = yield* client.launch({ program: "/bin/app", args: ["a b"] })
  return { server, client, stop }
})

describe("a client", () => {
  it.effect("launches, continues and reads the end", () =>
    Effect.gen(function* () {
      for (const chunk of [1, 3, 1000]) {
        const { client, server, stop } = yield* launched((packet) => (packet === "vCont;c" ? "W07" : undefined), {
          chunk
        })
        assert.strictEqual(stop.thread, 10)
        assert.deepStrictEqual(yield* client.run(), { kind: "exited", code: 7 })
        assert.strictEqual(client.state(), "ended")
        assert.include(server.received(), "vRun;2f62696e2f617070;612062")
        assert.strictEqual((yield* Effect.flip(client.run()))._tag, "WrongState")
      }
    }).pipe(Effect.scoped)
  )

  it.effect(
    "reads memory at each hit of a watchpoint and resumes until the caller ends that or another stop comes",
    () =>
      Effect.gen(function* () {
        const description = `<target><feature name="x"><reg name="rip" bitsize="64" regnum="16" generic="pc"/></feature></target>`
        for (const chunk of [1, 1000]) {
          let resumed = 0
          const { client, server } = yield* launched(
            (packet) => {
              if (packet.startsWith("qXfer:features:read:target.xml:0")) return `l${description}`
              if (packet.startsWith("m2000,4")) return resumed === 2 ? "E08" : `0${resumed}000000`
              if (packet !== "vCont;c") return packet.startsWith("qSupported") ? "qXfer:features:read+" : undefined
              resumed += 1
              const reason = resumed === 5 ? "signal" : "watchpoint"
              return `T05thread:a;10:0${resumed}10000000000000;reason:${reason};`
            },
            { chunk }
          )
          const places: Array<bigint> = []
          const values: Array<string> = []
          const run = (limit: number) =>
            client.runThroughHits({
              address: 0x2000n,
              size: 4,
              hit: (place) => places.push(place) < limit,
              value: (digits) => values.push(digits)
            })
          const first = yield* run(3)
          assert.deepInclude(first, { kind: "stopped", reason: "watchpoint" })
          assert.deepStrictEqual(values, ["01000000", "", "03000000"])
          assert.deepStrictEqual(places, [0x1001n, 0x1002n, 0x1003n])
          assert.strictEqual(server.received().filter((packet) => packet === "vCont;c").length, 3)
          // Requests are answered in between as after any stop.
          assert.deepStrictEqual([...(yield* client.readMemory(0x2000n, 4))], [3, 0, 0, 0])
          assert.deepInclude(yield* run(9), { kind: "stopped", reason: "signal" })
          assert.strictEqual(values.length, 4)
          assert.strictEqual(client.state(), "stopped")
        }
      }).pipe(Effect.scoped)
  )

  it.effect("waits for the end of a program that exits while the server refuses to resume its threads", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched((packet) => (packet === "vCont;c" ? "E1e" : undefined))
      const ended = yield* Effect.forkChild(client.run(), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      server.packet("W07")
      assert.deepStrictEqual(yield* Fiber.join(ended), { kind: "exited", code: 7 })
      assert.strictEqual(client.state(), "ended")
    }).pipe(Effect.scoped)
  )

  it.effect("fails a refused resume when the program does not end", () =>
    Effect.gen(function* () {
      const { client } = yield* launched((packet) => (packet === "vCont;c" ? "E1e" : undefined))
      const failed = yield* Effect.forkChild(Effect.flip(client.run()), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(failed))._tag, "RequestFailed")
    }).pipe(Effect.scoped)
  )

  it.effect("launches with the older request where vRun is unknown", () =>
    Effect.gen(function* () {
      const { server, stop } = yield* launched((packet) => {
        if (packet.startsWith("vRun")) return ""
        if (packet.startsWith("A") || packet === "qLaunchSuccess") return "OK"
        return packet === "?" ? entry : undefined
      })
      assert.strictEqual(stop.signal, 0x13)
      assert.include(server.received(), "A16,0,2f62696e2f617070,6,1,612062")
    }).pipe(Effect.scoped)
  )

  it.effect("steps over a breakpoint at the address of the thread", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched((packet) => {
        if (/^[Zz]0/.test(packet)) return "OK"
        if (packet.startsWith("vCont;s:a")) return "T05thread:a;"
        if (packet.startsWith("qRegisterInfo0")) return "name:rip;bitsize:64;offset:0;"
        if (packet.startsWith("qRegisterInfo")) return "E45"
        return packet.startsWith("p0") ? "0010000000000000" : undefined
      })
      yield* client.insert({ kind: "software", address: 0x1000n })
      yield* client.insert({ kind: "software", address: 0x2000n })
      const from = server.received().length
      yield* client.step(10)
      assert.deepStrictEqual(server.received().slice(from), ["p0;thread:a;", "z0,1000,1", "vCont;s:a", "Z0,1000,1"])
      assert.strictEqual(client.breakpoints().length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("reads memory in pieces, and less where it ends", () =>
    Effect.gen(function* () {
      const { client } = yield* launched((packet) => {
        const match = /^m([0-9a-f]+),([0-9a-f]+)$/.exec(packet)
        if (match === null) return undefined
        const [from, size] = [Number.parseInt(match[1] ?? "", 16), Number.parseInt(match[2] ?? "", 16)]
        return from >= 0x9000 ? "E08" : "ab".repeat(Math.min(size, 0x9000 - from))
      })
      assert.strictEqual((yield* client.readMemory(0x1000n, 20_000)).length, 20_000)
      assert.strictEqual((yield* client.readMemory(0x8ff0n, 20_000)).length, 16)
      const refused = yield* Effect.flip(client.readMemory(0x9000n, 4))
      assert.deepInclude({ ...refused }, { _tag: "RequestFailed", code: 8 })
    }).pipe(Effect.scoped)
  )

  it.effect("tells an unknown request from a refused one, with the server's text", () =>
    Effect.gen(function* () {
      const { client } = yield* launched((packet) =>
        packet === "qNo" ? "" : packet === "qBad" ? "E16;6e6f7065" : packet === "qWorse" ? "E.too bad" : undefined
      )
      const failures = yield* Effect.forEach(["qNo", "qBad", "qWorse"], (packet) => Effect.flip(client.request(packet)))
      assert.deepStrictEqual(
        failures.map((failure) => [failure._tag, "text" in failure ? failure.text : undefined]),
        [
          ["NotSupported", undefined],
          ["RequestFailed", "nope"],
          ["RequestFailed", "too bad"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("drops the late answer of a request that timed out", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched((packet) => (packet === "qFast" ? "fast" : undefined))
      const slow = yield* Effect.forkChild(Effect.flip(client.request("qSlow")))
      yield* Effect.yieldNow
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(slow))._tag, "RequestTimedOut")
      server.packet("slow")
      assert.strictEqual(yield* client.request("qFast"), "fast")
    }).pipe(Effect.scoped)
  )

  it.effect("refuses requests while the program runs, and interrupts it", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched((packet) => (packet === "<interrupt>" ? "T02thread:a;" : undefined))
      yield* client.resume()
      assert.strictEqual((yield* Effect.flip(client.readMemory(0n, 1)))._tag, "WrongState")
      yield* client.interrupt
      const outcome = yield* client.outcome
      assert.deepInclude(outcome, { kind: "stopped", signal: 2 })
      assert.include(server.received(), "<interrupt>")
    }).pipe(Effect.scoped)
  )

  it.effect("reports output that comes before the stop", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched(() => undefined)
      const output: Array<string> = []
      client.onOutput((bytes) => output.push(new TextDecoder().decode(bytes)))
      yield* client.resume()
      server.packet("O6869")
      server.packet("X09")
      assert.deepStrictEqual(yield* client.outcome, { kind: "signaled", signal: 9 })
      assert.deepStrictEqual(output, ["hi"])
    }).pipe(Effect.scoped)
  )
})

describe("a bad server", () => {
  const lossOf = (trouble: (server: ScriptedServer.ScriptedServer) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const { client, server } = yield* launched(() => undefined)
      const waiting = yield* Effect.forkChild(Effect.flip(client.request("qWait")))
      yield* Effect.yieldNow
      yield* trouble(server)
      const error = yield* Fiber.join(waiting)
      assert.strictEqual((yield* client.lost)._tag, error._tag)
      assert.strictEqual((yield* Effect.flip(client.request("qAfter")))._tag, error._tag)
      return "reason" in error ? `${error._tag} ${error.reason}` : error._tag
    }).pipe(Effect.scoped)

  it.effect.each([
    ["closes the connection", (server: ScriptedServer.ScriptedServer) => server.end, "ConnectionLost ended"],
    ["closes it in the middle of a packet", (server) => (server.raw("$half"), server.end), "ConnectionLost ended"],
    ["sends a wrong checksum", (server) => Effect.sync(() => server.raw("$OK#00")), "ProtocolBroken damaged"],
    ["sends noise", (server) => Effect.sync(() => server.raw("x".repeat(5000))), "ProtocolBroken noise"]
  ] satisfies ReadonlyArray<readonly [string, (server: ScriptedServer.ScriptedServer) => Effect.Effect<void>, string]>)(
    "that %s fails the open request: %#",
    ([, trouble, expected]) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* lossOf(trouble), expected)
      })
  )

  it.effect("that floods is given up", () =>
    Effect.gen(function* () {
      const { client, server } = yield* launched(() => undefined)
      for (let turn = 0; turn < 5000; turn++) server.packet("OK")
      const lost = yield* client.lost
      assert.deepInclude({ ...lost }, { _tag: "ProtocolBroken", reason: "flood" })
    }).pipe(Effect.scoped)
  )

  it.effect("that is silent costs the timeout of the first request", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.make(() => undefined, { acks: false })
      const quiet = { ...server.transport, send: () => {} }
      const making = yield* Effect.forkChild(Effect.flip(Client.make({ transport: quiet })))
      yield* Effect.yieldNow
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(making))._tag, "RequestTimedOut")
    }).pipe(Effect.scoped)
  )

  it.effect("that answers a resume with nonsense does not hold the caller", () =>
    Effect.gen(function* () {
      const { client } = yield* launched((packet) => (packet === "vCont;c" ? "hello" : undefined))
      assert.deepInclude({ ...(yield* Effect.flip(client.run())) }, { _tag: "ProtocolBroken", reason: "unexpected" })
    }).pipe(Effect.scoped)
  )

  it.effect("that damages an answer before acknowledgements end is asked again", () =>
    Effect.gen(function* () {
      let turn = 0
      const server = yield* ScriptedServer.make((packet) =>
        packet.startsWith("qSupported") && turn++ === 0 ? { raw: "$broken#00" } : undefined
      )
      const transport = {
        ...server.transport,
        send: (bytes: Uint8Array) => {
          if (bytes[0] === 0x2d) server.raw(Packet.encode("again+"))
          server.transport.send(bytes)
        }
      }
      const client = yield* Client.make({ transport })
      assert.deepStrictEqual([...client.features], [["again", true]])
    }).pipe(Effect.scoped)
  )
})
