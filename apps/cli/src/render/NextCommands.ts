/**
 * The commands that answers and errors name for what comes next, aimed at what their reader has asked about: the session
 * that was named, and for the rest of a list every option of the call that gave its beginning.
 */
import { Payload, ShellWords } from "@sigtrap/protocol"
import { Result } from "effect"
import * as Argv from "../grammar/Argv.ts"
import * as Commands from "../grammar/Commands.ts"

interface Call {
  readonly command: Commands.Command
  readonly input: Argv.Fields
}

/** A line of ours as the call that it makes; `undefined` for other programs, for help and for what calls no operation. */
const read = (line: string): Call | undefined => {
  const [program, ...argv] = ShellWords.split(line)
  if (program !== "sigtrap") return undefined
  const { request } = Argv.parse(argv)
  return Result.isSuccess(request) && request.success._tag === "Call" ? request.success : undefined
}

/** The line with the session that was asked about, if its command acts on one and it names none itself. */
const onSession = (line: string, call: Call | undefined, { session }: Argv.Fields): string =>
  call !== undefined &&
  session !== undefined &&
  call.input["session"] === undefined &&
  "session" in Payload.published(call.command.operation).properties
    ? Commands.line(Commands.argvOf(call.command.operation, { ...call.input, session }))
    : line

/** The fields of a call that stand for what its reader has to put there: `start PROGRAM`, `--file FILE`. */
const blanks = ({ input }: Call): ReadonlyArray<string> =>
  Object.keys(input).filter((field) => input[field] === field.toUpperCase())

/**
 * The call with what was typed in place of its blanks; its help, where nothing was. One that names what the command acts
 * on keeps everything else that was typed; another way to say the same does not.
 */
const filled = (call: Call, command: Commands.Command | undefined, asked: Argv.Fields): string => {
  const empty = blanks(call)
  const help = Commands.line([...call.command.name.split(" "), "--help"])
  if (command !== call.command || empty.some((field) => asked[field] === undefined)) {
    return help
  }
  const kept = empty.every((field) => command.meta.positional.includes(field))
    ? Object.keys(asked)
    : [...empty, "session"]
  const typed = Object.entries(asked).filter(([field]) => kept.includes(field))
  const given = Object.entries(call.input).filter(([field]) => !empty.includes(field))
  const advised = Commands.line(Commands.argvOf(command.operation, Object.fromEntries([...typed, ...given])))
  // What was typed already is no advice.
  return advised === Commands.line(Commands.argvOf(command.operation, asked)) ? help : advised
}

/**
 * A command that helps, on the session that was asked about. One that does the same again with something added, as
 * `break FILE:LINE --pending` does, keeps all that was typed.
 */
export const aimed = (line: string, command: Commands.Command | undefined, asked: Argv.Fields): string => {
  const call = read(line)
  if (call !== undefined && blanks(call).length > 0) return filled(call, command, asked)
  const shared = Object.entries(call?.input ?? {}).filter(([field]) => asked[field] !== undefined)
  const same = shared.length > 0 && shared.every(([field, value]) => String(asked[field]) === String(value))
  if (command === undefined || call?.command !== command || !same) return onSession(line, call, asked)
  const advised = Commands.line(Commands.argvOf(command.operation, { ...asked, ...call.input }))
  // One that takes something away, as `break FUNCTION` after `--hardware` does, stays as it is.
  const typed = Commands.line(Commands.argvOf(command.operation, asked))
  return advised === typed ? onSession(line, call, asked) : advised
}

/** The line that shows the rest of an answer: where it is the command that was typed, with all that was typed with it. */
export const continued = (line: string, command: Commands.Command, asked: Argv.Fields): string => {
  const call = read(line)
  return call?.command === command
    ? Commands.line(Commands.argvOf(command.operation, { ...asked, ...call.input }))
    : onSession(line, call, asked)
}
