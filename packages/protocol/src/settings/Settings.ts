/**
 * The settings: every key with its description, built-in value, environment variable and validation.
 *
 * `host` reads the values from files and decides which files are trusted. A surface fills them into payloads with
 * `Payload.fill`; `Meta.settings` of an operation names the fields they apply to. A value is a text or a list of texts. A
 * key may contain a NAME that the user chooses: `alias.NAME`, `adapters.NAME.path`. `AdapterSettings` has those of adapters.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AdapterSettings from "./AdapterSettings.ts"
import * as Field from "../Field.ts"
import type * as SettingKey from "./SettingKey.ts"
import { oneOf, required, whole } from "./SettingKey.ts"
import * as Nearest from "../text/Nearest.ts"

/** The value of a setting: a text, or a list of texts. */
export const Value = Schema.Union([Schema.String, Schema.Array(Schema.String)])
/** The value of a setting: a text, or a list of texts. */
export type Value = typeof Value.Type

/** Configured values by key, without the built-in ones. */
export const Values = Schema.Record(Schema.String, Value)
/** Configured values by key, without the built-in ones. */
export type Values = typeof Values.Type

/** A key of configuration files. */
export type Key = SettingKey.Key

const duration = (text: string) =>
  text === "inf" || text === "0" || Field.millis(text) > 0 ? undefined : "write a duration as 30s, 500ms, 2m or 1h"

const positiveDuration = (text: string) => (text === "0" ? "write a duration as 30m" : duration(text))

/** Accepts a duration within bounds in milliseconds, both included; `example` is a text of one. */
const between = (least: number, most: number, example: string) => (text: string) => {
  const millis = Field.millis(text)
  return millis >= least && millis <= most ? undefined : `write a duration such as ${example}`
}

const trueOrFalse = oneOf("true", "false")

const size = (text: string) => (bytes(text) === undefined ? "write a size as 65536, 64KiB or 10MiB" : undefined)

const units = { "": 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

/** Returns the bytes of a size such as `10 MiB`, at most 1 GiB, or undefined if it is not valid. */
export const bytes = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,10}) ?(|B|KiB|MiB|GiB)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const factor = unit === "KiB" || unit === "MiB" || unit === "GiB" ? units[unit] : 1
  const found = Number(digits) * factor
  return found > 0 && found <= units.GiB ? found : undefined
}

