/** Clients that read different frames of one stop at the same time. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("frames that are read at the same time", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have each its own registers (${backend})`, () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* start("app", { backend, break: ["sum_scores"] })
          const registers = (frame: number) =>
            Effect.map(call("registers", { frame: String(frame) }), ({ data }) =>
              data.groups
                .flatMap((group) => group.registers)
                .filter(({ name }) => name === "rip" || name === "rsp" || name === "pc" || name === "sp")
                .map(({ name, value }) => `${name} ${value}`)
            )
          const alone = [yield* registers(0), yield* registers(1)]
          assert.isNotEmpty(alone[0])
          assert.notDeepEqual(alone[0], alone[1])
          const rounds = Array.from({ length: 20 }, (_, round) => round)
          const together = yield* Effect.forEach(
            rounds,
            () => Effect.all([registers(0), registers(1)], { concurrency: "unbounded" }),
            { concurrency: 4 }
          )
          for (const pair of together) assert.deepStrictEqual(pair, alone)
        })
      )
    )
  }
})
