/**
 * An editor's `launch.json`: its text, which configuration is meant, and what its variables stand for.
 *
 * It is JSON with comments and trailing commas. Variables that only a running editor could fill (`${command:…}`,
 * `${config:…}`, a selection) are not guessed: whoever uses one is told all of them at once. What the keys of a
 * configuration mean is the affair of `LaunchJsonKeys`.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import stripJsonComments from "strip-json-comments"

/** A JSON object. */
export interface Json {
  readonly [key: string]: unknown
}

/** The text of a file, read: its configurations, what it asks its user for, and groups of configurations by name. */
export interface Document {
  readonly configurations: ReadonlyArray<Json>
  /** Answers that stand there for questions of the editor, by id. */
  readonly inputs: ReadonlyMap<string, string>
  readonly compounds: ReadonlyArray<string>
}

/** The name of the file below the directory that an editor has open. */
export const usual = [".vscode", "launch.json"] as const

const objects = (value: unknown): ReadonlyArray<Json> =>
  Array.isArray(value) ? value.filter(Predicate.isReadonlyObject) : []

const nameOf = (value: Json): string => (Predicate.isString(value["name"]) ? value["name"] : "")

/** Line and column of the place that the parser complains about, where it says one. */
const place = (text: string, message: string): string => {
  const at = Number(/\bposition (\d+)/.exec(message)?.[1])
  if (!Number.isInteger(at)) return message
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}: ${message.replace(/ (?:in JSON )?at position.*$/s, "")}`
}

/** Reads the text of a file; fails with what is wrong with it and where. */
export const parse = (text: string): Result.Result<Document, string> => {
  // What is taken out becomes blanks, so that places stay what they are.
  const plain = stripJsonComments(text.replace(/^\uFEFF/, " "), { trailingCommas: true })
  return Result.try({
    try: (): unknown => JSON.parse(plain),
    catch: (error) => place(plain, Predicate.isError(error) ? error.message : String(error))
  }).pipe(
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
}

const listed = (names: ReadonlyArray<string>) => names.map((name) => `'${name}'`).join(", ")

/** The configuration of a name, or the only one; fails with the names there are. */
export const choose = (document: Document, name: string | undefined): Result.Result<Json, string> => {
  const names = document.configurations.map(nameOf)
  const [first, second] = document.configurations
  if (first === undefined) return Result.fail("it has no configuration")
  if (name === undefined) {
    return second === undefined
      ? Result.succeed(first)
      : Result.fail(`it has ${names.length} configurations, name one of them: ${listed(names)}`)
  }
  const found = document.configurations.find((one) => nameOf(one) === name)
  if (found !== undefined) return Result.succeed(found)
  return Result.fail(
    document.compounds.includes(name)
      ? `'${name}' begins several programs; start them one by one: ${listed(names)}`
      : `it has no configuration '${name}', but ${listed(names)}`
  )
}

/** What variables are made from. Paths are absolute. */
export interface Surroundings {
  /** The directory that an editor would have open. */
  readonly workspace: string
  /** The directory of the caller. */
  readonly directory: string
  /** What stands for the file that is open in an editor, where the caller named one. */
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

/** What a variable stands for; absent when only an editor knows. */
const valueOf = (name: string, around: Surroundings): string | undefined => {
  const { directory, environment, file, inputs, path, workspace } = around
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

const variable = /\$\{([^}]*)\}/g

/** Whether a value stands for the file that is open in an editor. */
export const meansFile = (value: unknown): boolean => Predicate.isString(value) && /\$\{(?:relativeF|f)ile/.test(value)

/** A value with its variables replaced, however deep they stand; those without a value go into `missing`. */
export const resolve = (value: unknown, around: Surroundings, missing: Set<string>): unknown => {
  if (Predicate.isString(value)) {
    return value.replaceAll(variable, (written: string, name: string) => {
      const found = valueOf(name, around)
      if (found === undefined) missing.add(written)
      return found ?? written
    })
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, around, missing))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, around, missing)]))
}