/** Every setting, in the order in which they are listed. */
export const keys: ReadonlyArray<Key> = [
  {
    key: "defaults.adapter",
    variable: "SIGTRAP_ADAPTER",
    fallback: "lldb-dap",
    description: "Debug adapter of native programs: a name or a path",
    problem: required("a name or a path")
  },
  {
    key: "defaults.backend",
    variable: "SIGTRAP_BACKEND",
    fallback: "dap",
    description: "How the debugger is driven: dap or LLDB's console",
    problem: oneOf("dap", "lldb-cli", "lldb")
  },
  {
    key: "defaults.stop_on_entry",
    fallback: "false",
    description: "Stop programs at their first instruction",
    problem: trueOrFalse
  },
  {
    key: "defaults.prestart",
    variable: "SIGTRAP_PRESTART",
    fallback: "true",
    description: "Start the next adapter early, to wait for a minute",
    problem: trueOrFalse
  },
  {
    key: "timeouts.launch",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait for the first stop of start, core, connect",
    problem: duration
  },
  {
    key: "timeouts.attach",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait for attach",
    problem: duration
  },
  {
    key: "timeouts.wait",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait for the next stop, also of wait",
    problem: duration
  },
  { key: "timeouts.evaluate", fallback: "5s", description: "Timeout of one evaluation", problem: positiveDuration },
  {
    key: "timeouts.request",
    fallback: "30s",
    description: "Timeout of one request to an adapter",
    problem: positiveDuration
  },
  {
    key: "timeouts.adapter_start",
    fallback: "10s",
    description: "Timeout for an adapter to listen or a debugger to answer",
    problem: positiveDuration
  },
  {
    key: "timeouts.initialize",
    fallback: "10s",
    description: "Timeout of the adapter's initialize request",
    problem: positiveDuration
  },
  {
    key: "daemon.idle",
    variable: "SIGTRAP_IDLE",
    fallback: "30m",
    description: "Idle time after which the daemon exits",
    problem: positiveDuration
  },
  {
    key: "session.idle",
    fallback: "30m",
    description: "Idle time after which a session ends",
    problem: positiveDuration
  },
  {
    key: "ask.timeout",
    fallback: "60s",
    description: "Time in which a person answers a waiting call",
    problem: between(1000, 3_600_000, "60s, at least 1s and at most 1h")
  },
  {
    key: "control.idle",
    fallback: "2m",
    description: "Time without a call after which control ends",
    problem: between(1000, 24 * 3_600_000, "2m, at least 1s and at most 24h")
  },
  {
    key: "grant.ttl",
    fallback: "1h",
    description: "Lifetime of a token of grant without --ttl",
    problem: between(1000, 7 * 24 * 3_600_000, "1h, at least 1s and at most 168h")
  },
  {
    key: "intent.store",
    fallback: "true",
    description: "Store launch and breakpoints of sessions, for recover",
    problem: trueOrFalse
  },
  {
    key: "output.max_events",
    fallback: "10000",
    description: "Most pieces of output, and other events, to keep",
    problem: whole(100, 1_000_000)
  },
  { key: "output.max_bytes", fallback: "10MiB", description: "Most output to keep in a session", problem: size },
  {
    key: "output.context",
    variable: "SIGTRAP_CONTEXT",
    fallback: "brief",
    description: "Level of detail of stop reports",
    problem: oneOf("none", "line", "brief", "full")
  },
  {
    key: "output.lines",
    fallback: "1",
    description: "Source lines before and after in a stop report",
    problem: whole(0, 50)
  },
  {
    key: "output.budget",
    variable: "SIGTRAP_BUDGET",
    fallback: "2000",
    description: "Longest answer of the CLI in bytes; 0: no limit",
    problem: whole(0, 999_999_999)
  },
  {
    key: "values.max_string",
    fallback: "120",
    description: "Most characters of a text value to show",
    problem: whole(1, 1_000_000)
  },
  {
    key: "values.max_items",
    fallback: "20",
    description: "Most members or elements of a value to show",
    problem: whole(1, 1000)
  },
  { key: "values.depth", fallback: "1", description: "Levels of members to show", problem: whole(0, 10) },
  {
    key: "source.maps",
    list: true,
    fallback: [],
    description: "Directories of sources compiled elsewhere: FROM=TO",
    problem: (text) => (/^[^=]+=.+$/.test(text) ? undefined : "write FROM=TO")
  },
  {
    key: "source.roots",
    list: true,
    fallback: [],
    description: "Directories to search for sources that were not found",
    problem: (text) => (text.startsWith("/") ? undefined : "write an absolute directory")
  },
  {
    key: "redact.names",
    list: true,
    fallback: [],
    description: "Further names whose values are masked",
    problem: required("a name")
  },
  { key: "redact.enabled", fallback: "true", description: "Mask secrets by name and shape", problem: trueOrFalse },
  {
    key: "log.level",
    fallback: "info",
    description: "Least severity to write to the daemon's log",
    problem: oneOf("debug", "info", "warn", "error")
  },
  { key: "log.max_bytes", fallback: "5MiB", description: "Largest file of the daemon's log", problem: size },
  { key: "audit.days", fallback: "30", description: "Days to keep the audit log", problem: whole(1, 3650) },
  ...["eval", "raw", "attach", "launch"].map((effect) => ({
    key: `policy.no-${effect}`,
    fallback: "false",
    description: effect === "raw" ? "Refuse debugger commands" : `Refuse ${effect}`,
    problem: trueOrFalse
  })),
  ...(["cli", "mcp", "http", "page", "library"] as const).map((kind) => ({
    key: `policy.ask.${kind}`,
    list: true as const,
    fallback: [],
    description: `Tiers for which a person is asked, of clients of kind ${kind}`,
    problem: oneOf("control", "evaluate", "write", "admin")
  })),
  {
    key: "policy.read-only",
    fallback: "false",
    description: "Refuse eval, set, memory write, raw and restart",
    problem: trueOrFalse
  },
  {
    key: "policy.roots",
    list: true,
    fallback: [],
    description: "Directories that must contain all files of a session",
    problem: (text) => (text.startsWith("/") ? undefined : "write an absolute directory")
  },
  {
    key: "policy.env-deny",
    list: true,
    fallback: [],
    description: "Environment variables to remove from programs",
    problem: required("a name")
  },
  { key: "log.files", fallback: "5", description: "Files of the daemon's log to keep", problem: whole(1, 100) },
  { key: "alias.NAME", description: "Alias: the command and options it stands for", problem: required("a command") },
  ...AdapterSettings.keys
]

