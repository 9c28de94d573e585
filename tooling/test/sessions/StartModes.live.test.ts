/** Starts from a launch.json configuration, after a build, and with one test of a test runner. */
import { assert, layer } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect, FileSystem } from "effect"
import { debugging, environment, platform, Programs } from "../support/fixturePrograms.ts"

/** Makes a directory with these files. Files whose names end in `!` are executable. */
const project = Effect.fnUntraced(function* (files: { readonly [name: string]: string }) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-project-" }))
  yield* Effect.forEach(Object.entries(files), ([name, content]) => {
    const file = `${directory}/${name.replace(/!$/, "")}`
    return fs
      .makeDirectory(file.replace(/\/[^/]*$/, ""), { recursive: true })
      .pipe(Effect.andThen(fs.writeFileString(file, content, { mode: name.endsWith("!") ? 0o755 : 0o644 })))
  })
  return directory
})

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("start modes", (it) => {
  it.effect("says of a script which program to start", () =>
    debugging(({ call }) =>
      Effect.gen(function* () {
        const directory = yield* project({
          "shell!": "#!/bin/sh\necho hello\n",
          "perl!": "#!/usr/bin/env -S A=1 perl -w\nprint 1;\n"
        })
        for (const [name, program, args] of [
          ["shell", "/bin/sh", []],
          ["perl", "perl", ["-w"]]
        ] as const) {
          const file = `${directory}/${name}`
          const failure = yield* Effect.flip(call("start", { program: file, environment }))
          assert.deepInclude(failure, {
            _tag: "LaunchFailed",
            detail: `it is a script, and ${program} runs it: start that program to debug it`,
            remedies: [Hint.call("start", { program, args: [...args, file] })]
          })
        }
      })
    )
  )

  it.effect("starts a launch.json configuration like the editor", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory: programs } = yield* Programs
        const directory = yield* project({
          ".vscode/launch.json": `{
            "configurations": [
              { "type": "lldb", "request": "launch", "name": "app", "program": "${programs}/app",
                "args": ["\${env:WHO}", "\${workspaceFolderBasename}"], "stopAtEntry": true, "preLaunchTask": "build",
                "env": { "A": "1" }, "cwd": "\${workspaceFolder}/src", "someday": true, },
              { "type": "lldb", "request": "attach", "name": "attach", "pid": "\${command:pick}", "program": "\${config:x}" },
              { "type": "lldb", "request": "launch", "name": "asks", "program": "\${input:x}", "args": ["\${config:y}"] },
            ]
          }`,
          "src/x": ""
        })
        const here = { directory: `${directory}/src`, environment: { ...environment, WHO: "world" } }
        const begin = (launch_config?: string) =>
          call("start", { ...here, ...(launch_config === undefined ? {} : { launch_config }) })
        const begun = yield* begin("app")
        assert.deepInclude(begun.data, { program: `${programs}/app`, reason: "breakpoint" })
        assert.strictEqual(begun.data.location?.function, "main")
        assert.deepStrictEqual(begun.data.args, ["world", directory.replace(/^.*\//, "")])
        assert.deepStrictEqual(
          begun.warnings.map(({ code }) => code),
          ["TASK_NOT_RUN", "KEY_NOT_USED"]
        )
        const { value } = (yield* call("eval", { expression: '(char *)getenv("A")' })).data.value
        assert.include(value, '"1"')
        const where = (yield* call("eval", { expression: "(char *)getcwd((char *)0, 0)" })).data.value.value
        assert.include(where, `${directory}/src`)
        assert.strictEqual((yield* Effect.flip(begin("app")))._tag, "SessionExists")
        yield* call("stop", {})
        const attach = yield* Effect.flip(begin("attach"))
        assert.deepInclude(attach, { _tag: "Usage", remedies: [Hint.call("attach", { name: "${config:x}" })] })
        const asks = yield* Effect.flip(begin("asks"))
        assert.include(asks.message, "${input:x}, ${config:y}")
        const none = yield* Effect.flip(call("start", { ...here, launch_json: "../.vscode/launch.json" }))
        assert.include(none.message, "'app', 'attach', 'asks'")
        assert.include((yield* Effect.flip(call("start", here))).message, "PROGRAM is missing")
        // Flags beside a configuration override it.
        const other = yield* start("crash", { ...here, launch_config: "app", program: `${programs}/exit_code` })
        assert.strictEqual(other.data.program, `${programs}/exit_code`)
      })
    )
  )

  it.effect("builds a program and starts it; a failed build leaves no program and no session", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { source } = yield* Programs
        const directory = yield* project({
          "build.sh!": "#!/bin/sh\nsleep 1000 &\necho compiling; echo broken >&2; exit 7\n"
        })
        const build = `cc -g -O0 '${source("exit_code.c")}' -o ${directory}/fresh`
        const begun = yield* start(`${directory}/fresh`, { build })
        assert.deepInclude(begun.data, { event: "exited", exit_code: 7 })
        const again = yield* call("restart", { build, environment, stop_on_entry: true })
        assert.deepInclude(again.data, { event: "stopped", reason: "entry" })
        const failed = yield* Effect.flip(call("restart", { build: "./build.sh", directory, environment }))
        assert.deepInclude(failed, { _tag: "LaunchFailed", log: "compiling\nbroken" })
        assert.include(failed.message, "ended with code 7")
        assert.strictEqual((yield* call("status", {})).data.state, "stopped")
        const shell = yield* Effect.flip(call("restart", { build: "make && true", directory, environment }))
        assert.include(shell.message, "needs a shell")
      })
    )
  )

  it.effect("debugs one test of a runner as a program of its own", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const { directory: programs } = yield* Programs
        const test = (name: string) => ({
          name,
          command: [`${programs}/app`, "one", "two"],
          properties: [
            { name: "ENVIRONMENT", value: ["A=1"] },
            { name: "WORKING_DIRECTORY", value: programs }
          ]
        })
        const directory = yield* project({
          "build/CTestTestfile.cmake": "",
          "bin/cmake!": "#!/bin/sh\n",
          "bin/ctest!": `#!/bin/sh\necho '${JSON.stringify({ tests: [test("sums"), test("sums_more")] })}'\n`
        })
        const PATH = `${directory}/bin:${environment["PATH"] ?? ""}`
        const here = { directory, environment: { ...environment, PATH }, runner: "ctest" as const }
        const begin = (name: string) => call("start", { ...here, test: name, break: ["sum_scores"] })
        const begun = yield* begin("sums")
        assert.deepInclude(begun.data, { program: `${programs}/app`, args: ["one", "two"], reason: "breakpoint" })
        yield* call("stop", {})
        assert.include((yield* Effect.flip(begin("sum"))).message, "part of 2 tests: sums, sums_more")
        assert.include((yield* Effect.flip(begin("other"))).message, "no test 'other', but sums")
        const without = yield* Effect.flip(start("app", { runner: "ctest" }))
        assert.include(without.message, "--runner needs --test")
      })
    )
  )

  it.effect("finds moved sources below the configured roots and by source maps", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const directory = yield* project({
          "old/src/exit_code.c": "int main(void)\n{\n  return 3; // moved\n}\n"
        })
        const fs = yield* FileSystem.FileSystem
        yield* start("app", {
          build: `cc -g -O0 ${directory}/old/src/exit_code.c -o ${directory}/moved`,
          stop_on_entry: true
        })
        yield* call("stop", {})
        yield* fs.rename(`${directory}/old`, `${directory}/new`)
        const begin = (settings: Readonly<Record<string, ReadonlyArray<string>>>) =>
          start(`${directory}/moved`, { break: ["exit_code.c:3"], replace: true, settings })
        assert.isUndefined((yield* begin({})).data.source)
        const rooted = yield* begin({ "source.roots": [`${directory}/new`] })
        assert.include(rooted.data.source?.lines.join(), "// moved")
        const mapped = yield* begin({ "source.maps": [`${directory}/old=${directory}/new`] })
        assert.strictEqual(mapped.data.location?.file, `${directory}/new/src/exit_code.c`)
      })
    )
  )
})
