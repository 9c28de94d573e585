/**
 * Explains to the user why LLDB placed no breakpoint.
 */
import { Command, Parse, type Breakpoint as Lldb } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
  readonly major: number
}

const reasons: Readonly<Record<Exclude<Lldb.Place["kind"], "line">, string>> = {
  address: "there is no code at that address",
  regex: "no function matches",
  function: "no function of that name there",
  exception: "nothing throws such exceptions"
}

/** Returns why LLDB refused a breakpoint at a place, from its answer. */
export const refused = (at: Lldb.Place, answer: string): string => {
  if (at.kind === "address" && /address expression ".*" evaluation failed/s.test(answer)) {
    return "it is neither a number nor a register, function or variable of the program"
  }
  const [, problem] = /regular expression could not be compiled: (.+)/.exec(answer) ?? []
  return problem === undefined ? answer : `it is not a regular expression: ${problem}`
}

/**
 * Returns why LLDB placed no breakpoint at a line, although the file has code at this line or after it. LLDB does not move a
 * breakpoint into a function that begins after the line. `text` is the answer of `image lookup -f FILE -l LINE`.
 */
const whyNotMoved = (text: string, line: number): string => {
  const places = [...text.matchAll(/^\s+Summary: [^`\n]*`(.*?)(?: \+ \d+)? at [^\n]*?:(\d+)(?::\d+)?$/gm)]
  const found = places.map(([, name = "", at]) => ({ name, line: Number(at) })).toSorted((a, b) => a.line - b.line)[0]
  return found === undefined || found.line <= line
    ? "LLDB did not set it, although it finds code there"
    : `no code at line ${line}; the next line with code is ${found.line}, in ${found.name}`
}

/** Returns why a line has no breakpoint. */
export const whyNoLine = Effect.fnUntraced(function* ({ command, major }: Options, file: string, line: number) {
  // The command `source info` is not used: it takes minutes for a file of 200,000 lines.
  const lookUp = (option: string, text: string, from = 1) => {
    const query = Command.command(`image lookup ${option} -l ${from} -f`, [text], major)
    return Result.isSuccess(query) ? command(query.success) : Effect.succeed("")
  }
  const matches = /match(?:es)? found/
  const noCode = `no code at line ${line} or right after it`
  // LLDB also sets no breakpoint in a program that was killed while it started.
  const noneAtLine = (known: string) =>
    Effect.map(lookUp("", known, line), (text) => (matches.test(text) ? whyNotMoved(text, line) : noCode))
  const name = file.split("/").at(-1) ?? file
  if (!matches.test(yield* lookUp("", name))) return "no debug information names such a file"
  // With a source map, the debug information knows the file by another path.
  if (!file.startsWith("/")) return yield* noneAtLine(file)
  if (matches.test(yield* lookUp("", file))) return yield* noneAtLine(file)
  if (/->/.test(yield* command("settings show target.source-map"))) return yield* noneAtLine(name)
  const text = yield* lookUp("-v", name)
  const paths = [...text.matchAll(/^\s+LineEntry: \[[^)]*\): (\/.*?):\d+(?::\d+)?$/gm)].map(([, path = ""]) => path)
  const other = paths.find((path) => path.endsWith(`/${name}`))
  return other === undefined || other === file
    ? noCode
    : `the debug information names ${other}, not this file; see --source-map`
})

/** Returns why a place has no breakpoint. */
export const whyNone = (options: Options, at: Lldb.Place): Effect.Effect<string, Backend.Failure> =>
  at.kind === "line"
    ? whyNoLine(options, at.file, at.line)
    : Effect.succeed(
        at.kind === "function" && at.file === undefined && at.module === undefined
          ? "no function of that name"
          : reasons[at.kind]
      )

/** Returns why LLDB refused a watchpoint with this answer; `used` is the number of watchpoints already set. */
export const whyNoWatchpoint = (answer: string, used: number, slots: number | undefined): string => {
  if (slots !== undefined && used >= slots) return `no hardware slot free (${used} used)`
  const last = (Parse.failure(answer) ?? answer).trim().split("\n").at(-1) ?? ""
  const problem = last.replace(/^(?:error: )+/, "")
  if (/resources? failed/i.test(problem)) return "the debug registers that are free cannot watch that many bytes"
  return `size or alignment refused: ${problem}`.slice(0, 200)
}
