// Commands of other debuggers: each resolves to a command of sigtrap.
import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Result } from "effect"
import * as Argv from "../../src/grammar/Argv.ts"

const input = (line: string) => {
  const { request } = Argv.parse(line.split(" "))
  if (Result.isFailure(request)) return request.failure.message
  const { success } = request
  return success._tag === "Call" ? [success.command.name, success.input] : success._tag
}

/** Rows of command lines with the same meaning. */
const same: ReadonlyArray<readonly [line: string, ...others: ReadonlyArray<string>]> = [
  ["break main", "b main", "breakpoint add main", "breakpoint set main", "bp add main", "bp set main"],
  ["break main --temporary", "tbreak main", "tb main", "break main -t"],
  ["break --function main", "breakpoint set -n main", "breakpoint add -n main", "break -f main", "bp set --name main"],
  ["break --file app.c --line 14", "breakpoint set -f app.c -l 14", "breakpoint add --file app.c --line 14"],
  ["break --regex ^list_", "rbreak ^list_", "breakpoint set -r ^list_"],
  ["break --address 0x10", "ibreak 0x10", "breakpoint set -a 0x10"],
  ["break app.c:14 --condition n>2", "b app.c:14 -c n>2", "b app.c:14 --if n>2"],
  ["break app.c:14 --log hello", "b app.c:14 -l hello"],
  ["break app.c:14 --hits 3", "b app.c:14 --hit-count 3"],
  ["logpoint app.c:14 hello", "dprintf app.c:14 hello"],
  ["breakpoint list", "breakpoints", "bp list", "info breakpoints", "i breakpoints", "info b", "info break"],
  ["breakpoint remove 3-5", "delete 3-5", "rm 3-5", "unbreak 3-5", "clear 3-5", "bp rm 3-5", "breakpoint delete 3-5"],
  ["breakpoint remove --all", "clearall"],
  ["breakpoint remove all", "delete all"],
  ["breakpoint enable 1 --once", "enable 1 --once", "bp enable 1 --once"],
  ["breakpoint disable 1", "disable 1", "bp disable 1"],
  ["breakpoint toggle 1", "toggle 1", "bp toggle 1"],
  ["breakpoint find app.c total", "bp find app.c total"],
  ["breakpoint info 1", "bp info 1"],
  ["breakpoint edit 1 --no-condition", "bp edit 1 --no-condition", "breakpoint modify 1 --no-condition"],
  ["breakpoint lines app.c", "breakable app.c", "bp lines app.c"],
  ["watch n", "watchpoint set n"],
  ["watch n --access write", "watch -w n"],
  ["watch n --access read", "rwatch n", "watch -r n"],
  ["watch n --access access", "awatch n", "watch -a n"],
  ["breakpoint list --kind watch", "watch list", "info watchpoints", "i watchpoints", "watchpoint list"],
  ["breakpoint remove 4", "watch remove 4", "watchpoint delete 4"],
  ["continue", "c", "cont", "resume", "process continue"],
  ["next 2", "n 2", "over 2", "step over 2"],
  ["step 2", "s 2", "into 2", "step in 2", "step into 2"],
  ["finish", "out", "fin", "step out"],
  ["stepi", "si", "step inst"],
  ["nexti", "ni"],
  ["until 20", "u 20", "run-to 20", "advance 20", "to 20"],
  ["pause", "interrupt", "halt", "process interrupt"],
  ["wait", "await"],
  ["start ./app", "launch ./app", "debug ./app", "process launch ./app"],
  ["attach 7", "process attach 7"],
  ["attach --name app --wait", "process attach --name app --waitfor"],
  ["stop", "kill", "k", "quit", "q", "close", "process kill"],
  ["sessions", "ls", "session list"],
  ["context", "where", "state", "ctx"],
  ["source", "list", "l", "info source", "info line"],
  ["files", "sources", "scripts", "info sources"],
  ["backtrace", "bt", "stack", "thread backtrace", "info stack"],
  ["backtrace --limit 5", "bt -n 5", "bt -c 5"],
  ["backtrace --all-threads", "bt --all"],
  ["frame 1", "f 1", "frame select 1"],
  ["frame", "f", "info frame", "i frame"],
  ["threads", "thread list", "info threads", "i threads"],
  ["thread 3", "thread select 3"],
  ["locals", "frame variable", "info locals", "i locals"],
  ["args", "info args", "i args"],
  ["globals", "info variables"],
  ["print n", "p n"],
  ["print n --format x", "p/x n", "print/x n", "p n -f x"],
  ["expand @v1", "inspect @v1", "props @v1"],
  ["eval n + 1", "e n + 1", "expression n + 1", "expr n + 1"],
  ["set n 2", "set var n 2", "assign n 2"],
  ["type n", "ptype n", "whatis n"],
  ["memory read &n", "x &n", "mem &n"],
  ["memory read &n --format x --size 4 --count 64", "x/16xw &n", "x/16x &n"],
  ["memory read p --format x --size 8 --count 16", "x/2xg p"],
  ["memory read p --format s --size 1 --count 64", "x/s p"],
  ["memory read p --format c --size 1 --count 8", "x/8c p"],
  ["disassemble $pc --count 3", "x/3i $pc"],
  ["registers", "reg", "register read", "info registers", "i registers"],
  ["disassemble", "disas", "dis"],
  ["modules", "images", "libs", "image list", "info sharedlibrary", "i sharedlibrary"],
  ["output", "console"],
  ["input hello", "send hello"],
  ["status", "info", "info program"],
  ["catch list", "info catch"],
  ["exception", "exception info"]
]

describe("aliases", () => {
  it.each(same)("%s", (line, ...others) => {
    const expected = input(line)
    assert.isArray(expected, `${line}: ${String(expected)}`)
    for (const other of others) assert.deepStrictEqual(input(other), expected, other)
  })

  it("points from resume with the name of a session to recover", () => {
    const { request } = Argv.parse(["resume", "build-2"])
    const failure = Result.isFailure(request) ? request.failure : undefined
    assert.deepStrictEqual(failure?.hints, [Hint.call("recover", { name: "build-2" })])
    assert.deepStrictEqual(input("resume 2"), input("continue 2"))
  })

  it.each(["x/", "x/16q &n", "p/q n", "x/9999999x p"])("%s is not an alias", (line) => {
    assert.isString(input(line))
  })
})
