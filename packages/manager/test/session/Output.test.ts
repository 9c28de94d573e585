import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { IntentStore } from "../../src/index.ts"
import { call, fakeWith, over } from "../support.ts"

/** Runs a test with a program that runs until the test stops it. */
const running = <A, E, R>(
  test: (write: (text: string, channel?: "stdout" | "stderr" | "console") => void) => Effect.Effect<A, E, R>
) => {
  const fake = fakeWith({ pace: "on demand" })
  return {
    fake,
    run: Effect.gen(function* () {
      yield* call.start({ wait: false })
      const debuggee = yield* fake.newest
      return yield* test((text, channel) => debuggee.write(text, channel))
    })
  }
}

describe("output", () => {
  it.effect("can be read by several readers independently", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        write("one\n")
        const first = (yield* call.output()).data
        assert.strictEqual(first.text, "one\n")
        write("two\n", "stderr")
        const second = (yield* call.output({ since: first.next })).data
        assert.deepStrictEqual(
          second.entries.map(({ channel, text }) => [channel, text]),
          [["stderr", "two\n"]]
        )
        assert.strictEqual((yield* call.output()).data.text, "one\ntwo\n")
        assert.deepInclude((yield* call.output({ since: second.next })).data, {
          text: "",
          dropped: 0,
          next: second.next
        })
      })
    )
    return over(fake, run)
  })

  it.effect("has separate channels; the debugger's console is included only on request", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        write("out\n")
        write("err\n", "stderr")
        write("talk\n", "console")
        assert.strictEqual((yield* call.output()).data.text, "out\nerr\n")
        assert.strictEqual((yield* call.output({ channel: ["stdout"] })).data.text, "out\n")
        assert.strictEqual((yield* call.output({ channel: ["console"] })).data.text, "talk\n")
        assert.deepInclude((yield* call.context()).data.output, { bytes: 8 })
      })
    )
    return over(fake, run)
  })

  it.effect("counts the entries that were dropped", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        const { next } = (yield* call.output()).data
        for (let i = 0; i < 10_500; i++) write(`${i}\n`)
        const { dropped, entries, next: end, truncated } = (yield* call.output({ since: next })).data
        assert.deepStrictEqual([dropped, entries.length, truncated], [500, 1000, true])
        assert.strictEqual(end, next + 1500)
        assert.strictEqual(entries[0]?.text, "500\n")
        const newest = (yield* call.output()).data
        assert.deepStrictEqual([newest.text.split("\n").at(-2), newest.next], ["10499", next + 10_500])
      })
    )
    return over(fake, run)
  })

  it.effect("is kept up to 10 MiB", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        const { next } = (yield* call.output()).data
        for (let i = 0; i < 12; i++) write("x".repeat(1024 * 1024))
        // Output is kept in pieces of 64 KiB.
        const { dropped, text } = (yield* call.output({ since: next, limit: 1_048_576 })).data
        assert.deepStrictEqual([dropped, text.length], [32, 1024 * 1024])
        assert.strictEqual((yield* call.output()).data.earlier, 10 * 1024 * 1024 - 65_536)
      })
    )
    return over(fake, run)
  })

  it.effect("is limited to its last lines", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        write("one\ntwo\nthr")
        write("ee\n")
        assert.strictEqual((yield* call.output({ tail: 2 })).data.text, "two\nthree\n")
        write("four")
        assert.strictEqual((yield* call.output({ tail: 2 })).data.text, "three\nfour")
        assert.strictEqual((yield* call.output({ tail: 100 })).data.text, "one\ntwo\nthree\nfour")
      })
    )
    return over(fake, run)
  })

  it.effect("is counted in one report only", () => {
    const { fake, run } = running((write) =>
      Effect.gen(function* () {
        write("é\nlast line")
        const { data } = yield* call.context()
        assert.deepInclude(data.output, { bytes: 12, tail: "last line" })
        assert.deepStrictEqual(
          data.recent_output.map(({ text }) => text),
          ["é\nlast line"]
        )
        const again = (yield* call.context()).data
        assert.strictEqual(again.output?.bytes, 0)
        assert.isUndefined(again.output?.tail)
        assert.strictEqual((yield* call.output({ since: data.output?.next ?? 0 })).data.text, "")
        const long = "x".repeat(150)
        write(`\n${long}`)
        assert.strictEqual((yield* call.context()).data.output?.tail, long)
        write(`😀${long}`)
        assert.strictEqual((yield* call.context()).data.output?.tail, `…${"x".repeat(47)}😀${long}`)
        write(`\n${"y".repeat(48)}😀${long}`)
        assert.strictEqual((yield* call.context()).data.output?.tail, `${"y".repeat(48)}😀${long}`)
        write(`\nyy😀${long}${"z".repeat(48)}`)
        assert.strictEqual((yield* call.context()).data.output?.tail, `…${long}${"z".repeat(48)}`)
      })
    )
    return over(fake, run)
  })
})

it.effect("that is cleared is cleared in the stored events too", () => {
  const fake = fakeWith({ pace: "on demand" })
  let stored: ReadonlyArray<IntentStore.StoredEvent> = []
  const record: IntentStore.Record = {
    ...IntentStore.none,
    appendEvents: (events) => {
      stored = [...stored, ...events]
      return true
    },
    clearEvents: () => {
      stored = []
    }
  }
  const store = Layer.succeed(IntentStore.IntentStore, {
    create: () => record,
    open: () => record,
    lost: Effect.succeed([]),
    unreadable: Effect.succeed([]),
    environment: {},
    salt: () => "",
    digest: () => ""
  })
  const outputs = () => stored.filter(({ event }) => event._tag === "Output").length
  return over(
    fake,
    Effect.gen(function* () {
      yield* call.start({ wait: false })
      const debuggee = yield* fake.newest
      debuggee.write("secret\n")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(outputs(), 1)
      yield* call.output({ clear: true })
      assert.strictEqual(outputs(), 0)
      assert.isAbove(stored.length, 0, "other events remain")
    }),
    undefined,
    store
  )
})
