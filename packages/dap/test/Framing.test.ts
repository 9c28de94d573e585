import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Errors, Framing, type Message } from "../src/index.ts"
import { anyBytes, bytes, concat, cutBy, decode, event, sizes } from "./support.ts"

const text = Schema.Union([
  Schema.String,
  Schema.Literals(["é", "日本語", "🧵🧵", "a\r\n\r\nb", "Content-Length: 5\r\n\r\n", "\ud83e"])
])

const message = Schema.Union([
  Schema.Struct({ seq: Schema.Int, type: Schema.Literal("event"), event: text, body: text }),
  Schema.Struct({ type: Schema.Literal("request"), command: text, seq: Schema.Int, arguments: Schema.Array(text) }),
  Schema.Struct({ type: Schema.Literal("response"), request_seq: Schema.Int, success: Schema.Boolean, message: text })
])

const good = Framing.encode(event("good"))
const ascii = (raw: Uint8Array) => new TextDecoder("latin1").decode(raw)
const runs = { arbitrary: { runs: 1000 } }

describe("encode", () => {
  it("writes one header in the one spelling that every adapter reads", () => {
    assert.strictEqual(ascii(good), 'Content-Length: 31\r\n\r\n{"type":"event","event":"good"}')
  })

  it("counts bytes, not characters, whatever the size", () => {
    const texts = ["ä🧵", "grüße an alle", "x"].flatMap((text) =>
      [0, 1, 70, 700, 7_000, 20_000, 77_000, 700_000].map((length) => text.repeat(length))
    )
    for (const output of texts) {
      const encoded = Framing.encode(event("output", { output }))
      const end = ascii(encoded.subarray(0, 64)).indexOf("\r\n\r\n") + 4
      assert.strictEqual(ascii(encoded.subarray(0, end)), `Content-Length: ${encoded.length - end}\r\n\r\n`)
      assert.deepStrictEqual(decode([encoded]).messages, [event("output", { output })])
    }
  })

  it("returns bytes that do not change when the next message is encoded", () => {
    const first = Framing.encode(event("first"))
    Framing.encode(event("other"))
    assert.deepStrictEqual(decode([first]).messages, [event("first")])
  })
})

describe("any chunking", () => {
  it.prop(
    "decodes to the messages that were encoded",
    [Schema.Array(message), sizes],
    ([messages, plan]) => {
      const stream = concat(messages.map((item) => Framing.encode(item)))
      const expected = messages.map((item): unknown => JSON.parse(JSON.stringify(item)))
      assert.deepStrictEqual<unknown>(decode(cutBy(stream, plan)).messages, expected)
      assert.deepStrictEqual<unknown>(decode(cutBy(stream, [])).messages, expected)
      assert.deepStrictEqual<unknown>(decode([stream]).messages, expected)
    },
    runs
  )

  it("may split a character", () => {
    const stream = Framing.encode(event("output", "日🧵é"))
    for (let at = 1; at < stream.length; at++) {
      const { lossy, messages } = decode([stream.subarray(0, at), stream.subarray(at)])
      assert.deepStrictEqual([messages, lossy], [[event("output", "日🧵é")], [false]])
    }
  })

  const piece = Schema.Union([
    anyBytes,
    Schema.Literals([
      "Content-Length: ",
      "content-length:",
      "31\r\n\r\n",
      "\r\n\r\n",
      "0\r\n\r\n",
      "{}",
      '{"type":"event","event":"good"}',
      'Content-Length: 31\r\n\r\n{"type":"event","event":"good"}',
      "X: y\r\n",
      "99999999999\r\n\r\n",
      "\n"
    ])
  ])

  it.prop(
    "of any bytes has the same result and never throws",
    [Schema.Array(piece).check(Schema.isMaxLength(12)), sizes, Schema.Literals([0, 16, 4096])],
    ([pieces, plan, noise]) => {
      const stream = concat(pieces.map((part) => (typeof part === "string" ? bytes(part) : Uint8Array.from(part))))
      // The excerpt depends on the chunk, so it is not compared.
      const whole = { ...decode([stream], { noise }), excerpt: undefined }
      assert.deepStrictEqual({ ...decode(cutBy(stream, plan), { noise }), excerpt: undefined }, whole)
      assert.deepStrictEqual({ ...decode(cutBy(stream, []), { noise }), excerpt: undefined }, whole)
    },
    runs
  )
})

