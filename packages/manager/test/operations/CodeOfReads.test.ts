// Expressions that only read by their text, under a debugger that can run code of the program for them.
import { assert, describe, it } from "@effect/vitest"
import { type Client } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend, SimulatedProgram } from "../../src/testing/index.ts"
import { call, calls, code, over } from "../support.ts"

const session = <A, E>(
  propertiesRunCode: boolean,
  options: Parameters<typeof call.start>[0],
  test: Effect.Effect<A, E, Client.Client>
) => {
  const fake = FakeBackend.make({ ...SimulatedProgram.sample, propertiesRunCode })
  return over(fake, Effect.andThen(call.start({ break: ["main"], ...options }), test))
}

/** Calls that have an expression evaluated, now or at a hit. */
const evaluating = (text: string) =>
  calls(
    call.break("app.c:10", { condition: text }),
    call.break(`app.c:10 if ${text}`),
    call.break("app.c:10", { log: `{${text}}` }),
    call.break("app.c:10", { eval: [text] }),
    call.edit(1, { condition: text }),
    call.edit(1, { log: `{${text}}` }),
    call.catch("throw", { condition: text }),
    call.until(`app.c:10 if ${text}`),
    call.next({ eval: [text] }),
    call.eval(text)
  )

describe("an expression that can run code of the program", () => {
  it.effect("is refused in a session that forbids it, wherever it is written", () =>
    session(
      true,
      { deny: ["eval"] },
      Effect.gen(function* () {
        for (const text of ["p.g", "p", "n == 3"]) {
          for (const [index, one] of evaluating(text).entries())
            assert.strictEqual(yield* code(one), "POLICY", `${text} ${index}`)
        }
        assert.include(
          (yield* Effect.flip(call.next({ eval: ["p.g"] }))).message,
          "p.g, which may run code of the program"
        )
        const { data } = yield* call.edit(1, { condition: "n === 3" })
        assert.strictEqual(data.breakpoints[0]?.condition, "n === 3")
        assert.strictEqual(yield* code(call.start({ session: "b", break: ["main if p.g"], deny: ["eval"] })), "POLICY")
      })
    )
  )

  it.effect("is taken from other sessions, and under other debuggers", () =>
    Effect.gen(function* () {
      const edited = Effect.map(call.edit(1, { condition: "p.g" }), ({ data }) => data.breakpoints[0])
      for (const [propertiesRunCode, options] of [
        [true, {}],
        [false, { deny: ["eval" as const] }]
      ] as const) {
        assert.strictEqual((yield* session(propertiesRunCode, options, edited))?.condition, "p.g")
      }
    })
  )
})
