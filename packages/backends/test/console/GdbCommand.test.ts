/** The encoder of GDB commands: what it writes, what it refuses, and that GDB's rules read the same text back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as Gdb from "../../src/adapters/Gdb.ts"
import * as Console from "../../src/console/gdb/Console.ts"
import * as Command from "../../src/console/gdb/Command.ts"
import { launchOf } from "../support.ts"

const text = (result: Result.Result<string, Command.Refused>) =>
  Result.match(result, { onSuccess: (command) => command, onFailure: (refused) => refused })

const refused = (value: string): Command.Refused => ({ _tag: "Refused", text: value })

const controls = [...Array(32).keys(), 127].map((code) => String.fromCharCode(code)).filter((one) => one !== "\t")

/** Any text, with many characters that are special in a command line. */
const AnyText = Schema.Array(
  Schema.Union([Schema.String, Schema.Literals(['"', "\\", "'", " ", "\t", "\n", "\r", "\0", "!", "$", "-", "#", "~"])])
)

/** Splits a command into words as GDB's `buildargv` does. */
const words = (line: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ""
    if (letter === "\\") word = `${word ?? ""}${line[++at] ?? ""}`
    else if (quote !== "") {
      if (letter === quote) quote = ""
      else word = `${word ?? ""}${letter}`
    } else if (letter === "'" || letter === '"') {
      quote = letter
      word ??= ""
    } else if (/[ \t\n\r\f\v]/.test(letter)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else word = `${word ?? ""}${letter}`
  }
  return word === undefined ? found : [...found, word]
}

const streams = {
  input: "/pipes/stdin",
  output: "/pipes/stdout",
  error: "/pipes/stderr",
  holders: Effect.succeed([]),
  drain: () => {},
  write: () => Effect.void,
  closeInput: Effect.void
}

/** The commands before launch or attach; what was refused if it fails. */
const prepared = (more: Parameters<typeof launchOf>[1], major = 16) => {
  const context = { found: { path: "/usr/bin/gdb" }, streams, quirks: Gdb.quirks(major), directory: "/tmp" }
  const made = Gdb.adapter.prepare?.(launchOf("gdb", more), context) ?? Result.succeed([])
  return Result.match(made, { onSuccess: (lines) => lines, onFailure: ({ text }) => text })
}

describe("a GDB command", () => {
  it("has whitespace, quotes and backslashes of a file name escaped", () => {
    for (const [name, expected] of [
      ["/src/app", "file /src/app"],
      ["/a b/c'd", "file /a\\ b/c\\'d"],
      ['/q"\\', 'file /q\\"\\\\'],
      ["/t\tb", "file /t\\\tb"],
      ["", "file ''"]
    ] as const)
      assert.strictEqual(text(Command.command("file", [name])), expected)
  })

  it("is refused if a file name or a word has a control character", () => {
    for (const control of controls) {
      const name = `/d${control}!touch canary/app`
      assert.deepStrictEqual(text(Command.command("file", ["/fine", name])), refused(name))
      assert.deepStrictEqual(text(Command.execWrapper(["-c", name])), refused(name))
    }
  })

  it.effect.prop("is one line that GDB reads as the same names", [AnyText], ([parts]) =>
    Effect.sync(() => {
      const name = parts.join("")
      const command = text(Command.command("set substitute-path", [name, "/to"]))
      if (typeof command === "string") {
        assert.notMatch(command, /[\n\r]/)
        assert.deepStrictEqual(words(command), ["set", "substitute-path", name, "/to"])
      } else assert.isTrue(controls.some((control) => name.includes(control)))
    })
  )

  it("passes each word of the wrapper through a shell unchanged", () => {
    for (const word of ["", "a b", "it's", '"', "$HOME", "`id`", "$(id)", "; id", "*", "\\", "#", "&", ">x", "a\tb"]) {
      const command = text(Command.execWrapper(["-c", 'printf %s "$1"', "sh", word]))
      assert(typeof command === "string")
      // GDB passes the rest of the line to a shell.
      const shown = execFileSync("/bin/sh", ["-c", command.replace("set exec-wrapper ", "exec ")], {
        encoding: "utf8",
        env: { HOME: "/secret" },
        cwd: "/"
      })
      assert.strictEqual(shown, word)
    }
  })
})

describe("the start of a program under GDB", () => {
  it("is refused if a path has a line break", () => {
    const bad = "/d\n!touch canary/app"
    for (const more of [
      { program: bad },
      { cwd: bad },
      { stdin: bad },
      { sourceMap: [["/from", bad]] as const },
      { sourceMap: [[bad, "/to"]] as const },
      { existing: { kind: "core", file: bad } as const },
      { program: bad, existing: { kind: "core", file: "/core" } as const }
    ])
      for (const major of [16, 18]) assert.strictEqual(prepared(more, major), bad, JSON.stringify(more))
  })

  it("passes an argument with a line break, since it is not a part of a command", () => {
    const args = ["a\nb"]
    assert.deepStrictEqual(
      [prepared({ args })].flat().filter((line) => !line.startsWith("python")),
      [
        `set exec-wrapper /bin/sh '-c' 'in=$1 out=$2 err=$3; shift 3; exec "$@" <"$in" >"$out" 2>"$err"' 'sh' ` +
          "'/pipes/stdin' '/pipes/stdout' '/pipes/stderr'",
        "file /src/app"
      ]
    )
  })

  it("refuses a control character in every argument of a script", () => {
    for (const [given, expected] of [
      [{ file: "/a.c" }, undefined],
      [{ file: "/a\tb.c", list: [1, null, "x"] }, undefined],
      [{ at: { name: "f\nshell id" } }, "f\nshell id"],
      [{ list: [["\r"]] }, "\r"]
    ] as const)
      assert.strictEqual(Command.refusedIn(given), expected)
    assert.notMatch(Console.line({ text: "answer(1)" }, { file: "a\nb" }), /\n/)
  })
})
