// Questions that a client shows in a form: the call is refused, and is repeated when a person has allowed it.
import { assert, describe, it } from "@effect/vitest"
import type { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Manager, Questions } from "../../../src/index.ts"
import { begin, call } from "../../support.ts"
import {
  agentActor,
  answer,
  as,
  consenting,
  form,
  inForm,
  person,
  requests,
  shows,
  started,
  usual
} from "./consentCalls.ts"

describe("a question that a form shows", () => {
  /** The questions that a refused call names. */
  const refused = <A, R>(work: Effect.Effect<A, Errors.SigtrapError, R>) =>
    Effect.flatMap(Effect.flip(work), (error) =>
      error._tag === "TierRequired" ? Effect.succeed(error.requests ?? []) : Effect.die(error)
    )
  const repeating = (ids: ReadonlyArray<number>) => as(agentActor, usual, { ...shows, requests: ids })

  it.effect("refuses the call, which is repeated with its number once it is allowed", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const ids = yield* refused(form(call.set("n", "3")))
        assert.deepStrictEqual(ids, [1])
        yield* inForm(answer(1, "allow"))
        // Another call, another actor and a second time have to ask.
        assert.deepStrictEqual(yield* refused(repeating(ids)(call.set("n", "4"))), [2])
        const other = as({ kind: "mcp", name: "codex" }, usual, { ...shows, requests: ids })
        assert.deepStrictEqual(yield* refused(other(call.set("n", "3"))), [3])
        yield* repeating(ids)(call.set("n", "3"))
        assert.deepStrictEqual(yield* refused(repeating(ids)(call.set("n", "3"))), [4])
      })
    )
  )

  it.effect("is answered at a terminal as well: the repeated call waits for it", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const ids = yield* refused(form(call.set("n", "3")))
        const running = yield* begin(repeating(ids)(call.set("n", "3")))
        yield* person(answer(1, "allow"))
        yield* running.done
      })
    )
  )

  it.effect("ends after ten minutes, and with the connection of its asker", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        yield* refused(form(call.set("n", "3")))
        yield* TestClock.adjust("9 minutes")
        assert.lengthOf(yield* requests, 1)
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(yield* requests, 0)
        yield* person(call.status())
        const over = (connection: string) => Effect.provideService(Questions.Connection, connection)
        yield* refused(form(call.set("n", "3")).pipe(over("7")))
        yield* inForm(answer(2, "client"))
        yield* form(call.set("n", "4")).pipe(over("7"))
        // Another client of the same name has to ask.
        yield* refused(form(call.set("n", "4")).pipe(over("8")))
        yield* refused(form(call.raw("version")).pipe(over("7")))
        yield* Effect.flatMap(Manager.Manager, ({ left }) => left("7"))
        assert.deepStrictEqual(
          (yield* requests).map(({ operation }) => operation),
          ["set"]
        )
        yield* refused(form(call.set("n", "4")).pipe(over("7")))
      })
    )
  )

  it.effect("is bounded by count", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        for (let count = 0; count < 8; count++) yield* refused(form(call.set("n", String(count))))
        const ninth = yield* Effect.flip(form(call.set("n", "9")))
        assert.include(ninth.message, "too many requests wait for consent")
        for (let count = 0; count < 24; count++) {
          yield* refused(as({ kind: "mcp", name: `a${count}` }, usual, shows)(call.set("n", "1")))
        }
        const other = as({ kind: "mcp", name: "late" }, usual, shows)
        assert.include((yield* Effect.flip(other(call.set("n", "1")))).message, "too many requests")
        assert.lengthOf(yield* requests, 32)
      })
    )
  )

  it.effect("has no secrets and at most 2,000 characters of a value", () =>
    consenting(
      Effect.gen(function* () {
        yield* started
        const token = `ghp_${"a".repeat(36)}`
        const command = `print "${token}" ${"x".repeat(5000)}`
        yield* Effect.flip(form(call.raw(command)))
        yield* Effect.flip(form(call.set("password", "hunter2")))
        // What observers get, and what the operation answers with.
        const { questions } = yield* Manager.Manager
        const kept = yield* Effect.flatMap(questions, ({ list: all }) => all)
        assert.deepStrictEqual(yield* requests, kept)
        const shown = JSON.stringify(kept)
        assert.notInclude(shown, token)
        assert.notInclude(shown, "hunter2")
        assert.isBelow(shown.length, 8000)
        assert.include(shown, "more characters")
      })
    )
  )
})
