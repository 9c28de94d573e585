import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { Pattern } from "@sigtrap/protocol"

const problemOf = (source: string) => Effect.map(Effect.flip(Pattern.compile(source)), ({ problem }) => problem)

/** Patterns whose time grows exponentially or as a power of the text's length in a backtracking engine. */
const explosive = [
  "((a+))+$",
  "(a|aa)+$",
  "(a*)*b",
  "(.*)(.*)(.*)x",
  "([a-z]+)*\\d$",
  "(?:a{0,30}){8}b",
  "(x+x+)+y",
  "^(a?){99}$"
]

describe("Pattern", () => {
  it.effect("has the meaning of JavaScript's patterns", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [source: string, flags: Pattern.Flags, text: string]> = [
        ["error|warning", "", "a warning"],
        ["^total=\\d+$", "", "total=60"],
        ["^b$", "m", "a\nb\nc"],
        ["^b$", "", "a\nb\nc"],
        ["HELLO", "i", "hello"],
        ["a.b", "", "a\nb"],
        ["a.b", "s", "a\nb"],
        ["\\bword\\b", "", "a word."],
        ["^.$", "", "😀"],
        ["\\u00e9|\\u{1F600}", "", "é"],
        ["(?<year>\\d{4})-[^\\]x]", "", "2026-y"],
        ["\\p{Lu}\\w*\\/\\x41", "", "Été Ab/A"],
        ["[(?=]\\(\\?!", "", "(?=(?!"],
        ["^$", "m", "a\n\nb"]
      ]
      for (const [source, flags, text] of cases) {
        const pattern = yield* Pattern.compile(source, flags)
        assert.strictEqual(pattern.test(text), new RegExp(source, `u${flags}`).test(text), `/${source}/${flags}`)
      }
    })
  )

  it.effect("answers for explosive patterns in a number of steps that grows with the text", () =>
    Effect.gen(function* () {
      // Backtracking needs 2^4000 steps for most of these, so this test would never end.
      for (const source of explosive) {
        const pattern = yield* Pattern.compile(source)
        assert.isBoolean(pattern.test(`${"a".repeat(4000)}!`), source)
      }
    })
  )

  it.effect("names a construct that it does not have", () =>
    Effect.gen(function* () {
      assert.include(yield* problemOf("(a)\\1"), "a backreference (\\1)")
      assert.include(yield* problemOf("(?<x>a)\\k<x>"), "a backreference (\\k<)")
      assert.include(yield* problemOf("a(?=b)"), "look-ahead ((?=)")
      assert.include(yield* problemOf("a(?!b)"), "look-ahead ((?!)")
      assert.include(yield* problemOf("(?<!a)b"), "look-behind ((?<!)")
      assert.include(yield* problemOf("(?<=a)b"), "look-behind ((?<=)")
      assert.include(yield* problemOf("("), "is not a regular expression")
    })
  )

  it.effect("refuses patterns over its limits", () =>
    Effect.gen(function* () {
      assert.include(yield* problemOf("x".repeat(1025)), "1025 characters; the limit is 1024")
      assert.include(yield* problemOf("(?:a{0,30}){30}"), "the limit is 512")
      assert.include(yield* problemOf("\\pL{511}"), "the limit is 512")
    })
  )

  it.effect("searches 4096 characters of a text", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("end")
      assert.isTrue(pattern.test(`${"x".repeat(4093)}end`))
      assert.isFalse(pattern.test(`${"x".repeat(4094)}end`))
    })
  )

  it.effect("searches fewer characters with a larger pattern, so that a search takes about 20 ms at most", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("\\pL{500}")
      assert.isAtMost(pattern.reach * pattern.steps, 2 * Pattern.limits.slice + Pattern.limits.steps * 100)
      assert.isAtMost(pattern.window, pattern.reach)
      assert.isTrue(pattern.test("a".repeat(2000)))
    })
  )

  it.effect("finds a match wherever the windows of a long text are cut", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("^begin.*\\n.*end$", "m")
      const filler = (length: number) => "some line of text\n".repeat(Math.ceil(length / 18)).slice(0, length - 1)
      for (const before of [0, 1, 16_000, 16_384, 49_152, 65_530, 65_536, 70_000, 200_000]) {
        const text = `${before === 0 ? "" : `${filler(before)}\n`}begin ${"b".repeat(500)}\n${"e".repeat(500)} end\n${filler(90_000)}`
        assert.isTrue(Pattern.findIn(pattern, text), String(before))
      }
      assert.isFalse(Pattern.findIn(pattern, filler(300_000)))
      const every = yield* Pattern.compile("x")
      assert.isTrue(Pattern.findIn(every, `${"y".repeat(150_000)}x`))
    })
  )

  it.effect("lets other fibers run while it filters many texts", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("\\pL{400}z", "i")
      const texts = Array.from({ length: 40 }, () => "a".repeat(500))
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      assert.deepStrictEqual(yield* Pattern.filter(pattern, texts, (text) => [text]), [])
      assert.isAtLeast(turns, 10)
      yield* Fiber.interrupt(other)
    })
  )

  it.effect("works on one of many searches in a turn of the loop", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("\\pL{400}z", "i")
      const texts = Array.from({ length: 10 }, () => "a".repeat(500))
      const state = { turn: 0 }
      const counting = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Effect.yieldNow, () => Effect.sync(() => state.turn++)))
      )
      const searchesOf = new Map<number, Set<number>>()
      const search = (number: number) =>
        Pattern.filter(pattern, texts, (text) => {
          searchesOf.set(state.turn, (searchesOf.get(state.turn) ?? new Set()).add(number))
          return [text]
        })
      yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], search, { concurrency: "unbounded" })
      yield* Fiber.interrupt(counting)
      // The counter and the searches run in any order within a turn, so two may have the same number.
      for (const searches of searchesOf.values()) assert.isAtMost(searches.size, 2)
      assert.isAtLeast(searchesOf.size, 20)
    })
  )

  it.effect("stops a search after 100 ms of work", () =>
    Effect.gen(function* () {
      const pattern = yield* Pattern.compile("\\pL{400}z", "i")
      let read = 0
      const texts = Array.from({ length: 1000 }, () => "a".repeat(500))
      const clock = yield* Clock.Clock
      let nanos = 0n
      // Each reading of the time is 30 ms later.
      const slow = { ...clock, monotonicTimeNanosUnsafe: () => (nanos += 30_000_000n) }
      const search = Pattern.filter(pattern, texts, (text) => {
        read += 1
        return [text]
      })
      const { problem } = yield* Effect.flip(Effect.provideService(search, Clock.Clock, slow))
      assert.include(problem, `was stopped after 100 ms, with ${read} of 1000 searched`)
      assert.isBelow(read, texts.length)
    })
  )
})
