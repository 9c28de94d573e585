/**
 * Parses debug information that LLDB prints: types, functions, symbols, source files.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Steps from "./internal/Steps.ts"

/** A type in the output of `image lookup -t`. */
export interface TypeFound {
  readonly name: string
  readonly definition: string
  readonly size?: number
}

const entry =
  /^(?:\s+typedef '[^']*': )?id = \{0x[0-9a-fA-F]+\}, (?:name = "([^"]*)", )?(?:qualified = "[^"]*", )?(?:byte-size = (\d+), )?.*?compiler_type = "/gm

/**
 * Parses the types in the output of `image lookup -t NAME`; a definition may have several lines. A typedef is followed by
 * its target.
 */
export const types = (output: string): ReadonlyArray<TypeFound> =>
  [...output.matchAll(entry)].flatMap((match) => {
    const [whole, name, size] = match
    const rest = output.slice(match.index + whole.length)
    const end = /"$/m.exec(rest)
    if (end === null) return []
    const definition = rest.slice(0, end.index)
    return [{ name: name ?? definition, definition, ...(size === undefined ? {} : { size: Number(size) }) }]
  })

/** Parses the same as `types`, and lets other fibers run after each step. */
export const typesInSteps = (output: string): Effect.Effect<ReadonlyArray<TypeFound>> =>
  Steps.byStarts(output, "\nid = {", types)

/** Where a function starts. */
interface FunctionStart {
  readonly function: string
  readonly file: string
  readonly line: number
}

/** Makes a parser of successive lines. A function's name and its first line are in different lines. */
const functionParser = () => {
  let name: string | undefined
  return (lines: string): ReadonlyArray<FunctionStart> =>
    lines.split("\n").flatMap((line) => {
      const [, named] = /^\s+Function: id = \{[^}]*\}, name = "(.*?)"(?:, |$)/.exec(line) ?? []
      if (named !== undefined) name = named
      const [, file, number] = /^\s+LineEntry: \[[^)]*\): (.*?):(\d+)(?::\d+)?$/.exec(line) ?? []
      if (name === undefined || file === undefined || number === undefined) return []
      const found = { function: name, file, line: Number(number) }
      name = undefined
      return [found]
    })
}

/** Parses where functions start in the output of `image lookup -v -n NAME`. */
export const functions = (output: string): ReadonlyArray<FunctionStart> => functionParser()(output)

/** Parses the same as `functions`, and lets other fibers run after each step. */
export const functionsInSteps = (output: string): Effect.Effect<ReadonlyArray<FunctionStart>> =>
  Effect.suspend(() => Steps.byLines(output, functionParser()))

/** Returns a function's name without result type and arguments: `ns::work` of `int ns::work<int>(int)`. */
const bareName = (declaration: string): string => {
  let depth = 0
  let name = ""
  for (const letter of declaration.replace(/^::/, "")) {
    if (letter === "<") depth += 1
    else if (letter === ">") depth -= 1
    else if (depth > 0) continue
    else if (letter === "(" && name !== "") break
    else name = letter === " " ? "" : name + letter
  }
  return name
}

const namesIn = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(/^\s+Summary: [^`\n]*`(.*) at [^ ]+$/gm)]
    .map(([, declaration = ""]) => bareName(declaration))
    .filter((name) => /^[A-Za-z_~][\w:~]*$/.test(name))

const sorted = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)].toSorted()

/** Parses the names of functions in the output of `image lookup -r -F REGEX`, each once, sorted. */
export const functionNames = (output: string): ReadonlyArray<string> => sorted(namesIn(output))

/** Parses the same as `functionNames`, and lets other fibers run after each step. */
export const functionNamesInSteps = (output: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Steps.byLines(output, namesIn), sorted)

/** True for a function of the C++ library, of which a program has hundreds. */
const isOfLibrary = (name: string): boolean => /^(?:std|__gnu_cxx|__cxxabiv1)::/.test(name)

/**
 * Returns what begins with a text of each name: the whole name, or its last parts, as in `total` of `Cart::total`. Of the C++ library
 * only whole names count.
 */
