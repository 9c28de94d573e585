import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Aliases from "@sigtrap/protocol/grammar/Aliases"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Spellings from "@sigtrap/protocol/grammar/Spellings"
import * as EarlyOptions from "../../src/thin/EarlyOptions.ts"
import * as Generated from "@sigtrap/protocol/grammar/Spellings.generated"

const nothing: EarlyOptions.EarlyOptions = {
  argv: [],
  runtimeDirectory: undefined,
  startsDaemon: true,
  foreground: false,
  client: undefined,
  json: false,
  printsVersion: false,
  describes: false,
  command: undefined,
  leavesStopped: true,
  starts: false,
  endsProgram: false
}

const parse = (text: string) => EarlyOptions.parse(text === "" ? [] : text.split(" "), undefined)

const check = (text: string, expected: Partial<EarlyOptions.EarlyOptions>) =>
  assert.deepStrictEqual(parse(text), { ...nothing, ...expected })

it("the client's options are removed at any position, and other words are kept", () => {
  check("", { describes: true })
  check("status", { argv: ["status"], command: "status" })
  check("--runtime-dir /x status", { argv: ["status"], command: "status", runtimeDirectory: "/x" })
  check("status --runtime-dir=/x", { argv: ["status"], command: "status", runtimeDirectory: "/x" })
  check("status --runtime-dir", { argv: ["status"], command: "status", runtimeDirectory: "" })
  check("--no-daemon-start status -q", { argv: ["status", "-q"], command: "status", startsDaemon: false })
  check("break main --foreground", { argv: ["break", "main"], command: "break", foreground: true })
  check("break main -- --foreground --json", {
    argv: ["break", "main", "--", "--foreground", "--json"],
    command: "break"
  })
})

it("daemon is a command only in the place of the command, not as a value or an argument", () => {
  check("daemon status", {
    argv: ["daemon", "status"],
    command: "daemon",
    client: { name: "daemon", words: ["status"] }
  })
  check("--json daemon stop", {
    argv: ["--json", "daemon", "stop"],
    command: "daemon",
    client: { name: "daemon", words: ["--json", "stop"] },
    json: true
  })
  check("-S daemon status", { argv: ["-S", "daemon", "status"], command: "status" })
  check("break daemon", { argv: ["break", "daemon"], command: "break" })
  check("-- daemon", { argv: ["--", "daemon"], describes: true })
})

it("errors are JSON if an option or the environment selects JSON", () => {
  assert.isTrue(EarlyOptions.parse(["status", "--json"], undefined).json)
  assert.isTrue(EarlyOptions.parse(["status"], "json").json)
  assert.isFalse(EarlyOptions.parse(["status"], "text").json)
})

it.prop("words that are not options of the client are unchanged", [Schema.Array(Schema.String)], ([words]) => {
  const own = (word: string) => /^--(runtime-dir|no-daemon-start|foreground)/.test(word)
  const foreign = words.filter((word) => !own(word))
  assert.deepStrictEqual(EarlyOptions.parse(foreign, undefined).argv, foreign)
})

it("commands about the machine run in the client, except for their help", () => {
  check("doctor --json", {
    argv: ["doctor", "--json"],
    command: "doctor",
    client: { name: "doctor", words: ["--json"] },
    json: true
  })
  check("-C /x test a.yaml -j 2", {
    argv: ["-C", "/x", "test", "a.yaml", "-j", "2"],
    command: "test",
    client: { name: "test", words: ["-C", "/x", "a.yaml", "-j", "2"] }
  })
  check("config --help", { argv: ["config", "--help"], command: "config", describes: true })
  check("logs -n 3", { argv: ["logs", "-n", "3"], command: "logs", client: { name: "log", words: ["-n", "3"] } })
  assert.deepStrictEqual(parse("setup lldb-dap --version 20").client, {
    name: "setup",
    words: ["lldb-dap", "--version", "20"]
  })
  assert.isUndefined(parse("doctor --version").client)
})

it("the words after mcp go to the server unchanged, except a request for help", () => {
  const words = (text: string) => {
    const { client } = parse(text)
    return client?.name === "mcp" ? client.words : undefined
  }
  assert.deepStrictEqual(words("mcp"), [])
  assert.deepStrictEqual(words("mcp install --client cursor --print"), ["install", "--client", "cursor", "--print"])
  assert.deepStrictEqual(words("--runtime-dir /x mcp --http 0"), ["--http", "0"])
  assert.isUndefined(words("mcp --help"))
  assert.isUndefined(words("start mcp"))
})

