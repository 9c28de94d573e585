// Variables that are read again after a change, because the scopes of the adapter are copies.
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Effect } from "effect"
import * as JsDebug from "../../../src/adapters/JsDebug.ts"
import { adapterError } from "../../../src/console/Failures.ts"
import * as DapVariables from "../../../src/dap/values/Variables.ts"

const variable = (name: string, value: string) => ({ name, value, type: "number", variablesReference: 0 })

/** Variables of an adapter whose scope keeps the values of the stop, while the program has others. */
const made = Effect.gen(function* () {
  const bodies: Readonly<Record<string, (args: unknown) => unknown>> = {
    scopes: () => ({ scopes: [{ name: "Local: f", variablesReference: 1, expensive: false }] }),
    evaluate: () => ({ result: "Array(2)", variablesReference: 2 }),
    variables: (args) => ({
      variables: JSON.stringify(args).includes("2")
        ? [variable("0", "5"), variable("1", "'sigtrap: no value'"), variable("length", "2")]
        : [variable("n", "1"), variable("later", "undefined"), variable("this", "undefined")]
    })
  }
  const adapter = yield* ScriptedAdapter.make((one) =>
    Effect.forever(
      Effect.flatMap(one.next, (request) => one.respond(request, bodies[request.command]?.(request.arguments) ?? {}))
    )
  )
  const client = yield* Client.make({ transport: adapter.transport, onEvent: () => undefined })
  const quirks = JsDebug.quirks()
  const variables = DapVariables.make({ client, quirks, failed: () => adapterError(undefined, "evaluate", "failed") })
  const values = Effect.map(variables.locals(3), (all) => all.map(({ name, value }) => [name, value]))
  const evaluated = () =>
    adapter.received().filter((one) => one.type === "request" && one.command === "evaluate").length
  return { evaluated, values, variables }
})

describe("the variables of a frame", () => {
  it.effect("are those of the scope until something may have changed them", () =>
    Effect.gen(function* () {
      const { evaluated, values, variables } = yield* made
      const atStop = [
        ["n", "1"],
        ["later", "undefined"],
        ["this", "undefined"]
      ]
      assert.deepStrictEqual(yield* values, atStop)
      assert.strictEqual(evaluated(), 0)
      variables.changed()
      // A variable that cannot be read by its name keeps the value of the scope.
      assert.deepStrictEqual(yield* values, [["n", "5"], ...atStop.slice(1)])
      variables.forget()
      assert.deepStrictEqual(yield* values, atStop)
      assert.strictEqual(evaluated(), 1)
    })
  )
})
