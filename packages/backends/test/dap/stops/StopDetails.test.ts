// What is asked before a stop is reported: whether the rejection of a promise is a failure of a test.
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Effect } from "effect"
import * as JsDebug from "../../../src/adapters/JsDebug.ts"
import { BreakpointIds } from "../../../src/console/BreakpointIds.ts"
import * as StopDetails from "../../../src/dap/stops/StopDetails.ts"

/** Completes a stop of js-debug whose program answers the question of a rejection with this text. */
const completed = Effect.fnUntraced(function* (answer: string, description?: string, noted = "true") {
  const bodies: Readonly<Record<string, unknown>> = {
    stackTrace: { stackFrames: [{ id: 4, name: "equal", line: 1, column: 1 }] }
  }
  const asked: Array<string> = []
  const adapter = yield* ScriptedAdapter.make((one) =>
    Effect.forever(
      Effect.flatMap(one.next, (request) => {
        if (request.command !== "evaluate") return one.respond(request, bodies[request.command] ?? {})
        const isNote = JSON.stringify(request.arguments).includes("noteStop")
        asked.push(isNote ? "note" : "failure")
        return one.respond(request, { result: isNote ? noted : answer, variablesReference: 0 })
      })
    )
  )
  const client = yield* Client.make({ transport: adapter.transport, onEvent: () => undefined })
  const options = {
    client,
    core: false,
    dialect: undefined,
    ids: new BreakpointIds(),
    listener: {},
    quirks: JsDebug.quirks()
  }
  const body = { reason: "exception", threadId: 7, hitBreakpointIds: [], ...(description ? { description } : {}) }
  const stop = yield* StopDetails.complete(options, body) ?? assert.fail()
  const commands = adapter.received().flatMap((one) => (one.type === "request" ? [one.command] : []))
  return { asked, stop, commands }
})

const rejected = "Paused on promise rejection"

describe("a stop at the rejection of a promise", () => {
  it.effect("is none if the program knows that the test does not fail by it", () =>
    Effect.gen(function* () {
      const { commands, stop } = yield* completed("false", rejected)
      assert.isUndefined(stop)
      assert.deepStrictEqual(commands, ["stackTrace", "evaluate", "continue"])
    })
  )

  it.effect("is reported in every other case", () =>
    Effect.gen(function* () {
      for (const answer of ["true", "undefined"]) {
        const { commands, stop } = yield* completed(answer, rejected)
        assert.deepInclude(stop, { reason: "exception", threadId: 7 })
        assert.isUndefined(stop?.description)
        assert.notInclude(commands, "continue")
      }
      const thrown = yield* completed("false")
      assert.deepInclude(thrown.stop, { reason: "exception", threadId: 7 })
      assert.deepStrictEqual(thrown.asked, ["note"])
    })
  )

  it.effect("is none, and their filter is turned off, if the program has caught too many exceptions", () =>
    Effect.gen(function* () {
      const { asked, commands, stop } = yield* completed("undefined", undefined, "false")
      assert.isUndefined(stop)
      assert.deepStrictEqual(asked, ["note"])
      assert.deepStrictEqual(commands.slice(-2), ["setExceptionBreakpoints", "continue"])
    })
  )
})
