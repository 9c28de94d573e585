import { assert, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Client, Requests } from "../src/index.ts"
import { ScriptedAdapter } from "../src/testing/index.ts"

/** The course of one request: when its caller is interrupted, and when responses come; none for an empty list. */
const Fate = Schema.Struct({
  timeout: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
  interruptAt: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  responses: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 150 }))).check(Schema.isMaxLength(3))
})

const Fates = Schema.Array(Fate).check(Schema.isMaxLength(8))

it.effect.prop(
  "each caller completes exactly once under delay, loss, duplication, timeout, interruption and the end",
  [Fates, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })), Schema.Boolean],
  ([fates, endAt, cancels]) =>
    Effect.gen(function* () {
      const adapter = yield* ScriptedAdapter.make((adapter) =>
        Effect.gen(function* () {
          yield* adapter.respond(yield* adapter.expect("initialize"), { supportsCancelRequest: cancels })
          yield* Effect.forkScoped(Effect.andThen(Effect.sleep(endAt), adapter.end))
          yield* Effect.forEach(fates, (fate, index) =>
            Effect.gen(function* () {
              const request = yield* adapter.expect("evaluate")
              assert.deepStrictEqual(request.arguments, { expression: String(index) })
              yield* Effect.forEach(
                fate.responses,
                (delay) => Effect.andThen(Effect.sleep(delay), adapter.respond(request, { result: String(index) })),
                { concurrency: "unbounded", discard: true }
              ).pipe(Effect.forkScoped)
            })
          )
        })
      )
      let folded = 0
      const client = yield* Client.make({
        transport: adapter.transport,
        onEvent: () => {},
        onResponse: (request) => {
          if (request.command === "evaluate") folded++
        }
      })
      yield* client.request(Requests.Initialize, { adapterID: "x" })
      const settled: Array<Array<string>> = fates.map(() => [])
      for (const [index, fate] of fates.entries()) {
        const caller = client.request(Requests.Evaluate, { expression: String(index) }, { timeout: fate.timeout }).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              const error = Exit.findErrorOption(exit)
              const outcome = Exit.isSuccess(exit)
                ? exit.value.result
                : error._tag === "Some"
                  ? error.value._tag
                  : "Interrupted"
              settled[index]?.push(outcome)
            })
          )
        )
        const { interruptAt } = fate
        yield* (interruptAt === undefined ? caller : Effect.timeoutOption(caller, interruptAt)).pipe(Effect.forkScoped)
      }
      yield* TestClock.adjust(500)
      yield* client.closed
      for (const [index, outcomes] of settled.entries()) {
        assert.strictEqual(outcomes.length, 1, JSON.stringify([fates[index], outcomes]))
        assert.include([String(index), "RequestTimedOut", "ConnectionClosed", "Interrupted"], outcomes[0])
      }
      const answered = settled.filter(([outcome], index) => outcome === String(index)).length
      const { duplicateResponses, lateResponses, unknownResponses } = client.counters()
      assert.strictEqual(folded, answered + lateResponses)
      assert.strictEqual(unknownResponses, 0)
      assert(folded + duplicateResponses <= fates.reduce((sum, fate) => sum + fate.responses.length, 0))
    }),
  { arbitrary: { runs: 500 } }
)
