/**
 * LLDB command text: the one encoder for everything that is put into a command line of LLDB.
 *
 * A newline is a second command and a control character cuts or splits a line, so text with any control character but
 * tab is refused. An argument stands in double quotes with `"` and `\` escaped; a back-tick is literal there from
 * LLDB 16 on, while 15 and older evaluate it and want a backslash before it.
 */
import * as Result from "effect/Result"

/** A text that cannot be made into a command: it holds a control character, or is no single word where one is needed. */
export interface Refused {
  readonly _tag: "Refused"
  readonly text: string
}

const forbidden = /[\u0000-\u0008\u000a-\u001f\u007f]/

const refused = (text: string): Refused => ({ _tag: "Refused", text })

/** One argument, quoted so that LLDB reads back the same text. `major` is LLDB's version. */
export const quote = (text: string, major = 19): Result.Result<string, Refused> => {
  if (forbidden.test(text)) return Result.fail(refused(text))
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
  return Result.succeed(`"${major < 16 ? escaped.replaceAll("`", "\\`") : escaped}"`)
}

/** A command of fixed words and arguments; the arguments are quoted, the words are not. */
export const command = (words: string, args: ReadonlyArray<string>, major = 19): Result.Result<string, Refused> => {
  let line = words
  for (const arg of args) {
    const quoted = quote(arg, major)
    if (Result.isFailure(quoted)) return Result.fail(quoted.failure)
    line += ` ${quoted.success}`
  }
  return Result.succeed(line)
}

/** Booleans, numbers and names of choices, as settings take them: a quote would be part of the value. */
const word = /^[\w.-]+$/

/** `settings set NAME WORD`. */
export const set = (name: string, value: string): Result.Result<string, Refused> =>
  word.test(value) ? Result.succeed(`settings set ${name} ${value}`) : Result.fail(refused(value))

/**
 * `settings set NAME PATH` of an absolute path. The command takes the rest of its line as it is: nothing is unescaped
 * but a back-tick, which every version evaluates otherwise, and blanks and quotes are cut off at both ends. A path that
 * ends in one of these is written with `/.` behind it, which LLDB leaves out again. `--` keeps what follows a quote
 * inside the path from being read as an option.
 */
export const setPath = (name: string, path: string): Result.Result<string, Refused> => {
  if (forbidden.test(path)) return Result.fail(refused(path))
  const whole = /["' \t]$/.test(path) ? `${path}/.` : path
  return Result.succeed(`settings set -- ${name} "${whole.replaceAll("`", "\\`")}"`)
}

/** Whether a word can stand for a name: LLDB takes every beginning of one; the shorter are other commands. */
const means = (word: string | undefined, name: string, least: number): boolean =>
  word !== undefined && word.length >= least && name.startsWith(word)

const evaluators = new Set(["e", "ex", "p", "po", "call", "print", "dwim-print"])
const oneLiner = /\s(?:-[a-z]*[oF]|--one|--python-f)/
const body = /\s(?:-[a-z]*[fcP]|--func|--class|--script-)/

/** Commands that read lines of their own unless an option brings them, by their words. */
const readsLines = (line: string): boolean => {
  const [first, second, third] = line.split(/\s+/)
  if (means(second, "command", 2) && (means(first, "breakpoint", 2) || means(first, "watchpoint", 2))) {
    return means(third, "add", 1) && !oneLiner.test(line)
  }
  if (means(second, "stop-hook", 2) && means(first, "target", 2)) {
    return means(third, "add", 1) && !oneLiner.test(line) && !body.test(line)
  }
  if (means(first, "command", 3)) {
    if (means(second, "script", 2)) return means(third, "add", 1) && !body.test(line)
    return means(second, "regex", 1) && line.split(/\s+/).length < 4
  }
  return means(first, "type", 2) && means(third, "add", 1) && /\s(?:-[a-z]*P|--input)/.test(line)
}

/** Why a command cannot be run over a connection: it would end the debugger or wait for a terminal or a process. */
export const interactive = (command: string): boolean => {
  const line = command.trim()
  const [first, second] = line.split(/\s+/)
  const rest = line.slice(first?.length ?? 0).trim()
  if (line === "" || means(first, "quit", 1) || means(first, "exit", 3)) return true
  if (means(first, "gui", 2) || means(first, "repl", 3)) return true
  if (means(first, "script", 2)) return /^(?:(?:-l|--l[a-z]*)[\s=]*[^\s-]+\s*)?(?:--)?$/.test(rest)
  if (evaluators.has(first ?? "") || means(first, "expression", 3)) return /^(?:.*\s)?(?:--)?$/.test(rest)
  const attaches = means(first, "attach", 2) || (means(first, "process", 2) && means(second, "attach", 1))
  return (attaches && /\s(?:-[a-z]*w|--w)/.test(line)) || readsLines(line)
}

/** Settings by which answers and stops are told apart; with another value nothing could be read any more. */
const needed = new Set(["prompt", "auto-confirm", "thread-stop-format"])

/** Whether a command changes a setting that a connection needs as it is. */
export const unsettles = (command: string): boolean => {
  const [first, second, ...rest] = command.trim().split(/\s+/)
  if (!means(first, "settings", 3) || means(second, "show", 2) || means(second, "list", 1)) return false
  const name = rest.find((word) => !word.startsWith("-"))?.replaceAll(/["']/g, "")
  if (name !== undefined) return needed.has(name)
  return means(second, "clear", 1) && rest.some((word) => means(word, "--all", 3) || word === "-a")
}

const resumingWords = new Set(["r", "run", "si", "ni", "stepi", "nexti", "kill"])
const resumingThread = [
  "step-in",
  "step-over",
  "step-out",
  "step-inst",
  "step-inst-over",
  "step-scripted",
  "continue",
  "until"
]
const resumingProcess = ["continue", "launch", "interrupt", "kill", "detach", "signal"]

/** Whether a command sets the program going, stops it or ends it, so that the session's state will change. */
export const resumes = (command: string): boolean => {
  const [first, second] = command.trim().split(/\s+/)
  if (means(first, "continue", 1) || means(first, "next", 1) || means(first, "step", 1) || means(first, "finish", 3))
    return true
  if (resumingWords.has(first ?? "")) return true
  if (means(first, "thread", 2)) return resumingThread.some((word) => means(second, word, 2))
  return means(first, "process", 2) && resumingProcess.some((word) => means(second, word, 1))
}
