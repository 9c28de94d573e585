/**
 * What the keys of an editor's launch configuration mean as fields of `start`.
 *
 * Each extension has its own words for the same wishes; all of them are read here, whichever the type is. Keys that are
 * an adapter's own and change how a program is debugged are passed on to it; keys about an editor's windows mean
 * nothing here; every other key is named, so that nobody believes it was obeyed.
 */
import { Hint, type Operations } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import type { EditorType } from "../ports/Backend.ts"
import * as CommandLine from "../model/CommandLine.ts"
import type { Json } from "./LaunchJson.ts"

/** The fields that a configuration can fill. */
export type Fields = Partial<
  Pick<
    Operations.Payload<"start">,
    | "program"
    | "args"
    | "cwd"
    | "env"
    | "stop_on_entry"
    | "stop_at_main"
    | "stdin"
    | "stdout"
    | "stderr"
    | "terminal"
    | "init_cmd"
    | "pre_run_cmd"
    | "stop_cmd"
    | "source_map"
    | "adapter_opt"
    | "adapter"
  >
>

/** What a configuration means. */
export interface Meant {
  readonly fields: Fields
  /** Files of variables, set before `env`. */
  readonly envFiles: ReadonlyArray<string>
  /** Keys that are left out. */
  readonly left: ReadonlyArray<string>
}

/** Keys that are about an editor, or that say here what is so anyway. */
const silent: ReadonlySet<string> = new Set([
  "name",
  "type",
  "request",
  "presentation",
  "internalConsoleOptions",
  "serverReadyAction",
  "suppressMultipleSessionWarning",
  "debugServer",
  "showGlobalVariables",
  "logging",
  "MIMode",
  "miDebuggerPath",
  "externalConsole",
  "console",
  "integratedTerminal",
  "internalConsole",
  "linux",
  "osx",
  "windows"
])

const text = (value: unknown): string | undefined =>
  Predicate.isString(value) && value !== ""
    ? value
    : Predicate.isNumber(value) || Predicate.isBoolean(value)
      ? String(value)
      : undefined

const texts = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => {
    const found = text(item)
    return found === undefined ? [] : [found]
  })

/** `args` is a list, or one line that is quoted as for a shell. */
const argumentsOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((item) => (Predicate.isString(item) || Predicate.isNumber(item) ? [String(item)] : []))
  }
  return Predicate.isString(value) ? CommandLine.words(value) : []
}

/** `{"NAME": "value"}`, `["NAME=value"]` or `[{"name": …, "value": …}]`; null takes a variable away and is left out. */
const variablesOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (Predicate.isString(item)) return [item]
      const name = Predicate.isReadonlyObject(item) ? text(item["name"]) : undefined
      return name === undefined || !Predicate.isReadonlyObject(item) ? [] : [`${name}=${text(item["value"]) ?? ""}`]
    })
  }
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [`${name}=${text(item) ?? ""}`]))
}

const pair = (from: unknown, to: unknown): ReadonlyArray<string> =>
  Predicate.isString(from) && Predicate.isString(to) && from !== "" && to !== "" ? [`${from}=${to}`] : []

/** Pairs of places in each of the forms that extensions have, as FROM=TO with TO here. */
const mapsOf = (key: string, value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      if (Array.isArray(item)) return pair(item[0], item[1])
      if (!Predicate.isReadonlyObject(item)) return []
      return key === "substitutePath" ? pair(item["to"], item["from"]) : pair(item["remoteRoot"], item["localRoot"])
    })
  }
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.entries(value).flatMap(([from, to]) =>
    pair(from, Predicate.isReadonlyObject(to) ? to["editorPath"] : to)
  )
}

/** Where the program's streams go: `"FILE"`, `[in, out, err]` or `{stdin, stdout, stderr}`. */
const streamsOf = (value: unknown): Fields => {
  const [stdin, stdout, stderr] = (
    Array.isArray(value)
      ? [value[0], value[1], value[2]]
      : Predicate.isReadonlyObject(value)
        ? [value["stdin"], value["stdout"], value["stderr"]]
        : []
  ).map(text)
  return {
    ...(stdin === undefined ? {} : { stdin }),
    ...(stdout === undefined ? {} : { stdout }),
    ...(stderr === undefined ? {} : { stderr })
  }
}

const merged = (before: ReadonlyArray<string> | undefined, more: ReadonlyArray<string>) => [...(before ?? []), ...more]

