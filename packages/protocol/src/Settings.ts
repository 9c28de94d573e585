/**
 * What can be configured: every key with its type, its built-in value, the environment variable over it and the payload
 * fields it stands for. Where the values come from, files and who is trusted, is the affair of `host`; a surface fills
 * them into payloads by `Payload.fill`, so that all surfaces obey the same configuration.
 *
 * A value is text, or a list of texts. Keys may hold a NAME of the user's: `alias.NAME`, `adapters.NAME.path`.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Field from "./Field.ts"
import * as Nearest from "./Nearest.ts"

/** A value as it is kept: text, or a list of texts. */
export const Value = Schema.Union([Schema.String, Schema.Array(Schema.String)])
/** A value as it is kept: text, or a list of texts. */
export type Value = typeof Value.Type

/** Values by key, without those that are built in. */
export const Values = Schema.Record(Schema.String, Value)
/** Values by key, without those that are built in. */
export type Values = typeof Values.Type

/** A setting. */
export interface Key {
  /** With NAME in it where the user chooses a word. */
  readonly key: string
  /** Built in; absent where nothing is. */
  readonly fallback?: Value
  readonly description: string
  /** The environment variable that stands over the files. */
  readonly variable?: string
  readonly list?: true
  /** What is wrong with one text, if anything is. */
  readonly problem: (text: string) => string | undefined
}

const duration = (text: string) =>
  text === "inf" || text === "0" || Field.millis(text) > 0 ? undefined : "write a duration as 30s, 500ms, 2m or 1h"

const positive = (text: string) => (text === "0" ? "write a duration as 30m" : duration(text))

const oneOf =
  (...values: ReadonlyArray<string>) =>
  (text: string) =>
    values.includes(text) ? undefined : `write one of ${values.join(", ")}`

const truth = oneOf("true", "false")

const whole = (least: number, most: number) => (text: string) =>
  /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most
    ? undefined
    : `write a whole number from ${least} to ${most}`

const some = (what: string) => (text: string) => (text === "" ? `write ${what}` : undefined)

const size = (text: string) => (bytes(text) === undefined ? "write a size as 65536, 64KiB or 10MiB" : undefined)

const units = { "": 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

/** The bytes of a size such as `10 MiB`, at most 1 GiB; absent when it is none. */
export const bytes = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,10}) ?(|B|KiB|MiB|GiB)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const factor = unit === "KiB" || unit === "MiB" || unit === "GiB" ? units[unit] : 1
  const found = Number(digits) * factor
  return found > 0 && found <= units.GiB ? found : undefined
}

/** Every key there is, in the order in which they are listed. */
export const keys: ReadonlyArray<Key> = [
  {
    key: "defaults.adapter",
    variable: "SIGTRAP_ADAPTER",
    fallback: "lldb-dap",
    description: "Debug adapter of native programs, a name or a path",
    problem: some("a name or a path")
  },
  {
    key: "defaults.backend",
    variable: "SIGTRAP_BACKEND",
    fallback: "dap",
    description: "What drives the debugger",
    problem: oneOf("dap", "lldb-cli", "lldb")
  },
  {
    key: "defaults.stop_on_entry",
    fallback: "false",
    description: "Stop programs at their first instruction",
    problem: truth
  },
  {
    key: "timeouts.launch",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait for the first stop of start, core and connect",
    problem: duration
  },
  {
    key: "timeouts.attach",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait of attach",
    problem: duration
  },
  {
    key: "timeouts.wait",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait of resuming commands and of wait",
    problem: duration
  },
  { key: "timeouts.evaluate", fallback: "5s", description: "Longest time of one evaluation", problem: positive },
  {
    key: "timeouts.request",
    fallback: "30s",
    description: "Longest time of one request to an adapter",
    problem: positive
  },
  {
    key: "timeouts.adapter_start",
    fallback: "10s",
    description: "How long an adapter may take to listen, or a debugger to answer",
    problem: positive
  },
  {
    key: "timeouts.initialize",
    fallback: "10s",
    description: "How long an adapter may take to introduce itself",
    problem: positive
  },
  {
    key: "daemon.idle",
    variable: "SIGTRAP_IDLE",
    fallback: "30m",
    description: "How long an unused daemon stays",
    problem: positive
  },
  { key: "session.idle", fallback: "30m", description: "How long an unused session stays", problem: positive },
  {
    key: "output.max_events",
    fallback: "10000",
    description: "Most events that a session keeps",
    problem: whole(100, 1_000_000)
  },
  { key: "output.max_bytes", fallback: "10MiB", description: "Most output that a session keeps", problem: size },
  {
    key: "output.context",
    variable: "SIGTRAP_CONTEXT",
    fallback: "brief",
    description: "How much a stop report says",
    problem: oneOf("none", "line", "brief", "full")
  },
  {
    key: "output.lines",
    fallback: "1",
    description: "Source lines either side in a stop report",
    problem: whole(0, 50)
  },
  {
    key: "output.budget",
    variable: "SIGTRAP_BUDGET",
    fallback: "2000",
    description: "Longest answer of the command line in bytes, 0 is unlimited",
    problem: whole(0, 999_999_999)
  },
  {
    key: "values.max_string",
    fallback: "120",
    description: "Most characters of a text value",
    problem: whole(1, 1_000_000)
  },
  {
    key: "values.max_items",
    fallback: "20",
    description: "Most members or elements of a value",
    problem: whole(1, 1000)
  },
  { key: "values.depth", fallback: "1", description: "Levels of members to show", problem: whole(0, 10) },
  {
    key: "source.maps",
    list: true,
    fallback: [],
    description: "Where sources are that were compiled elsewhere, FROM=TO",
    problem: (text) => (/^[^=]+=.+$/.test(text) ? undefined : "write FROM=TO")
  },
  {
    key: "source.roots",
    list: true,
    fallback: [],
    description: "Directories in which sources are looked for that are not where the debugger says",
    problem: (text) => (text.startsWith("/") ? undefined : "write an absolute directory")
  },
  {
    key: "redact.names",
    list: true,
    fallback: [],
    description: "More names whose values are masked",
    problem: some("a name")
  },
  { key: "redact.enabled", fallback: "true", description: "Mask the values of secret names", problem: truth },
  {
    key: "log.level",
    fallback: "info",
    description: "Least severity that the daemon's log has",
    problem: oneOf("debug", "info", "warn", "error")
  },
  { key: "log.max_bytes", fallback: "5MiB", description: "Longest file of the daemon's log", problem: size },
  ...["eval", "raw", "attach", "launch"].map((effect) => ({
    key: `policy.no-${effect}`,
    fallback: "false",
    description: `Sessions may not ${effect === "raw" ? "reach the debugger's own command line" : effect}`,
    problem: truth
  })),
  {
    key: "policy.read-only",
    fallback: "false",
    description: "Sessions only look: no eval, set, memory write, raw or restart",
    problem: truth
  },
  {
    key: "policy.roots",
    list: true,
    fallback: [],
    description: "Directories in which programs, cores, sources and files of sessions have to lie",
    problem: (text) => (text.startsWith("/") ? undefined : "write an absolute directory")
  },
  {
    key: "policy.env-deny",
    list: true,
    fallback: [],
    description: "Variables that no program gets",
    problem: some("a name")
  },
  { key: "log.files", fallback: "5", description: "Files of the daemon's log that are kept", problem: whole(1, 100) },
  { key: "alias.NAME", description: "A command of your own, with the words it stands for", problem: some("a command") },
  { key: "adapters.NAME.path", description: "The adapter's executable", problem: some("a path") },
  {
    key: "adapters.NAME.args",
    list: true,
    description: "More words on the adapter's command line",
    problem: () => undefined
  },
  { key: "adapters.NAME.id", description: "What the adapter is called in its protocol", problem: some("a name") },
  {
    key: "adapters.NAME.extensions",
    list: true,
    description: "Endings of source files that the adapter runs",
    problem: (text) => (/^\.[\w.-]+$/.test(text) ? undefined : "write an ending as .py")
  },
  { key: "adapters.NAME.env.NAME", description: "A variable of the adapter's environment", problem: () => undefined }
]