describe("a value before the command", () => {
  // Each row names words that another parser mistook for the command.
  it.each([
    ["--name log attach", "attach", { name: "log" }],
    ["attach --name log", "attach", { name: "log" }],
    ["--env test start /bin/true", "start", { env: ["test"], program: "/bin/true" }],
    ["start --env test /bin/true", "start", { env: ["test"], program: "/bin/true" }],
    ["start /bin/true --env test", "start", { env: ["test"], program: "/bin/true" }],
    ["-b setup start ./app", "start", { break: ["setup"], program: "./app" }],
    ["--json --adapter doctor -S web core file", "core", { adapter: "doctor", file: "file", session: "web" }],
    ["--wait 5s connect 127.0.0.1:1", "connect", { wait: "5s", address: "127.0.0.1:1" }],
    ["--wait start ./app", "start", { wait: true, program: "./app" }],
    ["-e start ./app", "start", { stop_on_entry: true, program: "./app" }],
    ["-f main break", "break", { function: "main" }]
  ])("belongs to its option: %s", (line, name, expected) => {
    const early = parse(line)
    assert.isUndefined(early.client)
    const { request } = Argv.parse(early.argv)
    assert(Result.isSuccess(request) && request.success._tag === "Call", line)
    assert.deepStrictEqual([request.success.command.name, request.success.input], [name, expected])
  })

  it.each([
    ["--level error log", "log", ["--level", "error"]],
    ["--dir tools setup debugpy", "setup", ["--dir", "tools", "debugpy"]],
    ["--version 20 setup lldb-dap", "setup", ["--version", "20", "lldb-dap"]],
    ["--filter start test a.yaml", "test", ["--filter", "start", "a.yaml"]]
  ])("belongs to its option in the client: %s", (line, name, words) => {
    assert.deepStrictEqual(parse(line).client, { name, words })
  })
})

it("a stopped program stays stopped after Ctrl-C, unless the command resumes it or waits", () => {
  for (const line of ["threads", "bt", "print n", "status --json", "doctor", "nonsense", ""]) {
    assert.isTrue(parse(line).leavesStopped, line)
  }
  for (const line of ["continue", "n", "thread step-over", "--timeout 5s wait", "start ./app"]) {
    assert.isFalse(parse(line).leavesStopped, line)
  }
})

it("a command that starts a program may not have started it at Ctrl-C", () => {
  for (const line of ["start ./app", "-S web attach 7", "core c", "restart", "sim debug booted a"]) {
    assert.isTrue(parse(line).starts, line)
  }
  for (const line of ["continue", "wait", "status", "trace a.c:1 :: {n}"]) assert.isFalse(parse(line).starts, line)
})

it("Ctrl-C ends a program that the command runs itself", () => {
  for (const line of ["run ./app", "run --runner go --failing", "r ./app -- 7"]) {
    assert.isTrue(parse(line).endsProgram, line)
  }
  for (const line of ["run", "r -S web", "start ./app", "continue"]) assert.isFalse(parse(line).endsProgram, line)
})

describe("the copy of the spellings in the client", () => {
  it("is equal to the computed spellings", () => {
    assert.deepStrictEqual(Generated.spellings, Spellings.compute())
  })

  it("resolves every spelling to the same command as the grammar", () => {
    const spellings = [
      ...Commands.names,
      ...[...Aliases.commands].flatMap(([spelling, { before }]) => (before === undefined ? [spelling] : [])),
      ...Object.keys(Builtins.aliases)
    ]
    for (const spelling of spellings) {
      const resolved = Commands.resolve(spelling.split(" "))
      const early = parse(spelling)
      const builtin = resolved?.builtin
      assert.strictEqual(early.client?.name, builtin?.client === true ? builtin.name : undefined, spelling)
      assert.strictEqual(early.leavesStopped, resolved?.command?.meta.leavesStopped ?? true, spelling)
    }
  })
})

it("the client prints the version, and runs the command itself if the output has other options", () => {
  for (const text of ["version", "--version", "-V", "version --json", "--json --version", "--no-daemon-start -V"]) {
    assert.isTrue(parse(text).printsVersion, text)
  }
  for (const text of [
    "version --select data.version",
    "setup --version 1",
    "start ./version",
    "--json",
    "break version"
  ]) {
    assert.isFalse(parse(text).printsVersion, text)
  }
  for (const text of ["version --select data.version", "--version --pretty"])
    assert.isTrue(parse(text).foreground, text)
  for (const text of ["setup --version 1", "start ./version"]) assert.isFalse(parse(text).foreground, text)
})
