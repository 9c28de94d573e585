import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpTest } from "effect/ai"
import { Capability, Errors, Session } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import * as ToolCalls from "../../src/calls/ToolCalls.ts"

/** A client of a session whose debugger lacks these capabilities, and the names in its tool list. */
const connect = Effect.fnUntraced(function* (...lacking: ReadonlyArray<Capability.Id>) {
  const features = Capability.all.map(({ id }) => Session.feature(id, lacking.includes(id) ? "none" : "adapter"))
  const recorder = Recorder.make(({ _tag }) =>
    _tag === "capabilities"
      ? Effect.succeed({ ...Recorder.answer({ features }), session: "a" })
      : _tag === "status"
        ? Effect.succeed({ ...Recorder.answer({ state: "stopped" }), session: "a", state: "stopped" })
        : Effect.fail(new Errors.NoSession({}))
  )
  const options: ToolCalls.Options = {
    caller: { directory: "/", environment: {} },
    profile: "full",
    allow: ["write", "admin"],
    structured: true,
    notifies: true
  }
  const client = yield* McpTest.makeClient(ToolCalls.layer(options), { protocols: Server.protocols }).pipe(
    Effect.provide(recorder.layer)
  )
  const listed = Effect.map(client.listTools(), ({ tools }) => tools.map(({ name }) => name))
  return { call: client.callTool({ name: "status", arguments: {} }), listed }
})

describe("the list of tools", () => {
  it.effect("hides the operations of a capability that the debugger lacks", () =>
    Effect.gen(function* () {
      const { call, listed } = yield* connect("watchpoints", "disassembly", "modules", "source-files", "standard-input")
      const complete = yield* listed
      yield* call
      const reduced = yield* listed
      assert.deepStrictEqual(
        complete.filter((name) => !reduced.includes(name)),
        ["watch", "files", "disassemble", "modules", "input"]
      )
    })
  )

  it.effect("keeps a family of which some operations are supported", () =>
    Effect.gen(function* () {
      const { call, listed } = yield* connect("write-memory", "instruction-stepping")
      const complete = yield* listed
      yield* call
      assert.deepStrictEqual(yield* listed, complete)
    })
  )

  it.effect("keeps operations that start another session", () =>
    Effect.gen(function* () {
      const { call, listed } = yield* connect("attach-core-remote")
      const complete = yield* listed
      yield* call
      assert.deepStrictEqual(yield* listed, complete)
    })
  )
})
