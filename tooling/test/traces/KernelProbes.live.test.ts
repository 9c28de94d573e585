/** Traces by probes of the kernel, on both LLDB backends. They need root and tracefs; elsewhere the reason of the refusal is tested. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync, readdirSync } from "node:fs"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

const tracefs = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].find((directory) => {
  try {
    return process.arch === "x64" && process.getuid?.() === 0 && readdirSync(directory).includes("uprobe_events")
  } catch {
    return false
  }
})

/** The events and trace buffers of this process. */
const left = () => {
  const own = `sigtrap_${process.pid}_`
  const events = readFileSync(`${tracefs}/uprobe_events`, "utf8").split("\n")
  return [...events, ...readdirSync(`${tracefs}/instances`)].filter((text) => text.includes(own))
}

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a trace by probes of the kernel", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect.skipIf(tracefs === undefined)(
      `records each pass of all threads, none of a child, and leaves nothing, under ${backend}`,
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* start("probed", { backend, break: ["main"] })
            const spec = `probed.c:${line("probed.c", "pass")} :: {i} {twice} {kind} {last} {sum}`
            const end = yield* call("break", { at: `probed.c:${line("probed.c", "end")}` })
            const { data } = yield* call("trace", { specs: [spec], engine: "uprobe", max: 10_000 })
            assert.deepInclude(data, { hits: 4002, dropped: 0, by: "uprobe", end: "stop" })
            assert.notProperty(data, "lost")
            assert.deepStrictEqual(data.report?.breakpoints, [end.data.id])
            assert.deepStrictEqual(left(), [])
            const { rows } = (yield* call("hits.list", { last: 1000 })).data
            for (const { values } of rows) {
              assert.strictEqual(Number(values["twice"]), 2 * Number(values["i"]))
              assert.include(["1", "2"], values["kind"])
            }
          })
        )
    )

    it.effect.skipIf(tracefs === undefined)(
      `ends at its limit and at its time with the program stopped, and refuses what has no place, under ${backend}`,
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            const { line } = yield* Programs
            yield* start("loop", { backend, break: ["main"] })
            const at = `loop.c:${line("loop.c", "loop")}`
            const limited = yield* call("trace", { specs: [`${at} :: {turns}`], engine: "uprobe", max: 500 })
            assert.deepInclude(limited.data, { hits: 500, end: "max", by: "uprobe" })
            assert.strictEqual(limited.state, "stopped")
            const { rows } = (yield* call("hits.list", { last: 500 })).data
            assert.deepStrictEqual(
              rows.map(({ values }) => values["turns"]),
              Array.from({ length: 500 }, (_, index) => `${index}`)
            )
            const timed = yield* call("trace", { specs: [`${at} :: {turns}`], engine: "uprobe", for: "1ms" })
            assert.include(["time", "max"], timed.data.end)
            const refused = yield* Effect.flip(call("trace", { specs: [`${at} :: {turns + 1}`], engine: "uprobe" }))
            assert.strictEqual(refused._tag, "Unsupported")
            assert.include(refused.message, "{turns + 1} cannot be read without a debugger")
            assert.strictEqual((yield* call("status", {})).state, "stopped")
            assert.lengthOf((yield* call("breakpoint.list", {})).data.breakpoints, 1)
            assert.deepStrictEqual(left(), [])
          })
        )
    )
  }

  it.effect.skipIf(tracefs === undefined)("that is interrupted leaves no probe", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("loop", { break: ["main"] })
        const specs: [string] = [`loop.c:${line("loop.c", "loop")} :: {turns}`]
        const trace = yield* Effect.forkChild(call("trace", { specs, engine: "uprobe", max: 10_000, for: "30s" }))
        while (trace.pollUnsafe() === undefined && !left().some((text) => text.startsWith("p:"))) {
          yield* Effect.sleep("5 millis")
        }
        yield* Fiber.interrupt(trace)
        assert.deepStrictEqual(left(), [])
      })
    )
  )

  it.effect.skipIf(tracefs !== undefined)("is refused with the reason where the kernel does not allow it", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        yield* start("loop", { break: ["main"] })
        const specs: [string] = [`loop.c:${line("loop.c", "loop")} :: {turns}`]
        const refused = yield* Effect.flip(call("trace", { specs, engine: "uprobe" }))
        assert.strictEqual(refused._tag, "Unsupported")
        assert.match(
          refused.message,
          /this trace: (?:it needs a processor|the kernel allows it|tracefs|this process|the system has)/
        )
      })
    )
  )
})
