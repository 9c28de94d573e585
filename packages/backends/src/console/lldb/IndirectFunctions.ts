/**
 * Functions that are chosen when the program runs, such as `strlen`: their symbol names code that answers which one it is.
 *
 * LLDB runs that code when it makes a breakpoint on such a name, while it holds what its own answer needs, and hangs for
 * ever (seen with 19). What it has been told before it remembers: so the function is asked for in an expression first.
 */
import { Command, Symbols } from "@sigtrap/lldb"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** What is asked through. */
export interface Options<E> {
  /** The text of a command as it is, failures included. */
  readonly command: (line: string) => Effect.Effect<string, E>
  readonly major: number
}

/** The libraries that have them; a program that links these into itself is found by its symbols. */
const libraries = ["libc.so.6", "libm.so.6"]

/** How long the choice may take, in microseconds: it is some instructions. */
const within = 1_000_000

const identifier = /^[A-Za-z_]\w*$/

const running = /process which is currently stopped|Process is running/i

/** Whether the function could be asked for: not while the program runs. */
const choose = <E>({ command }: Options<E>, name: string) =>
  // The language of the frame has its own idea of what a bare name is.
  Effect.map(command(`expression -l c -t ${within} -- (void*)(long (*)())${name}`), (text) => !running.test(text))

const indirect = <E>({ command, major }: Options<E>): Effect.Effect<ReadonlyArray<string>, E> => {
  const dump = Command.command("image dump symtab", libraries, major)
  return Result.isFailure(dump) ? Effect.succeed([]) : Effect.map(command(dump.success), Symbols.resolvers)
}

/** Why a breakpoint on such a function cannot be had. */
export const reason =
  "the program chooses it at run time, so it can be found only while the program is stopped; pause it first"

/**
 * Makes LLDB know what functions of these names are, where they are indirect; harmless where they are not. Answers with
 * those on which no breakpoint must be set now: while the program runs LLDB would leave it inside the choice.
 */
export const prepare = Effect.fnUntraced(function* <E>(options: Options<E>, names: ReadonlyArray<string>) {
  const barred: Array<string> = []
  for (const name of names.filter((one) => identifier.test(one))) {
    if (!Symbols.isBare(yield* options.command(`image lookup -s ${name}`), name)) continue
    if (yield* choose(options, name)) continue
    if ((yield* indirect(options)).includes(name)) barred.push(name)
  }
  return barred
})

/** The same for every function whose name matches. */
export const prepareMatching = Effect.fnUntraced(function* <E>(
  options: Options<E>,
  pattern: string,
  ignoreCase: boolean
) {
  const matches = Result.try(() => new RegExp(pattern, ignoreCase ? "i" : ""))
  // What JavaScript cannot read as a pattern may still be one to LLDB.
  if (Result.isFailure(matches)) return []
  const barred: Array<string> = []
  for (const name of yield* indirect(options)) {
    if (!identifier.test(name) || !matches.success.test(name)) continue
    if (!(yield* choose(options, name))) barred.push(name)
  }
  return barred
})
