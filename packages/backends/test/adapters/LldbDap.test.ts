import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Result } from "effect"
import { LldbDap } from "../../src/index.ts"
import { executable, launchOf, platform } from "../support.ts"

const withFiles = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" }))
  for (const name of names) {
    const file = `${directory}/${name}`
    if (name.includes("/")) yield* fs.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true })
    yield* executable(file)
  }
  return directory
})

const find = (env: Record<string, string>, adapter?: string, cwd = "/") => {
  const { adapter: _, ...launch } = launchOf("", { env, cwd })
  return LldbDap.find(adapter === undefined ? launch : { ...launch, adapter })
}

describe("the adapter", () => {
  it.layer(platform)("", (it) => {
    it.effect("is the newest on PATH, lldb-dap before lldb-vscode, a name without a version first", () =>
      Effect.gen(function* () {
        for (const [names, expected] of [
          [["lldb-dap-9", "lldb-dap-19", "lldb-dap-18"], "lldb-dap-19"],
          [["lldb-dap", "lldb-dap-19"], "lldb-dap"],
          [["lldb-vscode", "lldb-dap-18"], "lldb-dap-18"],
          [["lldb-vscode-14", "lldb-vscode-16"], "lldb-vscode-16"],
          [["lldb-dap-19.old", "xlldb-dap-21", "lldb-dap-x", "lldb-vscode-13"], "lldb-vscode-13"]
        ] as const) {
          const directory = yield* withFiles(...names)
          const found = yield* find({ PATH: directory })
          assert.strictEqual(found.path, `${directory}/${expected}`)
          const major = /-(\d+)$/.exec(expected)?.[1]
          assert.strictEqual(found.major, major === undefined ? undefined : Number(major))
        }
      })
    )

    it.effect("is the next one if the newest does not run, and says which was skipped and why", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* withFiles("lldb-dap-99", "lldb-dap-98", "lldb-dap-97", "lldb-dap-19", "lldb-dap-18")
        yield* fs.writeFileString(`${directory}/lldb-dap-99`, "#!/bin/sh\nexit 127\n")
        yield* fs.writeFileString(`${directory}/lldb-dap-98`, "#!/absent/interpreter\n")
        yield* fs.chmod(`${directory}/lldb-dap-97`, 0o757)
        assert.deepStrictEqual(yield* find({ PATH: directory }), {
          path: `${directory}/lldb-dap-19`,
          major: 19,
          skipped: [
            `${directory}/lldb-dap-99: it exits with code 127`,
            `${directory}/lldb-dap-98: it cannot be started`,
            `${directory}/lldb-dap-97: other users can write to ${directory}/lldb-dap-97`
          ]
        })
      })
    )

    it.effect(
      "is never one that others can change, in a folder that others can write to, or of the working directory",
      () =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const planted = yield* withFiles("lldb-dap", "gdb")
          for (const PATH of [".", "", `.:`, "./"]) {
            assert.strictEqual((yield* Effect.flip(find({ PATH }, undefined, planted)))._tag, "AdapterNotFound")
          }
          yield* fs.chmod(planted, 0o777)
          for (const adapter of [undefined, `${planted}/lldb-dap`]) {
            const error = yield* Effect.flip(find({ PATH: planted }, adapter))
            assert(error._tag === "AdapterNotFound")
            assert.include(error.looked, `${planted}/lldb-dap: other users can write to ${planted}`)
          }
        })
    )

    it.effect("is searched in every absolute directory of PATH", () =>
      Effect.gen(function* () {
        const old = yield* withFiles("lldb-dap-18")
        const young = yield* withFiles("lldb-dap-21")
        assert.strictEqual((yield* find({ PATH: `${old}:${young}` })).path, `${young}/lldb-dap-21`)
        const error = yield* Effect.flip(find({ PATH: ".::bin" }, undefined, young))
        assert(error._tag === "AdapterNotFound")
        assert.isFalse(error.looked.some((place) => place.includes("lldb-dap-21") || place.startsWith(".")))
      })
    )

    it.effect("is the one that was asked for, by path or by name", () =>
      Effect.gen(function* () {
        const directory = yield* withFiles("lldb-dap-22", "own/adapter", "own/lldb-dap-18")
        const cases = [
          [`${directory}/own/adapter`, "own/adapter", undefined],
          ["own/lldb-dap-18", "own/lldb-dap-18", 18],
          ["./own/adapter", "own/adapter", undefined],
          ["lldb-dap-22", "lldb-dap-22", 22],
          ["lldb-dap", "lldb-dap-22", 22]
        ] as const
        for (const [asked, expected, major] of cases) {
          const found = yield* find({ PATH: directory }, asked, directory)
          assert.deepStrictEqual(
            found,
            { path: `${directory}/${expected}`, ...(major === undefined ? {} : { major }) },
            asked
          )
        }
        const error = yield* Effect.flip(find({ PATH: directory }, "lldb-dap-99"))
        assert(error._tag === "AdapterNotFound")
        assert.deepStrictEqual([error.adapter, error.looked], ["lldb-dap-99", ["the adapter asked for (lldb-dap-99)"]])
      })
    )

    it.effect("is the file of SIGTRAP_LLDB_DAP, and no other is searched", () =>
      Effect.gen(function* () {
        const directory = yield* withFiles("lldb-dap-22", "mine")
        const found = yield* find({ PATH: directory, SIGTRAP_LLDB_DAP: `${directory}/mine` })
        assert.strictEqual(found.path, `${directory}/mine`)
        const error = yield* Effect.flip(find({ PATH: directory, SIGTRAP_LLDB_DAP: `${directory}/none` }))
        assert(error._tag === "AdapterNotFound")
        assert.deepStrictEqual(error.looked, [`SIGTRAP_LLDB_DAP (${directory}/none)`])
        assert.strictEqual((yield* find({ PATH: directory, SIGTRAP_LLDB_DAP: "" })).path, `${directory}/lldb-dap-22`)
      })
    )

    it.effect("is the target of a link, with the version in either name", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* withFiles("real/lldb-dap")
        yield* fs.symlink(`${directory}/real/lldb-dap`, `${directory}/lldb-dap-19`)
        assert.deepStrictEqual(yield* find({ PATH: directory }), { path: `${directory}/real/lldb-dap`, major: 19 })
      })
    )

    it.effect("must be an executable file; if there is none, every place searched is listed", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* withFiles("empty/x")
        yield* fs.writeFileString(`${directory}/lldb-dap`, "")
        yield* fs.makeDirectory(`${directory}/lldb-dap-19`)
        const error = yield* Effect.flip(find({ PATH: `${directory}:${directory}/empty:/nowhere` }))
        assert(error._tag === "AdapterNotFound")
        assert.strictEqual(error.adapter, "lldb-dap")
        assert.includeMembers(
          [...error.looked],
          ["SIGTRAP_LLDB_DAP (not set)", `${directory}/lldb-dap*`, `${directory}/empty/lldb-dap*`, "/nowhere/lldb-dap*"]
        )
        const without = yield* Effect.flip(find({}))
        assert.strictEqual(without._tag, "AdapterNotFound")
      })
    )
  })
})

