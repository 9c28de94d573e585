/**
 * What the debug information knows, through the command line: types, functions, source files, values in another format.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A type as `image lookup -t` tells it. */
export interface TypeFound {
  readonly name: string
  readonly definition: string
  readonly size?: number
}

const entry =
  /^(?:\s+typedef '[^']*': )?id = \{0x[0-9a-fA-F]+\}, (?:name = "([^"]*)", )?(?:qualified = "[^"]*", )?(?:byte-size = (\d+), )?.*?compiler_type = "/gm

/**
 * The types in the answer to `image lookup -t NAME`; a definition may have several lines. What a typedef stands for
 * comes right behind it.
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

/** Where functions begin, in the answer to `image lookup -v -n NAME`. */
export const functions = (
  output: string
): ReadonlyArray<{ readonly function: string; readonly file: string; readonly line: number }> => {
  const found: Array<{ function: string; file: string; line: number }> = []
  let name: string | undefined
  for (const line of output.split("\n")) {
    const [, named] = /^\s+Function: id = \{[^}]*\}, name = "(.*?)"(?:, |$)/.exec(line) ?? []
    if (named !== undefined) name = named
    const [, file, number] = /^\s+LineEntry: \[[^)]*\): (.*?):(\d+)(?::\d+)?$/.exec(line) ?? []
    if (name !== undefined && file !== undefined && number !== undefined) {
      found.push({ function: name, file, line: Number(number) })
      name = undefined
    }
  }
  return found
}

/** Whether a loaded module has the symbol and no debug information for it, in the answer to `image lookup -s NAME`. */
export const isBare = (output: string, name: string): boolean =>
  [...output.matchAll(/^\s+Address: .*\n\s+Summary: .*?`(.*)$/gm)].some(
    ([, found = ""]) => !(/^[\w$]+/.exec(found)?.[0] === name && / at .*:\d+/.test(found))
  )

/** The symbols whose function is chosen at run time, in the answer to `image dump symtab`. */
export const resolvers = (output: string): ReadonlyArray<string> => [
  ...new Set(
    [...output.matchAll(/^\[ *\d+\]\s+\d+\s+\S*\s*Resolver\s+0x.*\s(\S+)$/gm)].map(([, name = ""]) =>
      name.replace(/@.*$/, "")
    )
  )
]

/** The source files of the compile units in the answer to `image dump symfile MODULE`. */
export const dumped = (output: string): ReadonlyArray<string> => [
  ...new Set(
    [...output.matchAll(/CompileUnit\{0x[0-9a-fA-F]+\}, language = "[^"]*", file = '([^']+)'/g)].map(
      ([, file = ""]) => file
    )
  )
]

/** Asks for the source files of every module, in LLDB's Python. */
export const listFiles =
  "script import json; print(json.dumps([[m.file.fullpath, [m.GetCompileUnitAtIndex(i).file.fullpath" +
  " for i in range(m.GetNumCompileUnits())]] for m in lldb.debugger.GetSelectedTarget().module_iter()]))"

const Listed = Schema.fromJsonString(Schema.Array(Schema.Tuple([Schema.String, Schema.Array(Schema.String)])))

/** A module and its source files. */
export type ModuleFiles = readonly [module: string, files: ReadonlyArray<string>]

/** The answer to `listFiles`; nothing when this LLDB has no Python. */
export const listed = (output: string): ReadonlyArray<ModuleFiles> | undefined => {
  const line = output.split("\n").find((one) => one.startsWith("[["))
  return line === undefined ? undefined : Option.getOrUndefined(Schema.decodeUnknownOption(Listed)(line))
}

/** Names of the arguments in the answer to `frame variable --scope`. */
export const argumentNames = (output: string): ReadonlyArray<string> =>
  output.split("\n").flatMap((line) => {
    const rest = /^\s*ARG: (.*)$/.exec(line)?.[1]
    const name = rest === undefined ? undefined : result(rest)?.name
    return name === undefined || name === "" ? [] : [name]
  })

/** `(TYPE) NAME = VALUE` in its parts; the type may have parentheses of its own. */
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
