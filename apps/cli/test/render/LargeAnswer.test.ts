// Large answers: what is printed in pieces is the same text, no piece is large, and each is sent in a message of its own.
import { assert, describe, it } from "@effect/vitest"
import type { CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { Effect, Stream } from "effect"
import * as JsonDocument from "../../src/render/JsonDocument.ts"
import * as LargeAnswer from "../../src/render/LargeAnswer.ts"
import { answer, run } from "../fakes.ts"

const most = 64 * 1024

const textOf = (pieces: ReadonlyArray<CommandOutput>) =>
  pieces.map((piece) => (piece._tag === "Exit" ? "" : piece.text)).join("")

describe("a document in pieces", () => {
  const texts = ["", "plain\n", "a\u001b[31m\u202e\u00adz", "😀😀😀😀😀", "\ud83d alone \ude00", '"\\\u0000\u2028']
  const documents: ReadonlyArray<JsonDocument.Document> = [
    {},
    { ok: true, data: {}, warnings: [], missing: undefined },
    {
      ok: true,
      data: { entries: texts.map((text, seq) => ({ seq, text, more: [seq, null, {}] })), text: texts.join("") }
    },
    { data: [[], [[1, [2]]], "x".repeat(100)], [`k\u202e${"y".repeat(40)}`]: "z" }
  ]

  it.each([2, 3, 7, 64, 100_000])("of %d characters is the document on one line", (size) => {
    for (const document of documents) {
      assert.strictEqual([...JsonDocument.pieces(document, size)].join(""), JsonDocument.print(document, false))
    }
  })

  it("has no large piece", () => {
    const text = "0123456 a line of output 😀\n".repeat(40_000)
    const entries = Array.from({ length: 400 }, (_, seq) => ({ seq, text: text.slice(seq * 100, seq * 100 + 100) }))
    for (const piece of JsonDocument.pieces({ data: { entries, text } }, most)) {
      // A slice of the text has at most twice as many characters with its escapes.
      assert.isAtMost(piece.length, 3 * most)
    }
  })
})

describe("slices of a text", () => {
  it("are whole characters and no longer than they may be", () => {
    const text = `a${"😀".repeat(10)}`
    const slices = [...JsonDocument.slices(text, 4)]
    assert.strictEqual(slices.join(""), text)
    for (const slice of slices) {
      assert.isAtMost(slice.length, 4)
      assert.isTrue(slice.isWellFormed())
    }
  })
})

describe("the pieces of a command", () => {
  const messages = (pieces: ReadonlyArray<CommandOutput>) =>
    LargeAnswer.stream(Effect.succeed(pieces)).pipe(
      Stream.chunks,
      Stream.map((chunk) => chunk.length),
      Stream.runCollect
    )
  const exit: CommandOutput = { _tag: "Exit", code: 0 }

  it.effect("are one message if they are small, else one each", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* messages([{ _tag: "Stdout", text: "a" }, { _tag: "Stderr", text: "b" }, exit]), [3])
      const large = LargeAnswer.divided("x".repeat(3 * most + 1))
      assert.lengthOf(large, 4)
      assert.strictEqual(textOf(large).length, 3 * most + 1)
      assert.deepStrictEqual(yield* messages([...large, exit]), [1, 1, 1, 1, 1])
    })
  )

  it.live.each(["--color never", "--json", "--json --pretty", "--raw"])("%s shows all of a large page", (option) =>
    Effect.gen(function* () {
      const text = "0123456 a line of output\n".repeat(20_000)
      const entry = { seq: 7, channel: "stdout", text, time: 1, stop: 1 }
      const page = { entries: [entry], text, next: 8, dropped: 0 }
      const shown = yield* run(["output", "--budget", "0", ...option.split(" ")], {
        reply: () => Effect.succeed(answer(page))
      })
      assert.strictEqual(shown.code, 0)
      if (option.includes("--json")) assert.strictEqual(JSON.parse(shown.stdout).data.text, text)
      else assert.include(shown.stdout, text)
    })
  )
})
