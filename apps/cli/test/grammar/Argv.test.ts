// Parses command lines into calls or usage errors.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Argv from "@sigtrap/protocol/grammar/Argv"
import { ShellWords } from "@sigtrap/protocol"
import * as HintText from "../../src/render/HintText.ts"
import { run } from "../fakes.ts"

/** Splits at blanks, without quoting. */
const words = (line: string) => line.split(" ").filter((word) => word !== "")

const input = (argv: ReadonlyArray<string>, environment: { readonly [name: string]: string } = {}) => {
  const { request } = Argv.parse(argv, environment)
  if (Result.isFailure(request)) return request.failure.message
  const { success } = request
  return success._tag === "Call" ? [success.command.name, success.input] : success._tag
}

const check = (argv: ReadonlyArray<string>, name: string, expected: { readonly [field: string]: unknown }) =>
  assert.deepStrictEqual(input(argv), [name, expected])

describe("a command line", () => {
  it.each([
    ["break app.c:14", "break", { at: "app.c:14" }],
    ["break app.c:14 if n == 3", "break", { at: "app.c:14 if n == 3" }],
    ["break -3", "break", { at: "-3" }],
    ["break +2", "break", { at: "+2" }],
    ["--json break main", "break", { at: "main" }],
    ["break main --json --pending", "break", { at: "main", pending: true }],
    ["break main --no-pending", "break", { at: "main", pending: false }],
    ["break main --pending=yes", "break", { at: "main", pending: true }],
    ["break --at main --condition n>2", "break", { at: "main", condition: "n>2" }],
    ["break main -c n>2", "break", { at: "main", condition: "n>2" }],
    ["break main --if=n>2", "break", { at: "main", condition: "n>2" }],
    ["--lines 3 next", "next", { lines: 3 }],
    ["-S web next 0x10", "next", { count: 16, session: "web" }],
    ["next --session=web 1_000", "next", { count: 1000, session: "web" }],
    ["next 0b11", "next", { count: 3 }],
    ["continue --no-wait --timeout 2m", "continue", { wait: false, timeout: "2m" }],
    ["next --lines 1 --lines 2", "next", { lines: 2 }],
    [
      "start ./app -b app.c:14 --break main -- one --two",
      "start",
      { program: "./app", break: ["app.c:14", "main"], args: ["one", "--two"] }
    ],
    ["start -e -- ", "start", { stop_on_entry: true, args: [] }],
    [
      "start --stop-at-main --env A=1 --env B=2 ./app",
      "start",
      { program: "./app", stop_at_main: true, env: ["A=1", "B=2"] }
    ],
    ["breakpoint remove 2 5", "breakpoint remove", { ids: ["2", "5"] }],
    ["breakpoint remove 3-5 app.c:14", "breakpoint remove", { ids: ["3-5", "app.c:14"] }],
    ["breakpoint --json list", "breakpoint list", {}],
    ["print n items[1].name @v3", "print", { expressions: ["n", "items[1].name", "@v3"] }],
    ["print -- -n", "print", { expressions: ["-n"] }],
    ["eval sum_scores(items, 2) - 1", "eval", { expression: "sum_scores(items, 2) - 1" }],
    ["raw image list -v --name x", "raw", { command: "image list -v --name x" }],
    ["raw -q register read -f x", "raw", { command: "register read -f x" }],
    ["raw image list --json", "raw", { command: "image list" }],
    ["output --tail 20 --channel stdout,stderr", "output", { tail: 20, channel: ["stdout", "stderr"] }],
    ["output --channel stdout --channel log", "output", { channel: ["stdout", "log"] }],
    ["output --channel all", "output", { channel: ["stdout", "stderr", "console", "log"] }],
    ["output --all -t 5", "output", { since: "0", tail: 5 }],
    ["stop web old", "stop", { names: ["web", "old"] }],
    ["status --timeout 3s", "status", {}],
    ["context --context 9", "context", { lines: 9 }],
    ["next --context full", "next", { context: "full" }]
  ])("%s", (line, name, expected) => {
    check(words(line), name, expected)
  })

  it.each([
    ["print argc + 1", "print", { expressions: ["argc + 1"] }],
    ["print a && b c", "print", { expressions: ["a && b", "c"] }],
    ["print n i", "print", { expressions: ["n", "i"] }],
    ["set var n = 4", "set", { target: "n", value: "4" }],
    ["set n=4", "set", { target: "n", value: "4" }],
    ["set n = a + 1", "set", { target: "n", value: "a + 1" }],
    ["set n a==1", "set", { target: "n", value: "a==1" }],
    ["set s a=b", "set", { target: "s", value: "a=b" }],
    ["break add main", "break", { at: "main" }],
    ["break add", "break", { at: "add" }],
    ["b add if n == 3", "break", { at: "add if n == 3" }],
    ["break remove 2", "breakpoint remove", { ids: ["2"] }],
    ["break enable", "break", { at: "enable" }]
  ])("%s as other debuggers write it", (line, name, expected) => {
    check(words(line), name, expected)
  })

  it("reads a method in brackets as a location, not as options", () => {
    check(["break", "-[Counter add:]"], "break", { at: "-[Counter add:]" })
    check(["break", "+[Counter make]"], "break", { at: "+[Counter make]" })
  })

  it.each([
    ["where", "context"],
    ["state", "context"],
    ["bt", "backtrace"],
    ["c", "continue"],
    ["n", "next"],
    ["step over", "next"],
    ["s", "step"],
    ["step into", "step"],
    ["out", "finish"],
    ["step out", "finish"],
    ["b main", "break"],
    ["breakpoint add main", "break"],
    ["breakpoint set -n main", "break"],
    ["breakpoints", "breakpoint list"],
    ["info breakpoints", "breakpoint list"],
    ["breakpoint rm 1", "breakpoint remove"],
    ["info locals", "locals"],
    ["frame variable", "locals"],
    ["kill", "stop"],
    ["quit", "stop"],
    ["launch ./app", "start"],
    ["debug ./app", "start"],
    ["ls", "sessions"],
    ["session list", "sessions"],
    ["await", "wait"],
    ["halt", "pause"],
    ["p n", "print"],
    ["e n", "eval"],
    ["lldb version", "raw"],
    ["console", "output"]
  ])("%s is %s", (line, name) => {
    const read = input(words(line))
    assert.isArray(read)
    assert.strictEqual(read[0], name)
  })

  it("reads a file of variables by a name that Node does not read first", () => {
    check(["start", "./app", "--env-from", "e"], "start", { program: "./app", env_file: "e" })
    check(["start", "./app", "--env-file", "e"], "start", { program: "./app", env_file: "e" })
  })

  it("removes every breakpoint when all are named", () => {
    check(["breakpoint", "remove", "--all"], "breakpoint remove", { all: true })
    check(["clearall"], "breakpoint remove", { all: true })
  })

  it.each([
    ["brek main", "unknown command 'brek'; nearest: break"],
    ["breakpoint nope", /^unknown command 'breakpoint nope'; breakpoint has: list, info, /],
    ["start ./app --brek x", "unknown option --brek of start; nearest: --break"],
    ["breakpoint lst", "unknown command 'breakpoint lst'; nearest: breakpoint list"],
    [
      "breakpoint",
      "breakpoint needs one of: list, info, remove, enable, disable, toggle, edit, lines, find, save, load"
    ],
    ["break main --pendin", /^unknown option --pendin of break; nearest: --pending/],
    ["break main --condition", "--condition needs a value: EXPR"],
    ["break main --condition --pending", "--condition needs a value: EXPR"],
    ["next abc", "N: write a whole number, not 'abc'"],
    ["attach bash", "PID: write a whole number, not 'bash'; --name attaches by name"],
    ["next --lines 1.5", "--lines: write a whole number, not '1.5'"],
    ["next 1 2", "next takes no '2'"],
    ["next 99999999999999999999", "N: 99999999999999999999 is too large"],
    ["next --context big", "--context: 'big' is not one of none, line, brief, full"],
    ["output --channel out", "--channel: 'out' is not one of stdout, stderr, console, log"],
    ["start ./app one", "start takes no 'one'; arguments of the program follow --"],
    ["break main --pending=maybe", "--pending: write true or false, not 'maybe'"],
    ["status -s NAME", "unknown option -s of status; nearest: -S"],
    ["-s NAME", "unknown option -s; nearest: -S"],
    ["-s NAME status", "unknown option -s of status; nearest: -S"],
    ["-z NAME status", "unknown option -z"],
    ["start --name X ./app", "unknown option --name of start; nearest: --session"],
    ["start -r x ./app", "unknown option -r of start; nearest: --runner, --run, --read-only"],
    ["start --workdir /tmp ./app", "unknown option --workdir of start; nearest: --cwd"],
    ["events --lines 3", "unknown option --lines of events; nearest: --limit"],
    ["pause --no-wait", /^unknown option --no-wait of pause/],
    ["-json status", /^unknown option -json of status; nearest: --json/],
    ["target select 1", "target is a command of the debugger, not of sigtrap"]
  ])("%s is wrong", (line, expected) => {
    const message = input(words(line))
    assert.isString(message)
    if (typeof expected === "string") assert.strictEqual(message, expected)
    else assert.match(String(message), expected)
  })

  it.each([
    ["file ./app", "sigtrap start ./app"],
    ["target create ./app", "sigtrap start ./app"],
    ["condition 1 i == 1", "sigtrap breakpoint edit 1 --condition 'i == 1'"],
    ["condition", "sigtrap breakpoint edit --help"],
    ["ignore 1 2", "sigtrap breakpoint edit 1 --hits '>2'"],
    ["commands 1", "sigtrap breakpoint edit --help"],
    ["break --panic", "sigtrap catch panic"],
    ["thread apply all bt", "sigtrap backtrace --all-threads"],
    ["reverse-step", "sigtrap back --help"],
    ["layout src", "sigtrap web"],
    ["exit", "sigtrap stop"],
    ["search total", "sigtrap find total"],
    ["handle SIGINT", "sigtrap raw 'process handle SIGINT'"],
    ["info functions", "sigtrap complete --help"],
    ["i symbol main", "sigtrap raw 'image lookup --address main'"],
    ["cd /tmp", "sigtrap status -C /tmp"]
  ])("%s leads to %s", (line, expected) => {
    const { request } = Argv.parse(words(line))
    assert(Result.isFailure(request))
    const [hint] = request.failure.hints
    assert(hint !== undefined)
    assert.strictEqual(HintText.write(hint), expected)
    if (expected.endsWith("--help")) return
    const next = Argv.parse(ShellWords.split(expected).slice(1))
    assert.isTrue(Result.isSuccess(next.request), expected)
  })

  it.each([
    ["hbreak main", "break"],
    ["starti ./app", "start"],
    ["call f(1)", "eval"],
    ["po total", "print"],
    ["br s -n main", "break"],
    ["del 1", "breakpoint remove"],
    ["process status", "status"],
    ["frame info", "frame"]
  ])("%s is the command %s", (line, name) => {
    const read = input(words(line))
    assert.isArray(read)
    assert.strictEqual(read[0], name)
  })

  it("shows help for -h or --help at any position", () => {
    for (const line of ["-h", "break -h", "--help next", "start ./app --help --nonsense"]) {
      assert.strictEqual(input(words(line)), "Help")
    }
  })

  it("leads from a wrong option of every command to the help that lists it", () => {
    for (const line of ["next --color often", "next --budget many", "--session"]) {
      const { request } = Argv.parse(words(line))
      assert(Result.isFailure(request))
      assert.deepStrictEqual(request.failure.hints.map(HintText.write), ["sigtrap help"], line)
    }
  })

  it("names no command that is near to an empty word", () => {
    const { request } = Argv.parse([""])
    assert(Result.isFailure(request))
    assert.strictEqual(request.failure.message, "unknown command ''")
  })

  it("reads the options after a wrong one", () => {
    assert.strictEqual(Argv.parse(["next", "--nonsense", "--json"]).globals["json"], true)
  })
})

