/**
 * Reads an editor's `launch.json`, chooses a configuration, and resolves its variables.
 *
 * The format is JSON with comments and trailing commas. Variables that only an editor can resolve (`${command:…}`,
 * `${config:…}`, a selection) are collected and reported together. `LaunchJsonKeys` reads the keys of a configuration.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { createScanner, getNodeValue, parseTree, type ParseError, printParseErrorCode } from "jsonc-parser"

/** A JSON object. */
export interface Json {
  readonly [key: string]: unknown
}

/** A parsed file: its configurations, inputs, and the names of its compounds. */
export interface Document {
  readonly configurations: ReadonlyArray<Json>
  /** Default values of inputs, by id. */
  readonly inputs: ReadonlyMap<string, string>
  readonly compounds: ReadonlyArray<string>
}

/** Path of the file below an editor's workspace folder. */
export const usualPath = [".vscode", "launch.json"] as const

const objects = (value: unknown): ReadonlyArray<Json> =>
  Array.isArray(value) ? value.filter(Predicate.isReadonlyObject) : []

const nameOf = (value: Json): string => (Predicate.isString(value["name"]) ? value["name"] : "")

/** Nesting of a file; a deeper one exhausts the stack of the parser, which is recursive. */
const maxDepth = 200

/** Keys and values of a file. Reading more takes long enough for other clients to notice. */
const maxValues = 20_000

/** Returns which limit a file exceeds. */
const excess = (text: string): string | undefined => {
  const scanner = createScanner(text, true)
  let depth = 0
  let values = 0
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    // Strings and comments are tokens that begin with another character.
    const first = text[scanner.getTokenOffset()]
    if (first === "{" || first === "[") depth += 1
    else if (first === "}" || first === "]") depth -= 1
    else values += 1
    if (depth > maxDepth) return `it is nested deeper than ${maxDepth} levels`
    if (values > 2 * maxValues) return `it has more than ${maxValues} keys and values`
  }
  return undefined
}

