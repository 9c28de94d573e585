// The stream of observers: every event once and in order, gaps that are counted, and no request to the debugger.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Feed, Snapshot } from "@sigtrap/protocol"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, fakeWith } from "../support.ts"
import { collect, observing } from "./sessionFeeds.ts"

describe("the stream of an observer", () => {
  it.effect("says who has control, also of sessions that it does not follow", () =>
    observing(
      Effect.gen(function* () {
        yield* call.start({ break: ["square"] })
        yield* call.take()
        const { end, lines, settle } = yield* collect({ sessions: true })
        yield* settle
        yield* call.release()
        yield* settle
        const holders = lines.flatMap((line) =>
          line.type === "hello"
            ? line.sessions.map(({ snapshot }) => snapshot.lease?.holder.id)
            : line.type === "session"
              ? [line.snapshot?.lease?.holder.id]
              : []
        )
        assert.deepStrictEqual(holders, ["library", undefined])
        yield* end
      })
    )
  )

  it.effect("greets, then sends every event once and in order, so that the state can be folded from them", () =>
    observing(
      Effect.gen(function* () {
        const { end, lines, settle } = yield* collect({
          sessions: true,
          follow: [{ session: "default", since: 1, output: 1 }]
        })
        yield* settle
        assert.deepStrictEqual(lines, [{ type: "hello", version: "1.2.3", sessions: [], requests: [] }])
        yield* call.start({ break: ["square"] })
        yield* settle
        yield* call.next()
        yield* call.continue()
        yield* settle
        const events = lines.flatMap((line) => (line.type === "event" ? [line] : []))
        const folded = events.reduce((snapshot, { event }) => Snapshot.fold(snapshot, event), Snapshot.initial)
        const { state, stop } = yield* call.status()
        assert.deepStrictEqual([folded.state, folded.stop], [state, stop ?? 0])
        const numbers = lines.flatMap((line) => (line.type === "event" || line.type === "output" ? [line.seq] : []))
        assert.deepStrictEqual(
          numbers,
          numbers.toSorted((a, b) => a - b)
        )
        assert.strictEqual(new Set(numbers).size, numbers.length)
        assert.include(
          events.map(({ event }) => event._tag),
          "Stopped"
        )
        assert.strictEqual(lines.filter(({ type }) => type === "session").length > 0, true)
        yield* end
      })
    )
  )

  it.effect("tells the hits of a stop with it, and its place once a call has read it", () => {
    const fake = FakeBackend.make()
    return observing(
      Effect.gen(function* () {
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 1 }] })
        yield* settle
        yield* call.start({ break: ["square"], context: "none" })
        yield* settle
        const events = () => lines.flatMap((line) => (line.type === "event" ? [line.event] : []))
        const stops = () => events().filter((event) => event._tag === "Stopped")
        const places = () => events().filter((event) => event._tag === "Located")
        assert.deepStrictEqual(
          stops().map(({ breakpoints, hit_counts }) => [breakpoints, hit_counts]),
          [[[1], [1]]]
        )
        const { requests } = yield* fake.newest
        const before = requests.length
        yield* settle
        assert.strictEqual(requests.length, before)
        const { data } = yield* call.context()
        yield* settle
        assert.deepStrictEqual(
          places().map(({ location, stop }) => [stop, location]),
          [[1, data.location]]
        )
        yield* call.continue()
        yield* settle
        const [past] = (yield* call.stops()).data.stops.slice(-1)
        assert.deepStrictEqual(stops().at(-1)?.hit_counts, past?.hit_counts)
        assert.deepStrictEqual(places().at(-1)?.location, past?.location)
        yield* end
      }),
      fake
    )
  })

  it.effect("sends how a session ended, then the one that takes its name, whole", () =>
    observing(
      Effect.gen(function* () {
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 1, output: 1 }] })
        yield* settle
        yield* call.start({ break: ["square"] })
        yield* settle
        yield* call.start({ break: ["square"], replace: true })
        yield* settle
        const ids = lines.flatMap((line) => (line.type === "session" && line.id !== undefined ? [line.id] : []))
        const [first = "", second = ""] = new Set(ids)
        assert.lengthOf([...new Set(ids)], 2)
        const at = lines.findIndex((line) => line.type === "session" && line.id === second)
        const tags = (of: ReadonlyArray<Feed.Line>) =>
          of.flatMap((line) => (line.type === "event" ? [line.event._tag] : []))
        assert.include(tags(lines.slice(0, at)), "Terminated")
        const numbers = lines.slice(at).flatMap((line) => (line.type === "event" ? [line.seq] : []))
        assert.deepStrictEqual(tags(lines.slice(at)).slice(0, 1), ["Starting"])
        assert.strictEqual(numbers[0], 1)
        yield* end
        // A client that was away continues the session that it knows, and gets another one whole.
        const next = numbers.length
        const follow = [{ session: "default", since: next, output: next }]
        for (const [id, from] of [
          [second, next],
          [first, 1]
        ] as const) {
          const late = yield* collect({ follow: follow.map((one) => ({ ...one, id })) })
          yield* late.settle
          yield* late.end
          assert.strictEqual(late.lines.find((line) => line.type === "event")?.seq, from)
        }
      })
    )
  )

  it.effect("keeps the identity of a session that is renamed or restarted", () =>
    observing(
      Effect.gen(function* () {
        const { end, lines, settle } = yield* collect({ sessions: true })
        yield* call.start({ break: ["square"] })
        yield* settle
        yield* call.rename("default", "fresh")
        yield* call.restart({ session: "fresh" })
        yield* settle
        const ids = lines.flatMap((line) => (line.type === "session" && line.id !== undefined ? [line.id] : []))
        assert.lengthOf([...new Set(ids)], 1)
        yield* end
      })
    )
  )

  it.effect("sends the start and the stop of a step at once, and gathers what follows", () =>
    observing(
      Effect.gen(function* () {
        yield* call.start({ break: ["square"] })
        const feed = yield* Feed.Feed
        const sends: Array<ReadonlyArray<string>> = []
        const fiber = yield* Effect.forkChild(
          Stream.runForEachArray(feed.lines({ follow: [{ session: "default" }] }), (lines) =>
            Effect.sync(() => sends.push(lines.map((line) => (line.type === "event" ? line.event._tag : line.type))))
          ),
          { startImmediately: true }
        )
        const pass = (millis: number) =>
          Effect.andThen(
            Effect.repeat(Effect.yieldNow, { times: 50 }),
            Effect.andThen(TestClock.adjust(millis), Effect.repeat(Effect.yieldNow, { times: 50 }))
          )
        yield* pass(1000)
        sends.length = 0
        // Three steps, each a little after the events of the one before were sent.
        const counts: Array<number> = []
        for (const _ of [1, 2, 3]) {
          yield* call.next()
          yield* pass(5)
          counts.push(sends.length)
        }
        assert.deepStrictEqual(counts, [1, 2, 2])
        yield* pass(45)
        assert.strictEqual(sends.length, 3)
        yield* Fiber.interrupt(fiber)
      })
    )
  )

  it.effect("continues at a number, and counts what is no longer kept", () =>
    observing(
      Effect.gen(function* () {
        yield* call.start({ break: ["square"] })
        yield* call.next()
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 4 }] })
        yield* settle
        const first = lines.find((line) => line.type === "event")
        assert.strictEqual(first?.type === "event" ? first.seq : 0, 4)
        yield* end
      })
    )
  )

  it.effect("says how much output is no longer kept, once, also to a reader that is slow", () => {
    const fake = fakeWith({ pace: "on demand" })
    return observing(
      Effect.gen(function* () {
        yield* call.start({ wait: false, settings: { "output.max_bytes": "1KiB" } })
        const debuggee = yield* fake.newest
        let written = 0
        const write = (count: number) => {
          for (let line = 0; line < count; line++) {
            const text = `line ${written} of the “program”\n`
            written += new TextEncoder().encode(text).length
            debuggee.write(text)
          }
          debuggee.write("words of the debugger\n", "console")
        }
        const told = (lines: ReadonlyArray<Feed.Line>) =>
          lines.reduce(
            (sum, line) =>
              line.type === "gap"
                ? sum + (line.bytes ?? Number.NaN)
                : line.type === "output" && line.channel === "stdout"
                  ? sum + new TextEncoder().encode(line.text).length
                  : sum,
            0
          )
        write(200)
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 0, output: 0 }] })
        yield* settle
        assert.strictEqual(told(lines), written)
        // The reader gathers for some milliseconds, in which more is written than is kept, with other events between.
        for (const count of [1, 300, 2, 500]) {
          write(count)
          yield* call.break("square")
          write(count)
          yield* settle
        }
        assert.strictEqual(told(lines), written)
        const counted = lines.filter((line) => line.type === "gap").length
        assert.isAtLeast(counted, 3)
        const next = lines.reduce((last, line) => ("seq" in line ? line.seq + 1 : last), 0)
        yield* end
        // Of what a client that was away had seen nothing is known.
        write(300)
        const late = yield* collect({ follow: [{ session: "default", since: next, output: next }] })
        yield* late.settle
        yield* late.end
        const gap = late.lines.find((line) => line.type === "gap")
        assert.isDefined(gap)
        assert.notProperty(gap, "bytes")
      }),
      fake
    )
  })

  it.effect("asks the debugger nothing, and keeps no session alive", () => {
    const fake = FakeBackend.make()
    return observing(
      Effect.gen(function* () {
        yield* call.start({ break: ["square"], ttl: "10m" })
        const debuggee = yield* fake.newest
        const before = debuggee.requests.length
        const { end, lines, settle } = yield* collect({ sessions: true, follow: [{ session: "default", since: 1 }] })
        yield* settle
        assert.strictEqual(debuggee.requests.length, before)
        for (let minute = 0; minute < 11; minute++) yield* TestClock.adjust("1 minute")
        yield* settle
        assert.strictEqual((yield* call.status()).state, "none")
        assert.isTrue(lines.some((line) => line.type === "beat"))
        const [ended, gone] = lines.filter((line) => line.type === "session").slice(-2)
        assert.isUndefined(gone?.snapshot)
        // How it ended is sent before, with its event.
        assert.strictEqual(ended?.snapshot?.state, "terminated")
        const terminated = lines.find((line) => line.type === "event" && line.event._tag === "Terminated")
        assert.isDefined(terminated)
        // No client ended it.
        assert.notProperty(terminated, "actor")
        yield* end
      }),
      fake
    )
  })

  it.effect("beats after 10 seconds without a line, or after the time that the request names", () =>
    observing(
      Effect.gen(function* () {
        const beats = (lines: ReadonlyArray<Feed.Line>) => lines.filter(({ type }) => type === "beat").length
        const plain = yield* collect({ sessions: true })
        const quick = yield* collect({ sessions: true, beat: 2 })
        yield* quick.settle
        for (let second = 0; second < 9; second++) yield* TestClock.adjust("1 second")
        yield* quick.settle
        assert.deepStrictEqual([beats(plain.lines), beats(quick.lines)], [0, 4])
        yield* TestClock.adjust("1 second")
        yield* quick.settle
        assert.deepStrictEqual([beats(plain.lines), beats(quick.lines)], [1, 5])
        yield* plain.end
        yield* quick.end
      })
    )
  )

  it.effect("needs the tier observe", () =>
    observing(
      Effect.gen(function* () {
        const feed = yield* Feed.Feed
        const none = { actor: { kind: "http" as const }, allowance: { effects: [], destructive: false, uses: [] } }
        const error = yield* Effect.flip(Stream.runDrain(Stream.provideService(feed.lines({}), Caller.Current, none)))
        assert.strictEqual(error._tag, "TierRequired")
      })
    )
  )
})
