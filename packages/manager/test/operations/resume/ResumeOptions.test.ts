// Breakpoints and expressions of a resuming call, which are handled before and after it.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, code, settle } from "../../support.ts"
import { inMain } from "../../stoppedSessions.ts"

describe("around a resume", () => {
  it.effect("breakpoints are set and removed before, and expressions are evaluated after", () =>
    inMain(() =>
      Effect.gen(function* () {
        const { data } = yield* call.continue({ break: ["app.c:3"], remove_break: ["main"], eval: ["n", "nothing"] })
        assert.deepStrictEqual(data.breakpoints, [2])
        assert.deepInclude(data.evaluations?.[0], { expression: "n", value: "1" })
        assert.isDefined(data.evaluations?.[1]?.error)
        const left = (yield* call.breakpoints()).data.breakpoints
        assert.deepStrictEqual(
          left.map(({ id }) => id),
          [2]
        )
      })
    )
  )

  it.effect("nothing is resumed or changed when one breakpoint is invalid", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        const unset = call.continue({ break: ["app.c:3", "nofile.c:1"] })
        assert.strictEqual(yield* code(unset), "BREAKPOINT_UNRESOLVED")
        const unknown = call.next({ break: ["app.c:3"], remove_break: ["9"] })
        assert.strictEqual(yield* code(unknown), "BREAKPOINT_NOT_FOUND")
        yield* settle
        assert.strictEqual((yield* fake.newest).count("resume"), 0)
        assert.strictEqual((yield* call.breakpoints()).data.breakpoints.length, 1)
      })
    )
  )

  it.effect("the options of a resume are passed to the debugger", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        yield* call.next({ only_thread: true })
        yield* call.step({ into_system: true })
        const resumes = (yield* fake.newest).requests.filter(({ request }) => request === "resume")
        assert.deepInclude(resumes[0]?.detail, { how: "next", manner: { only: true, locals: true } })
        assert.deepInclude(resumes[1]?.detail, { how: "step", manner: { system: true, locals: true } })
      })
    )
  )
})
