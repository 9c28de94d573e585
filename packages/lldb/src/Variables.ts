/**
 * Commands that print values with types and locations (`frame variable`, `expression`, `target variable`), and the parser
 * of their output into trees.
 *
 * With `-T` LLDB prints each value on a line of its own: `SCOPE: LOCATION:   (TYPE) NAME = TEXT`, with two blanks per level
 * after the location. LLDB escapes strings; a line of another form belongs to the text of the value before it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { quote, type Refused } from "./Command.ts"

/** A value. `text` is LLDB's value and summary, "" for a value that only has members. */
export interface Node {
  readonly scope?: "ARG" | "LOCAL" | "STATIC" | "GLOBAL" | "THREAD"
  /** An address `0x…`, the name of a register, or `scalar`; "" if there is none. */
  readonly location: string
  readonly type: string
  readonly name: string
  readonly text: string
  /** Whether the value has or may have children. */
  readonly opens: boolean
  readonly children: ReadonlyArray<Node>
  /** Whether LLDB has omitted children. */
  readonly more: boolean
}

/** The depth of a tree: levels of members, and of pointers. */
export interface Depth {
  readonly levels: number
  readonly pointers?: number
}

const shown = ({ levels, pointers = levels }: Depth) => `-T -L -D ${levels} -P ${pointers}`

/** Prints all arguments and locals of the selected frame. */
export const locals = (depth: Depth): string => `frame variable ${shown(depth)} --scope`

/** Prints where the arguments and locals of the selected frame are declared, in the order of `locals`. */
export const declaredLocals = "frame variable -c --scope -D 0 -P 0"

/** Parses the output of `declaredLocals`: `FILE:LINE` of each variable. */
export const declaredAt = (output: string): ReadonlyArray<string> =>
  [...output.matchAll(/^(?:ARG|LOCAL|STATIC|GLOBAL|THREAD): (.+?:\d+)(?::\d+)?: \(/gm)].map(([, at = ""]) => at)

/** Prints the globals and statics of the selected frame's file. */
export const globals = (depth: Depth): string =>
  `frame variable ${shown(depth)} --scope --show-globals --no-args --no-locals`

/** A global or static variable, with its declaring file if the debug information has it. */
export interface Declared {
  readonly node: Node
  readonly file?: string
}

/** Prints the globals and statics of modules, or only those of a file, by its name or path. */
export const declared = (
  modules: ReadonlyArray<string>,
  file: string | undefined,
  major: number
): Result.Result<string, Refused> => {
  const options = [
    ...modules.map((name) => ["--shlib", name] as const),
    ...(file === undefined ? [] : [["--file", file] as const])
  ]
  let line = `target variable -c ${shown({ levels: 0 })}`
  for (const [option, value] of options) {
    const quoted = quote(value, major)
    if (Result.isFailure(quoted)) return Result.fail(quoted.failure)
    line += ` ${option} ${quoted.success}`
  }
  return Result.succeed(line)
}

const declaration = /^(?:[^\n]*?`)?([^\n`]+?):\d+(?::\d+)?: (?=(?:0x|[\w]*:))/

/** Parses the output of `declared`, sorted by name. */
export const declarations = (output: string): ReadonlyArray<Declared> =>
  output
    .split("\n")
    .flatMap((line): ReadonlyArray<Declared> => {
      const [prefix = "", file] = declaration.exec(line) ?? []
      const found = opened(line.slice(prefix.length))
      return found === undefined || found.level > 0
        ? []
        : [{ node: found.node, ...(file === undefined ? {} : { file }) }]
    })
    .toSorted((a, b) => (a.node.name < b.node.name ? -1 : a.node.name > b.node.name ? 1 : 0))

// Names, members, elements, and one prefix operator: older versions support no more.
const pathForm = /^[*&]?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|->[A-Za-z_$][\w$]*|\[\d+\])*$/

/** Returns whether a text is a path that `frame variable` reads without running code. */
export const isPath = (text: string): boolean => pathForm.test(text)

/** Returns whether a text is the name of a register or of a variable of LLDB, such as `$sp`. Reading it runs no code. */
export const isRegister = (text: string): boolean => /^\$[A-Za-z_]\w*$/.test(text)

/** Returns whether a text is a path, or one from a global variable outside of namespaces, such as `::total`. */
export const isGlobalPath = (text: string): boolean => isPath(text.replace(/^([*&]?)::(?=[A-Za-z_$])/, "$1"))

/** Prints values by their paths. */
export const paths = (list: ReadonlyArray<string>, depth: Depth): Result.Result<string, Refused> => {
  const bad = list.find((path) => !isGlobalPath(path))
  return bad === undefined
    ? Result.succeed(`frame variable ${shown(depth)} -- ${list.join(" ")}`)
    : Result.fail({ _tag: "Refused", text: bad })
}

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/**
 * Evaluates an expression of one line: control characters other than tab are refused. Back-ticks are escaped, since LLDB
 * evaluates bare ones first. Functions that it calls get `millis` milliseconds, by default no timeout; after a timeout LLDB
 * restores the state of the program. With `interpreted`, an expression that runs code of the program fails.
 */
export const expression = (
  text: string,
  depth: Depth,
  millis?: number,
  interpreted = false
): Result.Result<string, Refused> =>
  control.test(text)
    ? Result.fail({ _tag: "Refused", text })
    : Result.succeed(
        `expression ${interpreted ? "--allow-jit false " : ""}${millis === undefined ? "" : `-t ${Math.round(millis * 1000)} `}${shown(depth)} -- ${text.replaceAll("`", "\\`")}`
      )

