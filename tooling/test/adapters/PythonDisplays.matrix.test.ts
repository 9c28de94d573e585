/** Displays under debugpy, which runs code of the program to read a property. */
import { assert, layer } from "@effect/vitest"
import { Caller, Effects } from "@sigtrap/protocol"
import { Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { needs } from "../support/fixtures.ts"

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a display of a Python program", (it) => {
  it.effect("runs no code for a display of a client that may not evaluate, also for one that may", () =>
    debugging(({ call, start, temporary }) =>
      Effect.gen(function* () {
        yield* needs("debugpy", "python3-debugpy")
        const file = `${temporary}/shown.py`
        const ran = `${temporary}/ran`
        writeFileSync(
          file,
          [
            "class Cart:",
            "    @property",
            "    def total(self):",
            `        open(${JSON.stringify(ran)}, "w").close()`,
            "        return 7",
            "def add(cart):",
            "    n = 1",
            "    n = 2",
            "    n = 3",
            "add(Cart())"
          ].join("\n")
        )
        yield* start(file, { break: ["shown.py:7"] })
        const allowance = { effects: Effects.ofTiers(["observe", "control"]), destructive: false, uses: [] }
        const other: Caller.Caller = { actor: { kind: "http", name: "viewer" }, allowance }
        const display = call("display", { expression: "cart.total" })
        yield* Effect.provideService(display, Caller.Current, other)
        const moved = yield* call("next", {})
        const [shown] = moved.data.evaluations ?? []
        assert.include(shown?.error ?? "", "which the client that set this display may not do")
        yield* call("display.list", {})
        assert.isFalse(existsSync(ran))
        // A client that may evaluate can ask for the same display.
        yield* display
        const next = yield* call("next", {})
        assert.deepInclude(next.data.evaluations?.[0], { display: 1, value: "7" })
        assert.isTrue(existsSync(ran))
      })
    )
  )
})
