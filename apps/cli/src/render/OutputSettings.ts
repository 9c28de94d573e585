/**
 * Settings of the output of a command line, from its options, the configuration and the environment, in this order.
 */
import { resolve } from "node:path"
import { Settings as Configured } from "@sigtrap/protocol"
import type { CommandLine } from "@sigtrap/host/daemon/Protocol"
import { Predicate } from "effect"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"

/** Settings of the output. */
export interface Settings {
  readonly json: boolean
  readonly pretty: boolean
  /** Path of the part of the JSON to print. */
  readonly select?: string
  readonly quiet: boolean
  readonly verbose: boolean
  /** Maximum size of an answer in bytes; 0 is unlimited. */
  readonly budget: number
  /** Whether each stream has colours. */
  readonly color: { readonly stdout: boolean; readonly stderr: boolean }
  /** The working directory, as an absolute path. */
  readonly directory: string
  /** Longest time of a command that has no time of its own: a duration as it was written. */
  readonly timeout?: string
}

const budgets = { text: 2000, json: 16_384 } as const

const color = (globals: Argv.Fields, { environment, terminal }: CommandLine): Settings["color"] => {
  const forced = environment["FORCE_COLOR"] ?? ""
  const isForced = forced !== "" && forced !== "0" && forced !== "false"
  const none = (environment["NO_COLOR"] ?? "") !== ""
  if (globals["color"] === "always") return { stdout: true, stderr: true }
  if (globals["color"] !== "never" && isForced && !none) return { stdout: true, stderr: true }
  const refused = globals["color"] === "never" || none || (forced !== "" && !isForced) || environment["TERM"] === "dumb"
  const able = terminal.color && !refused
  return { stdout: able && terminal.stdout, stderr: able && terminal.stderr }
}

const text = (value: unknown): string | undefined => (Predicate.isString(value) ? value : undefined)

/** Makes the settings of a command line. */
export const make = (globals: Argv.Fields, request: CommandLine, values: Configured.Values): Settings => {
  const { environment, directory } = request
  const select = text(globals["select"])
  const timeout = text(globals["timeout"])
  const pretty = globals["pretty"] === true
  const json = globals["json"] === true || pretty || select !== undefined || environment["SIGTRAP_FORMAT"] === "json"
  const standard = json ? budgets.json : budgets.text
  const budget = Configured.text(values, "output.budget")
  const asked = globals["budget"] ?? (budget === undefined ? undefined : Number(budget))
  const settings: Settings = {
    json,
    pretty,
    ...(select === undefined ? {} : { select }),
    quiet: globals["quiet"] === true,
    verbose: globals["verbose"] === true,
    budget: typeof asked === "number" && asked >= 0 ? asked : standard,
    color: color(globals, request),
    directory: resolve(directory, text(globals["directory"]) ?? ""),
    ...(timeout === undefined ? {} : { timeout })
  }
  return settings
}
