/** js-debug: where it is found, its arguments, and the notices of Node in a program's output. */
import { assert, describe, it } from "@effect/vitest"
import type { Backend } from "@sigtrap/manager"
import { Hint } from "@sigtrap/protocol"
import { Effect, FileSystem, Result, Stream } from "effect"
import { platform } from "../support.ts"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as JsDebug from "../../src/adapters/JsDebug.ts"
import { AdapterSockets } from "../../src/process/AdapterSockets.ts"
import * as OutputText from "../../src/process/OutputText.ts"

const { adapter } = JsDebug

/** Creates files in a new directory; those without a suffix are executable. */
const files = Effect.fnUntraced(function* (contents: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" }))
  for (const [name, content] of Object.entries(contents)) {
    yield* fs.makeDirectory(`${directory}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true })
    yield* fs.writeFileString(`${directory}/${name}`, content)
    if (!name.includes(".")) yield* fs.chmod(`${directory}/${name}`, 0o755)
  }
  return directory
})

const release = {
  "data/js-debug/src/dapDebugServer.js": 'var a="js-debug",b="1.117.0",c="ms-vscode"',
  "data/js-debug/src/bootloader.js": "",
  "bin/node": "#!/bin/sh\n"
}

const nothing: Backend.LaunchRequest = { program: "", args: [], cwd: "/work", env: {}, stopOnEntry: true }

/** The search path without the directory that `bun --bun` adds, in which `node` is Bun. */
const pathOfNode = (process.env["PATH"] ?? "")
  .split(":")
  .filter((directory) => !directory.includes("/bun-node-"))
  .join(":")

describe("js-debug", () => {
  it.layer(platform)("", (it) => {
    it.effect("is found where its release is unpacked, with its version and the Node that runs it", () =>
      Effect.gen(function* () {
        const directory = yield* files(release)
        const env = { PATH: `${directory}/bin`, XDG_DATA_HOME: `${directory}/data`, XDG_DATA_DIRS: "" }
        const path = `${directory}/data/js-debug/src/dapDebugServer.js`
        const found = { path, version: "1.117.0", major: 1, runner: `${directory}/bin/node` }
        assert.deepStrictEqual(yield* adapter.find({ env, cwd: "/" }), found)
        const named = { PATH: `${directory}/bin`, SIGTRAP_JS_DEBUG: path }
        assert.deepStrictEqual(yield* adapter.find({ env: named, cwd: "/" }), found)
        const byPath = { adapter: path, env: { PATH: `${directory}/bin` }, cwd: "/" }
        assert.deepStrictEqual(yield* adapter.find(byPath), found)
      })
    )

    it.effect("is used as a command if there is one, without a Node", () =>
      Effect.gen(function* () {
        const directory = yield* files({ ...release, "bin/js-debug-adapter": "#!/bin/sh\n" })
        const env = { PATH: `${directory}/bin`, XDG_DATA_HOME: `${directory}/data` }
        assert.deepStrictEqual(yield* adapter.find({ env, cwd: "/" }), { path: `${directory}/bin/js-debug-adapter` })
      })
    )

    it.effect("has a problem without the rest of its release, and without a Node", () =>
      Effect.gen(function* () {
        const directory = yield* files({ "js/dapDebugServer.js": "", ...release })
        const problemOf = (file: string, PATH: string) =>
          Effect.map(adapter.all({ env: { SIGTRAP_JS_DEBUG: file, PATH }, cwd: "/" }), ([one]) => one?.problem)
        const alone = yield* problemOf(`${directory}/js/dapDebugServer.js`, `${directory}/bin`)
        assert.strictEqual(alone, "bootloader.js is not beside it: unpack the whole release")
        const whole = `${directory}/data/js-debug/src/dapDebugServer.js`
        assert.strictEqual(yield* problemOf(whole, directory), "no node on PATH to run it")
        const none = { env: { PATH: directory, XDG_DATA_HOME: directory, XDG_DATA_DIRS: "" }, cwd: "/" }
        const error = yield* Effect.flip(adapter.find(none))
        assert(error._tag === "AdapterNotFound")
        assert.include(error.looked, `${directory}/js-debug/src/dapDebugServer.js`)
        assert.deepStrictEqual(error.hints, [Hint.local("setup", ["js-debug"])])
      })
    )

    it.effect("runs in a Node that exits when its standard input closes", () =>
      Effect.gen(function* () {
        const directory = yield* files({ "server.js": "setInterval(() => {}, 1000)" })
        const { runnerArgs = [] } = adapter.start({ path: "/x" }, nothing, directory)
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        const command = ChildProcess.make("node", [...runnerArgs, `${directory}/server.js`], {
          stdin: Stream.empty,
          env: { PATH: pathOfNode },
          extendEnv: true
        })
        const ended = yield* Effect.exit(spawner.exitCode(command))
        assert.include(String(ended), "SIGKILL")
      })
    )

    it.effect("attaches to a Node that listens for debuggers, not to processes", () =>
      Effect.sync(() => {
        const quirks = JsDebug.quirks()
        const attach = adapter.attach(nothing, { kind: "remote", host: "127.0.0.1", port: 9229 }, quirks)
        assert(Result.isSuccess(attach))
        assert.strictEqual(attach.success.request, "attach")
        assert.deepInclude(attach.success.arguments, { address: "127.0.0.1", port: 9229 })
        const odd = adapter.attach(nothing, { kind: "remote", host: "-x", port: 9229 }, quirks)
        assert(Result.isFailure(odd))
        const process = adapter.attach(nothing, { kind: "process", pid: 1, started: "1" }, quirks)
        assert(Result.isFailure(process))
        assert.strictEqual(process.failure._tag, "Unsupported")
      })
    )

    it.effect(
      "searches compiled files in the program's package, and listens on a socket in the connection's directory",
      () =>
        Effect.gen(function* () {
          const directory = yield* files({ "package.json": "{}", "src/deep/app.ts": "" })
          const launch: Backend.LaunchRequest = {
            program: `${directory}/src/deep/app.ts`,
            args: ["one"],
            cwd: "/work",
            env: { PATH: "/bin", SECRET: "x" },
            stopOnEntry: false
          }
          const pipes = {
            input: "",
            output: "",
            error: "",
            drain: () => {},
            holders: Effect.succeed([]),
            write: () => Effect.void
          }
          const args = yield* adapter.launchArguments(launch, {
            found: { path: "/x" },
            streams: { ...pipes, closeInput: Effect.void },
            quirks: JsDebug.quirks(),
            directory: "/tmp/own"
          })
          assert.deepInclude(args, { program: launch.program, args: ["one"], cwd: "/work", env: launch.env })
          assert.deepInclude(args, { killBehavior: "none" }, "js-debug would kill a program that is about to exit")
          assert.deepInclude(args, { outFiles: [`${directory}/**/*.(m|c|)js`, "!**/node_modules/**"] })
          const started = adapter.start({ path: "/x" }, launch, "/tmp/own")
          assert.deepStrictEqual(started.args, ["/tmp/own/adapter"])
          assert.deepStrictEqual(started.env, { PATH: "/bin", TMPDIR: "/tmp/own" })
          const inspected = { ...launch, env: { NODE_OPTIONS: "--inspect-brk" } }
          const refused = yield* Effect.flip(
            adapter.launchArguments(inspected, {
              found: { path: "/x" },
              streams: { ...pipes, closeInput: Effect.void },
              quirks: JsDebug.quirks(),
              directory: "/tmp/own"
            })
          )
          assert.strictEqual(refused._tag, "LaunchFailed")
        })
    )
  })
})

describe("a program of Deno", () => {
  it.effect("waits at a free port, whatever port its arguments name; other runtimes do not", () =>
    Effect.gen(function* () {
      const given = {
        runtimeExecutable: "/opt/deno",
        runtimeArgs: ["test", "--inspect-wait=127.0.0.1:9229", "-A"],
        attachSimplePort: 9229
      }
      const complete = adapter.completeArguments ?? Effect.succeed
      assert.deepStrictEqual(yield* complete(given), {
        runtimeExecutable: "/opt/deno",
        runtimeArgs: ["test", "--quiet", "--inspect-brk=127.0.0.1:4321", "-A"],
        attachSimplePort: 4321,
        continueOnAttach: true
      })
      const node = { ...given, runtimeExecutable: "node" }
      assert.strictEqual(yield* complete(node), node)
    }).pipe(
      Effect.provideService(AdapterSockets, {
        connect: () => Effect.die("not used"),
        open: () => Effect.die("not used"),
        listen: () => Effect.die("not used"),
        freePort: Effect.succeed(4321)
      })
    )
  )
})

describe("the notices of Node", () => {
  it("are removed from standard error as whole lines, the last one also after half a line, and nothing else is", () => {
    const notices = JsDebug.quirks().runtimeNotices ?? { lines: [] }
    for (const [written, expected] of [
      [["Debugger attached.\n", "grüße\n"], "grüße\n"],
      [["Debugger attached.\nand this\nDebugger attached.\nWaiting for the debugger to disconnect...\n"], "and this\n"],
      [["half a line", "Debugger attached.\n"], "half a lineDebugger attached.\n"],
      [["Debugger attached. Really?\n"], "Debugger attached. Really?\n"],
      [["half a line", "Waiting for the debugger to disconnect...\n"], "half a line"],
      [["one\nhalf a lineWaiting for the debugger to disconnect...\n"], "one\nhalf a line"],
      [["Waiting for the debugger to disconnect...\nand this"], "and this"],
      [["one\n", "Debugger attached.\n", "two"], "one\ntwo"]
    ] as const) {
      let seen = ""
      const taken: Array<string> = []
      const take = OutputText.without(
        notices,
        (channel, bytes) => (seen += `${channel === "stderr" ? "" : channel}${new TextDecoder().decode(bytes)}`),
        (notice) => taken.push(notice)
      )
      for (const piece of written) take("stderr", new TextEncoder().encode(piece))
      assert.strictEqual(seen, expected)
      assert.strictEqual(taken.join("").length + seen.length, written.join("").length)
      take("stdout", new TextEncoder().encode("Debugger attached.\n"))
      assert.strictEqual(seen, `${expected}stdoutDebugger attached.\n`)
    }
  })
})