describe("the header grammar", () => {
  const body = '{"type":"event","event":"good"}'
  const accepts = (header: string) =>
    assert.deepStrictEqual(decode([bytes(`${header}\r\n\r\n${body}`)]).messages, [event("good")], header)
  const refuses = (header: string, reason: Errors.FramingReason) => {
    const result = decode([good, bytes(`${header}\r\n\r\n${body}`), good])
    assert.deepStrictEqual([result.failure, result.messages], [reason, [event("good")]], JSON.stringify(header))
  }

  it("accepts any case, spacing, order and other headers", () => {
    for (const header of [
      "Content-Length: 31",
      "content-length: 31",
      "CONTENT-LENGTH:31",
      "Content-Length: \t 31 \t",
      "Content-Length: 0000000000000000000000031",
      "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 31",
      "Content-Length: 31\r\nContent-Type: x",
      "Content-Length: 31\r\nX-Empty:",
      "Content-Length-Hint: 7\r\nContent-Length: 31",
      `X: ${"y".repeat(8_000)}\r\nContent-Length: 31`
    ]) {
      accepts(header)
    }
  })

  it("refuses every other length, stays failed, and keeps the messages before it", () => {
    const rows: ReadonlyArray<readonly [string, Errors.FramingReason]> = [
      ["Content-Length: 67108865", "tooLarge"],
      ["Content-Length: 99999999999999999999999999", "tooLarge"],
      ["Content-Length: -1", "negative"],
      ["Content-Length: -0", "negative"],
      ["Content-Length:", "empty"],
      ["Content-Length: \t ", "empty"],
      ["Content-Length: -", "notDecimal"],
      ["Content-Length: +31", "notDecimal"],
      ["Content-Length: 0x1f", "notDecimal"],
      ["Content-Length: 31.0", "notDecimal"],
      ["Content-Length: 3 1", "notDecimal"],
      ["Content-Length: 31, 31", "notDecimal"],
      ["Content-Length: ٣١", "notDecimal"],
      ["Content-Length: 31\r\nContent-Length: 31", "repeated"],
      ["Content-Length: 31\r\nX: y\r\ncontent-length: 32", "repeated"],
      ["Content-Type: x", "missing"],
      ["Content-Lengt: 31", "missing"],
      ["Content-Length 31", "notProtocol"],
      ["Content-Length : 31", "notProtocol"],
      ["Content-Length: 31\nX: y", "notProtocol"],
      ["Content-Length: 31\r\n folded", "notProtocol"],
      ["Content-Length: 31\rX: y", "notProtocol"],
      ["Content-Length: 3\u00001", "notProtocol"],
      [": 31", "notProtocol"],
      ["", "notProtocol"]
    ]
    for (const [header, reason] of rows) refuses(header, reason)
  })

  it("accepts a body of exactly 64 MiB", () => {
    const result = decode([bytes("Content-Length: 67108864\r\n\r\n{")])
    assert.deepStrictEqual([result.failure, result.ended], [undefined, "truncated"])
  })

  it("refuses a header block over 8 KiB and one that never ends", () => {
    assert.strictEqual(decode([bytes(`X: ${"y".repeat(9_000)}`)]).failure, "headerTooLong")
    assert.strictEqual(decode(cutBy(bytes("X: y\r\n".repeat(2_000)), [7])).failure, "headerTooLong")
    assert.deepStrictEqual(decode([bytes("X: y\r\n")]).ended, "truncated")
  })

  const token = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/))
  const value = Schema.String.check(Schema.isPattern(/^[ -~]{0,20}$/))

  it.prop(
    "accepts any other header around the length",
    [
      Schema.Array(Schema.Tuple([token, value])),
      Schema.Array(Schema.Tuple([token, value])),
      Schema.Literals(["", " ", "\t"])
    ],
    ([before, after, space]) => {
      const line = ([name, rest]: readonly [string, string]) => `X${name}:${rest}\r\n`
      const header = `${before.map(line).join("")}Content-Length:${space}31\r\n${after.map(line).join("")}`
      assert.deepStrictEqual(decode([bytes(`${header}\r\n${body}`)]).messages, [event("good")])
    },
    runs
  )

  it.prop(
    "refuses any length that is not decimal digits",
    [value],
    ([rest]) => {
      const result = decode([bytes(`Content-Length:${rest}\r\n\r\n`)])
      const decimal = /^[ \t]*[0-9]+[ \t]*$/.test(rest) && Number(rest) <= Framing.maxBody
      assert.strictEqual(result.failure === undefined, decimal)
    },
    runs
  )
})

describe("text that is not protocol", () => {
  it("fails at the first byte that is not allowed in a header, with an escaped excerpt", () => {
    const result = decode([bytes("Traceback (most recent call last):\n\tä\\\u0007")])
    assert.strictEqual(result.failure, "notProtocol")
    assert.strictEqual(result.excerpt, "Traceback (most recent call last):\\n\\t\\xc3\\xa4\\\\\\x07")
  })

  it("has an excerpt of at most 200 bytes", () => {
    assert.strictEqual(decode([bytes(`no protocol ${"x".repeat(1_000)}`)]).excerpt?.length, 200)
  })

  it("is skipped before the first header up to the limit", () => {
    const start = bytes("warning: old content\nContent-Type: x\r\ncon")
    const check = (noise: number, failure: string | undefined) => {
      for (const chunks of [[start, good, good], cutBy(concat([start, good, good]), [])]) {
        const result = decode(chunks, { noise })
        assert.deepStrictEqual([result.failure, result.messages.length], [failure, failure === undefined ? 2 : 0])
      }
    }
    check(start.length, undefined)
    check(4_096, undefined)
    check(start.length - 1, "notProtocol")
  })

  it("is never skipped between messages", () => {
    assert.strictEqual(decode([good, bytes("hello there"), good], { noise: 4_096 }).failure, "notProtocol")
  })

  it("is never skipped beyond 4 KiB", () => {
    const allowed = decode([bytes("x".repeat(4_096)), good], { noise: 1_000_000 })
    const refused = decode([bytes("x".repeat(4_097)), good], { noise: 1_000_000 })
    assert.deepStrictEqual([allowed.failure, refused.failure], [undefined, "notProtocol"])
  })

  it("without any header is a failure at the end", () => {
    const result = decode([bytes("cannot start")], { noise: 100 })
    assert.deepStrictEqual([result.failure, result.ended], [undefined, "notProtocol"])
  })
})

