/**
 * The settings below `adapters.NAME`: those of a built-in debug adapter, and the description of a further one.
 *
 * `adapters.NAME.command` describes an adapter: a program that speaks DAP. Its launch and attach arguments are templates: JSON
 * objects in which `${program}` and the other placeholders stand for what the caller asked for. `backends` makes the adapter.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Key, oneOf, required, whole } from "./SettingKey.ts"

/** Deviations from DAP that a description may name, as in `Quirks` of `backends`. */
export const quirks = [
  "absolute_paths_only",
  "counts_hits",
  "detaches_when_killed",
  "exception_type_in_text",
  "exceptions_look_like_breakpoints",
  "first_stop_is_entry",
  "ignores_default_filters",
  "inserts_traps",
  "omits_empty_scopes",
  "one_per_place",
  "pages_elements_only",
  "pause_looks_like_signal",
  "pause_looks_like_step",
  "plain_function_names",
  "silent_process",
  "stale_threads",
  "stops_at_attach",
  "stops_without_ids",
  "stops_without_text",
  "unordered_functions",
  "verifies_at_run",
  "writes_log_messages"
] as const
/** A deviation from DAP that a description may name. */
export type Quirk = (typeof quirks)[number]

/** The placeholders of each template. `args` is a list, `env` an object, `stop_on_entry` a truth value, `pid` a number. */
const placeholders = {
  launch: ["program", "args", "cwd", "env", "stop_on_entry"],
  attach: ["pid", "program", "cwd", "env"]
} as const

/** The key of a template: `launch` or `attach`. */
export type Template = keyof typeof placeholders

/** What placeholders stand for. */
export type Meanings = { readonly [placeholder: string]: Schema.Json }

/** The placeholder for the directory of the configuration file, which is replaced when the file is read. */
const folder = "${folder}"

/** The placeholder for the port at which an adapter listens, in its arguments and variables. */
const portPlaceholder = "${port}"

/** Placeholders whose value is a list or an object. A text has nothing beside them. */
const structured: ReadonlyArray<string> = ["args", "env"]

const inText = /\$\{([^}]*)\}/g

/** Returns the problem of a text in a template. */
const textProblem = (text: string, known: ReadonlyArray<string>): string | undefined => {
  for (const [whole, name = ""] of text.matchAll(inText)) {
    if (whole === folder) continue
    if (!known.includes(name)) {
      return `there is no ${whole}; there are ${[...known, "folder"].map((one) => `\${${one}}`).join(", ")}`
    }
    if (structured.includes(name) && whole !== text) return `${whole} cannot be part of a text; write "${whole}"`
  }
  return undefined
}

/** Returns the problem of the first text in a value. */
const valueProblem = (value: unknown, known: ReadonlyArray<string>): string | undefined => {
  if (Predicate.isString(value)) return textProblem(value, known)
  const inner: ReadonlyArray<unknown> = Predicate.isObjectKeyword(value) ? Object.values(value) : []
  return inner.map((one) => valueProblem(one, known)).find(Predicate.isNotUndefined)
}

/** Parses the text of a template; undefined if it is not a JSON object. */
const parsed = (text: string): { readonly [key: string]: unknown } | undefined => {
  const value: unknown = Result.getOrElse(
    Result.try((): unknown => JSON.parse(text)),
    () => undefined
  )
  return Predicate.isReadonlyObject(value) && !Array.isArray(value) ? value : undefined
}

const templateProblem =
  (template: Template) =>
  (text: string): string | undefined => {
    const value = parsed(text)
    return value === undefined
      ? `write a table or the text of a JSON object, such as {"program": "\${program}"}`
      : valueProblem(value, placeholders[template])
  }

const commandProblem = (text: string): string | undefined =>
  text === "" || (text.includes("/") && !text.startsWith("/") && !text.startsWith(`${folder}/`))
    ? `write a name on PATH, an absolute path, or ${folder}/FILE`
    : undefined

