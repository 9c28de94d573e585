import { assert, describe, it } from "@effect/vitest"
import { type Client, OutputPage } from "@sigtrap/protocol"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { begin, call, code, fakeWith, over, settle } from "../../support.ts"

/** Runs a test with a program that runs until the test stops it. */
const running = <A, E>(
  test: (fake: ReturnType<typeof fakeWith>) => Effect.Effect<A, E, Client.Client | Scope.Scope>
) => {
  const fake = fakeWith({ pace: "on demand" })
  return over(fake, Effect.andThen(call.start({ wait: false }), Effect.andThen(settle, test(fake))))
}

describe("events", () => {
  it.effect("are listed in order, with output as sums", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        debuggee.write("ab")
        debuggee.write("cd\n")
        debuggee.write("e\n", "stderr")
        debuggee.exit({ exit_code: 3 })
        const { events } = (yield* call.events()).data
        assert.deepStrictEqual(
          events.slice(-3).map(({ kind, text }) => [kind, text]),
          [
            ["output", "5 bytes on stdout"],
            ["output", "2 bytes on stderr"],
            ["exited", "exit code 3"]
          ]
        )
        assert.strictEqual(events[0]?.kind, "starting")
        const ends = (yield* call.events({ kind: ["exited"] })).data.events
        assert.deepStrictEqual(
          ends.map(({ exit_code }) => exit_code),
          [3]
        )
      })
    )
  )

  it.effect("name the operation that resumed or started the program", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.next()
        yield* call.until("app.c:3")
        yield* call.restart()
        const { events } = (yield* call.events({ kind: ["starting", "resumed"] })).data
        assert.deepStrictEqual(
          events.map(({ kind, operation, reason, text }) => [kind, kind === "starting" ? "" : text, reason, operation]),
          [
            ["starting", "", undefined, undefined],
            ["resumed", "start", "start", undefined],
            ["resumed", "next", "next", undefined],
            ["resumed", "continue (until)", "continue", "until"],
            ["starting", "", undefined, "restart"],
            ["resumed", "start (restart)", "start", "restart"]
          ]
        )
      })
    )
  )

  it.effect("are paged without a gap", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        for (let i = 0; i < 6; i++) debuggee.write("x\n", i % 2 === 0 ? "stdout" : "stderr")
        const { events: all } = (yield* call.events()).data
        const seen: Array<number> = []
        let since = 0
        for (let page = 0; page < 20; page++) {
          const { events, next } = (yield* call.events({ since, limit: 2 })).data
          if (events.length === 0) break
          seen.push(...events.map(({ seq }) => seq))
          since = next
        }
        assert.deepStrictEqual(
          seen,
          all.map(({ seq }) => seq)
        )
      })
    )
  )

  it.effect("can be followed until one of a kind occurs", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        const { next } = (yield* call.events()).data
        const waiting = yield* begin(call.events({ since: next, follow: true, kind: ["exited"] }))
        debuggee.write("not this\n")
        yield* settle
        assert.isTrue(yield* waiting.pending)
        debuggee.exit({ exit_code: 0 })
        assert.deepStrictEqual(
          (yield* waiting.done).data.events.map(({ kind }) => kind),
          ["exited"]
        )
      })
    )
  )
})

describe("following output", () => {
  it.effect("before a cursor ends at once", () =>
    running(() =>
      Effect.gen(function* () {
        const { data } = yield* call.output({ before: 1, follow: true, timeout: "inf" })
        assert.strictEqual(data.text, "")
      })
    )
  )

  it.effect("answers as soon as there is new output", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        debuggee.write("old\n")
        const { next } = (yield* call.output()).data
        const waiting = yield* begin(call.output({ since: next, follow: true, channel: ["stderr"] }))
        debuggee.write("other channel\n")
        yield* settle
        assert.isTrue(yield* waiting.pending)
        debuggee.write("new\n", "stderr")
        assert.strictEqual((yield* waiting.done).data.text, "new\n")
      })
    )
  )

  it.effect("shows output once that arrives while a page is read", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        const first = yield* Effect.forkChild(call.output({ since: 0, follow: true }), { startImmediately: true })
        // The reader waits for its turn now.
        debuggee.write("early\n")
        const one = (yield* Fiber.join(first)).data
        debuggee.write("late\n")
        const two = (yield* call.output({ since: OutputPage.nextOf(one) })).data
        assert.strictEqual(one.text + two.text, "early\nlate\n")
      })
    )
  )

  it.effect("answers with no output at the timeout, and at once when the program has ended", () =>
    running((fake) =>
      Effect.gen(function* () {
        const { next } = (yield* call.output()).data
        const waiting = yield* begin(call.output({ since: next, follow: true, timeout: "2s" }))
        yield* TestClock.adjust("1999 millis")
        assert.isTrue(yield* waiting.pending)
        yield* TestClock.adjust("1 millis")
        assert.deepInclude((yield* waiting.done).data, { text: "", next })
        ;(yield* fake.newest).exit({ exit_code: 0 })
        yield* settle
        const ended = yield* call.output({ since: next, follow: true, timeout: "inf" })
        assert.deepStrictEqual([ended.state, ended.data.text], ["exited", ""])
      })
    )
  )
})

