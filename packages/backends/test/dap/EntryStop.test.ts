// The stop at the first place of a file where the language can stop, which may be inside of a function.
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Effect } from "effect"
import * as EntryStop from "../../src/dap/EntryStop.ts"

/** Corrects stops of an adapter whose innermost frame has this name. */
const corrected = Effect.fnUntraced(function* (frame: string, pausing = false) {
  const adapter = yield* ScriptedAdapter.make((one) =>
    Effect.forever(
      Effect.flatMap(one.next, (request) =>
        one.respond(
          request,
          request.command === "stackTrace" ? { stackFrames: [{ id: 1, name: frame, line: 1, column: 1 }] } : {}
        )
      )
    )
  )
  const client = yield* Client.make({ transport: adapter.transport, onEvent: () => undefined })
  const correct = EntryStop.make({ client, name: "js-debug", entryFrame: /^<anonymous>$/, events: { pausing } })
  const commands = () => adapter.received().flatMap((one) => (one.type === "request" ? [one.command] : []))
  return { commands, correct }
})

const body = { reason: "entry", threadId: 7, hitBreakpointIds: [] }

describe("the first stop at the entry", () => {
  it.effect("is one in the frame of the file, and says in a function that statements have run", () =>
    Effect.gen(function* () {
      const file = yield* corrected("<anonymous>")
      assert.deepStrictEqual(yield* file.correct(body, undefined) ?? assert.fail(), body)
      const method = yield* corrected("Bank.deposit")
      assert.deepStrictEqual(yield* method.correct(body, undefined) ?? assert.fail(), {
        ...body,
        reason: "other",
        description: "js-debug cannot stop before the first statement of this file, which has run"
      })
    })
  )
})

describe("a later stop at the entry", () => {
  it.effect("after continue is none, and ends a step or a pause", () =>
    Effect.gen(function* () {
      const { commands, correct } = yield* corrected("Bank.deposit")
      assert.isUndefined(yield* correct(body, "continue") ?? assert.fail())
      assert.deepStrictEqual(commands(), ["continue"])
      assert.deepStrictEqual(yield* correct(body, "next") ?? assert.fail(), { ...body, reason: "step" })
      const paused = yield* corrected("Bank.deposit", true)
      assert.deepStrictEqual(yield* paused.correct(body, "continue") ?? assert.fail(), { ...body, reason: "pause" })
      assert.deepStrictEqual(paused.commands(), [])
    })
  )

  it.effect("of another reason, or without a thread, needs no correction", () =>
    Effect.gen(function* () {
      const { correct } = yield* corrected("Bank.deposit")
      assert.isUndefined(correct({ ...body, reason: "breakpoint" }, undefined))
      assert.isUndefined(correct({ reason: "entry", hitBreakpointIds: [] }, undefined))
    })
  )
})
