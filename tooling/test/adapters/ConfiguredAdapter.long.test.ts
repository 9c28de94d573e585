// A debugger of another language is added by configuration alone: its adapter and the files are outside of the repository, and
// the built command, MCP server and HTTP server use it.
import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stdio } from "../surfaces/mcpServers.ts"

const fixtures = fileURLToPath(new URL("../../../examples/adapter/", import.meta.url))
const guide = fileURLToPath(new URL("../../../docs/guide/adapters.md", import.meta.url))
const sigtrap = fileURLToPath(new URL("../../../apps/cli/dist/sigtrap.js", import.meta.url))

const record = (value: unknown): { readonly [field: string]: unknown } =>
  Object.fromEntries(Object.entries(Object(value)))

describe("an adapter of the configuration", () => {
  let root = ""
  let environment: { readonly [name: string]: string } = {}

  const run = (...words: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [sigtrap, "--json", ...words], {
      cwd: join(root, "project"),
      env: environment,
      encoding: "utf8",
      timeout: 50_000
    })
    const answer = record(JSON.parse(stdout === "" ? stderr : stdout))
    const error = record(answer["error"])
    return { code: status, data: record(answer["data"]), error, text: `${stdout}${stderr}` }
  }
  const user = (...lines: ReadonlyArray<string>) => writeFileSync(join(root, "home/config.toml"), lines.join("\n"))
  const project = (...lines: ReadonlyArray<string>) =>
    writeFileSync(join(root, "project/.sigtrap.toml"), lines.join("\n"))

  /** The description of the adapter; `vendor` is beside the folders of both files. */
  const described = (name: string, ...more: ReadonlyArray<string>) => [
    `[adapters.${name}]`,
    `command = ${JSON.stringify(process.execPath)}`,
    ...(more.some((line) => line.startsWith("args")) ? [] : ['args = ["${folder}/../vendor/sums.mjs"]']),
    "languages = ['Sums']",
    ...more
  ]
  const overTcp = described(
    "tcp",
    'args = ["${folder}/../vendor/sums.mjs", "--port", "${port}"]',
    "transport = 'tcp'",
    "attach = { processId = '${pid}', script = '${folder}/four.sums' }"
  )

  beforeAll(() => {
    root = realpathSync(mkdtempSync("/tmp/sigtrap-added-"))
    for (const folder of ["home", "vendor", "project", "run"]) mkdirSync(join(root, folder), { mode: 0o700 })
    copyFileSync(join(fixtures, "sums-adapter.mjs"), join(root, "vendor/sums.mjs"))
    copyFileSync(join(fixtures, "four.sums"), join(root, "project/four.sums"))
    environment = {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      HOME: join(root, "home"),
      SIGTRAP_CONFIG: join(root, "home/config.toml"),
      SIGTRAP_RUNTIME_DIR: join(root, "run")
    }
  })
  afterAll(() => {
    run("daemon", "stop", "--force")
    rmSync(root, { recursive: true, force: true })
  })

  /** Writes an adapter: `answered` runs for each response, and `configured` when the configuration is done. */
  const scripted = (name: string, answered: string, configured: string) =>
    writeFileSync(
      join(root, `vendor/${name}.mjs`),
      `import { writeFileSync } from "node:fs"
let text = "", seq = 0, refused = 0
const write = (message) => {
  const body = JSON.stringify({ seq: ++seq, ...message })
  process.stdout.write("Content-Length: " + body.length + "\\r\\n\\r\\n" + body)
}
const event = (name, body) => write({ type: "event", event: name, body })
const start = (seq, ...args) => write({ seq, type: "request", command: "runInTerminal", arguments: { cwd: "/", args, env: {} } })
process.stdin.on("data", (chunk) => {
  for (text += chunk; ; ) {
    const size = Number(/^Content-Length: (\\d+)/.exec(text)?.[1] ?? 0), from = text.indexOf("{")
    if (size === 0 || text.length < from + size) return
    const message = JSON.parse(text.slice(from, from + size))
    text = text.slice(from + size)
    if (message.type === "response") {
      ${answered}
      continue
    }
    const { command, seq: request_seq } = message
    const body = command === "initialize" ? { supportsConfigurationDoneRequest: true } : { threads: [], breakpoints: [] }
    write({ type: "response", request_seq, command, success: true, body })
    if (command === "launch") event("initialized")
    if (command === "configurationDone") {
      ${configured}
    }
    if (command === "disconnect") process.exit(0)
  }
})
`
    )

  it("starts a bounded number of programs for an adapter", () => {
    scripted(
      "many",
      `if (!message.success) refused += 1
      if (message.request_seq === 1000 + 39) {
        writeFileSync(import.meta.dirname + "/refused", String(refused))
        event("exited", { exitCode: 0 })
        event("terminated")
      }`,
      `for (let n = 0; n < 40; n++) start(1000 + n, "/bin/sleep", "30")`
    )
    user(...described("many", 'args = ["${folder}/../vendor/many.mjs"]', 'streams = "terminal"'))
    run("start", "four.sums", "--adapter", "many", "--timeout", "20s")
    assert.strictEqual(readFileSync(join(root, "vendor/refused"), "utf8"), "24")
    run("stop")
  })

  it("whose debugger ends before the program gives the program time to exit, and has its exit code", () => {
    scripted("early", `event("terminated")`, `start(1000, "/bin/sh", "-c", "sleep 1; exit 7")`)
    const how = ['streams = "terminal"', 'quirks = ["silent_process"]']
    user(...described("early", 'args = ["${folder}/../vendor/early.mjs"]', ...how))
    assert.deepInclude(run("start", "four.sums", "--adapter", "early").data, { event: "exited", exit_code: 7 })
  })

  it("debugs programs from the command line: launch, breakpoint, locals, step, exit", () => {
    project("")
    // The example of the guide, beside its files.
    for (const name of ["sums-adapter.mjs", "four.sums"]) copyFileSync(join(fixtures, name), join(root, "home", name))
    user(/^```toml\n(.*?)^```/ms.exec(readFileSync(guide, "utf8"))?.[1] ?? "", "first = 10")
    const first = run("start", "four.sums", "--break", "four.sums:3")
    assert.deepInclude(first.data["adapter"], { name: "sums", backend: "dap" }, first.text)
    assert.deepInclude(first.data["location"], { line: 3 })
    assert.include(run("locals").text, '"value":"13"')
    assert.include(run("print", "sum").text, '"value":"13"')
    assert.deepInclude(run("next").data["location"], { line: 4 })
    const end = run("continue")
    assert.deepInclude(end.data, { event: "exited", exit_code: 0 })
    assert.include(run("output").text, "20")
    assert.include(run("start", "four.sums", "--adapter", "sums", "--replace").text, '"exited"')
  })

  it("is listed, tested by doctor and completed", () => {
    user(...described("sums", 'sample = "${folder}/../project/four.sums"'))
    assert.include(run("adapters").text, '"name":"sums"')
    const tested = run("doctor", "sums")
    assert.strictEqual(tested.code, 0, tested.text)
    assert.include(tested.text, '"launch":"ok"')
    const lines = spawnSync(process.execPath, [sigtrap, "__complete", "line", "sigtrap start --adapter su"], {
      cwd: join(root, "project"),
      env: environment,
      encoding: "utf8"
    })
    assert.strictEqual(lines.stdout.trim(), "sums")
    user(...described("sums"))
    assert.include(run("doctor", "sums").text, "set adapters.sums.sample")
  })

  it("of a project is used when its file is trusted, over a port, and attaches", () => {
    user("")
    project(...overTcp)
    writeFileSync(join(root, "project/runs"), "", { mode: 0o700 })
    const unknown = run("start", "runs", "--adapter", "tcp")
    assert.include(unknown.text, "there is no adapter tcp")
    assert.include(unknown.text, "sigtrap config trust")
    assert.include(run("config", "trust").text, "adapters.tcp.command")
    const first = run("start", "four.sums", "--adapter", "tcp", "--break", "four.sums:2", "--replace")
    assert.deepInclude(first.data["location"], { line: 2 }, first.text)
    assert.deepInclude(run("continue").data, { event: "exited", exit_code: 0 })
    const attached = run("attach", String(process.pid), "--adapter", "tcp", "--session", "attached")
    assert.strictEqual(attached.code, 0, attached.text)
    assert.include(run("output", "--session", "attached").text, String(process.pid + 10))
    run("stop", "attached")
  })

  it.each([
    ["silent", ["command = 'sleep'", "args = ['60']"], "REQUEST_TIMEOUT", "try its command alone: /usr/bin/sleep 60"],
    ["absent", ["command = 'no-such-debugger'"], "ADAPTER_NOT_FOUND", "install no-such-debugger"],
    ["crashing", ["command = 'false'"], "ADAPTER_START_FAILED", "it exited with code 1"],
    ["talking", ["command = 'yes'"], "ADAPTER_START_FAILED", "it does not speak the protocol"],
    [
      "deaf",
      ["command = 'sleep'", "args = ['60', '${port}']", "transport = 'tcp'"],
      "ADAPTER_START_FAILED",
      "it does not listen after 1 s"
    ]
  ])("that is %s is an error that says what to do", (name, lines, code, text) => {
    project("")
    user("timeouts.initialize = '1s'", "timeouts.adapter_start = '1s'", `[adapters.${name}]`, ...lines)
    const { error, text: answer } = run("start", "four.sums", "--adapter", name, "--replace")
    assert.strictEqual(error["code"], code, answer)
    assert.include(answer, text)
  })

  it("with a mistake is refused with the line and the fix", () => {
    project("")
    user("[adapters.x]", "command = 'x'", "transport = 'tcp'")
    for (const words of [["start", "four.sums"], ["adapters"], ["config", "validate"]]) {
      const { error, text } = run(...words)
      assert.strictEqual(error["code"], "INVALID_CONFIG", text)
      assert.include(text, "line 3: adapters.x.transport: name the port")
    }
    user("")
  })

  it.live(
    "of the user is used by an agent that may start programs; one of a project needs consent to its command",
    () =>
      Effect.gen(function* () {
        user(...described("sums"))
        project(...overTcp)
        run("config", "trust")
        const options = { directory: join(root, "project"), args: ["--isolated", "--allow", "launch"], environment }
        const agent = yield* stdio(options)
        const own = yield* agent.call("start", { program: "four.sums", break: ["four.sums:3"], adapter: "sums" })
        assert.include(own.text, "four.sums:3", own.text)
        const foreign = yield* agent.call("start", { program: "four.sums", adapter: "tcp", session: "other" })
        assert.isTrue(foreign.failed)
        assert.include(foreign.text, "TIER_REQUIRED")
        assert.include(foreign.text, `adapters.tcp of ${join(root, "project/.sigtrap.toml")}`)
        const allowed = yield* stdio({ ...options, args: ["--isolated", "--allow", "launch,raw"] })
        assert.include((yield* allowed.call("start", { program: "four.sums", adapter: "tcp" })).text, "exited")
      }).pipe(Effect.scoped)
  )
})
