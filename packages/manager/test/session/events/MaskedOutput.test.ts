import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as OutputReader from "../../../src/operations/OutputReader.ts"
import * as Secrets from "../../../src/model/secrets/Secrets.ts"
import { Journal } from "../../../src/session/events/Journal.ts"
import { MaskedOutput } from "../../../src/session/events/MaskedOutput.ts"

const token = `ghp_${"a1B2c3D4".repeat(5)}`
const keyLines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7", "VJTUt9Us8cKjMzEfYyjiWA4R4xRkaGVsbG8="]
const text = `begin ünd\ntoken=${token}\n-----BEGIN PRIVATE KEY-----\n${keyLines.join("\n")}\n-----END PRIVATE KEY-----\nend 10:31:09\n`

/** A journal with these pieces on stdout, each after a line on stderr. */
const journalOf = (pieces: ReadonlyArray<string>) => {
  const journal = new Journal()
  for (const piece of pieces) {
    journal.append({ _tag: "Output", channel: "stderr", text: "noise\n" }, 0, 0)
    journal.append({ _tag: "Output", channel: "stdout", text: piece }, 0, 0)
  }
  return journal
}

const textAt = (source: Pick<Journal, "at">, seq: number): string => {
  const event = source.at(seq)?.event
  return event?._tag === "Output" ? event.text : ""
}

const all = (source: Pick<Journal, "at" | "next">) =>
  Array.from({ length: source.next - 1 }, (_, index) => textAt(source, index + 1))

/** Asserts that no eight characters in a row of a secret are shown. */
const hidden = (shown: string, what = "") => {
  for (const secret of [token, ...keyLines]) {
    for (let at = 0; at + 8 <= secret.length; at++) assert.notInclude(shown, secret.slice(at, at + 8), what)
  }
}

const size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))

describe("output", () => {
  it.prop("shows no part of a secret, however it is split, and keeps its size", [size, size, size], (sizes) => {
    const pieces: Array<string> = []
    for (let at = 0, turn = 0; at < text.length; turn++) {
      const length = sizes[turn % sizes.length] ?? 1
      pieces.push(text.slice(at, at + length))
      at += length
    }
    const journal = journalOf(pieces)
    const masked = new MaskedOutput(journal, Secrets.make(undefined))
    const shown = all(masked).filter((piece) => piece !== "noise\n")
    hidden(shown.join(""))
    assert.include(shown.join(""), "begin ünd\ntoken=")
    assert.include(shown.join(""), "\nend 10:31:09\n")
    assert.deepStrictEqual(
      shown.map((piece) => Buffer.byteLength(piece)),
      pieces.map((piece) => Buffer.byteLength(piece))
    )
    assert.strictEqual(shown.join("").split("\n").length, text.split("\n").length)
  })

  it("is masked while it arrives, and again when its rest has arrived", () => {
    const journal = new Journal()
    const masked = new MaskedOutput(journal, Secrets.make(undefined))
    for (const character of text) {
      const { seq } = journal.append({ _tag: "Output", channel: "stdout", text: character }, 0, 0)
      assert.strictEqual(Buffer.byteLength(textAt(masked, seq)), Buffer.byteLength(character))
      hidden(all(masked).join(""))
    }
  })

  it("is the journal's own if it has no secret, and if masking is off", () => {
    const journal = journalOf(["plain\n", `${token}\n`])
    const masked = new MaskedOutput(journal, Secrets.make(undefined))
    assert.strictEqual(masked.at(2), journal.at(2))
    assert.notStrictEqual(masked.at(4), journal.at(4))
    assert.isUndefined(masked.at(99))
    const open = new MaskedOutput(journal, Secrets.make({ "redact.enabled": "false" }))
    assert.strictEqual(open.at(4), journal.at(4))
  })

  const part = Schema.Literals(["plain line\n", "ünd ", `token=${token}\n`, `${"x".repeat(20_000)}\n`, text])
  // Not so short that a journal drops its oldest entries.
  const length = Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: 66_000 }))

  it.prop(
    "is masked in parts as the whole is masked at once",
    [Schema.Array(part).check(Schema.isMaxLength(30)), Schema.NonEmptyArray(length)],
    ([parts, lengths]) => {
      const whole = parts.join("")
      const pieces: Array<string> = []
      for (let at = 0, turn = 0; at < whole.length; turn++) {
        const next = at + (lengths[turn % lengths.length] ?? 1) * (turn % 3 === 0 ? 1 : 0.01)
        pieces.push(whole.slice(at, Math.ceil(next)))
        at = Math.ceil(next)
      }
      const secrets = Secrets.make(undefined)
      const masked = new MaskedOutput(journalOf(pieces), secrets)
      // The newest first, so that what an entry shows does not depend on what was read before.
      const shown = all(masked).map((_, index, { length: count }) => textAt(masked, count - index))
      const expected = secrets.inPieces(pieces).join("")
      const piecesShown = shown.toReversed().filter((piece) => piece !== "noise\n")
      assert.strictEqual(piecesShown.join(""), expected)
    },
    { arbitrary: { runs: 100 } }
  )

  it.effect("of 10 MiB is masked only where a page shows it", () =>
    Effect.gen(function* () {
      const journal = new Journal()
      for (let count = 0; count < 160; count++) {
        journal.append({ _tag: "Output", channel: "stdout", text: `${"line\n".repeat(13_000)}` }, 0, 0)
      }
      const secrets = Secrets.make(undefined)
      let searched = 0
      const counted: Secrets.Secrets = {
        ...secrets,
        inPieces: (pieces, before = "", after = "") => {
          searched += pieces.join("").length + before.length + after.length
          return secrets.inPieces(pieces, before, after)
        }
      }
      const pageAt = (backward: boolean, from: number, to: number) => {
        searched = 0
        return OutputReader.page(new MaskedOutput(journal, counted), {
          direction: { backward, lines: false },
          channels: ["stdout"],
          from: { seq: from, offset: 0 },
          to: { seq: to, offset: 0 },
          limit: 16_384,
          lines: undefined,
          pattern: undefined
        })
      }
      const last = yield* pageAt(true, 0, journal.next)
      assert.isAtMost(searched, 100_000)
      assert.strictEqual(last.earlier, 160 * 65_000 - Buffer.byteLength(last.text))
      yield* pageAt(false, 80, journal.next)
      assert.isAtMost(searched, 100_000)
      yield* pageAt(true, 0, 80)
      assert.isAtMost(searched, 100_000)
    })
  )
})