/** Returns an error of the parser with its line and column, such as "line 3, column 17: comma expected". */
const problemAt = (text: string, { error, offset }: ParseError): string => {
  const lines = text.slice(0, offset).split("\n")
  const words = printParseErrorCode(error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}: ${words}`
}

const valueIn = (text: string): Result.Result<unknown, string> => {
  const over = excess(text)
  if (over !== undefined) return Result.fail(over)
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) return Result.fail(problemAt(text, first))
  return Result.succeed(root === undefined ? undefined : getNodeValue(root))
}

/** Parses the text of a file. Fails with the first error and its line and column, or if it is nested too deeply. */
export const parse = (text: string): Result.Result<Document, string> =>
  // A byte order mark is replaced by a blank, so columns stay the same.
  valueIn(text.replace(/^\uFEFF/, " ")).pipe(
    Result.flatMap((document) =>
      Predicate.isReadonlyObject(document) && Array.isArray(document["configurations"])
        ? Result.succeed(document)
        : Result.fail("it has no list named configurations")
    ),
    Result.map((document) => ({
      configurations: objects(document["configurations"]),
      inputs: new Map(
        objects(document["inputs"]).flatMap(({ default: answer, id }) =>
          Predicate.isString(id) && Predicate.isString(answer) ? [[id, answer] as const] : []
        )
      ),
      compounds: objects(document["compounds"]).map(nameOf)
    }))
  )

const listed = (names: ReadonlyArray<string>) => names.map((name) => `'${name}'`).join(", ")

/** Returns the named configuration, or the only one. Fails with the known names. */
export const choose = (document: Document, name: string | undefined): Result.Result<Json, string> => {
  const names = document.configurations.map(nameOf)
  const [first, second] = document.configurations
  if (first === undefined) return Result.fail("it has no configuration")
  if (name === undefined) {
    return second === undefined
      ? Result.succeed(first)
      : Result.fail(`it has ${names.length} configurations, name one of them: ${listed(names)}`)
  }
  const chosen = document.configurations.find((configuration) => nameOf(configuration) === name)
  if (chosen !== undefined) return Result.succeed(chosen)
  return Result.fail(
    document.compounds.includes(name)
      ? `'${name}' starts several programs; start them one by one: ${listed(names)}`
      : `it has no configuration '${name}', but ${listed(names)}`
  )
}

/** Values of variables. Paths are absolute. */
export interface VariableContext {
  /** The workspace folder of an editor. */
  readonly workspace: string
  /** The caller's directory. */
  readonly directory: string
  /** The file that stands for the open file of an editor, if the caller named one. */
  readonly file: string | undefined
  readonly environment: { readonly [name: string]: string }
  readonly inputs: ReadonlyMap<string, string>
  readonly path: {
    readonly basename: (path: string, suffix?: string) => string
    readonly dirname: (path: string) => string
    readonly extname: (path: string) => string
    readonly relative: (from: string, to: string) => string
    readonly sep: string
  }
}

/** Returns the value of a variable; undefined if only an editor knows it. */
const valueOf = (name: string, context: VariableContext): string | undefined => {
  const { directory, environment, file, inputs, path, workspace } = context
  if (name.startsWith("env:")) return environment[name.slice(4)] ?? ""
  if (name.startsWith("input:")) return inputs.get(name.slice(6))
  const of = (make: (file: string) => string) => (file === undefined ? undefined : make(file))
  switch (name) {
    case "workspaceFolder":
    case "workspaceRoot":
      return workspace
    case "workspaceFolderBasename":
    case "workspaceRootFolderName":
      return path.basename(workspace)
    case "cwd":
      return directory
    case "userHome":
      return environment["HOME"]
    case "pathSeparator":
    case "/":
      return path.sep
    case "file":
      return file
    case "fileWorkspaceFolder":
      return of(() => workspace)
    case "fileBasename":
      return of((file) => path.basename(file))
    case "fileBasenameNoExtension":
      return of((file) => path.basename(file, path.extname(file)))
    case "fileExtname":
      return of(path.extname)
    case "fileDirname":
      return of(path.dirname)
    case "fileDirnameBasename":
      return of((file) => path.basename(path.dirname(file)))
    case "relativeFile":
      return of((file) => path.relative(workspace, file))
    case "relativeFileDirname":
      return of((file) => path.dirname(path.relative(workspace, file)))
    default:
      return undefined
  }
}

const variable = /\$\{[^}]*\}/g

/** True if a value contains a variable for the open file of an editor. */
export const usesOpenFile = (value: unknown): boolean =>
  Predicate.isString(value) && /\$\{(?:relativeF|f)ile/.test(value)

/** Characters that the values of all variables of a configuration may have together. */
const maxText = 1024 * 1024

/** A configuration whose variables are replaced. */
export interface Resolved {
  readonly value: unknown
  /** Variables without a value. */
  readonly missing: ReadonlySet<string>
}

/** Replaces variables in a value at any depth. Fails if their values are too long together. */
export const resolve = (value: unknown, context: VariableContext): Result.Result<Resolved, string> => {
  const missing = new Set<string>()
  const values = new Map<string, string | undefined>()
  let length = 0
  const replaced = (written: string) => {
    if (!values.has(written)) values.set(written, valueOf(written.slice(2, -1), context))
    const found = values.get(written)
    if (found === undefined) missing.add(written)
    length += found?.length ?? 0
    return length > maxText ? "" : (found ?? written)
  }
  const whole = (inner: unknown): unknown => {
    if (Predicate.isString(inner)) return inner.replaceAll(variable, replaced)
    if (Array.isArray(inner)) return inner.map(whole)
    if (!Predicate.isReadonlyObject(inner)) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, whole(item)]))
  }
  const result = whole(value)
  return length > maxText
    ? Result.fail(`its variables have more than ${maxText} characters together`)
    : Result.succeed({ value: result, missing })
}
