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

describe("conditions and messages in a session that forbids to run code", () => {
  const { moments } = SimulatedProgram.sample
  const square = (values: { readonly [expression: string]: string }, program?: Partial<SimulatedProgram.Program>) =>
    FakeBackend.make({ ...SimulatedProgram.sample, moments, expressions: values, ...program })
  const sent = (fake: ReturnType<typeof square>) =>
    Effect.map(fake.newest, ({ lists }) =>
      [...lists.values()].flat().map(({ condition, log }) => [condition, log].map((part) => part ?? "none"))
    )

  it.effect("are evaluated by reads of the manager, not by the debugger", () => {
    const fake = square({ "c == 3": "false" })
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ break: ["main"], deny: ["eval"] })
        yield* call.break("app.c:3", { condition: "c == 3", hits: "2" })
        yield* call.break("app.c:11", { log: "{c == 3}" })
        assert.deepStrictEqual(yield* sent(fake), [
          ["none", "none"],
          ["none", "none"],
          ["none", "none"]
        ])
        assert.deepInclude((yield* call.continue()).data, { event: "exited" })
        const { data } = yield* call.breakpoints()
        assert.deepStrictEqual(
          data.breakpoints.slice(1).map(({ by, hit_count }) => [by, hit_count]),
          [
            ["manager", 0],
            ["manager", 3]
          ]
        )
        const asked = (yield* fake.newest).requests.filter(
          ({ detail, request }) => request === "evaluate" && JSON.stringify(detail).includes("c == 3")
        )
        assert.isAbove(asked.length, 0)
        for (const { detail } of asked) assert.deepInclude(detail, { how: "read" })
      })
    )
  })

  it.effect("are the debugger's in other sessions, and where it could refuse nothing", () =>
    Effect.gen(function* () {
      for (const [condition, deny, program] of [
        ["c == 3", [], {}],
        ["c == 3", ["eval"], { refusesCode: false }],
        ["c === 3", ["eval"], { propertiesRunCode: true, refusesCode: false }]
      ] as const) {
        const fake = square({}, program)
        const list = Effect.gen(function* () {
          yield* call.start({ break: [`app.c:3 if ${condition}`], deny: [...deny] })
          return yield* sent(fake)
        })
        assert.deepStrictEqual(yield* over(fake, list), [[condition, "none"]])
      }
    })
  )

  it.effect("are true as the debugger's language says, where the value does not show that", () =>
    Effect.gen(function* () {
      const stops = (values: { readonly [expression: string]: string }) => {
        const fake = square(values)
        return over(
          fake,
          Effect.gen(function* () {
            yield* call.start({ break: ["main"], deny: ["eval"] })
            yield* call.break("app.c:3", { condition: "x" })
            const { data, warnings } = yield* call.continue()
            return [data.event, ...warnings.map(({ code }) => code)]
          })
        )
      }
      for (const value of ["false", "False", "0", "0x0", "0.0", "-0", "0x0000"])
        assert.deepStrictEqual(yield* stops({ x: value }), ["exited"], value)
      for (const value of ["true", "1", "-2", "0x7ffe", "0.5", "1e-9"])
        assert.deepStrictEqual(yield* stops({ x: value }), ["stopped"], value)
      assert.deepStrictEqual(yield* stops({ x: "0 '\\0'", "!!(x)": "false" }), ["exited"])
      assert.deepStrictEqual(yield* stops({ x: "none", "!!(x)": "true" }), ["stopped"])
      assert.deepStrictEqual(yield* stops({ x: "none", "(long long)(x) != 0": "false" }), ["exited"])
      assert.deepStrictEqual(yield* stops({ x: "[]", "not not (x)": "False" }), ["exited"])
      assert.deepStrictEqual(yield* stops({ x: "{...}" }), ["stopped", "CONDITION_ERROR"])
    })
  )
})
