/**
 * Looks up the code at an address: its function, its row of the line table and its variables.
 */
import type * as Result from "effect/Result"
import { command, type Refused } from "./Command.ts"

/** A range of addresses; `end` is excluded. */
export interface Range {
  readonly start: bigint
  readonly end: bigint
}

/** A variable that is visible at the address, with its DWARF location as LLDB prints it. */
export interface VariableLocation {
  readonly name: string
  readonly type: string
  readonly location: string
}

/** The code at an address. Ranges are load addresses while the program runs, otherwise addresses in the file. */
export interface Code {
  /** The address in the module's file. */
  readonly fileAddress: bigint
  readonly module?: string
  readonly function?: string
  /** The ranges of the function; several if the compiler split it. */
  readonly ranges: ReadonlyArray<Range>
  /** The line that declares the function. */
  readonly declared?: number
  /** The types of the function's parameters, without `this`. */
  readonly parameters: ReadonlyArray<string>
  /** The innermost function that was inlined at the address, if there is one. */
  readonly inlined?: string
  /** The row of the line table that contains the address. */
  readonly row?: Range & { readonly file: string; readonly line: number; readonly column?: number }
  /** The symbol that contains the address. */
  readonly symbol?: string
  /** Variables in the order of LLDB: those of inner blocks first, parameters before other variables of a block. */
  readonly variables: ReadonlyArray<VariableLocation>
}

const rangeIn = /\[(0x[0-9a-fA-F]+)-(0x[0-9a-fA-F]+)\)/g

const rangesIn = (text: string): ReadonlyArray<Range> =>
  [...text.matchAll(rangeIn)].flatMap(([, start, end]) =>
    start === undefined || end === undefined ? [] : [{ start: BigInt(start), end: BigInt(end) }]
  )

/** Builds the command that prints the code at an address of a module, or of the program while it runs. */
export const at = (address: bigint, module: string | undefined, major: number): Result.Result<string, Refused> =>
  command(`image lookup -v -a 0x${address.toString(16)}`, module === undefined ? [] : [module], major)

/** Matches the tags that gcc and clang add to names, such as that of a function that returns `std::string`: `greet[abi:cxx11]`. */
const tags = /\[abi:\w+\]/g

/**
 * Builds the command that prints the code of the functions of a name that have such a tag. LLDB (14 to 19) does not find them by the name.
 */
export const tagged = (name: string, major: number): Result.Result<string, Refused> => {
  const plain = name.replace(tags, "").replaceAll(/[.^$|()[\]{}*+?\\]/g, "\\$&")
  return command("image lookup -v -r -n", [`(^|::)${plain}(\\[abi:[A-Za-z0-9_]+\\])+\\(`], major)
}

/** Builds the command that finds the modules that have code of a file: at the first line of the file or after it. */
export const file = (path: string, major: number): Result.Result<string, Refused> =>
  command("image lookup -l 1 -f", [path], major)

/** Parses the paths of the modules in the output of that command. */
export const modulesOf = (output: string): ReadonlyArray<string> => [
  ...new Set([...output.matchAll(/^\d+ match(?:es)? found in .*:1 in (.+):$/gm)].map(([, module = ""]) => module))
]

/** Parses the output of a command that prints several places. */
export const parseAll = (output: string): ReadonlyArray<Code> =>
  output.split(/^(?=\s+Address: )/m).flatMap((one) => parse(one) ?? [])

/** Returns the types of the parameters in the text of a function type, such as `int (char *, void (*)(int))`. */
export const parameterTypes = (type: string): ReadonlyArray<string> => {
  const types: Array<string> = []
  let depth = 0
  let start = -1
  for (let i = 0; i < type.length; i++) {
    const char = type[i]
    if (char === "(" || char === "<" || char === "[" || char === "{") {
      depth += 1
      if (char === "(" && depth === 1) {
        start = i + 1
        types.length = 0
      }
    } else if (char === ")" || char === ">" || char === "]" || char === "}") {
      depth -= 1
      if (char === ")" && depth === 0 && start >= 0) {
        types.push(type.slice(start, i).trim())
        start = -1
      }
    } else if (char === "," && depth === 1 && start >= 0) {
      types.push(type.slice(start, i).trim())
      start = i + 1
    }
  }
  return types.filter((one) => one !== "" && one !== "void" && one !== "...")
}

/** Returns the innermost function among the lines of blocks, the outermost first. C++ functions have their name demangled, too. */
const inlinedIn = (blocks: ReadonlyArray<string>): string | undefined => {
  const last = blocks.findLast((block) => block.includes('name = "')) ?? ""
  return /, demangled = (.*)$/.exec(last)?.[1] ?? /name = "(.*?)"(?:,|$)/.exec(last)?.[1]
}

const rowOf = (text: string): Code["row"] => {
  const [, start, end, file, line, column] =
    /^\s+LineEntry: \[(0x[0-9a-fA-F]+)-(0x[0-9a-fA-F]+)\): (.*?):(\d+)(?::(\d+))?$/m.exec(text) ?? []
  if (start === undefined || end === undefined || file === undefined || line === undefined) return undefined
  const range = { start: BigInt(start), end: BigInt(end), file, line: Number(line) }
  return column === undefined ? range : { ...range, column: Number(column) }
}

/** Parses the output of `at`; undefined if there is no code. */
export const parse = (output: string): Code | undefined => {
  const fileAddress = /^\s+Address: .*\[(0x[0-9a-fA-F]+)\]/m.exec(output)?.[1]
  if (fileAddress === undefined) return undefined
  const module = /^\s+Module: file = "(.*?)", arch/m.exec(output)?.[1]
  const name = /^\s+Function: id = \{[^}]*\}, name = "(.*?)"(?:, (?:mangled|range|decl)|$)/m.exec(output)?.[1]
  const blocks = /^\s+Blocks: (.*(?:\n\s+id = .*)*)$/m.exec(output)?.[1]?.split("\n") ?? []
  const declared = /^\s+FuncType: .*, decl = .*?:(\d+)(?::\d+)?, compiler_type/m.exec(output)?.[1]
  const type = /^\s+FuncType: .*compiler_type = "(.*)"$/m.exec(output)?.[1]
  const symbol = /^\s+Symbol: .*?, name="(.*?)"(?:, mangled="(.*?)")?$/m.exec(output)
  const linkName = symbol?.[2] ?? symbol?.[1]
  const row = rowOf(output)
  const inlined = inlinedIn(blocks.slice(1))
  return {
    fileAddress: BigInt(fileAddress),
    ...(module === undefined ? {} : { module }),
    ...(name === undefined ? {} : { function: name }),
    ranges: rangesIn(blocks[0] ?? ""),
    ...(declared === undefined ? {} : { declared: Number(declared) }),
    parameters: type === undefined ? [] : parameterTypes(type),
    ...(inlined === undefined ? {} : { inlined }),
    ...(row === undefined ? {} : { row }),
    ...(linkName === undefined ? {} : { symbol: linkName }),
    variables: [
      ...output.matchAll(
        /^\s+Variable: id = \{[^}]*\}, name = "(.*?)", type = "(.*?)", .*?location = (.*?), decl = .*$/gm
      )
    ].map(([, variable = "", variableType = "", location = ""]) => ({ name: variable, type: variableType, location }))
  }
}
