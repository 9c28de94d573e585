import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Errors, Hint, Operations } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import * as Tool from "../../src/tools/Tool.ts"
import type * as Profile from "../../src/tools/Profile.ts"
import { connect, noSession, structured } from "./toolClient.ts"

const profiles: ReadonlyArray<Profile.Name> = ["default", "full", "observe"]

describe("the list of tools", () => {
  for (const profile of profiles) {
    it.effect(`of ${profile} allows the fields that it leaves out, and lists none that the server sets`, () =>
      Effect.gen(function* () {
        const { tools } = yield* (yield* connect(noSession(), "2025-11-25", profile)).listTools()
        for (const tool of tools) {
          assert.notProperty(tool.inputSchema, "additionalProperties", tool.name)
          assert.notProperty(tool.inputSchema["properties"], "directory", tool.name)
          assert.notProperty(tool.inputSchema["properties"], "environment", tool.name)
          assert.isUndefined(tool.title, tool.name)
          assert.isUndefined(tool.outputSchema, tool.name)
        }
      })
    )
  }

  it.effect("of the default profile describes every field in the tool or in the instructions", () =>
    Effect.gen(function* () {
      const { tools } = yield* (yield* connect(noSession(), "2025-11-25", "default")).listTools()
      for (const tool of tools) {
        for (const [field, property] of Object.entries(Object(tool.inputSchema["properties"]))) {
          const described = JSON.stringify(property).includes(`"description":"`)
          if (!described && field !== "operation") assert.match(Server.instructions, new RegExp(`\\b${field}\\b`))
        }
      }
    })
  )

  it.effect("has the annotations of each tool", () =>
    Effect.gen(function* () {
      const { tools } = yield* (yield* connect(noSession())).listTools()
      const hints = new Map(tools.map(({ annotations, name }) => [name, annotations]))
      for (const [name, readOnly, destructive] of [
        ["print", true, false],
        ["status", true, false],
        ["start", false, false],
        ["attach", false, false],
        ["detach", false, false],
        ["continue", false, false],
        ["break", false, false],
        ["eval", false, true],
        ["set", false, true],
        ["raw", false, true],
        ["stop", false, true],
        ["memory", false, true],
        // output has the field clear.
        ["output", false, false]
      ] as const) {
        assert.strictEqual(hints.get(name)?.readOnlyHint, readOnly, name)
        assert.strictEqual(hints.get(name)?.destructiveHint, destructive, name)
      }
    })
  )

  it.effect("of the profile observe has read-only tools and refuses other operations", () =>
    Effect.gen(function* () {
      const recorder = noSession()
      const client = yield* connect(recorder, "2025-11-25", "observe")
      const { tools } = yield* client.listTools()
      assert.isTrue(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
      const refused = yield* client.callTool({
        name: "operate",
        arguments: { operation: "set", input: { target: "n", value: "1" } }
      })
      assert.strictEqual(structured(refused).error.code, "USAGE")
      const error = yield* Effect.flip(client.callTool({ name: "set", arguments: { target: "n", value: "1" } }))
      assert.include(String(error), "set")
      const cleared = yield* client.callTool({ name: "output", arguments: { clear: true } })
      assert.strictEqual(structured(cleared).error.code, "USAGE")
      assert.lengthOf(recorder.calls, 0)
    })
  )

  it.effect("hides an unsupported operation after the client has read the list again", () =>
    Effect.gen(function* () {
      const refusal = new Errors.Unsupported({
        session: "a",
        what: "registers",
        by: "gdb",
        remedies: [Hint.call("context", {})]
      })
      const client = yield* connect(
        Recorder.make(() => Effect.fail(refusal)),
        "2025-11-25",
        "full"
      )
      const names = Effect.map(client.listTools(), ({ tools }) => tools.map(({ name }) => name))
      assert.include(yield* names, "registers")
      yield* client.callTool({ name: "registers", arguments: {} })
      assert.notInclude(yield* names, "registers")
      const again = yield* client.callTool({ name: "registers", arguments: {} })
      assert.strictEqual(structured(again).error.code, "UNSUPPORTED")
    })
  )

  it.effect("stays complete if the transport cannot notify clients", () =>
    Effect.gen(function* () {
      const refusal = new Errors.Unsupported({
        session: "a",
        what: "registers",
        by: "gdb",
        remedies: [Hint.call("context", {})]
      })
      const recorder = Recorder.make(() => Effect.fail(refusal))
      const client = yield* connect(recorder, "2025-11-25", "full", { notifies: false })
      yield* client.callTool({ name: "registers", arguments: {} })
      const { tools } = yield* client.listTools()
      assert.include(
        tools.map(({ name }) => name),
        "registers"
      )
    })
  )

  it("has instructions of at most 1500 bytes", () => {
    assert.isAtMost(new TextEncoder().encode(Server.instructions).length, 1500)
  })

  it("has instructions that name existing tools only", () => {
    const names = Operations.all.map(Tool.nameOf)
    for (const named of [
      "start",
      "pause",
      "wait",
      "stop",
      "continue",
      "locals",
      "print",
      "backtrace",
      "context",
      "eval",
      "next",
      "step",
      "finish"
    ]) {
      assert.include(names, named)
    }
  })
})
