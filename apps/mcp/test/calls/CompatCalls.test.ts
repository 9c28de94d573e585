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
    ["debug_detach", {}, "detach", {}],
    ["debug_attach_sim", { target: { pid: 7 } }, "attach", { pid: 7, pause: false }],
    [
      "debug_attach_sim",
      { target: { bundleId: "a.b", waitFor: true } },
      "sim.attach",
      { bundle: "a.b", wait: true, pause: false }
    ],
    ["session_use_defaults_profile", { global: true }, "defaults.use", { name: "default" }],
    [
      "session_use_defaults_profile",
      { profile: "tablet", persist: true },
      "defaults.use",
      { name: "tablet", persist: true }
    ]
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
    ["debug_attach_sim", { pid: 1, simulatorId: "X" }, "a simulator can be named with bundleId only"],
    ["debug_attach_sim", { pid: 1, makeCurrent: false }, "makeCurrent: false is not available"],
    ["debug_attach_sim", { bundleId: "a.b", simulatorId: "X", simulatorName: "Y" }, "not both"],
    ["debug_attach_sim", { pid: 1, waitFor: true }, "waitFor can be used with bundleId only"],
    ["debug_breakpoint_add", { file: "a.m" }, "go together"],
    ["debug_breakpoint_add", { line: 3 }, "go together"],
    ["debug_breakpoint_add", { file: "a.m", line: 1, function: "f" }, "not both"],
    ["debug_breakpoint_add", {}, "give file and line, or function"],
    ["debug_breakpoint_remove", {}, "breakpointId is missing"],
    ["debug_stack", { threadIdx: 1 }, "no field threadIdx"],
    ["debug_attach_sim", { target: { pid: 1, bundleId: "a.b" } }, "not both"],
    ["debug_attach_sim", { target: { pid: 1 }, simulatorId: "X" }, "give target or simulatorId"],
    ["debug_attach_sim", { target: { makeCurrent: true } }, "target has no field makeCurrent"],
    ["session_use_defaults_profile", { global: true, profile: "tablet" }, "not both"],
    ["session_use_defaults_profile", {}, "give profile or global"]
  ]
  for (const [name, input, expected] of refusals) {
    it.effect(`${name} ${JSON.stringify(input)} is refused`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(tool(name).resolve({ ...input }))
        assert.include(error.message, expected)
      })
    )
  }

  const builds: ReadonlyArray<
    readonly [name: string, input: object, tag: string, fields: object, unused: ReadonlyArray<string>]
  > = [
    [
      "session_set_defaults",
      { projectPath: "/a.xcodeproj", scheme: "A", simulatorName: "iPhone 17" },
      "defaults.set",
      { simulator: "iPhone 17" },
      ["projectPath", "scheme"]
    ],
    [
      "session_set_defaults",
      { simulatorId: "U", simulatorName: "iPhone 17", createIfNotExists: true, profile: "a" },
      "defaults.set",
      { simulator: "U", profile: "a" },
      ["simulatorName"]
    ],
    ["session_set_defaults", { scheme: "A", env: { X: "1" }, persist: true }, "defaults.show", {}, ["scheme", "env"]],
    ["session_clear_defaults", { keys: ["scheme", "bundleId"] }, "defaults.clear", { keys: ["bundle"] }, ["scheme"]],
    ["session_clear_defaults", { keys: ["scheme"] }, "defaults.show", {}, ["scheme"]]
  ]
  for (const [name, input, tag, fields, expected] of builds) {
    it.effect(`${name} ${JSON.stringify(input)} names what has no effect`, () =>
      Effect.gen(function* () {
        const { input: sent, operation, unused } = yield* tool(name).resolve({ ...input })
        assert.deepStrictEqual([operation._tag, sent, unused], [tag, fields, expected])
      })
    )
  }

  it("show two ways to attach, and no oneOf or anyOf at the top, which clients refuse", () => {
    for (const { descriptor, name } of ToolMapping.tools()) {
      for (const keyword of ["oneOf", "anyOf", "allOf", "not", "if"]) {
        assert.notProperty(descriptor.inputSchema, keyword, name)
      }
    }
    const { target } = Object(tool("debug_attach_sim").descriptor.inputSchema["properties"])
    assert.deepStrictEqual(
      target.oneOf.map(({ required }: { readonly required: ReadonlyArray<string> }) => required),
      [["bundleId"], ["pid"]]
    )
  })

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
