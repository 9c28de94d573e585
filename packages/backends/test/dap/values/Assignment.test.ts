// Assignments by a request, for adapters that refuse statements in `evaluate`.
import { assert, describe, it } from "@effect/vitest"
import { Client, Message, Requests } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Errors } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import * as Assignment from "../../../src/dap/values/Assignment.ts"

/** The children of each value of the adapter: 1 is a scope, 2 a pointer in an interface, 3 a pointer, 4 its content. */
const children: { readonly [reference: string]: ReadonlyArray<readonly [name: string, reference: number]> } = {
  1: [
    ["n", 0],
    ["items", 2]
  ],
  2: [["data", 3]],
  3: [["", 4]],
  4: [
    ["score", 0],
    ["name", 0]
  ]
}

/** What an adapter was asked to assign. */
const assigned = Effect.fnUntraced(function* (target: string, by: "setExpression" | "setVariable") {
  const adapter = yield* ScriptedAdapter.make((one) =>
    Effect.forever(
      Effect.flatMap(one.next, (request) => {
        const args = Message.isRecord(request.arguments) ? request.arguments : {}
        switch (request.command) {
          case "initialize":
            return one.respond(request, { supportsSetVariable: true, supportsSetExpression: true })
          case "scopes":
            return one.respond(request, { scopes: [{ name: "Locals", variablesReference: 1, expensive: false }] })
          case "evaluate":
            return one.respond(request, { result: "", variablesReference: 2 })
          case "variables": {
            const found = children[String(args["variablesReference"])] ?? []
            const variables = found.map(([name, variablesReference]) => ({ name, value: "", variablesReference }))
            return one.respond(request, { variables })
          }
          default:
            return args["value"] === "refused"
              ? one.refuse(request, { message: "no" })
              : one.respond(request, { value: "5" })
        }
      })
    )
  )
  const client = yield* Client.make({ transport: adapter.transport, onEvent: () => undefined })
  yield* client.request(Requests.Initialize, { adapterID: "test" })
  const assign = Assignment.make(
    {
      client,
      quirks: {},
      calling: (effect) => effect,
      failed: ({ message }) => new Errors.AdapterError({ command: "set", detail: message })
    },
    by
  )
  yield* assign(target, "5", 9)
  const refused = yield* Effect.flip(assign(target, "refused", 9))
  const last = adapter
    .received()
    .flatMap((one) =>
      one.type === "request" && one.command.startsWith("set") && Predicate.isReadonlyObject(one.arguments)
        ? [one.arguments]
        : []
    )[0]
  return { last, refused: refused._tag }
})

describe("an assignment", () => {
  it.effect("by setExpression has the expression and the frame", () =>
    Effect.gen(function* () {
      const { last, refused } = yield* assigned("a.b", "setExpression")
      assert.deepStrictEqual(last, { expression: "a.b", value: "5", frameId: 9 })
      assert.strictEqual(refused, "AdapterError")
    })
  )

  it.effect("by setVariable has the scope of a variable, and the content behind pointers of a member", () =>
    Effect.gen(function* () {
      const name = yield* assigned("n", "setVariable")
      assert.deepStrictEqual(name.last, { variablesReference: 1, name: "n", value: "5" })
      const member = yield* assigned("items.score", "setVariable")
      assert.deepStrictEqual(member.last, { variablesReference: 4, name: "score", value: "5" })
      const element = yield* assigned("items[1]", "setVariable")
      assert.deepStrictEqual(element.last, { variablesReference: 4, name: "[1]", value: "5" })
    })
  )
})
