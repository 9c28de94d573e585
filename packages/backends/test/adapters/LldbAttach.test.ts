import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Result } from "effect"
import * as Attach from "../../src/adapters/Attach.ts"
import { failures } from "../../src/console/lldb/Failures.ts"
import * as LldbAttach from "../../src/adapters/LldbAttach.ts"
import * as LldbDap from "../../src/adapters/LldbDap.ts"

const launch: Backend.LaunchRequest = { program: "/src/app", args: [], cwd: "/src", env: {}, stopOnEntry: true }

const attach = (existing: Backend.AttachTarget, major = 19, request = launch) =>
  Result.map(LldbAttach.attach(request, existing, LldbDap.quirks(major)), (attach) => attach.arguments)

const success = (result: ReturnType<typeof attach>) => {
  assert(Result.isSuccess(result))
  return result.success
}

describe("the arguments of attach", () => {
  it("have the pid of a process as a number, and no executable", () => {
    const args = success(attach({ kind: "process", pid: 70, started: "1" }))
    assert.strictEqual(args["pid"], 70)
    assert.strictEqual(args["stopOnEntry"], true)
    assert.notProperty(args, "program")
    assert.notProperty(args, "waitFor", "an adapter that waits is deaf")
  })

  it("have the path of a core file, and its program if there is one", () => {
    const core = { kind: "core", file: "/src/core" } as const
    assert.deepInclude(success(attach(core)), { coreFile: "/src/core", program: "/src/app" })
    assert.notProperty(success(attach(core, 19, { ...launch, program: "" })), "program")
  })

  it("connect to a server by the command that every version has", () => {
    const args = success(attach({ kind: "remote", host: "[::1]", port: 2345 }))
    assert.deepStrictEqual(args["attachCommands"], ["gdb-remote [::1]:2345"])
  })

  for (const host of ["a b", "x\nquit", "`id`", "-o", ""]) {
    it(`refuse the host ${JSON.stringify(host)}, which would be more than a host`, () => {
      assert.isTrue(Result.isFailure(attach({ kind: "remote", host, port: 1 })))
    })
  }

  it("mark the settings that must not fail, if the version supports the mark", () => {
    const commands = (major: number) => success(attach({ kind: "core", file: "/c" }, major))["initCommands"]
    assert.include(JSON.stringify(commands(19)), "!settings set")
    assert.notInclude(JSON.stringify(commands(16)), "!settings set")
  })
})

describe("a refusal", () => {
  it("gives a refused launch the reason that the message means", () => {
    const reasonOf = (detail: string) => Attach.launchRefused("/src/app", detail, failures).reason
    assert.strictEqual(reasonOf("ptrace: Operation not permitted"), "forbidden")
    assert.isUndefined(reasonOf("'/src/app' is not an executable"))
  })

  const refused = (target: Backend.AttachTarget, detail: string) => Attach.refused(target, detail, failures)

  it("is a permission error if the system forbids tracing, otherwise a failed attach", () => {
    const target = { kind: "process", pid: 70, started: "1" } as const
    assert.strictEqual(refused(target, "Operation not permitted")._tag, "Permission")
    assert.strictEqual(refused(target, "attach failed: No such process")._tag, "AttachFailed")
    assert.strictEqual(refused({ kind: "core", file: "/c" }, "Permission denied")._tag, "AttachFailed")
    const server = { kind: "remote", host: "localhost", port: 1 } as const
    assert.deepInclude(refused(server, "Failed to connect port"), {
      reason: "connection-refused",
      detail: "connection refused, or the server speaks another protocol (Failed to connect port)"
    })
    assert.notProperty(refused(server, "no such target"), "reason")
  })
})
