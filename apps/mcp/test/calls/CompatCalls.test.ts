import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ToolMapping from "../../src/compat/ToolMapping.ts"
import * as CompatResult from "../../src/compat/CompatResult.ts"

const tool = (name: string) => ToolMapping.tools().find((each) => each.name === name) ?? assert.fail(`no tool ${name}`)

describe("the tools of XcodeBuildMCP", () => {
  const calls: ReadonlyArray<readonly [name: string, input: object, tag: string, fields: object]> = [
    ["debug_attach_sim", { pid: 7 }, "attach", { pid: 7, pause: false }],
    ["debug_attach_sim", { pid: 7, continueOnAttach: false }, "attach", { pid: 7, pause: true }],
    ["debug_attach_sim", { pid: 7, bundleId: "", simulatorId: null }, "attach", { pid: 7, pause: false }],
    [
      "debug_breakpoint_add",
      { file: "a.m", line: 3, condition: "n > 1" },
      "break",
      { at: "a.m:3", condition: "n > 1" }
    ],
    ["debug_breakpoint_add", { function: "main", debugSessionId: "s" }, "break", { at: "main", session: "s" }],
    ["debug_breakpoint_remove", { breakpointId: 2 }, "breakpoint.remove", { ids: [2] }],
    ["debug_continue", {}, "continue", { wait: false }],
    ["debug_stack", { maxFrames: 5 }, "backtrace", { limit: 5 }],
    ["debug_variables", { frameIndex: 1 }, "locals", { frame: 1 }],
    ["debug_lldb_command", { command: "bt" }, "raw", { command: "bt" }],
    ["debug_detach", {}, "detach", {}]
  ]
  for (const [name, input, tag, fields] of calls) {
    it.effect(`${name} ${JSON.stringify(input)} calls ${tag}`, () =>
      Effect.gen(function* () {
        const { input: sent, operation } = yield* tool(name).resolve({ ...input })
        assert.deepStrictEqual([operation._tag, sent], [tag, fields])
      })
    )
  }

  const refusals: ReadonlyArray<readonly [name: string, input: object, expected: string]> = [
    ["debug_attach_sim", { pid: 1, bundleId: "a.b" }, "not both"],
    ["debug_attach_sim", { pid: 1, simulatorId: "X" }, "a simulator goes with bundleId"],
    ["debug_attach_sim", { pid: 1, makeCurrent: false }, "makeCurrent: false is not available"],
    ["debug_attach_sim", { bundleId: "a.b", simulatorId: "X", simulatorName: "Y" }, "not both"],
    ["debug_attach_sim", { pid: 1, waitFor: true }, "waitFor goes with bundleId"],
    ["debug_breakpoint_add", { file: "a.m" }, "go together"],
    ["debug_breakpoint_add", { line: 3 }, "go together"],
    ["debug_breakpoint_add", { file: "a.m", line: 1, function: "f" }, "not both"],
    ["debug_breakpoint_add", {}, "give file and line, or function"],
    ["debug_breakpoint_remove", {}, "breakpointId is missing"],
    ["debug_stack", { threadIdx: 1 }, "no field threadIdx"]
  ]
  for (const [name, input, expected] of refusals) {
    it.effect(`${name} ${JSON.stringify(input)} is refused`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(tool(name).resolve({ ...input }))
        assert.include(error.message, expected)
      })
    )
  }

  it("return both sets of field names", () => {
    const structure = {
      session: "s",
      state: "stopped",
      stop: 2,
      data: { thread: { id: 9 }, frames: [{ index: 0, function: "f", file: "/src/a.m", line: 3 }], total: 40 }
    }
    const answer = Object(CompatResult.success("debug_stack", structure, {}))
    assert.strictEqual(answer.didError, false)
    assert.isNull(answer.error)
    assert.strictEqual(answer.stop, 2)
    assert.strictEqual(answer.data.total, 40)
    assert.deepStrictEqual(answer.data.session, {
      debugSessionId: "s",
      connectionState: "attached",
      executionState: "paused"
    })
    assert.deepStrictEqual(answer.data.threads, [
      {
        threadId: 9,
        name: "",
        truncated: true,
        frames: [{ index: 0, symbol: "f", displayLocation: "/src/a.m:3" }]
      }
    ])
  })

  it("return both sets of field names for an error", () => {
    const failure = { error: { code: "NO_SESSION", message: "there is no session", hint: "call start", details: {} } }
    const answer = Object(CompatResult.failure(failure))
    assert.deepInclude(answer, { didError: true, error: "there is no session", code: "NO_SESSION" })
    assert.deepStrictEqual(answer.data.diagnostics.errors, [{ message: "there is no session" }])
  })
})
