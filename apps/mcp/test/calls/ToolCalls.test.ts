import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Fiber } from "effect"
import { McpSchema } from "effect/ai"
import { Caller, Errors, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import { connect, noSession, structured, text } from "./toolClient.ts"

describe("a call", () => {
  it.effect("returns the envelope without absent fields", () =>
    Effect.gen(function* () {
      const recorder = Recorder.make(() => Effect.succeed(Recorder.answer({ sessions: [] })))
      for (const version of ["2025-11-25", "2026-07-28"] as const) {
        const client = yield* connect(recorder, version)
        const result = yield* client.callTool({ name: "sessions", arguments: {} })
        assert.notStrictEqual(result.isError, true)
        assert.deepStrictEqual(structured(result), {
          state: "none",
          data: { sessions: [] }
        })
      }
    })
  )

  it.effect("sets directory and environment and refuses them as input", () =>
    Effect.gen(function* () {
      const recorder = noSession()
      const client = yield* connect(recorder)
      yield* client.callTool({ name: "break", arguments: { at: "app.c:14" } })
      const [only] = recorder.calls
      assert.deepInclude(only?.payload, { at: "app.c:14", pending: false, snap: "on", directory: "/src/here" })
      const refused = yield* client.callTool({ name: "break", arguments: { at: "app.c:14", directory: "/etc" } })
      assert.strictEqual(structured(refused).error.code, "USAGE")
      assert.lengthOf(recorder.calls, 1)
    })
  )

  it.effect("converts numbers, text and booleans into each other", () =>
    Effect.gen(function* () {
      const recorder = noSession()
      const client = yield* connect(recorder)
      yield* client.callTool({ name: "continue", arguments: { count: "3", timeout: 5, wait: "false" } })
      yield* client.callTool({ name: "breakpoint_remove", arguments: { ids: ["1", 2] } })
      yield* client.callTool({ name: "print", arguments: { expressions: [42] } })
      assert.deepInclude(recorder.calls[0]?.payload, { count: 3, timeout: "5", wait: false })
      assert.deepInclude(recorder.calls[1]?.payload, { ids: ["1", 2] })
      assert.deepInclude(recorder.calls[2]?.payload, { expressions: ["42"] })
    })
  )

  const refusals: ReadonlyArray<readonly [name: string, input: object, expected: string, hint?: string]> = [
    ["core", {}, "file is missing"],
    ["continue", { count: "many" }, "count: Expected"],
    ["continue", { count: 0 }, "count: "],
    ["continue", { timeout: "soon" }, "timeout: write a duration as 30s, 500ms, 2m or 1h"],
    ["status", { verbose: true }, "no field verbose; there are: capabilities, session"],
    ["sessions", { all: true }, "no field all; there are none"]
  ]
  for (const [name, input, expected, hint = `see the fields of ${name}`] of refusals) {
    it.effect(`${name} ${JSON.stringify(input)} is refused before the operation is called`, () =>
      Effect.gen(function* () {
        const recorder = noSession()
        const client = yield* connect(recorder)
        const result = yield* client.callTool({ name, arguments: { ...input } })
        assert.strictEqual(result.isError, true)
        assert.strictEqual(structured(result).error.code, "USAGE")
        assert.include(structured(result).error.message, expected)
        assert.strictEqual(structured(result).error.hint, hint)
        assert.lengthOf(recorder.calls, 0)
      })
    )
  }

  it.effect("that fails has a code, a message and a hint that names a tool", () =>
    Effect.gen(function* () {
      const failure = new Errors.BreakpointUnresolved({
        state: "stopped",
        location: "a.c:3",
        reason: "no such file",
        near: ["b.c:3"]
      })
      const client = yield* connect(Recorder.make(() => Effect.fail(failure)))
      const result = yield* client.callTool({ name: "break", arguments: { at: "a.c:3" } })
      assert.strictEqual(result.isError, true)
      assert.deepStrictEqual(structured(result).error, {
        code: "BREAKPOINT_UNRESOLVED",
        message: failure.message,
        hint: 'call break with {"at":"a.c:3","pending":true}',
        hints: [
          {
            operation: "break",
            input: { at: "a.c:3", pending: true },
            text: 'call break with {"at":"a.c:3","pending":true}'
          }
        ],
        details: { location: "a.c:3", reason: "no such file", near: ["b.c:3"] }
      })
      assert.match(text(result), /^error \[BREAKPOINT_UNRESOLVED\]\n/)
    })
  )

  it.effect("that still runs at the timeout has a code and is not an error", () =>
    Effect.gen(function* () {
      const failure = new Errors.WaitTimeout({ waited_ms: 30_000, output_bytes: 3, output_tail: "abc" })
      const client = yield* connect(Recorder.make(() => Effect.fail(failure)))
      const result = yield* client.callTool({ name: "continue", arguments: {} })
      assert.notStrictEqual(result.isError, true)
      assert.strictEqual(structured(result).error.code, "WAIT_TIMEOUT")
      assert.deepStrictEqual(structured(result).data, {
        event: "running",
        running: true,
        waited_ms: 30_000,
        output: { bytes: 3, tail: "abc" }
      })
    })
  )

  it.effect("that dies is INTERNAL and does not show the defect", () =>
    Effect.gen(function* () {
      const client = yield* connect(Recorder.make(() => Effect.die(new Error("secret detail"))))
      const result = yield* client.callTool({ name: "status", arguments: {} })
      assert.strictEqual(structured(result).error.code, "INTERNAL")
      assert.notInclude(JSON.stringify(result), "secret detail")
    })
  )

  it.effect("that is cancelled is interrupted", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<boolean>()
      const recorder = Recorder.make(() =>
        Effect.andThen(Deferred.succeed(started, undefined), Effect.never).pipe(
          Effect.onExit((exit) =>
            Deferred.succeed(ended, exit._tag === "Failure" && Cause.hasInterruptsOnly(exit.cause))
          )
        )
      )
      const client = yield* connect(recorder)
      const fiber = yield* Effect.forkChild(client.callTool({ name: "wait", arguments: {} }))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.await(ended))
    })
  )
})

