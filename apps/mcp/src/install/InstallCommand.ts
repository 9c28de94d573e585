/**
 * `sigtrap-mcp install`: writes this server into the configuration of a client, or prints what it would write. What
 * stands there already is replaced only when a person says so. A file is replaced whole by renaming, never half written.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"
import { Predicate } from "effect"
import * as ServerArguments from "../server/ServerArguments.ts"
import * as Profile from "../tools/Profile.ts"
import * as ClientFiles from "./ClientFiles.ts"
import * as Jsonc from "./Jsonc.ts"
import * as Toml from "./Toml.ts"

/** What the command does to the world, for tests to look at. */
export interface World {
  readonly place: ClientFiles.Place
  /** The project: where it was typed. */
  readonly directory: string
  /** How this program was started. */
  readonly self: { readonly node: string; readonly script: string }
  readonly write: (text: string) => void
  readonly complain: (text: string) => void
  /** Asks a person; nobody is there when absent. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
}

const options = {
  client: { type: "string" },
  scope: { type: "string", default: "user" },
  name: { type: "string", default: "sigtrap" },
  profile: { type: "string" },
  allow: { type: "string" },
  print: { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  help: { type: "boolean", default: false }
} as const

interface Entry {
  readonly file: string
  readonly path: readonly [string, ...ReadonlyArray<string>]
  readonly fields: { readonly [key: string]: unknown }
  readonly client: ClientFiles.Client
}

/** The entry as it stands on its own. */
const snippet = ({ client, fields, path }: Entry): string =>
  client.format === "toml"
    ? Toml.table(path, fields)
    : JSON.stringify(
        path.reduceRight<unknown>((made, key) => ({ [key]: made }), fields),
        undefined,
        2
      )

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (Predicate.isReadonlyObject(inner) ? inner[key] : undefined), value)

/** What stands there already, as text. */
const existing = (entry: Entry, text: string): string | undefined => {
  if (entry.client.format === "toml") return Toml.find(text, entry.path)
  const parsed = Jsonc.parse(text)
  const found = "value" in parsed ? at(parsed.value, entry.path) : undefined
  return found === undefined ? undefined : JSON.stringify(found)
}

const changed = ({ client, fields, path }: Entry, text: string) =>
  client.format === "toml" ? Toml.set(text, path, fields) : Jsonc.set(text, path, fields)

const save = (file: string, text: string) => {
  // A link stays a link: what it points to is what is replaced.
  const real = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
  mkdirSync(dirname(real), { recursive: true })
  const fresh = `${real}.${process.pid}`
  writeFileSync(fresh, text, { mode })
  renameSync(fresh, real)
}

/** Runs the command in a world; the exit code. */
export const install = async (words: ReadonlyArray<string>, world: World): Promise<number> => {
  const usage = (problem: string, hint = ServerArguments.usage.split("\n")[1]?.trim() ?? "") => {
    world.complain(`error: ${problem} [USAGE]\nhint: ${hint}\n`)
    return 2
  }
  const { tokens, values } = parseArgs({ args: [...words], options, strict: false, tokens: true })
  const stray = tokens.find((token) => token.kind !== "option" || !Object.hasOwn(options, token.name))
  if (stray !== undefined) return usage(`unknown argument ${words[stray.index] ?? ""}`)
  const names = ClientFiles.all.map(({ name }) => name).join(", ")
  if (values.help === true) {
    world.write(`${ServerArguments.usage}\nclients: ${names}\n`)
    return 0
  }
  const { allow, force, name, print, profile, scope } = values
  if (!Predicate.isString(values.client)) return usage(`--client is missing; there are: ${names}`)
  const client = ClientFiles.find(values.client)
  if (client === undefined) return usage(`no client ${values.client}; there are: ${names}`)
  if (scope !== "user" && scope !== "project") return usage("--scope takes user or project")
  if (scope === "project" && client.project === undefined) return usage(`${client.title} reads no file of a project`)
  if (!Predicate.isString(name) || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return usage("--name takes letters, digits, dash and underscore")
  }
  if (profile !== undefined && (!Predicate.isString(profile) || !Profile.isName(profile))) {
    return usage(`no profile ${String(profile)}; there are: ${Profile.names.join(", ")}`)
  }
  if (allow !== undefined && (!Predicate.isString(allow) || ServerArguments.tiers(allow) === undefined)) {
    return usage(`--allow takes write and admin, not ${String(allow)}`)
  }
  const args = [
    ...(Predicate.isString(profile) ? ["--profile", profile] : []),
    ...(Predicate.isString(allow) ? ["--allow", allow] : [])
  ]
  // A project's file is for everybody in it; the user's own is for programs that may not have the user's PATH.
  const server =
    scope === "project"
      ? { command: "npx", args: ["-y", "@sigtrap/mcp", ...args] }
      : { command: world.self.node, args: [world.self.script, ...args] }
  const [first = "", ...below] = client.below
  const entry: Entry = {
    client,
    file: scope === "user" ? client.user(world.place) : resolve(world.directory, client.project ?? ""),
    path: [first, ...below, name],
    fields: client.entry(server)
  }
  if (print === true) {
    world.write(`${entry.file}\n${snippet(entry)}\n`)
    return 0
  }
  const text = existsSync(entry.file) ? readFileSync(entry.file, "utf8") : ""
  const result = changed(entry, text)
  if ("problem" in result)
    return usage(`${entry.file} is left alone: ${result.problem}`, `add by hand:\n${snippet(entry)}`)
  const before = existing(entry, text)
  if (before !== undefined && result.text === text) {
    world.write(`${client.title} has it already: ${entry.file}\n`)
    return 0
  }
  if (before !== undefined && force !== true) {
    if (world.ask === undefined)
      return usage(`${entry.file} has ${name} already`, "replace it with --force, or see --print")
    const answer = await world.ask(`${entry.file} has ${name} already:\n${before}\nReplace it? [y/N] `)
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      world.write("nothing was changed\n")
      return 0
    }
  }
  try {
    save(entry.file, result.text)
  } catch (error) {
    world.complain(
      `error: ${entry.file} cannot be written: ${String(error)} [PERMISSION]\nhint: add by hand:\n${snippet(entry)}\n`
    )
    return 10
  }
  const consent = Predicate.isString(allow)
    ? ""
    : "a client that cannot ask you is refused to start programs; --allow admin allows it\n"
  world.write(`${entry.file}: ${name} was written\n${client.title}: ${client.afterwards}\n${consent}`)
  return 0
}

const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/** Runs the command here; the exit code. */
export const run = (words: ReadonlyArray<string>): Promise<number> => {
  const home = process.env["HOME"] ?? homedir()
  const xdg = process.env["XDG_CONFIG_HOME"] ?? ""
  return install(words, {
    place: {
      home,
      platform: process.platform === "darwin" ? "darwin" : "linux",
      config: xdg.startsWith("/") ? xdg : join(home, ".config")
    },
    directory: process.cwd(),
    self: { node: process.execPath, script: realpathSync(process.argv[1] ?? "") },
    write: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(text),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {})
  })
}