describe("the environment and arguments of the adapter", () => {
  it("contain a part of the user's environment, and another home, also for temporary files", () => {
    const env = {
      PATH: "/bin",
      HOME: "/home/user",
      LANG: "C",
      LC_ALL: "C",
      TMPDIR: "/tmp",
      AWS_SECRET: "x",
      LD_PRELOAD: "/x.so",
      LLDB_DEBUGSERVER_PATH: "/server"
    }
    assert.deepStrictEqual(LldbDap.environment(launchOf("", { env }), "/private"), {
      PATH: "/bin",
      LANG: "C",
      LC_ALL: "C",
      LLDB_DEBUGSERVER_PATH: "/server",
      HOME: "/private",
      TMPDIR: "/private",
      TERM: "dumb"
    })
  })

  it("contain no path that would end a command", () => {
    const streams = {
      input: "/in",
      output: "/out",
      error: "/err",
      holders: Effect.succeed([]),
      drain: () => {},
      write: () => Effect.void,
      closeInput: Effect.void
    }
    for (const stdin of ["/tmp/a\nquit", "/tmp/a\rb", "/tmp/a\0b"]) {
      const refused = LldbDap.launchArguments(launchOf("", { stdin }), streams, LldbDap.quirks(19))
      assert(Result.isFailure(refused))
      assert.include(refused.failure.detail, JSON.stringify(stdin))
    }
  })
})