/** Limits the number of children that LLDB prints per value; `resetLimit` undoes it. */
export const setLimit = (children: number): string => `settings set target.max-children-count ${children}`

/** Sets the limit back to LLDB's default. */
export const resetLimit = "settings clear target.max-children-count"

/** Prints the current limit, which the user may have set. */
export const showLimit = "settings show target.max-children-count"

/** Returns the command that restores the limit in the output of `showLimit`. */
export const restoreLimit = (answer: string): string => {
  const count = /= (\d{1,9})\s*$/.exec(answer)?.[1]
  return count === undefined ? resetLimit : setLimit(Number(count))
}

interface Open {
  readonly node: { -readonly [K in keyof Node]: Node[K] }
  readonly children: Array<Node>
}

const lineForm = /^(?:(ARG|LOCAL|STATIC|GLOBAL|THREAD): )?([^\s():]*): ( *)(\(.*)$/s

/** Returns the end of the type at the start of a text; types may contain parentheses. */
const typeEnd = (text: string): number => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++
    if (text[i] === ")" && --depth === 0) return i
  }
  return -1
}

/** Matches a summary of an object of an incomplete type, after which LLDB 19 says the type. */
const summaryOfIncomplete = /^(.*<[^<>]*>|(?:L|u8?|U)?".*") <incomplete type "[^"\n]*">$/s

/** Matches a reference, also one to an array: `int (&)[2]`. */
const referenceType = /&$|\(&&?\)\[/

/** Splits a line into the text of a value and whether children follow: ` {`, ` {}` or `{...}` at the end. */
const content = (line: string, type: string): { readonly text: string; readonly opens: boolean } => {
  const rest = summaryOfIncomplete.exec(line)?.[1] ?? line
  // The summary of an empty container, behind which LLDB wrote no children.
  if (rest === "0 {}") return { text: rest, opens: false }
  const cut = /^(.*?) ?(?:\{\.\.\.\}|\{\}|\{)$/s.exec(rest)?.[1]
  if (cut === undefined) return { text: rest, opens: false }
  const text = cut.trim()
  // After the address or summary of a reference LLDB writes a colon: `0x7ffe10: {`, `"text": {`.
  return { text: referenceType.test(type) || /^0x[\da-f]+:$/.test(text) ? text.replace(/:$/, "") : text, opens: true }
}

const scopes = ["ARG", "LOCAL", "STATIC", "GLOBAL", "THREAD"] as const

const opened = (line: string): (Open & { readonly level: number }) | undefined => {
  const [, scopeText, location, indent, rest] = lineForm.exec(line) ?? []
  if (location === undefined || indent === undefined || rest === undefined) return undefined
  const end = typeEnd(rest)
  const [, name = "", value] = (end < 0 ? null : /^ (?:(.*?) )?=(.*)$/s.exec(rest.slice(end + 1))) ?? []
  if (value === undefined) return undefined
  const children: Array<Node> = []
  const type = rest.slice(1, end)
  const scope = scopes.find((one) => one === scopeText)
  return {
    level: indent.length / 2,
    children,
    node: {
      ...(scope === undefined ? {} : { scope }),
      location,
      type,
      name,
      ...content(value.replace(/^ /, ""), type),
      children,
      more: false
    }
  }
}

const remark = /^(?:\*\*\* Some of the displayed variables|warning: )/

/** Reads the lines of an answer into `roots`. */
const reader = (roots: Array<Node>): ((line: string) => void) => {
  const path: Array<Open> = []
  return (line) => {
    const found = opened(line)
    const last = path.at(-1)
    if (found !== undefined && found.level <= path.length) {
      path.length = found.level
      const parent = path.at(-1)
      ;(parent?.children ?? roots).push(found.node)
      path.push(found)
    } else if (remark.test(line)) {
      return
    } else if (/^ *\}$/.test(line)) {
      const level = (line.length - 1) / 2
      if (level < path.length) path.length = level + 1
    } else if (/^ *\.\.\.$/.test(line)) {
      const owner = path[(line.length - 3) / 2 - 1]
      if (owner !== undefined) owner.node.more = true
    } else if (last !== undefined && line.trim() !== "") {
      const { text } = last.node
      // Trims the line only: a text of very many lines is not copied for each.
      last.node.text = text === "" ? line.trim() : `${text}\n${line.trimEnd()}`
    }
  }
}

/** Ends the line of a reference to an incomplete type, after which LLDB 19 prints the next variable without a newline. */
const inLines = (output: string) => output.replaceAll(/(<incomplete type "[^"\n]*">)(?=\S)/g, "$1\n")

/** Parses the output of `locals`, `paths`, `expression` or `globals`. */
export const trees = (output: string): ReadonlyArray<Node> => {
  const roots: Array<Node> = []
  const read = reader(roots)
  for (const line of inLines(output).replace(/\n$/, "").split("\n")) read(line)
  return roots
}

/** Characters that `treesInSteps` parses in one step: about 5 ms. */
const step = 16_384

/** Parses the same as `trees`, and lets other fibers run after each step. */
export const treesInSteps = Effect.fnUntraced(function* (printed: string) {
  const output = inLines(printed)
  const roots: Array<Node> = []
  const read = reader(roots)
  const end = output.endsWith("\n") ? output.length - 1 : output.length
  let pause = step
  for (let from = 0; from <= end;) {
    const newline = output.indexOf("\n", from)
    const to = newline === -1 ? end : Math.min(newline, end)
    read(output.slice(from, to))
    from = to + 1
    if (from < pause) continue
    pause = from + step
    yield* Effect.yieldNow
  }
  return roots
})