export const beginningWith = (names: ReadonlyArray<string>, start: string): ReadonlyArray<string> =>
  sorted(
    names.flatMap((name) => {
      const parts = isOfLibrary(name) ? [] : name.split("::")
      const found = [name, ...parts.map((_, at) => parts.slice(at).join("::"))].find((one) => one.startsWith(start))
      return found ?? []
    })
  )

/** Returns the regular expression of `image lookup -r -F` for names that begin with a text. LLDB compares it with mangled names. */
export const beginningPattern = (start: string): string => `(^|::|[0-9])${start.replace(/^.*::/, "").replace(/^~/, "")}`

/** Returns whether a module has the symbol without debug information, by the output of `image lookup -s NAME`. */
export const isBare = (output: string, name: string): boolean =>
  [...output.matchAll(/^\s+Address: .*\n\s+Summary: .*?`(.*)$/gm)].some(
    ([, found = ""]) => !(/^[\w$]+/.exec(found)?.[0] === name && / at .*:\d+/.test(found))
  )

/** Parses the indirect functions (Resolver symbols) in the output of `image dump symtab`. */
export const resolvers = (output: string): ReadonlyArray<string> => [
  ...new Set(
    [...output.matchAll(/^\[ *\d+\]\s+\d+\s+\S*\s*Resolver\s+0x.*\s(\S+)$/gm)].map(([, name = ""]) =>
      name.replace(/@.*$/, "")
    )
  )
]

/** Parses the same as `resolvers`, and lets other fibers run after each step. */
export const resolversInSteps = (output: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Steps.byLines(output, resolvers), (names) => [...new Set(names)])

/** Parses the source files of the compile units in the output of `image dump symfile MODULE`. */
export const dumpedFiles = (output: string): ReadonlyArray<string> => [
  ...new Set(
    [...output.matchAll(/CompileUnit\{0x[0-9a-fA-F]+\}, language = "[^"]*", file = '([^']+)'/g)].map(
      ([, file = ""]) => file
    )
  )
]

/** Parses the same as `dumpedFiles`, and lets other fibers run after each step. */
export const dumpedFilesInSteps = (output: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Steps.byLines(output, dumpedFiles), (files) => [...new Set(files)])

/** Prints the source files of every module, with LLDB's Python. */
export const listFiles =
  "script import json; print(json.dumps([[m.file.fullpath, [m.GetCompileUnitAtIndex(i).file.fullpath" +
  " for i in range(m.GetNumCompileUnits())]] for m in lldb.debugger.GetSelectedTarget().module_iter()]))"

const Listed = Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.String)])))

/** A module and its source files. */
export type ModuleFiles = readonly [module: string, files: ReadonlyArray<string>]

/** Parses the output of `listFiles`; returns nothing if this LLDB has no Python. */
export const listedFiles = (output: string): ReadonlyArray<ModuleFiles> | undefined => {
  const line = output.split("\n").find((one) => one.startsWith("[["))
  return line === undefined ? undefined : Option.getOrUndefined(Schema.decodeUnknownOption(Listed)(line))
}

/** Parses the names of the arguments in the output of `frame variable --scope -D 0`, where an aggregate is `NAME ={...}`. */
export const argumentNames = (output: string): ReadonlyArray<string> =>
  output.split("\n").flatMap((line) => {
    const rest = /^\s*ARG: (.*)$/.exec(line)?.[1]
    const name = rest === undefined ? undefined : result(rest.replace(/ =(?=\{)/, " = "))?.name
    return name === undefined || name === "" ? [] : [name]
  })

/** Splits `(TYPE) NAME = VALUE`; the type may contain parentheses. */
export const result = (
  output: string
): { readonly type: string; readonly name: string; readonly value: string } | undefined => {
  const text = output.trim()
  if (!text.startsWith("(")) return undefined
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++
    if (text[i] === ")" && --depth === 0) {
      const [, name, value] = /^ (.*?) = (.*)$/s.exec(text.slice(i + 1)) ?? []
      return name === undefined || value === undefined ? undefined : { type: text.slice(1, i), name, value }
    }
  }
  return undefined
}
