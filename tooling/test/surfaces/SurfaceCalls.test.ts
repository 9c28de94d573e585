// Every surface calls the client alike: each example arrives as the same call, and each error leaves with the same code. The
// tests are computed from the operations and errors, so new ones are included.
import { assert, describe, it } from "@effect/vitest"
import { Errors, Operation, Operations, Payload } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import * as EverySurface from "./everySurface.ts"

const { caller, surfaces } = EverySurface
const send = EverySurface.make()

describe("every example makes the same call", () => {
  for (const operation of Operations.all) {
    for (const { title, input } of Operation.meta(operation).examples) {
      it.effect(`${operation._tag}: ${title}`, () =>
        Effect.gen(function* () {
          const payload = yield* Payload.decode(operation, Payload.fill(operation, input, caller))
          const calls = yield* send(operation, input, () => Effect.fail(new Errors.NoSession({})), "NO_SESSION")
          // Each surface lowers the limit of an answer to its own budget.
          const same = (value: unknown) =>
            Predicate.isReadonlyObject(value) ? Payload.bounded(operation, value, 1) : value
          const call = { tag: operation._tag, payload: same(payload) }
          assert.deepStrictEqual(
            calls.map(({ payload: sent, tag }) => ({ tag, payload: same(sent) })),
            Object.keys(surfaces).map(() => call)
          )
        })
      )
    }
  }
})

describe("every error arrives with its code", () => {
  const [operation] = Operations.all.filter(({ _tag }) => _tag === "status")
  if (operation === undefined) throw new Error("there is no operation status")
  for (const error of Errors.all) {
    const { code } = Errors.meta({ _tag: error.identifier })
    it.effect.prop(
      `${error.identifier}: ${code}`,
      [error],
      ([failure]) => send(operation, {}, () => Effect.fail(failure), code),
      { arbitrary: { runs: 5 } }
    )
  }
})
