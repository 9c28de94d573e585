/**
 * Options of the command line and their values. Options of a command are computed from the payload of its operation; those
 * of every command are listed here.
 */
import * as Operation from "../Operation.ts"
import * as Payload from "../Payload.ts"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The type of a value, or of the items of a list. */
type Kind = "boolean" | "integer" | "string"

/** An option of the command line. */
export interface Option {
  /** The payload field that gets the value. */
  readonly field: string
  /** The name without dashes. */
  readonly flag: string
  readonly kind: Kind
  /** True if it may be repeated. */
  readonly many: boolean
  /** The accepted values; empty if all values are. */
  readonly values: ReadonlyArray<string>
  readonly description: string
  readonly required: boolean
  readonly fallback?: unknown
  /** The word for the value in help. */
  readonly metavar: string
  /** The value if the option is written without one. */
  readonly bare?: string
  /** The smallest accepted integer. */
  readonly least?: number
}

/** Flags with another name than their field. Node reads `--env-file` in the arguments of every script, and ends if the file is absent. */
const otherFlags: { readonly [field: string]: string } = { env_file: "env-from" }

/** Returns the flag of a field: `all-frames` for `all_frames`. */
export const flagOf = (field: string): string =>
  (Object.hasOwn(otherFlags, field) ? otherFlags[field] : undefined) ?? field.replaceAll("_", "-")

const kindOf = (type: unknown): Kind => (type === "boolean" || type === "integer" ? type : "string")

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter(Predicate.isString) : []

const object = (value: unknown): { readonly [key: string]: unknown } => (Predicate.isReadonlyObject(value) ? value : {})

const option = (
  field: string,
  property: { readonly [key: string]: unknown },
  required: boolean,
  placeholder: string | undefined,
  bare: string | undefined
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
    ...(bare === undefined ? {} : { bare }),
    metavar: values.length > 0 ? values.join("|") : (placeholder ?? (kind === "integer" ? "N" : field.toUpperCase()))
  }
}

/** Fields that are not options of one command: global options, and fields that the client fills in. */
const excluded: ReadonlySet<string> = new Set([...Payload.callerFields, "session", "request_id"])

/** Returns the options of an operation in the order of its fields, then those of its output. */
export const of = (operation: Operation.Any): ReadonlyArray<Option> => {
  const { properties, required } = Payload.published(operation)
  const { bare, placeholders } = Operation.meta(operation)
  const fields = Object.entries(properties)
    .filter(([field]) => !excluded.has(field))
    .map(([field, property]) => option(field, property, required.includes(field), placeholders[field], bare[field]))
  return [...fields, ...outputOptions(operation._tag)]
}

/** Makes an option that belongs to no operation. */
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
    common("base64", "boolean", "", "Print only the bytes, in base64"),
    common("out", "string", "FILE", "Write the bytes to a file that only you can read"),
    common("force", "boolean", "", "Replace the file of --out if it exists")
  ],
  start: [common("web", "boolean", "", "Open the page on the session")],
  output: [
    common("timestamps", "boolean", "", "Print the time of each line, in UTC"),
    common("raw", "boolean", "", "Keep control sequences; refused on a terminal"),
    common("force", "boolean", "", "Allow --raw on a terminal")
  ]
}

/** Returns the options that change only the output of an operation; they are not sent to it. */
export const outputOptions = (tag: string): ReadonlyArray<Option> =>
  (Object.hasOwn(appearance, tag) ? appearance[tag] : []) ?? []

/** The options of every command. */
export const globals: ReadonlyArray<Option> = [
  common("session", "string", "NAME", "Session to act on [SIGTRAP_SESSION]"),
  common("as", "string", "NAME", "Name of this client in status and events [SIGTRAP_AS]"),
  common("json", "boolean", "", "Print JSON on one line [SIGTRAP_FORMAT=json]"),
  common("pretty", "boolean", "", "Print indented JSON"),
  common("select", "string", "PATH", "Print one part of the JSON, such as data.location.line"),
  common("quiet", "boolean", "", "Print the result without hints and warnings"),
  common("verbose", "boolean", "", "Add types, addresses, modules and thread ids"),
  { ...common("budget", "integer", "BYTES", "Longest answer, 0 for unlimited (text 2000, JSON 16384)"), least: 0 },
  common("directory", "string", "DIR", "Base of relative paths"),
  common("config", "string", "FILE", "Configuration file [SIGTRAP_CONFIG]"),
  common("request-id", "string", "ID", "A repeated id within 10 minutes gets the first answer"),
  common("trace-otlp", "string", "URL", "Send spans of the call to this collector [SIGTRAP_OTLP]"),
  common("color", "string", "WHEN", "Use colours: auto, always or never [NO_COLOR]", ["auto", "always", "never"]),
  common("help", "boolean", "", "Show help for the command"),
  common("version", "boolean", "", "Print the versions")
]

/** The options of every command that a command in the client takes. */
export const clientGlobals: ReadonlyArray<Option> = globals.filter(({ flag }) =>
  ["json", "pretty", "select", "quiet", "verbose", "directory", "color"].includes(flag)
)

/** Wait options. Commands that do not wait accept them: the command line bounds their calls by `timeout`, and ignores `wait`. */
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
 * Reads the value of an option: an integer in base 2, 8, 10 or 16, a boolean word, or one of the accepted values. A list
 * with accepted values also takes `a,b` and `all`. `written` names the option in errors.
 */
export const read = (option: Option, written: string, text: string): Result.Result<unknown, string> => {
  if (option.many && option.values.length > 0) {
    const parts = text === "all" ? option.values : text.split(",")
    const odd = parts.find((part) => !option.values.includes(part))
    return odd === undefined
      ? Result.succeed(parts)
      : wrong(written, `'${odd}' is not one of ${option.values.join(", ")}`)
  }
  switch (option.kind) {
    case "boolean": {
      const truth = Object.hasOwn(truths, text.toLowerCase()) ? truths[text.toLowerCase()] : undefined
      return truth === undefined ? wrong(written, `write true or false, not '${text}'`) : Result.succeed(truth)
    }
    case "integer": {
      const value = integer(text)
      const { least = -Infinity } = option
      if (value !== undefined && value < least) return wrong(written, `write ${least} or more, not ${text}`)
      if (value !== undefined) return Result.succeed(value)
      return wrong(written, /^[+-]?\d+$/.test(text) ? `${text} is too large` : `write a whole number, not '${text}'`)
    }
    case "string":
      return option.values.length > 0 && !option.values.includes(text)
        ? wrong(written, `'${text}' is not one of ${option.values.join(", ")}`)
        : Result.succeed(option.many ? [text] : text)
  }
}
