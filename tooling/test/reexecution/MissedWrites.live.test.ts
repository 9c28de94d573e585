/**
 * Changes of a watched value that no watchpoint reports, with a real debugger: the kernel writes the value. A write of a client is none
 * of them.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const session = "default"

for (const backend of ["dap", "lldb-cli"] as const) {
  suite(`a write that no watchpoint reports (${backend})`, (it) => {
    it.effect("is reported at the next stop, once, with the value before it", () =>
      debugging(({ alive, call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          yield* start("received", { backend, break: [`received.c:${line("received.c", "first")}`] })
          yield* call("watch", { expression: "number", session })
          const changes = Effect.map(call("next", { session }), ({ data }) =>
            data.missed_writes?.map(({ expression, id, new: value, old }) => [id, expression, old, value])
          )
          assert.deepStrictEqual(yield* changes, [[2, "number", "0", "41"]])
          const again = yield* call("context", { session })
          assert.deepInclude(again.data.missed_writes?.[0], { old: "0", new: "41" })
          yield* call("set", { target: "number", value: "7", session })
          assert.deepStrictEqual(yield* changes, [[2, "number", "7", "42"]])
          yield* call("set", { target: "number", value: "8", session })
          assert.isUndefined(yield* changes)
          yield* call("stop", { session })
          assert.deepStrictEqual(alive(), [])
        })
      ).pipe(Effect.scoped)
    )
  })
}
