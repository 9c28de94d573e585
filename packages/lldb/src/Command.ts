/**
 * LLDB command text: the one encoder for everything that is put into a command line of LLDB.
 *
 * A newline is a second command and a control character cuts or splits a line, so text with any control character but
 * tab is refused. An argument stands in double quotes with `"` and `\` escaped; a back-tick is literal there from
 * LLDB 16 on, while 15 and older evaluate it and want a backslash before it.
 */
import * as Result from "effect/Result"

/** A text that cannot be made into a command: it holds a control character. */
export interface Refused {
  readonly _tag: "Refused"
  readonly text: string
}

// oxlint-disable-next-line no-control-regex -- these are the characters that end or split a command line
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

/** `settings set NAME VALUE`. */
export const set = (name: string, value: string, major = 19): Result.Result<string, Refused> =>
  command(`settings set ${name}`, [value], major)

const readers: ReadonlyArray<RegExp> = [
  /^(?:q|qu|qui|quit|exit)$/,
  /^(?:gui|repl)\b/,
  /^(?:sc|scr|scri|scrip|script)(?:\s+-l\s*\S+)?$/,
  /^(?:e|ex|exp|expr|expre|expres|express|expressi|expressio|expression|p|po|call|print)$/,
  /^(?:br|breakpoint|watchpoint)\s+command\s+add\b(?!.*(?:-o|--one-liner|-F|--python-function))/,
  /^command\s+(?:script\s+add|regex)\b(?!.*(?:-f|--function|-c|--class|s\/))/,
  /^(?:process\s+attach|attach)\b.*(?:-w|--waitfor)/
]

/** Why a command cannot be run over a connection: it would end the debugger or wait for a terminal or a process. */
export const interactive = (command: string): boolean => {
  const line = command.trim()
  return line === "" || readers.some((reader) => reader.test(line))
}
