/** Texts of values that an adapter cut after a time: they are completed with the members. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FakeBackend, SimulatedProgram } from "../../src/testing/index.ts"
import { call, over } from "../support.ts"

const parts = { id: "1", name: '0x00002000 "alpha"', password: '"hunter2"' }

const values = {
  /** Cut before the limit of length. */
  item: { value: '0x00001000 {id:1, name:"alpha", ...}', parts },
  /** The text of a structure whose members the adapter never shows. */
  closed: { value: "{...}", parts: { id: "1" } },
  /** The text of a reference, whose target the adapter never shows. */
  reference: { value: "@0x1000", parts: { value: "7" } },
  /** Cut at the limit of length. */
  long: { value: '{text:"0123456789012345678901234567890", ...}', parts: { text: '"0"' } }
}

const program = FakeBackend.make({
  ...SimulatedProgram.sample,
  moments: [{ stack: [{ function: "main", line: 7, variables: values }] }]
})

it.effect("locals and print complete a text that was cut after a time, and mask its secrets", () =>
  over(
    program,
    Effect.gen(function* () {
      yield* call.start({ break: ["main"] })
      const whole = '0x00001000 {id:1, name:"alpha", password:<masked>}'
      const texts = (depth: number) =>
        Effect.map(call.locals({ depth }), ({ data }) => data.variables.map(({ value }) => value))
      const expected = [whole, "{id:1}", "7", values.long.value]
      assert.deepStrictEqual(yield* texts(0), expected)
      assert.deepStrictEqual(yield* texts(1), expected)
      assert.strictEqual((yield* call.print(["item"])).data.values[0]?.value, whole)
    })
  )
)
