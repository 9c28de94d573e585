/**
 * Maps the keys of an editor's launch configuration to fields of `start`.
 *
 * Extensions have different keys for the same option; all are read, whatever the type. An adapter's own keys are passed
 * on to it. Keys about the editor's windows are ignored. Every other key is reported as unused.
 */
import { Hint, type Operations, ShellWords } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import type { EditorType } from "../ports/Backend.ts"
import type { Json } from "./LaunchJson.ts"

/** The fields that a configuration can set. */
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

/** A configuration as fields of `start`. */
export interface Mapped {
  readonly fields: Fields
  /** Files of variables, read before `env`. */
  readonly envFiles: ReadonlyArray<string>
  /** Keys that are not used. */
  readonly unused: ReadonlyArray<string>
}

/** Keys that concern only the editor, or that state a default. */
const ignored: ReadonlySet<string> = new Set([
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

/** Reads `args`: a list, or one line with shell quoting. */
const argumentsOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    return value.flatMap((item) => (Predicate.isString(item) || Predicate.isNumber(item) ? [String(item)] : []))
  }
  return Predicate.isString(value) ? ShellWords.split(value) : []
}

/** Reads `{"NAME": "value"}`, `["NAME=value"]` or `[{"name": …, "value": …}]`. A null value is skipped. */
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

/** Reads source maps in the forms of all extensions, as FROM=TO with TO on this machine. */
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

/** Reads redirections: `[in, out, err]` or `{stdin, stdout, stderr}`. */
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

/** The keys of the fields that hold commands. */
const commandKeys: { readonly [field: string]: string } = {
  init_cmd: "initCommands",
  pre_run_cmd: "preRunCommands",
  stop_cmd: "stopCommands",
  adapter_opt: "an option"
}

/** Returns the key of a configuration that sets a field, for messages; the field if no command is in it. */
export const keyOf = (field: string): string => commandKeys[field] ?? field

/** A key that sets fields of `start`. */
export interface Key {
  readonly sets: ReadonlyArray<keyof Fields>
  /** Adds the value to the fields; undefined for a value with another meaning. */
  readonly read: (fields: Fields, value: unknown) => Fields | undefined
}

const textKey = (field: "program" | "cwd"): Key => ({
  sets: [field],
  read: (fields, value) => {
    const found = text(value)
    return found === undefined ? fields : { ...fields, [field]: found }
  }
})

const flag = (field: "stop_on_entry" | "stop_at_main"): Key => ({
  sets: [field],
  read: (fields, value) => ({ ...fields, [field]: value === true })
})

const environment: Key = {
  sets: ["env"],
  read: (fields, value) => ({ ...fields, env: merged(fields.env, variablesOf(value)) })
}

const commands = (field: "init_cmd" | "pre_run_cmd" | "stop_cmd"): Key => ({
  sets: [field],
  read: (fields, value) => ({ ...fields, [field]: merged(fields[field], texts(value)) })
})

const sourceMap = (name: string): Key => ({
  sets: ["source_map"],
  // js-debug has a switch of the name `sourceMaps`.
  read: (fields, value) =>
    Predicate.isBoolean(value) ? undefined : { ...fields, source_map: merged(fields.source_map, mapsOf(name, value)) }
})

/** The keys that are read for every type, by their names. */
export const keys: ReadonlyMap<string, Key> = new Map([
  ["program", textKey("program")],
  ["cwd", textKey("cwd")],
  ["args", { sets: ["args"], read: (fields, value) => ({ ...fields, args: argumentsOf(value) }) }],
  ["env", environment],
  ["environment", environment],
  ["stopOnEntry", flag("stop_on_entry")],
  ["stopAtEntry", flag("stop_at_main")],
  ["stopAtBeginningOfMainSubprogram", flag("stop_at_main")],
  ["stopAtMain", flag("stop_at_main")],
  ["sourceMap", sourceMap("sourceMap")],
  ["sourceFileMap", sourceMap("sourceFileMap")],
  ["sourceMaps", sourceMap("sourceMaps")],
  ["pathMappings", sourceMap("pathMappings")],
  ["substitutePath", sourceMap("substitutePath")],
  ["initCommands", commands("init_cmd")],
  ["preRunCommands", commands("pre_run_cmd")],
  ["stopCommands", commands("stop_cmd")],
  ["stdio", { sets: ["stdin", "stdout", "stderr"], read: (fields, value) => ({ ...fields, ...streamsOf(value) }) }]
] satisfies ReadonlyArray<readonly [string, Key]>)

/** Reads a configuration whose variables are resolved. */
export const read = (configuration: Json, type: EditorType): Mapped => {
  let fields: Fields = type.adapter === undefined ? {} : { adapter: type.adapter }
  const unused: Array<string> = []
  for (const [name, value] of Object.entries(configuration)) {
    const only = type.only?.[name]
    if (only !== undefined && !(Predicate.isString(value) && only.includes(value))) continue
    const own = only !== undefined || type.options.includes(name)
    const next = own ? undefined : keys.get(name)?.read(fields, value)
    if (next !== undefined) fields = next
    else if (own) {
      fields = { ...fields, adapter_opt: merged(fields.adapter_opt, [`${name}=${JSON.stringify(value)}`]) }
    } else if (name !== "envFile" && !ignored.has(name)) unused.push(name)
  }
  return { fields, envFiles: texts(configuration["envFile"]), unused }
}

/** Reads an editor's file of variables. `export` and quotes around a value are removed. */
export const variables = (content: string): ReadonlyArray<string> =>
  content.split(/\r?\n/).flatMap((line) => {
    const [, name, written = ""] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? []
    if (name === undefined) return []
    const value = written.trim()
    const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? []
    const [, single] = /^'([^']*)'/.exec(value) ?? []
    const plain =
      double?.replaceAll("\\n", "\n").replaceAll(/\\(.)/g, "$1") ?? single ?? value.replace(/(?<!\s)\s+#.*$/, "")
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

/** Returns the call for a configuration that does not start a program: `core`, `connect` or `attach`. */
export const callWithoutStart = (configuration: Json): Hint.Hint => {
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
