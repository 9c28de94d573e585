/**
 * Settings that a user keeps: a small TOML file of known keys, under the environment and under options.
 *
 * Each key stands for an environment variable, so that there is one order for all: built-in, file, environment, option.
 * Of TOML this reads tables, keys, strings, numbers and truths, which is all that the keys need; anything else in the file is
 * an error with its line.
 */
import { Field } from "@sigtrap/protocol"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Nearest from "../Nearest.ts"

/** A setting. */
export interface Key {
  readonly key: string
  readonly variable: string
  readonly fallback: string
  readonly description: string
  /** What is wrong with a value, if anything is. */
  readonly problem: (value: string) => string | undefined
}

const duration = (value: string) =>
  value === "inf" || value === "0" || Field.millis(value) > 0 ? undefined : "write a duration as 30s, 500ms, 2m or 1h"

const oneOf =
  (...values: ReadonlyArray<string>) =>
  (value: string) =>
    values.includes(value) ? undefined : `write one of ${values.join(", ")}`

/** Every key there is. */
export const keys: ReadonlyArray<Key> = [
  {
    key: "defaults.adapter",
    variable: "SIGTRAP_ADAPTER",
    fallback: "lldb-dap",
    description: "Debug adapter to start, a name or a path",
    problem: (value) => (value === "" ? "write a name or a path" : undefined)
  },
  {
    key: "timeouts.wait",
    variable: "SIGTRAP_TIMEOUT",
    fallback: "30s",
    description: "Longest wait of resuming commands and of wait",
    problem: duration
  },
  {
    key: "output.context",
    variable: "SIGTRAP_CONTEXT",
    fallback: "brief",
    description: "How much a stop report says",
    problem: oneOf("none", "line", "brief", "full")
  },
  {
    key: "output.budget",
    variable: "SIGTRAP_BUDGET",
    fallback: "2000",
    description: "Longest answer in bytes, 0 is unlimited",
    problem: (value) => (/^\d{1,9}$/.test(value) ? undefined : "write a whole number")
  },
  {
    key: "daemon.idle",
    variable: "SIGTRAP_IDLE",
    fallback: "30m",
    description: "How long an unused daemon stays",
    problem: (value) => (value === "0" ? "write a duration as 30m" : duration(value))
  }
]

/** The setting of a name. */
export const find = (name: string): Result.Result<Key, { readonly near: ReadonlyArray<string> }> => {
  const key = keys.find((candidate) => candidate.key === name)
  if (key !== undefined) return Result.succeed(key)
  const all = keys.map(({ key }) => key)
  const last = name.split(".").at(-1) ?? name
  const byLast = all.filter((candidate) => candidate.split(".").at(-1) === last)
  return Result.fail({ near: byLast.length > 0 ? byLast : Nearest.names(name, all) })
}

/** A value in a file, with its line. */
export interface Written {
  readonly key: string
  readonly value: string
  /** From 1. */
  readonly line: number
}

const scalar = (text: string): string | undefined => {
  const basic = /^"((?:[^"\\]|\\["\\nt])*)"\s*(?:#.*)?$/.exec(text)?.[1]
  if (basic !== undefined) {
    return basic.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter === "t" ? "\t" : letter))
  }
  return /^'([^']*)'\s*(?:#.*)?$/.exec(text)?.[1] ?? /^(true|false|\d+)\s*(?:#.*)?$/.exec(text)?.[1]
}

/** Reads the text of a file; what is wrong with it, one sentence each. */
export const parse = (text: string): Result.Result<ReadonlyArray<Written>, ReadonlyArray<string>> => {
  const problems: Array<string> = []
  const found: Array<Written> = []
  let table = ""
  text.split("\n").forEach((raw, index) => {
    const line = index + 1
    const content = raw.trim()
    if (content === "" || content.startsWith("#")) return
    const header = /^\[\s*([\w-]+(?:\.[\w-]+)*)\s*\]\s*(?:#.*)?$/.exec(content)?.[1]
    if (header !== undefined) {
      table = `${header}.`
      return
    }
    const [, name, rest = ""] = /^([\w-]+(?:\.[\w-]+)*)\s*=\s*(.*)$/.exec(content) ?? []
    const value = name === undefined ? undefined : scalar(rest)
    if (name === undefined || value === undefined) {
      problems.push(`line ${line}: expected a key and a string, a number or true or false: ${content.slice(0, 60)}`)
      return
    }
    const key = `${table}${name}`
    const known = find(key)
    if (Result.isFailure(known)) {
      const { near } = known.failure
      problems.push(`line ${line}: no key ${key}${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`)
      return
    }
    const wrong = known.success.problem(value)
    if (wrong !== undefined) problems.push(`line ${line}: ${key} = ${value}: ${wrong}`)
    else if (found.some((other) => other.key === key)) problems.push(`line ${line}: ${key} is there twice`)
    else found.push({ key, value, line })
  })
  return problems.length > 0 ? Result.fail(problems) : Result.succeed(found)
}

const quoted = (value: string) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

/** The text with a key set or, without a value, taken out; comments and all other lines stay. */
export const change = (text: string, key: string, value: string | undefined): string => {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n")
  const [table = "", name = ""] = key.split(".")
  const written = `${name} = ${value === undefined ? "" : quoted(value)}`
  const read = parse(text)
  const known = Result.isSuccess(read) ? read.success.find((other) => other.key === key) : undefined
  if (known !== undefined) lines.splice(known.line - 1, 1, ...(value === undefined ? [] : [written]))
  else if (value !== undefined) {
    const header = lines.findIndex((line) => line.trim() === `[${table}]`)
    if (header >= 0) lines.splice(header + 1, 0, written)
    else lines.push(...(lines.length === 0 ? [] : [""]), `[${table}]`, written)
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

/** Where the user's file is; nowhere without a home. */
export const path = (environment: { readonly [name: string]: string }): string | undefined => {
  const { HOME, SIGTRAP_CONFIG, XDG_CONFIG_HOME } = environment
  if (SIGTRAP_CONFIG !== undefined && SIGTRAP_CONFIG !== "") return SIGTRAP_CONFIG
  if (XDG_CONFIG_HOME?.startsWith("/") === true) return join(XDG_CONFIG_HOME, "sigtrap", "config.toml")
  return HOME?.startsWith("/") === true ? join(HOME, ".config", "sigtrap", "config.toml") : undefined
}

/** The text of the user's file; empty when there is none. */
export const text = (file: string | undefined): string =>
  file === undefined
    ? ""
    : Result.getOrElse(
        Result.try(() => readFileSync(file, "utf8")),
        () => ""
      )

/** The environment with what the user's file says below it; a file with a mistake is an error. */
export const layer = (environment: { readonly [name: string]: string }) => {
  const file = path(environment)
  const read = parse(text(file))
  if (Result.isFailure(read)) {
    return { environment, problem: `${file ?? ""}: ${read.failure.join("; ")}` }
  }
  const values = read.success.flatMap(({ key, value }) => {
    const variable = keys.find((known) => known.key === key)?.variable
    return variable === undefined ? [] : [[variable, value] as const]
  })
  // A variable that is empty counts as not set.
  const set = Object.entries(environment).filter(
    ([name, value]) => value !== "" || !values.some(([variable]) => variable === name)
  )
  return { environment: { ...Object.fromEntries(values), ...Object.fromEntries(set) }, problem: undefined }
}
