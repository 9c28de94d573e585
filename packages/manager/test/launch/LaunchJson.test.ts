import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Path, Result } from "effect"
import { Effect } from "effect"
import * as CommandLine from "../../src/model/CommandLine.ts"
import * as LaunchJson from "../../src/launch/LaunchJson.ts"
import * as LaunchJsonKeys from "../../src/launch/LaunchJsonKeys.ts"

const text = `{
  // made by an editor
  "configurations": [
    { "name": "one", "program": "\${workspaceFolder}/app", /* why */ "args": ["a",], },
    { "name": "two" },
  ],
  "compounds": [{ "name": "both", "configurations": ["one", "two"] }],
  "inputs": [{ "id": "who", "type": "promptString", "default": "me" }],
}`

const document = Result.getOrThrow(LaunchJson.parse(text))

describe("launch.json", () => {
  it("may have comments and trailing commas", () => {
    assert.deepStrictEqual(
      document.configurations.map(({ name }) => name),
      ["one", "two"]
    )
    assert.strictEqual(document.inputs.get("who"), "me")
  })

  it("is refused with the line and column of the first error", () => {
    for (const [wrong, problem] of [
      ['{ "configurations": [\n  // note\n  { "name": "a" "b": 1 }] }', "line 3, column 17: comma expected"],
      ['\ufeff{ "configurations": [,] }', "line 1, column 23: value expected"],
      ['{ "configurations": []', "line 1, column 23: close brace expected"],
      ['{ "configurations": [], "a": yes }', "line 1, column 30: invalid symbol"],
      ['{ "configurations": [] } }', "line 1, column 26: end of file expected"],
      ["", "line 1, column 1: value expected"],
      ["{}", "it has no list named configurations"],
      [`{ "configurations": [${"[".repeat(100_000)}`, "it is nested deeper than 200 levels"]
    ] as const) {
      const parsed = LaunchJson.parse(wrong)
      assert.strictEqual(Result.isFailure(parsed) ? parsed.failure : "it was taken", problem)
    }
  })

  it("has at most 20,000 keys and values", () => {
    const parsed = (count: number) =>
      LaunchJson.parse(`{ "configurations": [{ "args": [${Array.from({ length: count }, () => 1).join()}] }] }`)
    assert.isTrue(Result.isSuccess(parsed(15_000)))
    const refusal = parsed(40_000)
    assert.strictEqual(Result.isFailure(refusal) && refusal.failure, "it has more than 20000 keys and values")
  })

  it.effect("has at most 1 MiB of text in its variables, however often they are used", () =>
    Effect.gen(function* () {
      const context = {
        workspace: "/w".repeat(512),
        directory: "/w",
        file: undefined,
        environment: {},
        inputs: new Map<string, string>(),
        path: yield* Path.Path
      }
      const resolved = (count: number) => LaunchJson.resolve({ args: ["${workspaceFolder}".repeat(count)] }, context)
      const text = (count: number) => JSON.stringify(Result.isSuccess(resolved(count)) ? resolved(count) : "").length
      assert.isAbove(text(1000), 1_000_000)
      const refusal = resolved(1025)
      assert.strictEqual(
        Result.isFailure(refusal) && refusal.failure,
        "its variables have more than 1048576 characters together"
      )
    }).pipe(Effect.provide(Path.layer))
  )

  it("has no key that other keys are inherited from", () => {
    const [configuration] = Result.getOrThrow(
      LaunchJson.parse('{ "configurations": [{ "__proto__": { "program": "/bin/sh" } }] }')
    ).configurations
    assert.isUndefined(configuration?.["program"])
  })

  const refused = (name: string | undefined) => {
    const chosen = LaunchJson.choose(document, name)
    return Result.isFailure(chosen) ? chosen.failure : assert.fail("it was taken")
  }

  it("is refused with its configurations when none or an unknown one is named", () => {
    assert.include(refused(undefined), "2 configurations, name one of them: 'one', 'two'")
    assert.include(refused("three"), "no configuration 'three', but 'one', 'two'")
    assert.include(refused("both"), "several programs")
    assert.deepInclude(Result.getOrThrow(LaunchJson.choose(document, "two")), { name: "two" })
  })

  it.effect("has its variables resolved; those that only an editor knows are collected", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const around = {
        workspace: "/src/shop",
        directory: "/src/shop/src",
        file: "/src/shop/src/cart.py",
        environment: { WHO: "me", HOME: "/home/me" },
        inputs: document.inputs,
        path
      }
      const missing = new Set<string>()
      const resolve = (written: unknown) => {
        const resolved = Result.getOrThrow(LaunchJson.resolve(written, around))
        for (const name of resolved.missing) missing.add(name)
        return resolved.value
      }
      const check = (written: string, expected: string) => assert.strictEqual(resolve(written), expected)
      check("${workspaceFolder}/app", "/src/shop/app")
      check("${workspaceFolderBasename}", "shop")
      check("${cwd}${/}x", "/src/shop/src/x")
      check("${userHome}", "/home/me")
      check("${env:WHO}-${env:NOBODY}", "me-")
      check("${input:who}", "me")
      check("${file}", "/src/shop/src/cart.py")
      check("${fileBasenameNoExtension}${fileExtname}", "cart.py")
      check("${fileDirname}", "/src/shop/src")
      check("${relativeFile}", "src/cart.py")
      assert.deepStrictEqual([...missing], [])
      assert.deepStrictEqual(resolve({ a: ["${command:pick}", 1] }), {
        a: ["${command:pick}", 1]
      })
      check("${config:x} ${input:nobody} ${lineNumber}", "${config:x} ${input:nobody} ${lineNumber}")
      assert.deepStrictEqual([...missing], ["${command:pick}", "${config:x}", "${input:nobody}", "${lineNumber}"])
    }).pipe(Effect.provide(Path.layer))
  )
})