describe("the environment", () => {
  it("sets the session of commands that have one", () => {
    const environment = { SIGTRAP_SESSION: "web" }
    assert.deepStrictEqual(input(["next"], environment), ["next", { session: "web" }])
    assert.deepStrictEqual(input(["status"], environment), ["status", { session: "web" }])
    assert.deepStrictEqual(input(["sessions"], environment), ["sessions", {}])
  })

  it("is overridden by options, and by the sessions that stop names", () => {
    const environment = { SIGTRAP_SESSION: "web" }
    assert.deepStrictEqual(input(["next", "-S", "a", "--timeout", "1s"], environment), [
      "next",
      { session: "a", timeout: "1s" }
    ])
    assert.deepStrictEqual(input(["stop", "other"], environment), ["stop", { names: ["other"] }])
    assert.deepStrictEqual(input(["stop"], environment), ["stop", { session: "web" }])
  })
})

describe("decoding", () => {
  it.effect.each([
    ["next --lines 99", "--lines: Expected a value between 0 and 50"],
    ["print", "EXPR is missing"],
    ["core", "FILE is missing"],
    ["next 0", "N: Expected a value between 1 and 10000"],
    ["hits diff 1", "HIT is missing"],
    ["next --timeout soon", "--timeout: write a duration as 30s, 500ms, 2m or 1h"],
    ["next -S a/b", "--session: write a session name with letters, digits, dot, dash or underscore, at most 64"],
    ["next --budget -1", "--budget: write 0 or more, not -1"],
    ["-- next", "write the command before --, which ends its options"]
  ] as const)("%s is one line that names what is wrong", ([line, expected]) =>
    Effect.gen(function* () {
      const { stderr, code, calls } = yield* run(words(line))
      assert.strictEqual(stderr.split("\n")[0], `error: ${expected} [USAGE]`)
      assert.deepStrictEqual([code, calls.length], [2, 0])
    })
  )
})

// Each took many seconds when the time grew with the square of the number of words.
describe("a command line of ten thousand words", () => {
  const inputOf = (...argv: ReadonlyArray<string>) => {
    const { request } = Argv.parse(argv)
    assert(Result.isSuccess(request) && request.success._tag === "Call")
    return request.success.input
  }
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`)

  it("keeps the order of its words, of its options and of the program's arguments", () => {
    assert.deepStrictEqual(inputOf("print", ...words)["expressions"], words)
    const start = inputOf("start", "app", ...words.map((word) => `--init-cmd=${word}`), "--", ...words)
    assert.deepStrictEqual(start["init_cmd"], words)
    assert.deepStrictEqual(start["args"], words)
  })

  it("joins the words of an expression around its operators", () => {
    assert.deepStrictEqual(inputOf("print", "a", "+", "b", "c")["expressions"], ["a + b", "c"])
  })

  it("reads a word of many letters as one unknown option", () => {
    assert.isTrue(Result.isFailure(Argv.parse(["status", `-${"q".repeat(1_000_000)}`]).request))
  })
})