/** Reads one key into the fields so far; nothing when it is not known. */
const key = (fields: Fields, name: string, value: unknown): Fields | undefined => {
  switch (name) {
    case "program":
    case "cwd": {
      const found = text(value)
      return found === undefined ? fields : { ...fields, [name]: found }
    }
    case "args":
      return { ...fields, args: argumentsOf(value) }
    case "env":
    case "environment":
      return { ...fields, env: merged(fields.env, variablesOf(value)) }
    case "stopOnEntry":
      return { ...fields, stop_on_entry: value === true }
    case "stopAtEntry":
    case "stopAtBeginningOfMainSubprogram":
    case "stopAtMain":
      return { ...fields, stop_at_main: value === true }
    case "sourceMap":
    case "sourceFileMap":
    case "sourceMaps":
    case "pathMappings":
    case "substitutePath":
      return Predicate.isBoolean(value)
        ? undefined
        : { ...fields, source_map: merged(fields.source_map, mapsOf(name, value)) }
    case "initCommands":
      return { ...fields, init_cmd: merged(fields.init_cmd, texts(value)) }
    case "preRunCommands":
      return { ...fields, pre_run_cmd: merged(fields.pre_run_cmd, texts(value)) }
    case "stopCommands":
      return { ...fields, stop_cmd: merged(fields.stop_cmd, texts(value)) }
    case "stdio":
      return { ...fields, ...streamsOf(value) }
    default:
      return undefined
  }
}

/** Reads a configuration whose variables have been replaced. */
export const read = (configuration: Json, type: EditorType): Meant => {
  let fields: Fields = type.adapter === undefined ? {} : { adapter: type.adapter }
  const left: Array<string> = []
  for (const [name, value] of Object.entries(configuration)) {
    const only = type.only?.[name]
    if (only !== undefined && !(Predicate.isString(value) && only.includes(value))) continue
    const own = only !== undefined || type.options.includes(name)
    const next = own ? undefined : key(fields, name, value)
    if (next !== undefined) fields = next
    else if (own) {
      fields = { ...fields, adapter_opt: merged(fields.adapter_opt, [`${name}=${JSON.stringify(value)}`]) }
    } else if (name !== "envFile" && !silent.has(name)) left.push(name)
  }
  return { fields, envFiles: texts(configuration["envFile"]), left }
}

/** The lines of a file of variables, as editors write it: `export` and quotes around a value are no part of it. */
export const variables = (content: string): ReadonlyArray<string> =>
  content.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined) return []
    const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? []
    const [, single] = /^'([^']*)'/.exec(value) ?? []
    const plain = double?.replaceAll("\\n", "\n").replaceAll(/\\(.)/g, "$1") ?? single ?? value.replace(/\s+#.*$/, "")
    return [`${name}=${plain}`]
  })

const basename = (file: string): string => file.replace(/^.*\//, "")

/** The debug server that a configuration connects to. */
const addressOf = (configuration: Json): string | undefined => {
  const given = text(configuration["miDebuggerServerAddress"]) ?? text(configuration["target"])
  const { connect } = configuration
  const { host, port } = Predicate.isReadonlyObject(connect) ? connect : configuration
  if (given !== undefined || (port === undefined && !Predicate.isReadonlyObject(connect))) return given
  const number = text(port)
  return number === undefined ? undefined : `${text(host) ?? "localhost"}:${number}`
}

/** The call that does what a configuration wants that starts nothing. */
export const instead = (configuration: Json): Hint.Hint => {
  const program = text(configuration["program"])
  const core = text(configuration["coreFile"]) ?? text(configuration["coreDumpPath"])
  if (core !== undefined) return Hint.call("core", { file: core, program })
  const pid = [configuration["pid"], configuration["processId"]].map(text).find((one) => /^\d+$/.test(one ?? ""))
  if (pid !== undefined) return Hint.call("attach", { pid: Number(pid), program })
  const address = addressOf(configuration)
  if (address !== undefined) return Hint.call("connect", { address, program })
  const { waitFor } = configuration
  const name = waitFor === true ? program : waitFor === false ? undefined : text(waitFor)
  if (name !== undefined) return Hint.call("attach", { name: basename(name), wait: true })
  return program === undefined ? Hint.help("attach") : Hint.call("attach", { name: basename(program) })
}