describe("several messages in one chunk", () => {
  const output = (text: string): Message.Event => ({ type: "event", event: "output", body: { output: text } })

  it("are the same, decoded together or one by one", () => {
    const texts = ["a", "b".repeat(300), "", "{}", "grüße", "c", "\ufeff", "d".repeat(70), "𝄞", "e"]
    for (const some of [texts, texts.filter((text) => !/[^\0-\x7f]/.test(text))]) {
      const frames = some.map((text) => Framing.encode(output(text)))
      const decoder = new Framing.Decoder()
      for (let round = 0; round < 20; round++) {
        const decoded = decoder.push(concat(frames))
        assert.deepStrictEqual(
          decoded.map(({ message }) => message),
          some.map(output)
        )
      }
      assert.strictEqual(decoder.lossy, 0)
    }
  })

  it("are decoded around one with invalid UTF-8, which is flagged", () => {
    const bad = Framing.encode(output("xx")).map((byte) => (byte === 120 ? 0xff : byte))
    const decoder = new Framing.Decoder()
    const decoded = decoder.push(concat([good, good, bad, good]))
    assert.deepStrictEqual(
      decoded.map(({ lossy }) => lossy),
      [false, false, true, false]
    )
  })

  it("end the stream with an excerpt of the third that is not a message", () => {
    const decoder = new Framing.Decoder()
    const bodies = ['{"type":"event","event":"a"}', "1", "22", "333", '{"type":"event","event":"b"}']
    const frames = bodies.map((body) => `Content-Length: ${body.length}\r\n\r\n${body}`).join("")
    assert.lengthOf(decoder.push(bytes(frames)), 1)
    assert.deepInclude(decoder.failure ?? {}, { reason: "badFrames", excerpt: "333" })
  })
})

describe("bodies", () => {
  const frame = (body: Uint8Array) => concat([bytes(`Content-Length: ${body.length}\r\n\r\n`), body])

  it("that are not UTF-8 are decoded with replacement characters, flagged and counted", () => {
    const broken = frame(concat([bytes('{"type":"event","event":"a'), Uint8Array.of(0xff, 0xfe), bytes('"}')]))
    const result = decode([good, broken, good])
    assert.deepStrictEqual(result.messages, [event("good"), event("a\ufffd\ufffd"), event("good")])
    assert.deepStrictEqual(
      [result.lossy, result.counters],
      [
        [false, true, false],
        [1, 0]
      ]
    )
  })

  it("that are not messages are skipped and counted; the third ends the stream", () => {
    for (const bad of [
      "",
      "nonsense",
      "[]",
      "null",
      "7",
      '"event"',
      "{}",
      '{"type":"event"}',
      '{"type":"x","event":"y"}'
    ]) {
      const one = frame(bytes(bad))
      const two = decode([concat([one, good, one, good])])
      assert.deepStrictEqual([two.messages.length, two.failure, two.counters], [2, undefined, [0, 2]], bad)
      const three = decode([concat([one, good, one, good, one, good])])
      assert.deepStrictEqual([three.messages.length, three.failure, three.counters], [2, "badFrames", [0, 3]], bad)
    }
  })

  it("of no bytes are complete with their header", () => {
    const empty = frame(new Uint8Array())
    assert.deepStrictEqual(decode([empty]).counters, [0, 1])
    assert.deepStrictEqual(decode(cutBy(empty, [])).counters, [0, 1])
    assert.deepStrictEqual([decode([empty]).ended, decode([empty, empty, empty]).failure], [undefined, "badFrames"])
  })

  it("need only the fields for routing", () => {
    const accepted: ReadonlyArray<Message.Message> = [
      { type: "event", event: "x" },
      { type: "response", request_seq: 0, success: false },
      { type: "request", command: "x" }
    ]
    for (const item of accepted) assert.deepStrictEqual(decode([frame(bytes(JSON.stringify(item)))]).messages, [item])
    const refused = [
      { type: "response", request_seq: "1", success: true },
      { type: "response", request_seq: 1 },
      { type: "request", command: 3 },
      { type: "event", event: "x", seq: "1" }
    ]
    for (const item of refused) assert.deepStrictEqual(decode([frame(bytes(JSON.stringify(item)))]).counters, [0, 1])
  })

  it("keep integers beyond 2^53 as the nearest number", () => {
    const body = bytes('{"type":"event","event":"x","body":18446744073709551611}')
    assert.deepStrictEqual(decode([frame(body)]).messages, [event("x", 2 ** 64)])
  })
})
