import { assert, describe, it } from "@effect/vitest"
import { Caller, Client, Effects, Errors, Operations, Payload, ScriptResult } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, over } from "../support.ts"

const operation = Operations.byTag("script")

const script = Effect.fnUntraced(function* (input: object) {
  const client = yield* Client.Client
  const payload = yield* Payload.decode(operation, input)
  const answer = yield* client.callAny(operation, payload)
  return { answer, results: ScriptResult.of(answer.data) }
})

/** What a person has accepted. */
const as = (uses: ReadonlyArray<Effects.Use>) =>
  Effect.provideService(Caller.Current, {
    actor: { kind: "mcp" },
    allowance: { effects: Effects.ofTiers(["observe", "control", "evaluate"]), destructive: false, uses }
  })

const begun = call.start({ break: ["square"] })

describe("script", () => {
  it.effect("answers in order and ends at the first failure", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* begun
        const { answer, results } = yield* script({ commands: ["print n; next # comment", "print nope\nnext"] })
        assert.deepStrictEqual(
          results.map(({ error, text }) => [text, error?._tag]),
          [
            ["print n", undefined],
            ["next", undefined],
            ["print nope", "VariableNotFound"]
          ]
        )
        assert.deepInclude(answer.data, { done: 2, failed_at: 2 })
        assert.strictEqual(answer.state, "stopped")
        const all = yield* script({ commands: ["print nope", "print n"], keep_going: true })
        assert.deepInclude(all.answer.data, { done: 1, failed_at: 0 })
        assert.lengthOf(all.results, 2)
      })
    )
  )

  it.effect("resumes first only from the stop that the caller saw", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const { stop = 0 } = yield* begun
        const late = yield* script({ commands: ["print n; next; next"], at_stop: stop - 1 })
        assert.deepStrictEqual(
          late.results.map(({ error }) => error?._tag),
          [undefined, "StaleStop"]
        )
        assert.strictEqual((yield* call.status()).stop, stop)
        const { answer } = yield* script({ commands: ["next; next"], at_stop: stop })
        assert.strictEqual(answer.stop, stop + 2)
      })
    )
  )

  it.effect("quotes the text of a file only if it is the caller's", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const problem = (file: string) =>
          script({ file, directory: "/src" }).pipe(
            Effect.flip,
            Effect.map((error) => (error._tag === "Usage" ? error.problem : error._tag))
          )
        assert.match(yield* problem("commands"), /^commands:1: .*unknown command/)
        for (const file of ["/elsewhere/notes.txt", "../notes.txt", "/src/.env", "/src/id_rsa"]) {
          assert.strictEqual(yield* problem(file), `${file}:1 is not a command`)
        }
      })
    )
  )

  it.effect("answers each command as the command alone", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* begun
        const { results } = yield* script({
          commands: ["print n", { operation: "locals", input: {} }, "expect data.total=2", "expect state=running"]
        })
        assert.deepStrictEqual(results[0]?.answer, yield* call.print(["n"]))
        assert.deepStrictEqual(results[1]?.answer, yield* call.locals())
        assert.isUndefined(results[2]?.error)
        assert.deepInclude(results[3]?.error, { _tag: "AssertionFailed", expected: "running", actual: "stopped" })
      })
    )
  )

  it.effect("refuses a command that it cannot run before the first one runs", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const before = yield* begun
        for (const commands of [
          ["next", "doctor"],
          ["next", "pritn n"],
          ["next", "print 'n"],
          ["next", "events --follow"],
          ["next", "script next"],
          ["next", { operation: "nothing" }],
          ["next", { operation: "break", input: { at: "square", directory: "/" } }],
          ["next", "continue --count many"],
          [],
          Array.from({ length: 51 }, () => "next")
        ]) {
          const error = yield* Effect.flip(script({ commands }))
          assert.strictEqual(error._tag, "Usage", JSON.stringify(commands).slice(0, 80))
        }
        assert.strictEqual((yield* call.wait()).stop, before.stop)
      })
    )
  )

  it.effect("checks the effects of all commands before the first one runs", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        const before = yield* begun
        const error = yield* Effect.flip(as([])(script({ commands: ["next", "set n 1", "raw version"] })))
        if (!(error instanceof Errors.TierRequired)) return assert.fail(error._tag)
        assert.deepStrictEqual([...new Set(error.missing.map(({ call: index }) => index))], [1, 2])
        assert.strictEqual((yield* call.wait()).stop, before.stop)
      })
    )
  )

  it.effect("allows what a person accepted for one command to no other", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* begun
        const first = yield* Effect.flip(as([])(script({ commands: ["set n 1"] })))
        if (!(first instanceof Errors.TierRequired)) return assert.fail(first._tag)
        const accepted = first.missing.map(({ tier: _, ...use }) => use)
        assert.isUndefined((yield* as(accepted)(script({ commands: ["set n 1"] }))).results[0]?.error)
        const second = yield* Effect.flip(as(accepted)(script({ commands: ["set n 1", "set n 2"] })))
        assert.strictEqual(second._tag, "TierRequired")
        const alone = yield* Effect.flip(
          as(accepted)(
            Effect.gen(function* () {
              const set = Operations.byTag("set")
              return yield* (yield* Client.Client).callAny(set, yield* Payload.decode(set, { target: "n", value: "1" }))
            })
          )
        )
        assert.strictEqual(alone._tag, "TierRequired")
      })
    )
  )

  it.effect("is refused by a policy of the session command by command", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["square"], read_only: true })
        const { results } = yield* script({ commands: ["print n", "set n 1", "next"] })
        assert.deepStrictEqual(
          results.map(({ error }) => error?._tag),
          [undefined, "Policy"]
        )
      })
    )
  )
})