const pattern = (key: string): RegExp =>
  new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("NAME", "[\\w-]+")}$`, "u")

const patterns = keys.map((key) => [pattern(key.key), key] as const)

/** The setting that a key names, its NAME filled in; the keys nearest to one that does not exist. */
export const find = (name: string): Result.Result<Key, { readonly near: ReadonlyArray<string> }> => {
  const found = patterns.find(([test]) => test.test(name))?.[1]
  if (found !== undefined) {
    const adapter = /^adapters\.([\w-]+)\.path$/.exec(name)?.[1]
    const variable = adapter === undefined ? {} : { variable: adapterVariable(adapter) }
    return Result.succeed({ ...found, ...variable, key: name })
  }
  const words = name.split(".")
  const shaped = keys.map(({ key }) => {
    // A key with a name in it is offered with the name that was written.
    const own = key.split(".")
    return own.map((word, index) => (word === "NAME" ? (words[index] ?? word) : word)).join(".")
  })
  const last = words.at(-1) ?? name
  const byLast = words.length === 1 ? shaped.filter((key) => key.split(".").at(-1) === last) : []
  return Result.fail({ near: byLast.length > 0 ? byLast : Nearest.names(name, shaped) })
}

/** The environment variable that names the executable of an adapter. */
export const adapterVariable = (name: string): string => `SIGTRAP_${name.toUpperCase().replaceAll("-", "_")}`

const typed = (schema: unknown, value: Value): unknown => {
  const type = Predicate.isReadonlyObject(schema) ? schema["type"] : undefined
  if (type === "integer") return Number(value)
  return type === "boolean" ? value === "true" : value
}

/** Returns the payload fields that these values configure. `settings` is the operation's: the setting of each field. */
export const fields = (
  settings: { readonly [field: string]: string },
  properties: { readonly [field: string]: unknown },
  configured: Values
): { readonly [field: string]: unknown } =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([field, key]) => {
      const value = configured[key]
      return value === undefined ? [] : [[field, typed(properties[field], value)]]
    })
  )

/** Tables whose values a session keeps for its whole life. */
const kept = /^(?:adapters|defaults|output|policy|redact|source|timeouts)\./

/** What a session that begins has to know of the configuration. */
export const ofSession = (configured: Values): Values =>
  Object.fromEntries(Object.entries(configured).filter(([key]) => kept.test(key)))

/** A value that is one text. */
export const text = (configured: Values | undefined, key: string): string | undefined => {
  const value = configured?.[key]
  return Predicate.isString(value) ? value : undefined
}

/** A value that is a list. */
export const list = (configured: Values | undefined, key: string): ReadonlyArray<string> => {
  const value = configured?.[key]
  return value === undefined ? [] : Predicate.isString(value) ? [value] : value
}
