// Whole command lines against a recording client: the call, the output and the exit code.
import { assert, describe, it } from "@effect/vitest"
import { Errors, Operation, Operations, Payload, ShellWords } from "@sigtrap/protocol"
import { ErrorSamples, HintCheck } from "@sigtrap/protocol/testing"
import { Effect, Result, Schema } from "effect"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { answer, type Reply, run } from "../fakes.ts"

const reply =
  (data: unknown): Reply =>
  () =>
    Effect.succeed(answer(data))

const failing =
  (error: Errors.SigtrapError): Reply =>
  () =>
    Effect.fail(error)

const variables = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, value: "1".repeat(30) }))
const frame = { index: 0, ref: "@f0", function: "main" }
const locals = (count: number) => ({ frame, variables: variables(count), total: count, not_found: [] })

describe("every operation", () => {
  const examples = Operations.all.flatMap((operation) =>
    Operation.meta(operation).examples.map(({ input }) => [operation._tag, operation, input] as const)
  )

  it.effect.each(examples)("%s is called with the payload of its example", ([, operation, input]) =>
    Effect.gen(function* () {
      const caller = { directory: "/src/demo", environment: { A: "1" } }
      const filled = { ...Payload.fill(operation, input, caller) }
      const expected = yield* Payload.decode(operation, Payload.bounded(operation, filled, 2000))
      const shown = yield* run(Commands.argvOf(operation, input), { line: { environment: { A: "1" } } })
      assert.deepStrictEqual(shown.calls, [{ tag: operation._tag, payload: expected }], shown.stderr)
      assert.strictEqual(shown.code, 0)
    })
  )

  // The first line of bisect is its report, whose form other tests assert.
  const enveloped = examples.filter(([, { _tag }]) => _tag !== "bisect")
  it.effect.each(enveloped)("%s answers in JSON on one line", ([, operation, input]) =>
    Effect.gen(function* () {
      const { stdout, stderr } = yield* run(["--json", ...Commands.argvOf(operation, input)])
      assert.strictEqual(stdout.split("\n").length, 2)
      assert.strictEqual(stderr, "")
      assert.deepStrictEqual(Object.keys(JSON.parse(stdout)), [
        "ok",
        "cmd",
        "session",
        "state",
        "stop",
        "data",
        "warnings",
        "truncated"
      ])
    })
  )
})

describe("examples as words", () => {
  const text = Schema.String
  it.effect.prop(
    "mean the same when they are read, whatever is in them",
    [text, text, Schema.Array(text)],
    ([program, breakpoint, args]) =>
      Effect.gen(function* () {
        const start = Operations.find("start")
        assert.isDefined(start)
        const input = { program: `p${program}`, break: [breakpoint], args }
        const { calls } = yield* run(Commands.argvOf(start, input))
        const payload = yield* Payload.decode(start, { ...input, directory: "/src/demo", environment: {} })
        assert.deepStrictEqual(calls, [{ tag: "start", payload }])
      })
  )

  it.effect.each(["-x", "--pending", "", "a b", "-[C m:]", "it's", "--"])("take %j as an expression", (expression) =>
    Effect.gen(function* () {
      const print = Operations.find("print")
      assert.isDefined(print)
      const input = { expressions: ["n", `${expression}.`, `${expression}y`] }
      const { calls } = yield* run(Commands.argvOf(print, input))
      const payload = yield* Payload.decode(print, { ...input, directory: "/src/demo" })
      assert.deepStrictEqual(calls, [{ tag: "print", payload }])
    })
  )
})