const pattern = (key: string): RegExp =>
  new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("NAME", "[\\w-]+")}$`, "u")

let compiled: ReadonlyArray<readonly [RegExp, Key]> | undefined

/** The settings with the patterns of their keys, compiled at first use. */
const patterns = (): ReadonlyArray<readonly [RegExp, Key]> =>
  (compiled ??= keys.map((key) => [pattern(key.key), key] as const))

/** Returns the setting of a key, with its NAME filled in. Fails with similar keys. */
export const find = (name: string): Result.Result<Key, { readonly near: ReadonlyArray<string> }> => {
  const found = patterns().find(([test]) => test.test(name))?.[1]
  if (found !== undefined) {
    const adapter = /^adapters\.([\w-]+)\.path$/.exec(name)?.[1]
    const variable = adapter === undefined ? {} : { variable: adapterVariable(adapter) }
    return Result.succeed({ ...found, ...variable, key: name })
  }
  const words = name.split(".")
  const shaped = keys.map(({ key }) => {
    // A suggested key contains the NAME that the user wrote.
    const own = key.split(".")
    return own.map((word, index) => (word === "NAME" ? (words[index] ?? word) : word)).join(".")
  })
  const last = words.at(-1) ?? name
  const byLast = words.length === 1 ? shaped.filter((key) => key.split(".").at(-1) === last) : []
  return Result.fail({ near: byLast.length > 0 ? byLast : Nearest.names(name, shaped) })
}

/** Returns the environment variable for the executable of an adapter. */
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

/** What `host` adds to the values of a caller about the project's file. They are not settings, so no file can have them. */
const projectMarks = { file: "project.file", keys: "project.keys" } as const

/** A project's configuration file, and those of its keys that choose a program to start. */
export interface ProjectPrograms {
  readonly file: string
  readonly keys: ReadonlyArray<string>
}

/** Returns the values with the mark of a project's file. */
export const withProject = (configured: Values, { file, keys: set }: ProjectPrograms): Values =>
  set.length === 0 ? configured : { ...configured, [projectMarks.file]: file, [projectMarks.keys]: set }

/** Returns the mark of a project's file; undefined if no program was chosen by one. */
export const project = (configured: Values | undefined): ProjectPrograms | undefined => {
  const file = text(configured, projectMarks.file)
  return file === undefined ? undefined : { file, keys: list(configured, projectMarks.keys) }
}

/** The tables whose values a session keeps until it ends. */
const sessionTables = /^(?:adapters|defaults|intent|output|policy|project|redact|source|timeouts)\./

/** Returns the values that a new session needs. */
export const ofSession = (configured: Values): Values =>
  Object.fromEntries(Object.entries(configured).filter(([key]) => sessionTables.test(key)))

/** Returns a value that is one text. */
export const text = (configured: Values | undefined, key: string): string | undefined => {
  const value = configured?.[key]
  return Predicate.isString(value) ? value : undefined
}

/** Returns a value that is a list; a single text is a list of one. */
export const list = (configured: Values | undefined, key: string): ReadonlyArray<string> => {
  const value = configured?.[key]
  return value === undefined ? [] : Predicate.isString(value) ? [value] : value
}
