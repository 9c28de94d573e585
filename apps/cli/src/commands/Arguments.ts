/**
 * The words of a command that runs in the client: its options with and without values, and its arguments. The grammar is
 * that of every command; the options are those of the command's definition.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import { Predicate, Result } from "effect"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as OptionReader from "@sigtrap/protocol/grammar/OptionReader"
import * as Options from "@sigtrap/protocol/grammar/Options"

/** A command's arguments and options. */
export interface Words {
  readonly words: ReadonlyArray<string>
  /** Options without a value that were given. */
  readonly flags: ReadonlySet<string>
  /** Values of options. */
  readonly values: ReadonlyMap<string, string>
}

/** Reads the words of a command. Fails with `Usage` for an option that the command does not have. */
export const read = (
  name: Builtins.Builtin["name"],
  argv: ReadonlyArray<string>
): Result.Result<Words, Errors.Usage> => {
  const reading = OptionReader.read(OptionReader.ofBuiltin(Builtins.find(name), Options.clientGlobals), argv)
  const { after = [], problem } = reading
  if (problem !== undefined) {
    return Result.fail(new Errors.Usage({ problem: problem.text, near: problem.near, remedies: [Hint.help(name)] }))
  }
  const given = Object.entries({ ...reading.fields, ...reading.globals })
  return Result.succeed({
    words: [...reading.words, ...after],
    flags: new Set(given.flatMap(([option, value]) => (value === true ? [option] : []))),
    values: new Map(given.flatMap(([option, value]) => (Predicate.isString(value) ? [[option, value] as const] : [])))
  })
}

/** Returns the port of the option `--port` of a command; 0 is any free one. */
export const port = (text: string | undefined, name: Builtins.Builtin["name"]): Result.Result<number, Errors.Usage> => {
  const number = text === undefined ? 0 : Number(text)
  return (text === undefined || /^\d{1,5}$/.test(text)) && number <= 65_535
    ? Result.succeed(number)
    : Result.fail(
        new Errors.Usage({
          problem: "--port takes a number up to 65535; 0 selects a free port",
          near: [],
          remedies: [Hint.local(name, ["--port", "4711"])]
        })
      )
}
