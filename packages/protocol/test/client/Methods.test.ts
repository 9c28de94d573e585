import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type Answer, type Client, type Errors, Methods, Operations } from "../../src/index.ts"

const who = { directory: "/home/user/project", environment: { PATH: "/bin" } }

const answer = (data: unknown, state: Answer.Answer<unknown>["state"] = "stopped"): Answer.Answer<unknown> => ({
  session: "app",
  state,
  data,
  warnings: [],
  truncated: []
})

/** A client that records its calls and takes its answers from a list. */
const recording = (answers: ReadonlyArray<Answer.Answer<unknown>> = []) => {
  const calls: Array<{ readonly tag: string; readonly payload: unknown }> = []
  const client: Client.Client["Service"] = {
    call: () => Effect.die("methods call operations by name"),
    callAny: (operation, payload) =>
      Effect.sync(() => {
        calls.push({ tag: operation._tag, payload })
        return answers[calls.length - 1] ?? answer({})
      })
  }
  return { calls, debug: Methods.make(client, who) }
}

/** Methods as a caller without types sees them. */
interface Unchecked {
  print(input?: object): Effect.Effect<unknown, Errors.SigtrapError>
  stop(input?: object): Effect.Effect<unknown, Errors.SigtrapError>
}

/** True if a method of this tag takes these arguments. */
type Takes<T extends Operations.Tag, A extends ReadonlyArray<unknown>> = A extends Methods.Arguments<T> ? true : false

/** Checked by the compiler: what a method takes. */
const takes: {
  readonly nothing: Takes<"stop", []>
  readonly noExpressions: Takes<"print", []>
  readonly expressions: Takes<"print", [{ readonly expressions: readonly ["n"] }]>
  readonly numberAsProgram: Takes<"start", [{ readonly program: 1 }]>
} = { nothing: true, noExpressions: false, expressions: true, numberAsProgram: false }

/** Returns what the words of a tag name. */
const methodOf = (debug: object, tag: string): unknown =>
  tag
    .split(".")
    .reduce((node: unknown, word): unknown => (node === undefined ? node : Reflect.get(Object(node), word)), debug)

describe("methods", () => {
  it("exist for every operation, by the words of its tag", () => {
    const { debug } = recording()
    const missing = Operations.all.map(({ _tag }) => _tag).filter((tag) => typeof methodOf(debug, tag) !== "function")
    assert.deepStrictEqual(missing, [])
  })

  it("do not collide with the members that are not operations", () => {
    assert.deepStrictEqual(
      ["call", "follow"].filter((name) => Operations.all.some(({ _tag }) => _tag.split(".")[0] === name)),
      []
    )
  })

  it.effect("take an input without the fields that have defaults, and fill in directory and environment", () =>
    Effect.gen(function* () {
      const { calls, debug } = recording()
      yield* debug.start({ program: "./app", break: ["main"] })
      assert.strictEqual(calls[0]?.tag, "start")
      assert.deepInclude(calls[0]?.payload, {
        program: "./app",
        break: ["main"],
        args: [],
        timeout: "30s",
        directory: who.directory,
        environment: who.environment
      })
    })
  )

  it("have types that say what is required", () => {
    assert.deepStrictEqual(Object.values(takes), [true, false, true, false])
  })

  it.effect("take no input if no field is required", () =>
    Effect.gen(function* () {
      const { calls, debug } = recording()
      yield* debug.stop()
      yield* debug.breakpoint.list({ session: undefined })
      yield* debug.catch.list()
      yield* debug.call("session.info", { session: "app" })
      assert.deepStrictEqual(
        calls.map(({ tag }) => tag),
        ["stop", "breakpoint.list", "catch.list", "session.info"]
      )
      assert.deepInclude(calls[0]?.payload, { names: [], all: false, directory: who.directory })
    })
  )

  it.effect("fail with Usage, which names each wrong field, before anything is called", () =>
    Effect.gen(function* () {
      const { calls, debug } = recording()
      const error = yield* Effect.flip(debug.print({ expressions: ["n"], frame: -1 }))
      assert.strictEqual(error._tag, "Usage")
      assert.include(error.message, "frame")
      const loose: Unchecked = debug
      const missing = yield* Effect.flip(loose.print())
      assert.include(missing.message, "expressions is missing")
      const unknown = yield* Effect.flip(loose.stop({ sessions: "app" }))
      assert.include(unknown.message, "no field sessions")
      assert.deepStrictEqual(calls, [])
    })
  )
})

describe("follow", () => {
  it.effect("reads output from the oldest entry to the end of the session", () =>
    Effect.gen(function* () {
      const page = (text: string, next: number) => ({ entries: text === "" ? [] : [{}], text, next, dropped: 0 })
      const { calls, debug } = recording([
        answer(page("one\n", 3), "running"),
        answer(page("", 3), "running"),
        answer(page("two\n", 5), "exited"),
        answer(page("", 5), "exited")
      ])
      const pages = yield* Stream.runCollect(debug.follow.output({ session: "app" }))
      assert.deepStrictEqual(
        [...pages].map(({ text }) => text),
        ["one\n", "two\n"]
      )
      assert.deepStrictEqual(
        calls.map(({ payload }) => Reflect.get(Object(payload), "since")),
        [0, 3, 3, 5]
      )
      assert.deepInclude(calls[0]?.payload, { follow: true, timeout: "inf", session: "app" })
    })
  )
})
