import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { type Connection, StreamReader } from "../../src/connection/StreamReader.ts"

const beat = new TextEncoder().encode('{"type":"beat"}\n')

/** Answers each request with a stream that has one line if `lines` says so, and then nothing; or never. */
const servers = (lines: (request: number) => boolean) => {
  let requests = 0
  vi.stubGlobal("fetch", (_path: string, { signal }: RequestInit) => {
    requests += 1
    const speaks = lines(requests)
    return new Promise<Response>((resolve, reject) => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(beat)
          signal?.addEventListener("abort", () => controller.error(new Error("aborted")))
        }
      })
      signal?.addEventListener("abort", () => reject(new Error("aborted")))
      if (speaks) resolve(new Response(body))
    })
  })
  return () => requests
}

const readerOf = () => {
  const told: Array<Connection> = []
  const reader = new StreamReader("token", {
    onLine: () => {},
    onConnection: (connection) => told.push(connection),
    onRefused: () => {}
  })
  reader.start(new Map())
  return { reader, told }
}

describe("a stream without lines", () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("is a server that does not answer once a second one has no line either, since the last line", async () => {
    vi.useFakeTimers({ now: 1000 })
    const requests = servers((request) => request === 1)
    const { reader, told } = readerOf()
    await vi.advanceTimersByTimeAsync(4900)
    assert.strictEqual(requests(), 1)
    await vi.advanceTimersByTimeAsync(200)
    assert.strictEqual(requests(), 2)
    assert.deepStrictEqual(told, [{ state: "open" }])
    await vi.advanceTimersByTimeAsync(500)
    assert.deepStrictEqual(told.at(-1), { state: "lost", since: 1000, again: 6500, silent: true })
    await vi.advanceTimersByTimeAsync(4500)
    assert.deepStrictEqual(told.at(-1), { state: "lost", since: 1000, again: 11_250, silent: true })
    reader.stop()
  })

  it("is a lost connection when the server that does not answer is gone", async () => {
    vi.useFakeTimers({ now: 1000 })
    servers((request) => {
      if (request < 3) return request === 1
      throw new TypeError("Failed to fetch")
    })
    const { reader, told } = readerOf()
    await vi.advanceTimersByTimeAsync(10_300)
    assert.deepStrictEqual(told.at(-1), { state: "lost", since: 1000, again: 12_250 })
    reader.stop()
  })

  it("is replaced without a word when the next one has lines, as after the machine slept", async () => {
    vi.useFakeTimers({ now: 1000 })
    const requests = servers(() => true)
    const { reader, told } = readerOf()
    await vi.advanceTimersByTimeAsync(14_000)
    assert.strictEqual(requests(), 3)
    assert.isFalse(told.some(({ state }) => state === "lost"))
    reader.stop()
  })
})