const native = { types: ["native"], options: ["custom"], only: { mode: ["test"] } }

describe("a launch configuration", () => {
  const check = (
    configuration: LaunchJson.Json,
    expected: LaunchJsonKeys.Fields,
    unused: ReadonlyArray<string> = []
  ) => {
    const { envFiles: _, ...mapped } = LaunchJsonKeys.read(configuration, native)
    assert.deepStrictEqual(mapped, { fields: expected, unused })
  }

  it("is read with the keys of every extension", () => {
    check({ args: "a 'b c'" }, { args: ["a", "b c"] })
    check({ args: ["a", 2] }, { args: ["a", "2"] })
    check({ env: { A: 1, B: null } }, { env: ["A=1"] })
    check({ env: ["A=1"], environment: [{ name: "B", value: "2" }] }, { env: ["A=1", "B=2"] })
    check({ stopOnEntry: true }, { stop_on_entry: true })
    check({ stopAtEntry: true }, { stop_at_main: true })
    check({ sourceMap: [["/a", "/b"]] }, { source_map: ["/a=/b"] })
    check({ sourceFileMap: { "/a": { editorPath: "/b" } } }, { source_map: ["/a=/b"] })
    check({ pathMappings: [{ localRoot: "/b", remoteRoot: "/a" }] }, { source_map: ["/a=/b"] })
    check({ substitutePath: [{ from: "/b", to: "/a" }] }, { source_map: ["/a=/b"] })
    check({ stdio: [null, "/out"] }, { stdout: "/out" })
    check({ preRunCommands: ["x"], stopCommands: "y" }, { pre_run_cmd: ["x"], stop_cmd: ["y"] })
  })

  it("passes on the adapter's own keys and reports the unused ones", () => {
    check({ custom: { a: 1 }, mode: "test" }, { adapter_opt: ['custom={"a":1}', 'mode="test"'] })
    check({ mode: "auto", console: "integratedTerminal", presentation: {} }, {})
    check({ setupCommands: [], coolness: 3 }, {}, ["setupCommands", "coolness"])
  })

  it("that starts no program is answered with the operation for it", () => {
    const rows = [
      [{ pid: "4711", program: "/w/app" }, Hint.call("attach", { pid: 4711, program: "/w/app" })],
      [{ pid: "${command:pick}", program: "/w/app" }, Hint.call("attach", { name: "app" })],
      [{ waitFor: true, program: "/w/my app" }, Hint.call("attach", { name: "my app", wait: true })],
      [{ coreFile: "/w/core", program: "/w/app" }, Hint.call("core", { file: "/w/core", program: "/w/app" })],
      [{ miDebuggerServerAddress: "host:1234" }, Hint.call("connect", { address: "host:1234" })],
      [{ connect: { port: 5678 } }, Hint.call("connect", { address: "localhost:5678" })],
      [{}, Hint.help("attach")]
    ] as const
    for (const [configuration, hint] of rows) {
      assert.deepStrictEqual(LaunchJsonKeys.callWithoutStart(configuration), hint)
    }
  })

  it("reads files of variables as editors write them", () => {
    assert.deepStrictEqual(LaunchJsonKeys.variables('# c\nexport A="x \\"y\\""\nB=\'q\' \n\nC=1 # no\nnonsense\n'), [
      'A=x "y"',
      "B=q",
      "C=1"
    ])
  })
})

describe("a command in one line", () => {
  const check = (line: string, ...words: ReadonlyArray<string>) =>
    assert.deepStrictEqual(Result.getOrThrow(CommandLine.read(line)).words, words)
  const refused = (line: string, why: string) => {
    const read = CommandLine.read(line)
    assert.include(Result.isFailure(read) ? read.failure : "it was taken", why)
  }

  it("is split by the quoting rules of a shell", () => {
    check("make app", "make", "app")
    check(`cc 'a b' "c \\"d\\"" e\\ f ''`, "cc", "a b", 'c "d"', "e f", "")
    check("sh -c 'a && b'", "sh", "-c", "a && b")
    check("echo '$x'", "echo", "$x")
    assert.deepStrictEqual(Result.getOrThrow(CommandLine.read("CC=clang make x=1")), {
      env: [["CC", "clang"]],
      words: ["make", "x=1"]
    })
  })

  it("is refused if it needs a shell", () => {
    refused("make && ls", "& needs a shell")
    refused("make > log", "> needs a shell")
    refused('echo "$HOME"', "$ needs a shell")
    refused("echo 'a", "a quote is not closed")
    refused("  ", "it names no program")
    refused("A=1", "it names no program")
  })
})
