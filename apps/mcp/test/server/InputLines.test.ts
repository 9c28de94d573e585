// Lines of standard input: each message reaches the server, and a line that is none is answered alone.
import { assert, describe, it } from "@effect/vitest"
import { InputLines } from "../../src/server/InputLines.ts"
import { SubscriptionLimit } from "../../src/server/SubscriptionLimit.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const ping = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`
const message = (text: string) => ({ _tag: "Message", text, message: JSON.parse(text) }) as const
const errorOf = ({ text }: { readonly text: string }) => {
  const { error, id } = JSON.parse(text)
  return [id, error.code]
}

describe("a line of standard input", () => {
  it("that is not JSON is answered, and the messages that came with it are not lost", () => {
    for (const wrong of ["[".repeat(50_000), "\u0000", "{", "\ufffd"]) {
      const [first, second, third, ...more] = new InputLines().take(bytes(`${ping(1)}${wrong}\n${ping(2)}`))
      assert.deepStrictEqual(first, message(ping(1)))
      assert.deepStrictEqual(errorOf(second ?? { text: "" }), [null, -32700])
      assert.deepStrictEqual(third, message(ping(2)))
      assert.deepStrictEqual(more, [])
    }
  })

  it("that is not a message, or has an id that is neither a text nor a number, is answered without an id", () => {
    const request = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
    for (const wrong of ["null", "1", '"x"', "true", ...["null", "true", "{}", "[]", "1e400"].map(request)]) {
      const [line, ...more] = new InputLines().take(bytes(`${wrong}\n`))
      assert.deepStrictEqual(errorOf(line ?? { text: "" }), [null, -32600], wrong)
      assert.deepStrictEqual(more, [])
    }
    for (const right of [request('"a"'), request("-1"), request("0"), '{"jsonrpc":"2.0","method":"a"}', "[]"]) {
      assert.deepStrictEqual(new InputLines().take(bytes(`${right}\n`)), [message(`${right}\n`)], right)
    }
  })

  it("with too many levels is answered by its id", () => {
    const nested = (levels: number) => `{"id":7,"params":${"[".repeat(levels)}${"]".repeat(levels)}}\n`
    assert.deepStrictEqual(new InputLines().take(bytes(nested(255))), [message(nested(255))])
    const [line, ...more] = new InputLines().take(bytes(nested(256)))
    assert.deepStrictEqual(errorOf(line ?? { text: "" }), [7, -32600])
    assert.deepStrictEqual(more, [])
    const quoted = `{"id":1,"x":"${'[\\"'.repeat(1000)}"}\n`
    assert.deepStrictEqual(new InputLines().take(bytes(quoted)), [message(quoted)])
  })

  it("with a URI that is too long is answered by its id", () => {
    const subscription = (length: number) =>
      `{"jsonrpc":"2.0","id":7,"method":"resources/subscribe","params":{"uri":"${"x".repeat(length)}"}}\n`
    assert.deepStrictEqual(new InputLines().take(bytes(subscription(8192))), [message(subscription(8192))])
    const [line, ...more] = new InputLines().take(bytes(subscription(8193)))
    assert.deepStrictEqual(errorOf(line ?? { text: "" }), [7, -32602])
    assert.deepStrictEqual(more, [])
  })

  it("that subscribes to too many resources is refused until others end", () => {
    const lines = new InputLines(1000, new SubscriptionLimit(3))
    const send = (method: string, params: object, id = 1) => {
      const [line] = lines.take(bytes(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`))
      return line?._tag === "Answer" ? errorOf(line) : "passed"
    }
    const listen = (uris: ReadonlyArray<string>, id: number) =>
      send("subscriptions/listen", { notifications: { resourceSubscriptions: uris } }, id)
    for (const uri of ["a", "b", "b"]) assert.strictEqual(send("resources/subscribe", { uri }), "passed")
    assert.deepStrictEqual(listen(["c", "d"], 5), [5, -32602])
    assert.strictEqual(listen(["c"], 6), "passed")
    assert.deepStrictEqual(send("resources/subscribe", { uri: "e" }, 7), [7, -32602])
    assert.strictEqual(send("resources/subscribe", { uri: "a" }), "passed")
    assert.strictEqual(send("notifications/cancelled", { requestId: 6 }), "passed")
    assert.strictEqual(send("resources/subscribe", { uri: "e" }), "passed")
    assert.deepStrictEqual(send("resources/subscribe", { uri: "f" }), [1, -32602])
    assert.strictEqual(send("resources/unsubscribe", { uri: "a" }), "passed")
    assert.strictEqual(send("resources/subscribe", { uri: "f" }), "passed")
  })

  it("that listens for the 101st time is refused until another request is cancelled", () => {
    const lines = new InputLines()
    const send = (message: object) => {
      const [line] = lines.take(bytes(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
      return line?._tag === "Answer" ? errorOf(line) : "passed"
    }
    const listen = (id: number) => send({ id, method: "subscriptions/listen", params: { notifications: {} } })
    for (let id = 1; id <= 100; id += 1) assert.strictEqual(listen(id), "passed")
    assert.deepStrictEqual(listen(101), [101, -32602])
    send({ method: "notifications/cancelled", params: { requestId: 7 } })
    assert.strictEqual(listen(102), "passed")
    assert.deepStrictEqual(listen(103), [103, -32602])
  })

  it("that is too long is answered at its end, and is not kept", () => {
    const lines = new InputLines(100)
    for (let count = 0; count < 50; count += 1) assert.deepStrictEqual(lines.take(bytes("x".repeat(90))), [])
    const [line, next, ...more] = lines.take(bytes(`\n${ping(1)}`))
    assert.deepStrictEqual(errorOf(line ?? { text: "" }), [null, -32600])
    assert.deepStrictEqual(next, message(ping(1)))
    assert.deepStrictEqual(more, [])
  })

  it("may come in pieces that end inside of a character", () => {
    const text = `{"id":1,"x":"é😀"}\n`
    const lines = new InputLines()
    const found = [...bytes(text)].flatMap((byte) => lines.take(Uint8Array.of(byte)))
    assert.deepStrictEqual(found, [message(text)])
    assert.deepStrictEqual(lines.take(bytes("\n  \n")), [])
  })
})