/** Every setting of an adapter. */
export const keys: ReadonlyArray<Key> = [
  { key: "adapters.NAME.path", description: "Executable of the adapter", problem: required("a path") },
  {
    key: "adapters.NAME.args",
    list: true,
    description: "Further arguments of the adapter",
    problem: () => undefined
  },
  { key: "adapters.NAME.id", description: "The adapter's id in DAP initialize", problem: required("a name") },
  {
    key: "adapters.NAME.extensions",
    list: true,
    description: "Extensions of source files that the adapter runs",
    problem: (text) => (/^\.[\w.-]+$/.test(text) ? undefined : "write an extension as .py")
  },
  { key: "adapters.NAME.env.NAME", description: "Environment variable of the adapter", problem: () => undefined },
  { key: "adapters.NAME.command", description: "Program of a further adapter, named NAME", problem: commandProblem },
  {
    key: "adapters.NAME.languages",
    list: true,
    description: "Languages that a further adapter debugs",
    problem: required("a language")
  },
  {
    key: "adapters.NAME.transport",
    description: "How a further adapter speaks DAP: stdio, tcp (stdio)",
    problem: oneOf("stdio", "tcp")
  },
  {
    key: "adapters.NAME.port",
    description: "Port at which it listens; without it, ${port} is a free one",
    problem: whole(1, 65_535)
  },
  {
    key: "adapters.NAME.launch",
    json: true,
    description: "Template of its launch arguments",
    problem: templateProblem("launch")
  },
  {
    key: "adapters.NAME.attach",
    json: true,
    description: "Template of its attach arguments",
    problem: templateProblem("attach")
  },
  {
    key: "adapters.NAME.streams",
    description: "Program's output: events, or terminal (runInTerminal)",
    problem: oneOf("events", "terminal")
  },
  {
    key: "adapters.NAME.quirks",
    list: true,
    description: "Deviations of a further adapter from DAP",
    problem: oneOf(...quirks)
  },
  {
    key: "adapters.NAME.types",
    list: true,
    description: "Types of launch.json that it debugs",
    problem: required("a type")
  },
  {
    key: "adapters.NAME.options",
    list: true,
    description: "Keys of launch.json that it is given unchanged",
    problem: required("a key")
  },
  {
    key: "adapters.NAME.sample",
    description: "Program that doctor debugs to test a further adapter",
    problem: (text) => (/^(?:\/|\$\{folder\}\/)/.test(text) ? undefined : `write an absolute path, or ${folder}/FILE`)
  }
]

/** Settings that only a description has. */
const ofDescription =
  /^adapters\.([\w-]+)\.(?:languages|transport|port|launch|attach|streams|quirks|types|options|sample)$/

/** Settings that say which program is started as adapter `NAME`, and how. */
const ofProgram = /^adapters\.([\w-]+)\.(?:command|path|args|env\.[\w-]+)$/

/** Returns the adapter whose program this setting chooses or changes; undefined for other settings. */
export const startedBy = (key: string): string | undefined => ofProgram.exec(key)?.[1]

/** Names that select a backend. */
const reserved = /^(?:dap|lldb(?:-cli|-\d+)?)$/

/** Values by key, as a file has them. */
type Values = { readonly [key: string]: string | ReadonlyArray<string> }

/** Returns the names of the adapters that these values describe. */
export const described = (values: Values): ReadonlyArray<string> =>
  Object.keys(values).flatMap((key) => /^adapters\.([\w-]+)\.command$/.exec(key)?.[1] ?? [])

/** A setting that does not fit to others of the same file. */
export interface Misfit {
  readonly key: string
  readonly problem: string
}

/** Returns the placeholders in the command, the arguments and the variables of an adapter, each with its key. */
const usedIn = (values: Values, name: string): ReadonlyArray<readonly [key: string, placeholder: string]> =>
  Object.entries(values)
    .filter(([key]) => startedBy(key) === name)
    .flatMap(([key, value]) =>
      (Predicate.isString(value) ? [value] : value).flatMap((text) =>
        [...text.matchAll(inText)].map(([whole]) => [key, whole] as const)
      )
    )

