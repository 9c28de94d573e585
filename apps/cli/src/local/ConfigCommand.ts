/**
 * `sigtrap config path|list|get|set|unset|validate`.
 */
import { Errors } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as Nearest from "../Nearest.ts"
import * as Config from "./Config.ts"
import type { Answer, Command, Place } from "./Local.ts"
import * as Words from "./Words.ts"

const verbs = ["path", "list", "get", "set", "unset", "validate"] as const

const usage = (problem: string, near: ReadonlyArray<string> = [], help = "sigtrap config list") =>
  new Errors.Usage({ problem, near, help })

/** A file with a mistake, as its own error. */
const invalid = (file: string, problems: ReadonlyArray<string>): Answer => ({
  text: "",
  data: { file, problems },
  problem: {
    code: "INVALID_CONFIG",
    exit: 2,
    message: `${file}: ${problems.join("; ")}`,
    hint: "sigtrap config path"
  }
})

interface Value {
  readonly key: string
  readonly value: string
  readonly origin: "default" | "user" | "env"
}

const valueOf = (key: Config.Key, written: ReadonlyArray<Config.Written>, place: Place): Value => {
  const fromEnvironment = place.environment[key.variable] ?? ""
  if (fromEnvironment !== "") return { key: key.key, value: fromEnvironment, origin: "env" }
  const user = written.find((other) => other.key === key.key)
  return user === undefined
    ? { key: key.key, value: key.fallback, origin: "default" }
    : { key: key.key, value: user.value, origin: "user" }
}

const save = (file: string, text: string) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      // Readers see the old file or the new one, never half of it.
      const fresh = `${file}.${process.pid}`
      writeFileSync(fresh, text, { mode: 0o600 })
      renameSync(fresh, file)
    },
    catch: (error) => new Errors.Permission({ detail: String(error), remedy: "sigtrap config path" })
  })

const keyOf = (name: string | undefined) => {
  if (name === undefined) return Effect.fail(usage("KEY is missing"))
  return Effect.mapError(Effect.fromResult(Config.find(name)), ({ near }) => usage(`no key '${name}'`, near))
}

/** Runs the command. */
export const run: Command = Effect.fnUntraced(function* (argv, place) {
  const read = yield* Effect.fromResult(Words.read({ command: "config", flags: ["user"], valued: [] }, argv))
  const [verb = "list", name, ...rest] = read.words
  const file = Config.path(place.environment)
  if (!verbs.some((known) => known === verb)) {
    return yield* usage(`config has no command '${verb}'`, Nearest.names(verb, verbs))
  }
  if (file === undefined)
    return yield* usage("there is no place for a file: HOME is not set", [], "sigtrap config --help")
  if (verb === "path") return { text: `${file}\n`, data: { path: file } }
  const text = Config.text(file)
  const parsed = Config.parse(text)
  if (Result.isFailure(parsed)) {
    // A wrong line can be repaired with an editor only: what it was meant to say is not known.
    return invalid(file, parsed.failure)
  }
  switch (verb) {
    case "validate":
      return { text: `${file} is fine\n`, data: { file, problems: [] } }
    case "get": {
      const value = valueOf(yield* keyOf(name), parsed.success, place)
      return { text: `${value.value}\n`, data: value }
    }
    case "set": {
      const key = yield* keyOf(name)
      const value = rest.join(" ")
      if (rest.length === 0)
        return yield* usage("VALUE is missing", [], `sigtrap config set ${key.key} ${key.fallback}`)
      const wrong = key.problem(value)
      if (wrong !== undefined) return yield* usage(`${key.key}: ${wrong}, not '${value}'`)
      yield* save(file, Config.change(text, key.key, value))
      return { text: `${key.key} = ${value}\n`, data: { key: key.key, value, origin: "user" } }
    }
    case "unset": {
      const key = yield* keyOf(name)
      yield* save(file, Config.change(text, key.key, undefined))
      return { text: `${key.key} is no longer set\n`, data: { key: key.key } }
    }
    default: {
      const items = Config.keys.map((key) => valueOf(key, parsed.success, place))
      const lines = items.map(({ key, origin, value }) => `${key.padEnd(18)} ${value.padEnd(12)} ${origin}`)
      return { text: `${lines.join("\n")}\n`, data: { items } }
    }
  }
})
