/**
 * Encodes LLDB commands, and classifies commands that a user writes.
 *
 * A newline starts a second command and other control characters cut or split a line, so text with a control character
 * other than tab is refused. An argument is written in double quotes with `"` and `\` escaped. In LLDB 16 and newer a
 * back-tick is literal there; older versions evaluate it, so it gets a backslash.
 */
import * as Result from "effect/Result"

/** A text that cannot be part of a command: it has a control character, or is not the single word that is needed. */
export interface Refused {
  readonly _tag: "Refused"
  readonly text: string
}

const forbidden = /[\u0000-\u0008\u000a-\u001f\u007f]/

const refused = (text: string): Refused => ({ _tag: "Refused", text })

/** Quotes an argument, so that LLDB reads the same text. `major` is the version of LLDB. */
export const quote = (text: string, major = 19): Result.Result<string, Refused> => {
  if (forbidden.test(text)) return Result.fail(refused(text))
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
  return Result.succeed(`"${major < 16 ? escaped.replaceAll("`", "\\`") : escaped}"`)
}

/** Returns the first of these texts that cannot be part of a command. */
export const refusedIn = (texts: ReadonlyArray<string>): string | undefined =>
  texts.find((text) => forbidden.test(text))

/** Builds a command from fixed words and arguments; only the arguments are quoted. */
export const command = (words: string, args: ReadonlyArray<string>, major = 19): Result.Result<string, Refused> => {
  let line = words
  for (const arg of args) {
    const quoted = quote(arg, major)
    if (Result.isFailure(quoted)) return Result.fail(quoted.failure)
    line += ` ${quoted.success}`
  }
  return Result.succeed(line)
}

/** A boolean, number or name as the value of a setting: quotes would be part of it. */
const word = /^[\w.-]+$/

/** Builds `settings set NAME WORD`. */
export const set = (name: string, value: string): Result.Result<string, Refused> =>
  word.test(value) ? Result.succeed(`settings set ${name} ${value}`) : Result.fail(refused(value))

/**
 * Builds `settings set NAME PATH` for an absolute path. The command reads the rest of its line verbatim: only an escaped
 * back-tick is unescaped (otherwise every version evaluates it), and blanks and quotes are trimmed at both ends. `/.` is
 * appended to a path that ends in one of these; LLDB normalizes it away. `--` prevents a quote in the path from starting
 * an option.
 */
export const setPath = (name: string, path: string): Result.Result<string, Refused> => {
  if (forbidden.test(path)) return Result.fail(refused(path))
  const whole = /["' \t]$/.test(path) ? `${path}/.` : path
  return Result.succeed(`settings set -- ${name} "${whole.replaceAll("`", "\\`")}"`)
}

/** Returns whether a word is the name or its abbreviation. LLDB accepts any prefix; those below `least` letters are other commands. */
const abbreviates = (word: string | undefined, name: string, least: number): boolean =>
  word !== undefined && word.length >= least && name.startsWith(word)

const evaluators = new Set(["e", "ex", "p", "po", "call", "print", "dwim-print"])
const oneLiner = /\s(?:-[a-z]*[oF]|--one|--python-f)/
const body = /\s(?:-[a-z]*[fcP]|--func|--class|--script-)/

/** Returns whether a command reads further lines, because no option contains them. */
const readsLines = (line: string): boolean => {
  const [first, second, third] = line.split(/\s+/)
  if (
    abbreviates(second, "command", 2) &&
    (abbreviates(first, "breakpoint", 2) || abbreviates(first, "watchpoint", 2))
  ) {
    return abbreviates(third, "add", 1) && !oneLiner.test(line)
  }
  if (abbreviates(second, "stop-hook", 2) && abbreviates(first, "target", 2)) {
    return abbreviates(third, "add", 1) && !oneLiner.test(line) && !body.test(line)
  }
  if (abbreviates(first, "command", 3)) {
    if (abbreviates(second, "script", 2)) return abbreviates(third, "add", 1) && !body.test(line)
    return abbreviates(second, "regex", 1) && line.split(/\s+/).length < 4
  }
  return abbreviates(first, "type", 2) && abbreviates(third, "add", 1) && /\s(?:-[a-z]*P|--input)/.test(line)
}

/** Returns whether a command would end LLDB, or wait for a terminal or a process; such commands are refused. */
export const interactive = (command: string): boolean => {
  const line = command.trim()
  const [first, second] = line.split(/\s+/)
  const rest = line.slice(first?.length ?? 0).trim()
  if (line === "" || abbreviates(first, "quit", 1) || abbreviates(first, "exit", 3)) return true
  if (abbreviates(first, "gui", 2) || abbreviates(first, "repl", 3)) return true
  if (abbreviates(first, "script", 2)) return /^(?:(?:-l|--l[a-z]*)[\s=]*[^\s-]+\s*)?(?:--)?$/.test(rest)
  if (evaluators.has(first ?? "") || abbreviates(first, "expression", 3)) return /^(?:.*\s)?(?:--)?$/.test(rest)
  const attaches =
    abbreviates(first, "attach", 2) || (abbreviates(first, "process", 2) && abbreviates(second, "attach", 1))
  return (attaches && /\s(?:-[a-z]*w|--w)/.test(line)) || readsLines(line)
}

/** Settings without which the output cannot be parsed. */
const reserved = new Set(["prompt", "auto-confirm", "thread-stop-format"])

/** Returns whether a command changes a reserved setting. */
export const changesReservedSetting = (command: string): boolean => {
  const [first, second, ...rest] = command.trim().split(/\s+/)
  if (!abbreviates(first, "settings", 3) || abbreviates(second, "show", 2) || abbreviates(second, "list", 1))
    return false
  const name = rest.find((word) => !word.startsWith("-"))?.replaceAll(/["']/g, "")
  if (name !== undefined) return reserved.has(name)
  return abbreviates(second, "clear", 1) && rest.some((word) => abbreviates(word, "--all", 3) || word === "-a")
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

/** Returns whether a command selects a thread or a frame. */
export const selectsFrame = (command: string): boolean => {
  const [first, second] = command.trim().split(/\s+/)
  if (first === "f" || first === "t" || first === "up" || first === "down") return true
  return (abbreviates(first, "frame", 2) || abbreviates(first, "thread", 2)) && abbreviates(second, "select", 2)
}

/** Returns whether a command resumes, stops or ends the program. */
export const resumes = (command: string): boolean => {
  const [first, second] = command.trim().split(/\s+/)
  if (
    abbreviates(first, "continue", 1) ||
    abbreviates(first, "next", 1) ||
    abbreviates(first, "step", 1) ||
    abbreviates(first, "finish", 3)
  )
    return true
  if (resumingWords.has(first ?? "")) return true
  if (abbreviates(first, "thread", 2)) return resumingThread.some((word) => abbreviates(second, word, 2))
  return abbreviates(first, "process", 2) && resumingProcess.some((word) => abbreviates(second, word, 1))
}
