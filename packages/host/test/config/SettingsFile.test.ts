// The text of a configuration file: what is parsed, what is refused, and that a change keeps all other lines.
import { assert, describe, it } from "@effect/vitest"
import { SettingsFile } from "@sigtrap/host"
import { Settings } from "@sigtrap/protocol"
import { Result, Schema } from "effect"

const keys = Settings.keys.map(({ key }) => key.replaceAll("NAME", "mine"))

/** List values, one of which is valid for every key with a list. */
const lists = [["a", 'b "c"'], [".py", ".pyw"], ["/a"], ["stops_without_ids"]]

/** Texts, one of which is valid for every key without a built-in value. */
const texts = ["x y", '{"a":1}', "/a", "stdio", "events", "80"]

const valueOf = (key: string): Settings.Value => {
  const found = Settings.find(key)
  return Result.isSuccess(found)
    ? (found.success.fallback ??
        (found.success.list === true
          ? lists.find((list) => list.every((text) => found.success.problem(text) === undefined))
          : texts.find((text) => found.success.problem(text) === undefined)) ??
        "")
    : ""
}

describe("a settings file", () => {
  it("has tables and dotted keys, strings, numbers, lists over several lines, and comments", () => {
    const text = [
      "# mine",
      "output.budget = 4_000",
      "[timeouts]",
      'wait = "1m" # long',
      "[redact]",
      "names = [ # ours",
      '  "pin",',
      "  'iban#1', # another",
      "]",
      "[adapters.lldb-dap]",
      "path = '/opt/x y'",
      'args = ["--a", "b]c"]',
      "env.LANG = 'C'"
    ].join("\n")
    const read = SettingsFile.parse(text)
    assert(Result.isSuccess(read), JSON.stringify(read))
    assert.deepStrictEqual(
      read.success.map(({ key, line, value }) => [key, value, line]),
      [
        ["output.budget", "4000", 2],
        ["timeouts.wait", "1m", 4],
        ["redact.names", ["pin", "iban#1"], 6],
        ["adapters.lldb-dap.path", "/opt/x y", 11],
        ["adapters.lldb-dap.args", ["--a", "b]c"], 12],
        ["adapters.lldb-dap.env.LANG", "C", 13]
      ]
    )
  })

  it.each([
    ["[timeouts]\nwiat = 1", "line 2: no key timeouts.wiat; nearest: timeouts.wait"],
    ["[adapters.gdb]\npaht = 'x'", "line 2: no key adapters.gdb.paht; nearest: adapters.gdb.path"],
    ["timeouts.wait = soon", "line 1"],
    ['timeouts.wait = "soon"', "write a duration"],
    ["timeouts.wait = '1s'\n[timeouts]\nwait = '2s'", "line 2, column 2: "],
    ["[timeouts]\nwait = '1s'\nwait = '2s'", "line 3, column 1: "],
    ["timeouts.wait = 1979-05-27", "line 1: timeouts.wait: expected a string"],
    ["[[timeouts]]\nwait = '1s'", "no key timeouts"],
    ["output.budget = [1]", "write one value, not a list"],
    ["redact.names = ['a'", "line 1, column "],
    ["output.max_bytes = '10 apples'", "write a size"],
    ["log.level = 'loud'", "write one of debug, info, warn, error"]
  ])("with %j is refused", (text, problem) => {
    const read = SettingsFile.parse(text)
    assert(Result.isFailure(read))
    assert.include(read.failure.join("; "), problem)
  })

  it("may have inline tables and multi-line strings; a key in one is not changed", () => {
    const text =
      'adapters = { gdb = { path = "/opt/gdb", env = { LANG = "C" } } }\n[alias]\na = """\nprint\n n"""\nb = "x"\n'
    const read = SettingsFile.parse(text)
    assert.deepStrictEqual(
      Result.getOrThrow(read).map(({ key, last, line, value }) => [key, value, line, last]),
      [
        ["adapters.gdb.path", "/opt/gdb", 1, 1],
        ["adapters.gdb.env.LANG", "C", 1, 1],
        ["alias.a", "print\n n", 3, 5],
        ["alias.b", "x", 6, 6]
      ]
    )
    const inline = SettingsFile.change(text, "adapters.gdb.path", "/x")
    assert.include(Result.isFailure(inline) ? inline.failure : "", "it is in line 1")
    const long = Result.getOrThrow(SettingsFile.change(text, "alias.a", "print n"))
    assert.include(long, '[alias]\na = "print n"\nb = "x"\n')
  })

  it.prop(
    "keeps every other line when a key is set or removed",
    [Schema.Literals(keys), Schema.Literals(["", "# a\n[output]\n# b\nbudget = 1\n", "redact.names = [\n'q'\n]\n"])],
    ([key, text]) => {
      const value = valueOf(key)
      const set = Result.getOrThrow(SettingsFile.change(text, key, value))
      const read = SettingsFile.parse(set)
      assert(Result.isSuccess(read), set)
      assert.deepStrictEqual(read.success.find((other) => other.key === key)?.value, value)
      for (const line of text.split("\n").filter((line) => line.startsWith("#"))) assert.include(set, line)
      const unset = SettingsFile.parse(Result.getOrThrow(SettingsFile.change(set, key, undefined)))
      assert(Result.isSuccess(unset))
      assert.isUndefined(unset.success.find((other) => other.key === key))
    }
  )

  it.prop("is parsed or refused, whatever it contains, without a defect", [Schema.String], ([text]) => {
    const read = SettingsFile.parse(text)
    if (Result.isFailure(read)) assert.isAbove(read.failure.length, 0)
  })

  it("has templates of adapters as tables or as text, with the line of a mistake in one", () => {
    const text = [
      "[adapters.ruby]",
      "command = 'rdbg'",
      "attach = { pid = '${pid}', deep = [{ a = true }] }",
      "[adapters.ruby.launch]",
      "program = '${program}'",
      "first = 10",
      "[adapters.other]",
      "launch = '{\"a\":1}'"
    ].join("\n")
    const read = Result.getOrThrow(SettingsFile.parse(text))
    assert.deepStrictEqual(
      read.map(({ key, line, value }) => [key, value, line]),
      [
        ["adapters.ruby.command", "rdbg", 2],
        ["adapters.ruby.attach", '{"pid":"${pid}","deep":[{"a":true}]}', 3],
        ["adapters.ruby.launch", '{"program":"${program}","first":10}', 5],
        ["adapters.other.launch", '{"a":1}', 8]
      ]
    )
    assert.deepStrictEqual(SettingsFile.conflicts(read), [
      "line 8: adapters.other.launch: set adapters.other.command too: the program that speaks DAP"
    ])
    for (const [wrong, problem] of [
      ["[adapters.ruby.launch]\na = '${prgram}'", "line 2: adapters.ruby.launch = "],
      ["[adapters.ruby.launch]\nday = 1979-05-27", "line 2: adapters.ruby.launch: expected"],
      ["adapters.ruby.launch = 7", "line 1: adapters.ruby.launch = 7: write a table"]
    ] as const) {
      const refused = SettingsFile.parse(wrong)
      assert(Result.isFailure(refused), wrong)
      assert.include(refused.failure.join("; "), problem)
    }
    const table = SettingsFile.change(text, "adapters.ruby.launch", '{"b":1}')
    assert.include(Result.isFailure(table) ? table.failure : "", "it is in line 5")
  })

  it("is created with every key commented out", () => {
    const text = SettingsFile.template()
    const read = SettingsFile.parse(text)
    assert(Result.isSuccess(read))
    assert.deepStrictEqual(read.success, [])
    // Each commented entry is valid.
    const lines = text.split("\n").filter((line) => !/^# [A-Z]/.test(line) && !/NAME/.test(line) && !/ = ""/.test(line))
    const all = SettingsFile.parse(lines.map((line) => line.replace(/^# /, "")).join("\n"))
    assert(Result.isSuccess(all), JSON.stringify(all))
  })
})
