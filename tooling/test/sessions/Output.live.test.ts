/** Follows output, reads the history, and writes standard input, with a real debugger and a program that reads input. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform)("a program that reads its input", (it) => {
  it.effect("gets lines and then end of file on standard input, while its output is followed", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("stdin", { wait: false })
        const first = yield* call("output", { follow: true, timeout: "20s" })
        assert.strictEqual(first.data.text, "ready\n")
        const waiting = yield* Effect.forkChild(
          call("output", { since: first.data.next, follow: true, timeout: "20s", match: "echo" })
        )
        const sent = yield* call("input", { text: "grüße" })
        assert.deepStrictEqual(sent.data, { bytes: 8, eof: false, pending: false })
        const echoed = yield* Fiber.join(waiting)
        assert.strictEqual(echoed.data.text, "echo 1: grüße\n")
        yield* call("input", { text: "last", newline: false, eof: true })
        const end = yield* call("wait", { timeout: "20s" })
        assert.strictEqual(end.data.exit_code, 0)
        const rest = yield* call("output", { since: echoed.data.next })
        assert.include(rest.data.text, "end after 2 lines")
        const ended = yield* Effect.flip(call("input", { text: "more" }))
        assert.strictEqual(ended._tag, "ProcessEnded")
      })
    )
  )

  it.effect("has a history with its start, its output and its end", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("two_streams", { break: ["main"] })
        yield* call("continue", {})
        const { events } = (yield* call("events", {})).data
        const kinds = events.map(({ kind }) => kind)
        assert.strictEqual(kinds[0], "starting")
        for (const kind of ["process", "breakpoint", "stopped", "resumed", "output", "exited"] as const) {
          assert.include(kinds, kind)
        }
        const bytes = events.reduce((sum, event) => sum + (event.kind === "output" ? (event.bytes ?? 0) : 0), 0)
        assert.isAtLeast(bytes, 70)
        assert.strictEqual(events.find(({ kind }) => kind === "exited")?.exit_code, 0)
      })
    )
  )

  it.effect("accepts no input if it reads a file", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* start("stdin", { stdin: "/dev/null", break: ["main"] })
        const refused = yield* Effect.flip(call("input", { text: "x" }))
        assert.strictEqual(refused._tag, "Unsupported")
      })
    )
  )
})
