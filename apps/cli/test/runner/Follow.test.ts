// Follows output and events, and prints raw output.
import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@sigtrap/protocol"
import { Effect } from "effect"
import { answer, run, type Reply } from "../fakes.ts"

const entry = (seq: number, text: string) => ({ seq, channel: "stdout", text, time: 0, stop: 1 })

const page = (state: Answer.Answer<unknown>["state"], next: number, ...texts: ReadonlyArray<string>) => ({
  ...answer({
    entries: texts.map((text, index) => entry(next - texts.length + index, text)),
    text: texts.join(""),
    next,
    dropped: 0
  }),
  state
})

/** Replies with the answers in order. */
const inTurn = (...answers: ReadonlyArray<Answer.Answer<unknown>>): Reply => {
  const left = [...answers]
  return () => Effect.sync(() => left.shift() ?? page("exited", 99))
}

describe("following", () => {
  it.effect("continues after the last answer, until the session ends", () =>
    Effect.gen(function* () {
      const reply = inTurn(
        page("running", 4, "one\n"),
        page("running", 5, "two\n"),
        page("exited", 7),
        page("exited", 7)
      )
      const { stdout, code, calls } = yield* run(["output", "--follow", "--tail", "3"], { reply })
      assert.strictEqual(stdout, "one\ntwo\n")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(
        calls.map(({ payload }) => {
          const { since, tail, timeout } = payload as { since?: number; tail?: number; timeout: string }
          return [since, tail, timeout]
        }),
        [
          [undefined, 3, "30s"],
          [4, undefined, "inf"],
          [5, undefined, "inf"],
          [7, undefined, "inf"]
        ]
      )
    })
  )

  it.effect("prints one document a line as JSON", () =>
    Effect.gen(function* () {
      const reply = inTurn(page("running", 4, "one\n"), page("exited", 5, "two\n"), page("exited", 5))
      const { stdout } = yield* run(["output", "-f", "--json"], { reply })
      const lines = stdout.trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).data.text),
        ["one\n", "two\n"]
      )
    })
  )
})

describe("raw output", () => {
  const reply: Reply = () => Effect.succeed(page("running", 4, "\u001b[31mred\r\n"))
  const terminal = { stdout: true, stderr: true, columns: 80, color: false }

  it.effect("is the unchanged text", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["output", "--raw"], { reply })).stdout, "\u001b[31mred\r\n")
      assert.notInclude((yield* run(["output"], { reply })).stdout, "\u001b")
    })
  )

  it.effect("is refused on a terminal without --force", () =>
    Effect.gen(function* () {
      const refused = yield* run(["output", "--raw"], { reply, line: { terminal } })
      assert.deepStrictEqual([refused.code, refused.stdout, refused.calls.length], [2, "", 0])
      const forced = yield* run(["output", "--raw", "--force"], { reply, line: { terminal } })
      assert.strictEqual(forced.stdout, "\u001b[31mred\r\n")
    })
  )

  it.effect("has the time of each line with --timestamps", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["output", "--timestamps"], {
        reply: () => Effect.succeed(page("running", 4, "a\nb\n"))
      })
      assert.strictEqual(stdout, "00:00:00.000 a\n00:00:00.000 b\n")
    })
  )
})
