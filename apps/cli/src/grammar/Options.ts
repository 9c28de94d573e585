/**
 * What an option is, and reading its value. Options of a command are computed from its operation's payload; those of
 * every command are listed here.
 */
import { Operation, Payload } from "@sigtrap/protocol"
import { Predicate, Result } from "effect"

/** The type of a value, or of the items of a list. */
type Kind = "boolean" | "integer" | "string"

/** An option of the command line; `field` is where its value goes. */
export interface Option {
  readonly field: string
  /** Without the dashes. */
  readonly flag: string
  readonly kind: Kind
  /** May be given more than once; every value counts. */
  readonly many: boolean
  /** The only values there are; empty when there are others. */
  readonly values: ReadonlyArray<string>
  readonly description: string
  readonly required: boolean
  readonly fallback?: unknown
  /** What stands for the value in help. */
  readonly metavar: string
}

/** `all_frames` as it is written on a command line. */
export const flagOf = (field: string): string => field.replaceAll("_", "-")

const kindOf = (type: unknown): Kind => (type === "boolean" || type === "integer" ? type : "string")

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

const object = (value: unknown): { readonly [key: string]: unknown } => (Predicate.isReadonlyObject(value) ? value : {})

const metavars: { readonly [field: string]: string } = {
  at: "LOCATION",
  address: "ADDRESS",
  cmd: "COMMAND",
  eval: "EXPR",
  expr: "EXPR",
  function: "NAME",
  break: "SPEC",
  condition: "EXPR",
  env: "NAME=VALUE",
  build: "COMMAND",
  launch_json: "FILE",
  launch_config: "NAME",
  test: "NAME",
  timeout: "DURATION"
}

const option = (
  field: string,
  property: { readonly [key: string]: unknown },
  required: boolean,
  placeholder: string | undefined
): Option => {
  const many = property["type"] === "array"
  const item = many ? object(property["items"]) : property
  const kind = kindOf(item["type"])
  const values = strings(item["enum"])
  const description = property["description"]
  return {
    field,
    flag: flagOf(field),
    kind,
    many,
    values,
    description: Predicate.isString(description) ? description : "",
    required,
    ...(property["default"] === undefined ? {} : { fallback: property["default"] }),
    metavar:
      values.length > 0
        ? values.join("|")
        : (placeholder ?? metavars[field] ?? (kind === "integer" ? "N" : field.replace(/s$/, "").toUpperCase()))
  }
}

/** Fields for which a command line has options of its own, or none at all. */
const taken: ReadonlySet<string> = new Set([...Payload.callerFields, "session", "request_id"])

/** The options of an operation, in the order of its fields; those that only say how it shall look come last. */
export const of = (operation: Operation.Any): ReadonlyArray<Option> => {
  const { properties, required } = Payload.published(operation)
  const { placeholders } = Operation.meta(operation)
  const fields = Object.entries(properties)
    .filter(([field]) => !taken.has(field))
    .map(([field, property]) => option(field, property, required.includes(field), placeholders[field]))
  return [...fields, ...looks(operation._tag)]
}

/** An option that belongs to the command line and to no operation. */
export const common = (
  flag: string,
  kind: Kind,
  metavar: string,
  description: string,
  values: ReadonlyArray<string> = []
): Option => ({
  field: flag,
  flag,
  kind,
  many: false,
  values,
  description,
  required: false,
  metavar
})

const appearance: { readonly [tag: string]: ReadonlyArray<Option> } = {
  "memory.read": [
    common("base64", "boolean", "", "The bytes alone, in base64"),
    common("out", "string", "FILE", "The bytes into a file that only you can read")
  ],
  output: [
    common("timestamps", "boolean", "", "The time of each line, UTC"),
    common("raw", "boolean", "", "The text as it came, control sequences and all; not to a terminal"),
    common("force", "boolean", "", "Raw text to a terminal, too")
  ]
}

/** Options that say how an answer shall look; no operation knows of them. */
export const looks = (tag: string): ReadonlyArray<Option> =>
  (Object.hasOwn(appearance, tag) ? appearance[tag] : []) ?? []

/** The options of every command. */
export const globals: ReadonlyArray<Option> = [
  common("session", "string", "NAME", "Session to act on [SIGTRAP_SESSION]"),
  common("json", "boolean", "", "One JSON document on one line [SIGTRAP_FORMAT=json]"),
  common("pretty", "boolean", "", "The same, indented"),
  common("select", "string", "PATH", "Only that part of the JSON, e.g. data.location.line"),
  common("quiet", "boolean", "", "The result alone: no hints, no warnings"),
  common("verbose", "boolean", "", "More: types, addresses, modules, thread ids"),
  common("budget", "integer", "BYTES", "Longest answer: 2000 as text, 16384 as JSON, 0 unlimited"),
  common("directory", "string", "DIR", "Relative paths are meant from there"),
  common("config", "string", "FILE", "Configuration file [SIGTRAP_CONFIG]"),
  common("request-id", "string", "ID", "The same id within ten minutes returns the first answer"),
  common("color", "string", "WHEN", "auto, always or never [NO_COLOR]", ["auto", "always", "never"]),
  common("help", "boolean", "", "Help for the command"),
  common("version", "boolean", "", "Version of the program and of its protocol")
]

/** Accepted with commands that do not wait: there they change nothing. */
export const idle: ReadonlyArray<Option> = [
  common("timeout", "string", "DURATION", "Longest wait"),
  common("wait", "boolean", "", "Wait for the next stop")
]

/** One-letter names of the options of every command. */
export const letters: { readonly [letter: string]: string } = {
  S: "session",
  q: "quiet",
  v: "verbose",
  C: "directory",
  h: "help",
  V: "version"
}

const integer = (text: string): number | undefined => {
  const match = /^([+-]?)(0x[\da-f]+|0o[0-7]+|0b[01]+|\d+)$/i.exec(text.replaceAll(/(?<=[\da-f])_(?=[\da-f])/gi, ""))
  const digits = match?.[2]
  if (digits === undefined) return undefined
  const value = Number(digits) * (match?.[1] === "-" ? -1 : 1)
  return Number.isSafeInteger(value) ? value : undefined
}

const truths: { readonly [word: string]: boolean } = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false
}

const wrong = (written: string, expected: string) => Result.fail(`${written}: ${expected}`)

/**
 * Reads the value of an option, `written` as the caller knows it: whole numbers in any base, truth in words, one of the
 * values there are. Lists take several values as `a,b`, and `all`, where the values are known.
 */
export const read = (option: Option, written: string, text: string): Result.Result<unknown, string> => {
  if (option.many && option.values.length > 0) {
    const parts = text === "all" ? option.values : text.split(",")
    const odd = parts.find((part) => !option.values.includes(part))
    return odd === undefined ? Result.succeed(parts) : wrong(written, `'${odd}' is none of ${option.values.join(", ")}`)
  }
  switch (option.kind) {
    case "boolean": {
      const truth = Object.hasOwn(truths, text.toLowerCase()) ? truths[text.toLowerCase()] : undefined
      return truth === undefined ? wrong(written, `write true or false, not '${text}'`) : Result.succeed(truth)
    }
    case "integer": {
      const value = integer(text)
      return value === undefined ? wrong(written, `write a whole number, not '${text}'`) : Result.succeed(value)
    }
    case "string":
      return option.values.length > 0 && !option.values.includes(text)
        ? wrong(written, `'${text}' is none of ${option.values.join(", ")}`)
        : Result.succeed(option.many ? [text] : text)
  }
}
