// What the answer of `start` has with each `context`, and what is requested from the debugger for it.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, fakeWith, over } from "../support.ts"

it.effect("start with context none has no locals and no source, and does not request locals", () => {
  const fake = fakeWith({})
  return over(
    fake,
    Effect.gen(function* () {
      const { data, stop } = yield* call.start({ break: ["square"], context: "none" })
      assert.strictEqual(stop, 1)
      assert.deepStrictEqual([data.event, data.reason, data.breakpoints], ["stopped", "breakpoint", [1]])
      assert.notProperty(data, "locals")
      assert.notProperty(data, "source")
      const requests = (yield* fake.newest).requests.map(({ request }) => request)
      assert.notInclude(requests, "locals")
      // The same program with its locals.
      const full = yield* call.start({ break: ["square"], context: "brief", replace: true })
      assert.include(full.data.locals?.map(({ name }) => name) ?? [], "n")
    })
  )
})
