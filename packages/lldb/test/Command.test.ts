import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Command } from "../src/index.ts"

const text = (result: Result.Result<string, Command.Refused>) =>
  Result.isSuccess(result) ? result.success : result.failure

const refused = (value: string): Command.Refused => ({ _tag: "Refused", text: value })

/** Any text, with many characters that are special in a command line. */
const AnyText = Schema.Array(
  Schema.Union([Schema.String, Schema.Literals(['"', "\\", "`", "'", " ", "\t", "\n", "\r", "\0", "\u007f", "-", "$"])])
)

const controls = [...Array(32).keys(), 127].map((code) => String.fromCharCode(code))

/** Parses a double-quoted argument as LLDB does: a backslash makes the next `"` or `\` literal. */
const readBack = (quoted: string) => {
  assert(quoted.startsWith('"') && quoted.endsWith('"'), quoted)
  const inside = quoted.slice(1, -1)
  assert.match(inside, /^(?:[^"\\]|\\["\\])*$/, "no quote ends the argument early")
  return inside.replaceAll(/\\(["\\])/g, "$1")
}

describe("an argument", () => {
  it("is written in double quotes", () => {
    for (const [value, expected] of [
      ["", '""'],
      ["plain", '"plain"'],
      ["two words", '"two words"'],
      ["a\ttab", '"a\ttab"'],
      ['say "hi"', '"say \\"hi\\""'],
      ["back\\slash", '"back\\\\slash"'],
      ['\\"', '"\\\\\\""'],
      ["it's", '"it\'s"'],
      ["`1+1`", '"`1+1`"'],
      ["; quit", '"; quit"'],
      ["$HOME *", '"$HOME *"'],
      ["-o", '"-o"'],
      ["größe 🧵", '"größe 🧵"']
    ] as const) {
      assert.strictEqual(text(Command.quote(value)), expected)
    }
  })

  it("has its back-ticks escaped for versions that evaluate them in quotes", () => {
    for (const [major, expected] of [
      [13, '"a\\`1\\`"'],
      [15, '"a\\`1\\`"'],
      [16, '"a`1`"'],
      [23, '"a`1`"']
    ] as const) {
      assert.strictEqual(text(Command.quote("a`1`", major)), expected)
    }
  })

  it("is refused if it has a control character other than tab", () => {
    for (const control of controls) {
      const value = `a${control}b`
      assert.deepStrictEqual(text(Command.quote(value)), control === "\t" ? `"${value}"` : refused(value))
    }
  })

  it.prop("is read unchanged by LLDB, or refused for a control character", [AnyText], ([parts]) => {
    const value = parts.join("")
    const quoted = text(Command.quote(value))
    if (typeof quoted === "string") assert.strictEqual(readBack(quoted), value)
    else assert(controls.some((control) => control !== "\t" && value.includes(control)))
  })
})

describe("a command", () => {
  it("consists of its words and its quoted arguments", () => {
    assert.strictEqual(text(Command.command("source info -f", ["a b.c"])), 'source info -f "a b.c"')
    assert.strictEqual(text(Command.command("breakpoint set", ["-n", 'a"b'])), 'breakpoint set "-n" "a\\"b"')
    assert.strictEqual(text(Command.command("version", [])), "version")
  })

  it("is refused for one of its arguments", () => {
    assert.deepStrictEqual(text(Command.command("source info -f", ["fine", "two\nlines"])), refused("two\nlines"))
  })

  it.prop("is one line", [AnyText], ([parts]) => {
    const line = text(Command.command("source info -f", parts))
    if (typeof line === "string") assert.notMatch(line, /[\r\n\0]/)
  })
})

describe("a setting", () => {
  it("has a value without quotes, since quotes would be part of it", () => {
    assert.strictEqual(text(Command.set("target.inherit-env", "false")), "settings set target.inherit-env false")
    for (const value of ["", "two words", "`1`", '"false"', "a\nb", "-f=x y"]) {
      assert.deepStrictEqual(text(Command.set("target.inherit-env", value)), refused(value))
    }
  })

  it("has an unchanged path, except for back-ticks and a blank or quote at its end", () => {
    for (const [path, expected] of [
      ["/tmp/in", '"/tmp/in"'],
      ["/tmp/a b", '"/tmp/a b"'],
      ['/tmp/a"b\\c', '"/tmp/a"b\\c"'],
      ["/tmp/`1`", '"/tmp/\\`1\\`"'],
      ["/tmp/end ", '"/tmp/end /."'],
      ['/tmp/end"', '"/tmp/end"/."'],
      ["/tmp/end'", '"/tmp/end\'/."']
    ] as const) {
      assert.strictEqual(
        text(Command.setPath("target.input-path", path)),
        `settings set -- target.input-path ${expected}`
      )
    }
    assert.deepStrictEqual(text(Command.setPath("target.input-path", "/tmp/a\nquit")), refused("/tmp/a\nquit"))
  })
})

describe("a command of the user", () => {
  const check = (commands: ReadonlyArray<string>, expected: boolean) => {
    for (const command of commands) assert.strictEqual(Command.interactive(command), expected, command)
  }

  it("is refused if it would end the debugger, or wait for a terminal or a process", () => {
    check(["", "   ", "q", "quit", " quit ", "exit", "gui", "repl", "script", "script -l lua", "sc"], true)
    check(["expression", "expr", "p", "po", "call", "print", " e "], true)
    check(["breakpoint command add 1", "br command add 2", "watchpoint command add 1"], true)
    check(["command script add name", "command regex name"], true)
    check(["process attach -n app -w", "attach --waitfor -n app", "process attach --name app --waitfor"], true)
  })

  it("is refused also with abbreviations and options", () => {
    check(["quit 1", "exit 3", "qui 0", "process attach -wn app"], true)
    check(["br com add 1", "breakpoint com a 1", "watch command add 1", "target stop-hook add", "ta st a"], true)
    check(["expression --", "expr -l c++ --", "expression -r --", "expr -- "], true)
    check(["com scr add name", "command scr add name", "com reg name", "type summary add -P T"], true)
    check(["pro at -n app -w", "script --language lua", "script --"], true)
  })

  it("is refused if it changes a reserved setting", () => {
    for (const [command, expected] of [
      ["settings set prompt x", true],
      ['set set -g -- "prompt" x', true],
      ["settings clear auto-confirm", true],
      ["settings clear --all", true],
      ["settings append thread-stop-format x", true],
      ["settings show prompt", false],
      ["settings list auto-confirm", false],
      ["settings set target.run-args prompt -a", false],
      ["settings set frame-format x", false],
      ["session list prompt", false],
      ["settings", false]
    ] as const) {
      assert.strictEqual(Command.changesReservedSetting(command), expected, command)
    }
  })

  it("is accepted otherwise", () => {
    check(["image list", "bt", "thread backtrace all", "version", "settings show prompt", "register read"], false)
    check(["expression 1 + 1", "p total", "po error", "script print(1)", "expr -l c -- n"], false)
    check(["breakpoint command add 1 -o 'p n'", "breakpoint command add -F mod.fn 1"], false)
    check(["command script add -f mod.fn name", "command regex name s/x/y/"], false)
    check(["breakpoint command list 1", "breakpoint command delete 1", "target stop-hook add -o bt", "b main"], false)
    check(
      [
        "process attach -p 12",
        "continue",
        "s",
        "step",
        "g",
        "target list",
        "thread step-over",
        "breakpoint set -n quit"
      ],
      false
    )
  })
})

describe("a command that resumes the program", () => {
  it("is recognized by its words and their abbreviations", () => {
    for (const line of [
      "c",
      "continue",
      "process continue",
      "pro cont",
      "thread step-out",
      "th step-i",
      "n",
      "s",
      "fin",
      "run",
      "kill"
    ]) {
      assert.isTrue(Command.resumes(line), line)
    }
    for (const line of [
      "image list",
      "settings show",
      "command alias",
      "thread list",
      "process status",
      "bt",
      "p x",
      "breakpoint list"
    ]) {
      assert.isFalse(Command.resumes(line), line)
    }
  })
})