describe("JSON", () => {
  it.effect("has its keys in order, without absent fields", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["next", "--json"])
      assert.strictEqual(
        stdout,
        '{"ok":true,"cmd":"next","session":"default","state":"stopped","stop":12,"data":{"event":"stopped","reason":"step"},"warnings":[],"truncated":[]}\n'
      )
    })
  )

  it.effect("prints errors on stdout, in the same form", () =>
    Effect.gen(function* () {
      const error = new Errors.NotStopped({ session: "default", state: "running" })
      const { stdout, stderr, code } = yield* run(["next"], {
        reply: failing(error),
        line: { environment: { SIGTRAP_FORMAT: "json" } }
      })
      assert.strictEqual(
        stdout,
        '{"ok":false,"cmd":"next","session":"default","state":"running","error":{"code":"NOT_STOPPED","message":"the program is running; this needs a stopped program","hint":"sigtrap pause","hints":[{"operation":"pause","input":{},"text":"sigtrap pause"}],"details":{}},"warnings":[]}\n'
      )
      assert.deepStrictEqual([stderr, code], ["", 4])
    })
  )

  it.effect("reports the state of a program that keeps running", () =>
    Effect.gen(function* () {
      const error = new Errors.WaitTimeout({ waited_ms: 30_000, output_bytes: 5, output_tail: "tick\n" })
      const json = yield* run(["wait", "--json"], { reply: failing(error) })
      assert.deepStrictEqual(JSON.parse(json.stdout).data, {
        event: "running",
        running: true,
        waited_ms: 30_000,
        output: { bytes: 5, tail: "tick\n" }
      })
      const text = yield* run(["wait"], { reply: failing(error) })
      assert.deepStrictEqual(
        [text.stdout, text.stderr, text.code],
        ['running (waited 30 s) · sigtrap wait or sigtrap pause\n+5 B output: "tick"\n', "", 5]
      )
    })
  )

  it.effect("names the command of a usage error", () =>
    Effect.gen(function* () {
      const { stdout, code } = yield* run(["--json", "next", "--nonsense"])
      const document = JSON.parse(stdout)
      assert.deepStrictEqual([document.ok, document.cmd, document.error.code, code], [false, "next", "USAGE", 2])
    })
  )

  it.effect("is indented with --pretty", () =>
    Effect.gen(function* () {
      assert.include((yield* run(["next", "--pretty"])).stdout, '\n  "data": {\n')
    })
  )

  it.effect("escapes the program's control sequences", () =>
    Effect.gen(function* () {
      const text = "\u001b]0;x\u0007\u009b31m\u202e\u200b"
      const values = { values: [{ name: "s", value: text }] }
      const { stdout } = yield* run(["print", "s", "--json"], { reply: reply(values) })
      assert.match(stdout, /^[\u0020-\u007e]*\n$/)
      assert.deepStrictEqual(JSON.parse(stdout).data, values)
    })
  )

  it.effect.each([
    ["data.event", "stopped\n"],
    ["stop", "12\n"],
    ["data", '{"event":"stopped","reason":"step"}\n'],
    ["ok", "true\n"]
  ] as const)("selects %s", ([path, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["next", "--select", path])).stdout, expected)
    })
  )

  it.effect("lists the existing names when a part does not exist", () =>
    Effect.gen(function* () {
      const { stdout, stderr, code } = yield* run(["next", "--select", "data.evnt"])
      assert.strictEqual(
        stderr.split("\n")[0],
        "error: nothing at data.evnt in the answer: no 'evnt'; nearest: event [USAGE]"
      )
      assert.deepStrictEqual([stdout, code], ["", 2])
    })
  )
})

