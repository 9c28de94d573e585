/** Start options of the caller, as arguments of adapters. */
import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Effect, FileSystem, PlatformError } from "effect"
import * as CodeLldb from "../../src/adapters/CodeLldb.ts"
import * as Debugpy from "../../src/adapters/Debugpy.ts"
import * as Delve from "../../src/adapters/Delve.ts"
import * as Gdb from "../../src/adapters/Gdb.ts"
import * as LaunchOptions from "../../src/adapters/LaunchOptions.ts"
import * as LldbDap from "../../src/adapters/LldbDap.ts"

const launch: Backend.LaunchRequest = { program: "/src/app", args: [], cwd: "/src", env: {}, stopOnEntry: false }

const pipes = {
  input: "/pipes/in",
  output: "/pipes/out",
  error: "/pipes/err",
  holders: Effect.succeed([]),
  drain: () => {},
  write: () => Effect.void,
  closeInput: Effect.void
}

describe("lldb-dap", () => {
  const added = (options: Partial<Backend.LaunchRequest>, major = 19, ours = {}) =>
    LaunchOptions.added(ours, { ...launch, ...options }, LldbDap.adapter, LldbDap.quirks(major))

  it("runs the caller's commands after those of sigtrap, and marks them so that a failure fails the launch", () => {
    const options = { commands: { init: ["one", "?two"], preRun: ["three"], stop: ["four"] } }
    assert.deepStrictEqual(added(options, 19, { initCommands: ["!ours"] }), {
      initCommands: ["!ours", "!one", "?two"],
      preRunCommands: ["!three"],
      stopCommands: ["four", "settings show auto-confirm"]
    })
    // Up to 17 there are no marks.
    assert.deepStrictEqual(added(options, 16)["initCommands"], ["one", "?two"])
  })

  it("gets the source map, the address randomisation, and last the caller's own options", () => {
    assert.deepStrictEqual(
      added({ sourceMap: [["/build", "/src"]], aslr: true, options: { program: "/other", extra: [1] } }, 19, {
        program: "/src/app"
      }),
      {
        program: "/other",
        initCommands: ["!settings set target.disable-aslr false"],
        sourceMap: [["/build", "/src"]],
        disableASLR: false,
        stopCommands: ["settings show auto-confirm"],
        extra: [1]
      }
    )
    assert.deepStrictEqual(added({ aslr: false }), { stopCommands: ["settings show auto-confirm"] })
    // A core file has one stop.
    assert.deepStrictEqual(added({ existing: { kind: "core", file: "/core" } }), {})
  })
})

describe("other adapters", () => {
  it("get source maps in their own arguments", () => {
    const options = { ...launch, sourceMap: [["/build", "/src"]] as const }
    assert.deepStrictEqual(LaunchOptions.added({}, options, Delve.adapter, Delve.quirks()), {
      substitutePath: [{ from: "/src", to: "/build" }]
    })
    assert.deepStrictEqual(LaunchOptions.added({}, options, Debugpy.adapter, Debugpy.quirks()), {
      pathMappings: [{ localRoot: "/src", remoteRoot: "/build" }]
    })
  })

  it.effect.each([
    [Debugpy.adapter, { commands: { init: ["x"] } }, "debugger commands at the start"],
    [Delve.adapter, { aslr: true }, "choosing whether addresses are random"],
    [Gdb.adapter, { terminal: "pty" }, "a terminal for the program"],
    [CodeLldb.adapter, { sourceMap: [["/a", "/b"]] }, "source maps"],
    [Delve.adapter, { stdout: "/out" }, "files for the program's output"],
    [CodeLldb.adapter, { mergeStderr: true }, "files for the program's output"]
  ] as const)("refuse what they do not support", ([adapter, options, what]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(LaunchOptions.refuse({ ...launch, ...options }, adapter))
      assert.deepInclude(error, { _tag: "Unsupported", what, by: adapter.name })
    })
  )
})

describe("source maps", () => {
  it.effect("with a line break are refused by every adapter", () =>
    Effect.gen(function* () {
      for (const adapter of [LldbDap.adapter, Gdb.adapter, Delve.adapter, Debugpy.adapter]) {
        const sourceMap = [["/build", "/src\nplatform shell id"]] as const
        const error = yield* Effect.flip(LaunchOptions.refuse({ ...launch, sourceMap }, adapter))
        assert.strictEqual(error._tag, "LaunchFailed", adapter.name)
      }
    })
  )
})

describe("commands", () => {
  it.effect("that would wait for input are refused", () =>
    Effect.gen(function* () {
      const options = { ...launch, commands: { stop: ["script"] } }
      assert.strictEqual((yield* Effect.flip(LaunchOptions.refuse(options, LldbDap.adapter)))._tag, "Usage")
      yield* LaunchOptions.refuse({ ...launch, commands: { stop: ["bt"] } }, LldbDap.adapter)
      for (const init of ["shell ls", "python", "define x", " quit", "!ls", "commands 1"]) {
        const asking = { ...launch, commands: { init: [init] } }
        assert.strictEqual((yield* Effect.flip(LaunchOptions.refuse(asking, Gdb.adapter)))._tag, "Usage", init)
      }
      yield* LaunchOptions.refuse(
        { ...launch, commands: { init: ["set print pretty on", "python print(1)"] } },
        Gdb.adapter
      )
    })
  )
})

describe("output", () => {
  const written: Array<string> = []
  const files = FileSystem.layerNoop({
    writeFileString: (path) =>
      path.startsWith("/denied")
        ? Effect.fail(
            PlatformError.systemError({
              _tag: "PermissionDenied",
              module: "FileSystem",
              method: "write",
              pathOrDescriptor: path
            })
          )
        : Effect.sync(() => void written.push(path))
  })
  const places = (options: Partial<Backend.LaunchRequest>) =>
    Effect.map(LaunchOptions.streams({ ...launch, ...options }, pipes), ({ error, input, output }) => [
      input,
      output,
      error
    ]).pipe(Effect.provide(files))

  it.effect("goes to the named files, which are created empty, or to the pipes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* places({}), ["/pipes/in", "/pipes/out", "/pipes/err"])
      assert.deepStrictEqual(yield* places({ stdout: "/o", stderr: "/e" }), ["/pipes/in", "/o", "/e"])
      assert.deepStrictEqual(yield* places({ mergeStderr: true }), ["/pipes/in", "/pipes/out", "/pipes/out"])
      assert.deepStrictEqual(written, ["/o", "/e"])
      assert.strictEqual((yield* Effect.flip(places({ stdout: "/denied/o" })))._tag, "LaunchFailed")
    })
  )
})
