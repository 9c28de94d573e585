// The verdict of `sigtrap doctor` on a trial follows from codes and reasons. The words of a failure change nothing.
import { assert, describe, it } from "@effect/vitest"
import * as TrialVerdict from "../../src/commands/TrialVerdict.ts"

/** Words that earlier versions searched for. */
const words = {
  step: "target",
  message: "ptrace: not permitted [PERMISSION] UNSUPPORTED needs cc",
  log: "python needs go"
}

const scenarios = {}

const native = {
  name: "lldb-dap",
  trials: { scenarios, compiler: { tool: "cc", title: "a C compiler and its headers" } }
}

const go = { name: "delve", trials: { scenarios, compiler: { tool: "go", title: "Go" } } }

const python = { name: "debugpy", trials: { scenarios } }

type Outcome = Parameters<typeof TrialVerdict.of>[1]

const judged = (outcome: Omit<Outcome, "result">, tried: Parameters<typeof TrialVerdict.of>[2] = native) => {
  const { mode, remedy } = TrialVerdict.of("attach", { result: "failed", ...words, ...outcome }, tried)
  return [mode, remedy]
}

const tracing = "allow tracing: sysctl kernel.yama.ptrace_scope=0, or the container's SYS_PTRACE"

describe("the verdict on a trial", () => {
  it("names the remedy of the error's code or reason", () => {
    assert.deepStrictEqual(judged({ error: { code: "PERMISSION" } }), ["forbidden", tracing])
    assert.deepStrictEqual(judged({ error: { code: "LAUNCH_FAILED", reason: "forbidden" } }), ["forbidden", tracing])
    assert.deepStrictEqual(judged({ error: { code: "UNSUPPORTED" } }), ["missing", "sigtrap doctor lldb-dap"])
  })

  it("names no remedy for an error without one, whatever the words are", () => {
    assert.deepStrictEqual(judged({ error: { code: "LAUNCH_FAILED" } }), ["missing", undefined])
    assert.deepStrictEqual(judged({}), ["missing", undefined])
  })

  it("names the compiler that is missing or fails", () => {
    const absent = { ...words, result: "skipped", lacking: ["cc"] } as const
    assert.deepInclude(TrialVerdict.of("launch", absent, native), {
      mode: "untested",
      remedy: "install a C compiler and its headers, then: sigtrap doctor lldb-dap"
    })
    assert.deepStrictEqual(judged({ part: "setup" }, go), ["missing", "install Go, then: sigtrap doctor delve"])
    assert.deepStrictEqual(judged({ part: "setup" }, python), ["missing", undefined])
  })

  it("has at most 300 characters of the failure, and none if the trial passed", () => {
    const long = TrialVerdict.of("core", { result: "failed", message: "x".repeat(1000) }, native)
    assert.strictEqual(long.problem, `core: ${"x".repeat(300)}…`)
    assert.deepStrictEqual(TrialVerdict.of("core", { result: "passed", ...words }, native), { way: "core", mode: "ok" })
  })
})