/** Returns what is wrong with the description of one adapter. */
const misfit = (values: Values, name: string): Misfit | undefined => {
  const of = (key: string) => values[`adapters.${name}.${key}`]
  const at = (key: string, problem: string): Misfit => ({ key: `adapters.${name}.${key}`, problem })
  if (reserved.test(name)) return at("command", `${name} is the name of a backend; choose another name`)
  const used = usedIn(values, name)
  const unknown = used.find(([, placeholder]) => placeholder !== folder && placeholder !== portPlaceholder)
  if (unknown !== undefined) {
    return { key: unknown[0], problem: `there is no ${unknown[1]}; there are ${portPlaceholder}, ${folder}` }
  }
  const takesPort = used.find(([, placeholder]) => placeholder === portPlaceholder)?.[0]
  if (of("transport") === "tcp") {
    return of("port") === undefined && takesPort === undefined
      ? at("transport", `name the port: port = 4711 at which it listens, or ${portPlaceholder} in args`)
      : undefined
  }
  if (of("port") !== undefined) return at("port", 'set transport = "tcp" too')
  return takesPort === undefined
    ? undefined
    : { key: takesPort, problem: `set transport = "tcp" for ${portPlaceholder}` }
}

/** Returns the settings of one file that do not fit together. */
export const misfits = (values: Values): ReadonlyArray<Misfit> => {
  const names = described(values)
  const alone = Object.keys(values).flatMap((key): ReadonlyArray<Misfit> => {
    const name = ofDescription.exec(key)?.[1]
    return name === undefined || names.includes(name)
      ? []
      : [{ key, problem: `set adapters.${name}.command too: the program that speaks DAP` }]
  })
  return [...alone, ...names.flatMap((name) => misfit(values, name) ?? [])]
}

/** Returns a value of a file in `directory` with `${folder}` replaced. */
export const inFolder = (
  key: string,
  value: string | ReadonlyArray<string>,
  directory: string
): string | ReadonlyArray<string> => {
  if (!key.startsWith("adapters.")) return value
  const isJson = /^adapters\.[\w-]+\.(?:launch|attach)$/.test(key)
  const path = isJson ? JSON.stringify(directory).slice(1, -1) : directory
  return Predicate.isString(value)
    ? value.replaceAll(folder, () => path)
    : value.map((text) => text.replaceAll(folder, () => path))
}

/** Returns an argument or a variable with the port at which the adapter is to listen. */
export const withPort = (text: string, port: number): string => text.replaceAll(portPlaceholder, `${port}`)

const filledText = (text: string, meanings: Meanings): Schema.Json => {
  const alone = /^\$\{(\w+)\}$/.exec(text)?.[1]
  const value = alone === undefined ? undefined : meanings[alone]
  return value === undefined
    ? text.replaceAll(inText, (whole, name: string) => {
        const meaning = meanings[name]
        return meaning === undefined ? whole : String(meaning)
      })
    : value
}

/** Returns a value of a template with its placeholders filled. A list takes the items of a list in its place. */
const filled = (value: unknown, meanings: Meanings): Schema.Json => {
  if (Predicate.isString(value)) return filledText(value, meanings)
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown): ReadonlyArray<Schema.Json> => {
      const one = filled(item, meanings)
      return Predicate.isString(item) && Array.isArray(one) ? one : [one]
    })
  }
  if (Predicate.isReadonlyObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, meanings)]))
  }
  return Predicate.isNumber(value) || Predicate.isBoolean(value) ? value : null
}

/** Returns the arguments that a template makes. */
export const fill = (template: string, meanings: Meanings): { readonly [key: string]: Schema.Json } =>
  Object.fromEntries(Object.entries(parsed(template) ?? {}).map(([key, value]) => [key, filled(value, meanings)]))
