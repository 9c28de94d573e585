/**
 * Values as trees: what `frame variable`, `expression` and `target variable` print with types and locations shown.
 *
 * With `-T` LLDB never puts a value on one line, so each line is one value: `SCOPE: LOCATION:   (TYPE) NAME = TEXT`, two
 * blanks for each level after the location. Strings are escaped by LLDB; a line of another form belongs to the text of
 * the value before it.
 */
import * as Result from "effect/Result"
import { quote, type Refused } from "./Command.ts"

/** A value. `text` is LLDB's value and summary, "" for what only has members. */
export interface Node {
  readonly scope?: "ARG" | "LOCAL" | "STATIC" | "GLOBAL" | "THREAD"
  /** An address `0x…`, the name of a register, `scalar`; "" when there is none. */
  readonly location: string
  readonly type: string
  readonly name: string
  readonly text: string
  /** Whether there is, or may be, something inside. */
  readonly opens: boolean
  readonly children: ReadonlyArray<Node>
  /** Whether LLDB left children out. */
  readonly more: boolean
}

/** How much of a tree is printed: levels of members, and of pointers that are followed. */
export interface Depth {
  readonly levels: number
  readonly pointers?: number
}

const shown = ({ levels, pointers = levels }: Depth) => `-T -L -D ${levels} -P ${pointers}`

/** All arguments and locals of the selected frame. */
export const locals = (depth: Depth): string => `frame variable ${shown(depth)} --scope`

/** The globals and statics that the selected frame's file has. */
export const globals = (depth: Depth): string =>
  `frame variable ${shown(depth)} --scope --show-globals --no-args --no-locals`

/** A global or static variable and the name of the file that declares it, where the debug information says. */
export interface Declared {
  readonly node: Node
  readonly file?: string
}

/** The globals and statics of modules, or only those of a file, which is a name or a whole path. */
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

/** The variables in the answer to `declared`, in the order of their names. */
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

// Names, members, elements, and one operator in front: more is not known to every version.
const pathForm = /^[*&]?[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|->[A-Za-z_$][\w$]*|\[\d+\])*$/

/** Whether a text is a path that `frame variable` finds without running anything. */
export const isPath = (text: string): boolean => pathForm.test(text)

/** Values by their paths. */
export const paths = (list: ReadonlyArray<string>, depth: Depth): Result.Result<string, Refused> => {
  const bad = list.find((path) => !isPath(path))
  return bad === undefined
    ? Result.succeed(`frame variable ${shown(depth)} -- ${list.join(" ")}`)
    : Result.fail({ _tag: "Refused", text: bad })
}

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/**
 * An expression's value. It is one line: control characters but tab are refused. LLDB evaluates bare back-ticks first. What
 * it calls may take so many milliseconds, as long as it likes when they are left out; LLDB then puts the program back.
 */
export const expression = (text: string, depth: Depth, millis?: number): Result.Result<string, Refused> =>
  control.test(text)
    ? Result.fail({ _tag: "Refused", text })
    : Result.succeed(
        `expression ${millis === undefined ? "" : `-t ${Math.round(millis * 1000)} `}${shown(depth)} -- ${text.replaceAll("`", "\\`")}`
      )

/** How many children of a value LLDB prints; the setting is put back by `usual`. */
export const atMost = (children: number): string => `settings set target.max-children-count ${children}`

/** LLDB's own number of children. */
export const usual = "settings clear target.max-children-count"

/** Asks how many children it is now, which somebody may have chosen. */
export const howMany = "settings show target.max-children-count"

/** What puts the answer to `howMany` back. */
export const again = (answer: string): string => {
  const count = /= (\d{1,9})\s*$/.exec(answer)?.[1]
  return count === undefined ? usual : atMost(Number(count))
}

interface Open {
  readonly node: { -readonly [K in keyof Node]: Node[K] }
  readonly children: Array<Node>
}

const lineForm = /^(?:(ARG|LOCAL|STATIC|GLOBAL|THREAD): )?([^\s():]*): ( *)(\(.*)$/s

/** The end of the type that a text begins with; types have parentheses of their own. */
const typeEnd = (text: string): number => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++
    if (text[i] === ")" && --depth === 0) return i
  }
  return -1
}

/** Text of a value and whether it opens: ` {`, ` {}` and `{...}` at the end say so. */
const content = (rest: string): { readonly text: string; readonly opens: boolean } => {
  const cut = /^(.*?) ?(?:\{\.\.\.\}|\{\}|\{)$/s.exec(rest)?.[1]
  return cut === undefined ? { text: rest, opens: false } : { text: cut.trim(), opens: true }
}

const scopes = ["ARG", "LOCAL", "STATIC", "GLOBAL", "THREAD"] as const

const opened = (line: string): (Open & { readonly level: number }) | undefined => {
  const [, scopeText, location, indent, rest] = lineForm.exec(line) ?? []
  if (location === undefined || indent === undefined || rest === undefined) return undefined
  const end = typeEnd(rest)
  const [, name = "", value] = (end < 0 ? null : /^ (?:(.*?) )?=(.*)$/s.exec(rest.slice(end + 1))) ?? []
  if (value === undefined) return undefined
  const children: Array<Node> = []
  const scope = scopes.find((one) => one === scopeText)
  return {
    level: indent.length / 2,
    children,
    node: {
      ...(scope === undefined ? {} : { scope }),
      location,
      type: rest.slice(1, end),
      name,
      ...content(value.replace(/^ /, "")),
      children,
      more: false
    }
  }
}

const remark = /^(?:\*\*\* Some of the displayed variables|warning: )/

/** The values in an answer to `locals`, `paths`, `expression` or `globals`. */
export const trees = (output: string): ReadonlyArray<Node> => {
  const roots: Array<Node> = []
  const path: Array<Open> = []
  for (const line of output.replace(/\n$/, "").split("\n")) {
    const found = opened(line)
    const last = path.at(-1)
    if (found !== undefined && found.level <= path.length) {
      path.length = found.level
      const parent = path.at(-1)
      ;(parent?.children ?? roots).push(found.node)
      path.push(found)
    } else if (remark.test(line)) {
      continue
    } else if (/^ *\}$/.test(line)) {
      const level = (line.length - 1) / 2
      if (level < path.length) path.length = level + 1
    } else if (/^ *\.\.\.$/.test(line)) {
      const owner = path[(line.length - 3) / 2 - 1]
      if (owner !== undefined) owner.node.more = true
    } else if (last !== undefined && line.trim() !== "") {
      last.node.text = `${last.node.text}\n${line}`.trim()
    }
  }
  return roots
}