describe("a call", () => {
  it.effect("asks at most four times for effects that it lacks", () =>
    Effect.gen(function* () {
      const missing = [{ effect: "launch", tier: "admin" }] as const
      const refusal = new Errors.TierRequired({ operation: "start", missing, requests: [1] })
      const recorder = Recorder.make(() => Effect.fail(refusal))
      // The client fails to show each form, which counts as allowed for a launch.
      const clientCapabilities = new McpSchema.ClientCapabilities({ elicitation: { form: {} } })
      const client = yield* connect(recorder, "2025-11-25", "default", { allow: [] }, { clientCapabilities })
      const result = yield* client.callTool({ name: "start", arguments: { program: "./app" } })
      assert.strictEqual(structured(result).error.code, "TIER_REQUIRED")
      assert.lengthOf(recorder.calls, 5)
    })
  )

  it.effect("names its client with at most 128 characters", () =>
    Effect.gen(function* () {
      const names: Array<string | undefined> = []
      const recorder = Recorder.make(() =>
        Effect.gen(function* () {
          names.push((yield* Caller.Current).actor.name)
          return Recorder.answer({ sessions: [] })
        })
      )
      const clientInfo = { name: "n".repeat(1000), version: "1" }
      const client = yield* connect(recorder, "2025-11-25", "full", {}, { clientInfo })
      yield* client.callTool({ name: "sessions", arguments: {} })
      assert.deepStrictEqual(names, ["n".repeat(128)])
    })
  )
})

describe("operate", () => {
  it.effect("calls any operation, and describes it without input", () =>
    Effect.gen(function* () {
      const recorder = noSession()
      const client = yield* connect(recorder, "2025-11-25", "default")
      yield* client.callTool({
        name: "operate",
        arguments: { operation: "memory read", input: { address: "&n", count: "4" } }
      })
      assert.strictEqual(recorder.calls[0]?.tag, "memory.read")
      assert.deepInclude(recorder.calls[0]?.payload, { address: "&n", count: 4 })
      for (const { _tag } of Operations.all) {
        const described = yield* client.callTool({ name: "operate", arguments: { operation: _tag } })
        assert.strictEqual(structured(described).operation, _tag)
        assert.isAtMost(new TextEncoder().encode(text(described)).length, 2000, _tag)
      }
      assert.lengthOf(recorder.calls, 1)
      const misspelt = yield* client.callTool({ name: "operate", arguments: { operation: "memroy.read" } })
      assert.include(text(misspelt), 'hint: call operate with {"operation":"memory.read"}')
    })
  )

  it.effect("returns the rest of a text that was cut", () =>
    Effect.gen(function* () {
      const output = Array.from({ length: 300 }, (_, index) => `line ${index} of the debugger`).join("\n")
      const data = { output, state_changed: false }
      const client = yield* connect(
        Recorder.make(() => Effect.succeed({ ...Recorder.answer(data), state: "stopped" })),
        "2025-11-25",
        "default"
      )
      let answer = text(
        yield* client.callTool({ name: "operate", arguments: { operation: "raw", input: { command: "help" } } })
      )
      let whole = ""
      for (;;) {
        assert.isAtMost(new TextEncoder().encode(answer).length, 2000)
        whole += `${/>[^\n]*\n([^]*?)\n<\/data/.exec(answer)?.[1] ?? ""}\n`
        const next = /call operate with (\{.*\})/.exec(answer)?.[1]
        if (next === undefined) break
        answer = text(yield* client.callTool({ name: "operate", arguments: JSON.parse(next) }))
      }
      assert.strictEqual(whole.trim(), output)
      const gone = yield* client.callTool({
        name: "operate",
        arguments: { operation: "more", input: { result: 99, from: 0 } }
      })
      assert.strictEqual(structured(gone).error.code, "USAGE")
    })
  )
})