describe("output", () => {
  it.effect("is filtered by lines, also those that came in pieces", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        for (const text of ["one\ntw", "o\n", "three\n"]) debuggee.write(text)
        assert.strictEqual((yield* call.output({ match: "^two$|ee" })).data.text, "two\nthree\n")
        assert.strictEqual((yield* call.output({ match: "four" })).data.text, "")
        assert.strictEqual(yield* code(call.output({ match: "(" })), "USAGE")
        assert.strictEqual(yield* code(call.output({ match: "t(?!w)" })), "USAGE")
      })
    )
  )

  it.effect("is filtered in linear time, whatever the pattern", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        debuggee.write(`${"a".repeat(3000)}!
ab
`)
        // A backtracking engine needs 2^3000 steps.
        assert.strictEqual((yield* call.output({ match: "^((a+)+)+b$" })).data.text, "ab\n")
      })
    )
  )
})

describe("waiting for output", () => {
  it.effect("finds a match that arrives in pieces, in linear time, and ignores output before the newest resume", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        const waiting = yield* begin(call.wait({ for: "output:/^((a+)+)+ d.ne$/" }))
        for (let line = 0; line < 200; line++) debuggee.write(`${"a".repeat(1000)}!\n`)
        for (const piece of ["a", "aa", " do", "n"]) debuggee.write(piece)
        for (let turn = 0; turn < 50; turn++) yield* settle
        assert.isTrue(yield* waiting.pending)
        debuggee.write("e")
        assert.strictEqual((yield* waiting.done).state, "running")
      })
    )
  )

  it.effect("can be cleared; later output is kept, and numbers continue", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        debuggee.write("one\n")
        const first = (yield* call.output({ clear: true })).data
        assert.deepInclude(first, { text: "one\n", cleared: 1 })
        debuggee.write("two\n")
        const second = (yield* call.output()).data
        assert.deepInclude(second, { text: "two\n", dropped: 0 })
        assert.isAbove(second.next, first.next)
      })
    )
  )
})

describe("input", () => {
  it.effect("writes a line, or the text alone, and ends the input", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        assert.deepStrictEqual((yield* call.input({ text: "é" })).data, { bytes: 3, eof: false, pending: false })
        yield* call.input({ text: "b", newline: false, eof: true })
        assert.deepStrictEqual([debuggee.written, debuggee.inputClosed], ["é\nb", true])
      })
    )
  )

  it.effect("reports pending bytes when the program does not read", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        debuggee.reads = false
        const waiting = yield* begin(call.input({ text: "x", eof: true }))
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* waiting.done).data.pending)
        assert.isFalse(debuggee.inputClosed, "the end comes after the bytes")
      })
    )
  )

  it.effect("refuses a call without input, or with two inputs", () =>
    running(() =>
      Effect.gen(function* () {
        assert.strictEqual(yield* code(call.input()), "USAGE")
        assert.strictEqual(yield* code(call.input({ text: "a", file: "input" })), "USAGE")
      })
    )
  )

  it.effect("does not pass files of secrets and of the system to the program", () =>
    running(() =>
      Effect.gen(function* () {
        for (const file of ["/elsewhere/.ssh/id_rsa", "/src/.env", "/proc/1/environ", "/dev/mem"]) {
          const rule = /was not read: a file of this name may hold keys|was not read: it is a file of the system/
          assert.match((yield* Effect.flip(call.input({ file }))).message, rule)
          assert.match((yield* Effect.flip(call.memoryValues("&n", [], { file }))).message, rule)
        }
        assert.strictEqual((yield* call.output()).data.text, "")
      })
    )
  )

  it.effect("is searched for 100 ms of work; the cursor of a page, even of an empty one, continues the search", () =>
    running((fake) =>
      Effect.gen(function* () {
        const debuggee = yield* fake.newest
        const lines = Array.from(
          { length: 200 },
          (_, at) => `${"x".repeat(3000)}${at % 70 === 0 ? `found ${at}` : ""}\n`
        )
        for (const line of lines) debuggee.write(line)
        const clock = yield* Clock.Clock
        let nanos = 0n
        // Each reading of the time is 30 ms later.
        const slow = { ...clock, monotonicTimeNanosUnsafe: () => (nanos += 30_000_000n) }
        const read = (input: { readonly since: number | string } | { readonly before?: number | string }) =>
          Effect.map(
            Effect.provideService(call.output({ match: "found|(?:lost )+$", ...input }), Clock.Clock, slow),
            ({ data }) => data
          )
        const matching = lines.filter((line) => line.includes("found"))

        const forward = [yield* read({ since: 0 })]
        for (let page = forward[0]; page?.truncated === true; page = forward.at(-1)) {
          forward.push(yield* read({ since: OutputPage.nextOf(page) }))
        }
        assert.strictEqual(forward.map(({ text }) => text).join(""), matching.join(""))
        assert.isAbove(forward.length, 3)
        assert.isTrue(forward.some(({ text, truncated }) => text === "" && truncated === true))

        const backward = [yield* read({})]
        for (let page = backward[0]; page?.truncated === true; page = backward.at(-1)) {
          const before = OutputPage.previousOf(page)
          assert.isDefined(before)
          backward.push(yield* read(before === undefined ? {} : { before }))
        }
        assert.strictEqual(
          backward
            .toReversed()
            .map(({ text }) => text)
            .join(""),
          matching.join("")
        )
        assert.isAbove(backward.length, 3)
      })
    )
  )
})