describe("errors", () => {
  const samples = ErrorSamples.all.map((error) => [error._tag, error] as const)

  it.effect.each(samples)("%s is shown with its code and ends with its exit code", ([tag, error]) =>
    Effect.gen(function* () {
      const { stdout, stderr, code } = yield* run(["next"], { reply: failing(error) })
      const meta = Errors.meta(error)
      assert.strictEqual(code, meta.exit)
      assert.include(
        tag === "WaitTimeout" ? stdout : stderr,
        tag === "WaitTimeout" ? "running (waited 1 s)" : `[${meta.code}]\nhint: `
      )
      const json = yield* run(["next", "--json"], { reply: failing(error) })
      assert.strictEqual(JSON.parse(json.stdout).error.code, meta.code)
      assert.strictEqual(json.code, meta.exit)
    })
  )

  const hinted = [...ErrorSamples.all, ...ErrorSamples.inSession].map((error) => [error._tag, error] as const)

  it.effect.each(hinted)("%s has hints that run as they are printed", ([tag, error]) =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["next", "--json", "-S", "web"], { reply: failing(error) })
      const { hint, hints } = JSON.parse(stdout).error
      assert.strictEqual(hint, hints[0].text)
      assert.deepStrictEqual(HintCheck.ofError(error), [])
      for (const { input, local, note, operation, text } of hints) {
        if (operation === undefined) {
          assert.strictEqual(text, note)
          continue
        }
        const [program, ...argv] = ShellWords.split(text)
        assert.strictEqual(program, "sigtrap")
        const { request } = Argv.parse(argv)
        assert(Result.isSuccess(request), `hint of ${tag}: ${text}`)
        if (local === true) continue
        assert(request.success._tag === "Call", text)
        assert.strictEqual(request.success.command.operation._tag, operation)
        assert.deepStrictEqual(request.success.input, input)
      }
    })
  )

  it.effect("include defects, with exit code 9", () =>
    Effect.gen(function* () {
      const { stderr, code } = yield* run(["next"], { reply: () => Effect.die(new Error("boom")) })
      assert.strictEqual(stderr, "error: internal error: boom [INTERNAL]\nhint: sigtrap daemon restart\n")
      assert.strictEqual(code, 9)
    })
  )

  it.effect("have no hints with --quiet", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run(["-q", "nxt"])).stderr.split("\n").length, 2)
    })
  )
})

describe("a budget", () => {
  it.effect("is 2000 bytes of text, and a command shows the rest", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["locals", "--frame", "1", "-S", "web"], { reply: reply(locals(500)) })
      assert.isAtMost(new TextEncoder().encode(stdout).length, 2000)
      const line = stdout.trimEnd().split("\n").at(-1) ?? ""
      const shown = stdout.trimEnd().split("\n").length - 1
      assert.strictEqual(line, `… ${500 - shown} more · sigtrap locals --frame 1 --session web --start ${shown}`)
    })
  )

  it.effect("is 16 KiB of JSON, and lists each cut", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["locals", "--json", "--start", "10"], { reply: reply(locals(2000)) })
      assert.isAtMost(new TextEncoder().encode(stdout).length, 16_384)
      const { data, truncated } = JSON.parse(stdout)
      const shown = data.variables.length
      assert.isAbove(shown, 200)
      assert.deepStrictEqual(truncated, [
        {
          path: "data.variables",
          shown,
          total: 2000,
          more: `sigtrap locals --start ${10 + shown}`,
          hints: [{ operation: "locals", input: { start: 10 + shown }, text: `sigtrap locals --start ${10 + shown}` }]
        }
      ])
    })
  )

  it.effect("of 0 shows everything", () =>
    Effect.gen(function* () {
      const text = yield* run(["locals", "--budget", "0"], { reply: reply(locals(500)) })
      assert.strictEqual(text.stdout.trimEnd().split("\n").length, 500)
      const environment = { SIGTRAP_BUDGET: "0" }
      const json = yield* run(["locals", "--json"], { reply: reply(locals(2000)), line: { environment } })
      assert.deepStrictEqual(JSON.parse(json.stdout).truncated, [])
    })
  )

  it.effect("loses no output between one call and the next", () =>
    Effect.gen(function* () {
      const entries = Array.from({ length: 400 }, (_, seq) => ({
        seq,
        channel: "stdout",
        text: `line ${seq}\n`,
        time: 0,
        stop: 1
      }))
      const text = entries.map((entry) => entry.text).join("")
      const { stdout } = yield* run(["output", "--since", "0", "--json", "--budget", "4000"], {
        reply: reply({ entries, text, next: 400, dropped: 0 })
      })
      assert.isAtMost(stdout.length, 4000)
      const { data, truncated } = JSON.parse(stdout)
      const shown = data.entries.length
      assert.isAbove(shown, 10)
      assert.deepStrictEqual([data.next, data.text.split("\n").length - 1], [shown, shown])
      assert.strictEqual(truncated[0].more, `sigtrap output --since ${shown}`)
      assert.isAbove(stdout.length, 3000)
    })
  )

  it.effect("that is not a number is a usage error", () =>
    Effect.gen(function* () {
      const { stderr, code } = yield* run(["next"], { line: { environment: { SIGTRAP_BUDGET: "much" } } })
      assert.include(stderr, "SIGTRAP_BUDGET: write a whole number")
      assert.strictEqual(code, 2)
    })
  )
})

