/**
 * Prepares breakpoints on GNU indirect functions, such as `strlen`: the symbol names a resolver, which returns the address of
 * the code to use on this machine.
 *
 * LLDB runs the resolver when it sets a breakpoint on such a name. It holds a lock that the result needs, and hangs for ever
 * (seen with 19). LLDB caches the result, so an expression that names the function runs the resolver before.
 */
import { Command, Symbols } from "@sigtrap/lldb"
import { Pattern } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The parts of a connection that this module uses. */
export interface Options<E> {
  /** The text of a command, failures included. */
  readonly command: (line: string) => Effect.Effect<string, E>
  readonly major: number
}

/** The libraries with such functions. A program that links them statically is recognised by its symbols. */
const libraries = ["libc.so.6", "libm.so.6"]

/** Time limit of a resolver in microseconds; it executes a few instructions. */
const timeout = 1_000_000

const identifier = /^[A-Za-z_]\w*$/

const running = /process which is currently stopped|Process is running/i

/** Runs the resolver of a function. Returns false if it cannot, because the program runs. */
const resolve = <E>({ command }: Options<E>, name: string) =>
  // In C, since the language of the frame may read a bare name otherwise.
  Effect.map(command(`expression -l c -t ${timeout} -- (void*)(long (*)())${name}`), (text) => !running.test(text))

const indirect = <E>({ command, major }: Options<E>): Effect.Effect<ReadonlyArray<string>, E> => {
  const dump = Command.command("image dump symtab", libraries, major)
  return Result.isFailure(dump) ? Effect.succeed([]) : Effect.flatMap(command(dump.success), Symbols.resolversInSteps)
}

/** The reason in messages why no breakpoint can be set on such a function now. */
export const reason =
  "the program chooses it at run time, so it can be found only while the program is stopped; pause it first"

/**
 * Resolves functions of these names if they are indirect. Returns those on which no breakpoint can be set now: while the
 * program runs, LLDB would stop it inside the resolver.
 */
export const prepare = Effect.fnUntraced(function* <E>(options: Options<E>, names: ReadonlyArray<string>) {
  const unprepared: Array<string> = []
  for (const name of names.filter((one) => identifier.test(one))) {
    if (!Symbols.isBare(yield* options.command(`image lookup -s ${name}`), name)) continue
    if (yield* resolve(options, name)) continue
    if ((yield* indirect(options)).includes(name)) unprepared.push(name)
  }
  return unprepared
})

/** Resolves indirect functions whose names match a pattern. Returns those on which no breakpoint can be set now. */
export const prepareMatching = Effect.fnUntraced(function* <E>(
  options: Options<E>,
  pattern: string,
  ignoreCase: boolean
) {
  const names = (yield* indirect(options)).filter((name) => identifier.test(name))
  const matching = Effect.flatMap(Pattern.compile(pattern, ignoreCase ? "i" : ""), (compiled) =>
    Pattern.filter(compiled, names, (name) => [name])
  )
  const unprepared: Array<string> = []
  // LLDB accepts patterns that RE2 does not.
  for (const name of yield* Effect.orElseSucceed(matching, () => [])) {
    if (!(yield* resolve(options, name))) unprepared.push(name)
  }
  return unprepared
})
