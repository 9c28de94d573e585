/** The client with real debug servers: lldb-server, and GDB's server where it is installed. */
import { NodeServices, NodeSocket, NodeSocketServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { Socket } from "effect/socket"
import { Client, Hex, Registers, Transport } from "../src/index.ts"
import * as Programs from "./Programs.ts"

const source = `
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
volatile int counter;
int work(int n) { counter += n; return counter; }
int main(int argc, char **argv) {
  printf("%p\\n%s\\n%s\\n", (void *)work, argc > 1 ? argv[1] : "", getenv("WORD") ? getenv("WORD") : "");
  fflush(stdout);
  if (argc > 1 && !strcmp(argv[1], "wait")) for (;;) pause();
  if (argc > 1 && !strcmp(argv[1], "crash")) { volatile int *p = 0; *p = 1; }
  for (int i = 1; i <= 5; i++) work(i);
  return counter;
}`

const isAlive = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const state = yield* Effect.option(fs.readFileString(`/proc/${pid}/stat`))
  return state._tag === "Some" && !/\) [ZX] /.test(state.value)
})

/** Runs the program with its output in a file, and returns the client, the pid and the lines that it printed. */
const launched = Effect.fnUntraced(function* (executable: string, ...args: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const program = yield* Programs.compile(source)
  const { client, pid: server } = yield* Programs.start(executable)
  const output = `${program}.out`
  yield* fs.writeFileString(output, "")
  const env = { WORD: "two words" }
  const stop = yield* client.launch({ program, args, env, stdout: output, aslr: false })
  const lines = Effect.map(fs.readFileString(output), (text) => text.split("\n"))
  return { client, server, program, pid: yield* client.pid, stop, lines }
})

const lldbServer = await Effect.runPromise(Programs.lldbServer.pipe(Effect.provide(NodeServices.layer)))
const hasGdbServer = await Effect.runPromise(
  Programs.runs("gdbserver", "--version").pipe(Effect.provide(NodeServices.layer))
)

/** Stops at each call of \`work\`, and returns its argument and the counter before it. */
const calls = Effect.fnUntraced(function* (client: Client.Client, place: bigint) {
  const registers = yield* client.registers
  const [argument, pc] = [Registers.find(registers, "arg1"), Registers.find(registers, "pc")]
  if (argument === undefined || pc === undefined) return assert.fail("no registers")
  yield* client.insert({ kind: "software", address: place })
  const seen: Array<number> = []
  for (;;) {
    const outcome = yield* client.run()
    if (outcome.kind !== "stopped") return { seen, outcome }
    const thread = outcome.thread ?? 0
    assert.strictEqual(Hex.toBigInt(yield* client.readRegister(pc.number, thread)), place)
    seen.push(Number(Hex.toBigInt(yield* client.readRegister(argument.number, thread)) & 0xffffffffn))
    yield* client.step(thread)
  }
})

describe.runIf(lldbServer !== undefined)("lldb-server", () => {
  const server = lldbServer ?? ""

  it.live("runs a program with arguments, environment and output, through breakpoints to its end", () =>
    Effect.gen(function* () {
      // The address of a function is the same without randomization, so one run says it.
      const first = yield* launched(server)
      assert.deepStrictEqual(yield* first.client.run(), { kind: "exited", code: 15 })
      const [address = ""] = yield* first.lines
      const second = yield* launched(server, "a b;c#$}*")
      const { outcome, seen } = yield* calls(second.client, BigInt(address))
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
      assert.deepStrictEqual(outcome, { kind: "exited", code: 15 })
      assert.deepStrictEqual((yield* second.lines).slice(1, 3), ["a b;c#$}*", "two words"])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("interrupts a waiting program, and the end of the scope kills it and the server", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.gen(function* () {
        const { client, pid, server: own } = yield* launched(server, "wait")
        yield* client.resume()
        yield* client.interrupt
        assert.deepInclude(yield* client.outcome, { kind: "stopped" })
        yield* client.resume()
        assert.isTrue(yield* isAlive(pid))
        return [pid, own]
      }).pipe(Effect.scoped)
      for (const pid of pids) assert.isFalse(yield* isAlive(pid))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("detaches from a program that then runs to its end", () =>
    Effect.gen(function* () {
      const { client, lines } = yield* launched(server, "last")
      yield* client.detach
      yield* Effect.repeat(lines, { until: (all) => all[1] === "last" }).pipe(Effect.timeout("10 seconds"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("hands a crashed program over to another client, which finds the same process at the same place", () =>
    Effect.gen(function* () {
      const { client, pid, program } = yield* launched(server, "crash")
      const stop = yield* client.run()
      assert.deepInclude(stop, { kind: "stopped", signal: 11 })
      const { fiber, second } = yield* secondClient(client, `${program}.socket`)
      assert.strictEqual(yield* second.pid, pid)
      const found = yield* second.current
      assert.deepInclude(found, { kind: "stopped", signal: 11 })
      assert.strictEqual(
        (yield* Effect.flip(client.threads)).message,
        "Another client uses the connection to the debug server."
      )
      yield* second.kill
      yield* Fiber.join(fiber)
      assert.isFalse(yield* isAlive(pid))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("that is not there or is another program is named", () =>
    Effect.gen(function* () {
      const failures = yield* Effect.forEach(["/no/lldb-server", "false"], (name) => Effect.flip(Programs.start(name)))
      assert.deepStrictEqual(
        failures.map((failure) => [failure._tag, "reason" in failure ? failure.reason : ""]),
        [
          ["ServerFailed", "notFound"],
          ["ServerFailed", "failed"]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

/** Connects a second client through the first one. */
const secondClient = Effect.fnUntraced(function* (client: Client.Client, path: string) {
  const arrived = Deferred.makeUnsafe<Socket.Socket>()
  const listener = yield* NodeSocketServer.make({ path })
  yield* Effect.forkScoped(
    listener.run((socket) => (Deferred.doneUnsafe(arrived, Exit.succeed(socket)) ? Effect.never : Effect.void))
  )
  const making = yield* Effect.forkChild(
    Effect.flatMap(NodeSocket.makeNet({ path }), (socket) =>
      Effect.flatMap(Transport.socket(socket), (transport) => Client.make({ transport }))
    )
  )
  const fiber = yield* Effect.forkScoped(client.handOver(yield* Deferred.await(arrived)))
  return { second: yield* Fiber.join(making), fiber }
})

describe.runIf(hasGdbServer)("GDB's server", () => {
  it.live("runs a program through breakpoints to its end", () =>
    Effect.gen(function* () {
      const program = yield* Programs.compile(source, "-no-pie")
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const symbols = yield* spawner.string(ChildProcess.make("nm", [program]))
      const place = BigInt(`0x${/^([0-9a-f]+) T work$/m.exec(symbols)?.[1] ?? ""}`)
      const handle = yield* spawner.spawn(ChildProcess.make("gdbserver", ["--multi", "-"]))
      const client = yield* Client.make({ transport: yield* Transport.process(handle) })
      yield* client.launch({ program, args: ["ok"], aslr: false })
      const { outcome, seen } = yield* calls(client, place)
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
      assert.deepInclude(outcome, { kind: "exited", code: 15 })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