describe("a terminal", () => {
  const terminal = { stdout: true, stderr: true, columns: 80, color: true }
  const colored = (argv: ReadonlyArray<string>, line = {}) =>
    Effect.map(run(argv, { line: { terminal, ...line } }), ({ stdout }) => stdout.includes("\u001b["))

  it.effect("gets colours unless an option or variable disables them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* Effect.all([
          colored(["next"]),
          colored(["next", "--color", "never"]),
          colored(["next"], { environment: { NO_COLOR: "1" } }),
          colored(["next"], { environment: { TERM: "dumb" } }),
          colored(["next"], { environment: { FORCE_COLOR: "0" } }),
          colored(["next"], { environment: { FORCE_COLOR: "1", NO_COLOR: "1" } }),
          colored(["next"], { terminal: { ...terminal, stdout: false } }),
          colored(["next"], { terminal: { ...terminal, stdout: false }, environment: { FORCE_COLOR: "1" } }),
          colored(["next", "--color=always"], { terminal: { ...terminal, stdout: false, color: false } }),
          colored(["next", "--json"])
        ]),
        [true, false, false, false, false, false, false, true, true, false]
      )
    })
  )
})

describe("the caller's directory", () => {
  it.effect("is the base of relative paths, and --directory changes it", () =>
    Effect.gen(function* () {
      const directory = (argv: ReadonlyArray<string>) =>
        Effect.map(run(argv), ({ calls }) => JSON.stringify(calls[0]?.payload))
      assert.include(yield* directory(["break", "main"]), '"directory":"/src/demo"')
      assert.include(yield* directory(["break", "main", "-C", "../../tmp"]), '"directory":"/tmp"')
      assert.include(yield* directory(["-C", "/tmp", "break", "main"]), '"directory":"/tmp"')
    })
  )

  it.effect("is refused if it does not exist or is a file", () =>
    Effect.gen(function* () {
      const missing = yield* run(["-C", "lib", "status"])
      assert.strictEqual(missing.stderr.split("\n")[0], "error: -C: no directory /src/demo/lib [USAGE]")
      assert.deepStrictEqual([missing.code, missing.calls.length], [2, 0])
      const file = yield* run(["-C", import.meta.filename, "status"])
      assert.include(file.stderr, `-C: ${import.meta.filename} is not a directory`)
      assert.strictEqual((yield* run(["-C", "lib", "status", "--help"])).code, 0, "help needs no directory")
    })
  )
})

describe("any command line", () => {
  const tokens = [
    "--",
    "-",
    "--json",
    "-S",
    "--select",
    "start",
    "break",
    "-b",
    "raw",
    "help",
    "--budget",
    "completion",
    "schema",
    "__complete",
    "__proto__",
    "constructor",
    "--constructor",
    "-C"
  ]
  const word = Schema.Union([Schema.Literals(tokens), Schema.String])

  it.effect.prop("has one exit code, as its last piece", [Schema.Array(word)], ([argv]) =>
    Effect.gen(function* () {
      const { pieces, stderr, code } = yield* run(argv)
      assert.strictEqual(pieces.filter((piece) => piece._tag === "Exit").length, 1)
      assert.isTrue(code === 0 || code === 2, `${code} ${stderr}`)
      assert.notInclude(stderr, "INTERNAL")
    })
  )
})
