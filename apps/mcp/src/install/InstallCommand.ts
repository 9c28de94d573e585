/**
 * `sigtrap mcp install`: writes this server into the settings file of an MCP client, or prints what it would write. An
 * existing entry is replaced only after a confirmation or with --force. The file is replaced by a rename, so a reader
 * never sees half of it.
 */
import { existsSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"
import { Directories, FileReader, SystemError } from "@sigtrap/host"
import { Effect, Predicate, Result } from "effect"
import * as Version from "@sigtrap/host/daemon/Version"
import * as TomlText from "@sigtrap/host/config/TomlText"
import * as ServerArguments from "../server/ServerArguments.ts"
import * as Profile from "../tools/Profile.ts"
import * as ClientFiles from "./ClientFiles.ts"
import * as Jsonc from "./Jsonc.ts"
import * as ServerCommand from "./ServerCommand.ts"

/** What the command reads from and writes to, replaced in tests. */
export interface Environment {
  readonly folders: ClientFiles.Folders
  /** The project: the working directory of the command. */
  readonly directory: string
  /** The command that starts this server. */
  readonly server: ServerCommand.ServerCommand
  readonly write: (text: string) => void
  readonly writeError: (text: string) => void
  /** Asks the user; absent without a terminal. */
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

/** The server's entry in a client's file. */
interface Entry {
  readonly file: string
  readonly path: readonly [string, ...ReadonlyArray<string>]
  readonly fields: ClientFiles.Fields
  readonly client: ClientFiles.Client
}

/** What the arguments ask for. */
interface Request {
  readonly entry: Entry
  /** The server's name in the client. */
  readonly name: string
  readonly print: boolean
  readonly force: boolean
  /** Whether --allow was given. */
  readonly allows: boolean
}

const clientNames = ClientFiles.all.map(({ name }) => name).join(", ")

/** Parses the arguments; the failure is one sentence. */
const parse = (words: ReadonlyArray<string>, environment: Environment): Result.Result<Request | "help", string> => {
  const { tokens, values } = parseArgs({ args: [...words], options, strict: false, tokens: true })
  const stray = tokens.find((token) => token.kind !== "option" || !Object.hasOwn(options, token.name))
  if (stray !== undefined) return Result.fail(`unknown argument ${words[stray.index] ?? ""}`)
  if (values.help === true) return Result.succeed("help")
  const { allow, force, name, print, profile, scope } = values
  if (!Predicate.isString(values.client)) return Result.fail(`--client is missing; it takes ${clientNames}`)
  const client = ClientFiles.find(values.client)
  if (client === undefined) return Result.fail(`unknown client ${values.client}; --client takes ${clientNames}`)
  if (scope !== "user" && scope !== "project") return Result.fail("--scope takes user or project")
  if (scope === "project" && client.project === undefined) {
    return Result.fail(`${client.title} has no settings file for a project`)
  }
  if (!Predicate.isString(name) || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return Result.fail("--name takes 1 to 64 letters, digits, dashes and underscores")
  }
  if (profile !== undefined && (!Predicate.isString(profile) || !Profile.isName(profile))) {
    return Result.fail(`unknown profile ${String(profile)}; --profile takes ${Profile.names.join(", ")}`)
  }
  if (allow !== undefined && (!Predicate.isString(allow) || ServerArguments.tiers(allow) === undefined)) {
    return Result.fail(`--allow takes write, admin, launch or raw, not ${String(allow)}`)
  }
  const args = [
    ...(Predicate.isString(profile) ? ["--profile", profile] : []),
    ...(Predicate.isString(allow) ? ["--allow", allow] : [])
  ]
  // A project's file is shared, so it names no path of this machine. A user's client may start without the user's PATH.
  const { program, args: first } = environment.server
  const server =
    scope === "project"
      ? { command: "npx", args: ["-y", "@sigtrap/mcp", ...args] }
      : { command: program, args: [...first, ...args] }
  const [outer, ...parents] = client.parents
  const entry: Entry = {
    client,
    file: scope === "user" ? client.user(environment.folders) : resolve(environment.directory, client.project ?? ""),
    path: [outer, ...parents, name],
    fields: client.entry(server)
  }
  const allows = Predicate.isString(allow)
  return Result.succeed({ entry, name, print: print === true, force: force === true, allows })
}

/** Writes the entry as a document of its own. */
const snippet = ({ client, fields, path }: Entry): string =>
  client.format === "toml"
    ? TomlText.table(path, fields)
    : JSON.stringify(
        path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), fields),
        undefined,
        2
      )

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (Predicate.isReadonlyObject(inner) ? inner[key] : undefined), value)

/** Returns the entry of the same name that a file has, as text. */
const existing = ({ client, path }: Entry, text: string): string | undefined => {
  if (client.format === "toml") return TomlText.findTable(text, path)
  const parsed = Jsonc.parse(text)
  const found = "value" in parsed ? valueAt(parsed.value, path) : undefined
  return found === undefined ? undefined : JSON.stringify(found)
}

/** Returns a file's text with the entry; the failure says why the file cannot be edited. */
const edited = ({ client, fields, path }: Entry, text: string): Result.Result<string, string> => {
  if (client.format === "toml") return TomlText.setTable(text, path, fields)
  const result = Jsonc.set(text, path, fields)
  return "text" in result ? Result.succeed(result.text) : Result.fail(result.problem)
}

/** Most bytes of a settings file. Some clients keep the history of their conversations in it. */
const settingsLimit = { limit: 16 * 1024 * 1024 }

/** Replaces a file by a rename. A symbolic link is kept and its target replaced. */
const save = (file: string, text: string) => {
  const target = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600
  Directories.make(dirname(target))
  const temporary = `${target}.${process.pid}`
  writeFileSync(temporary, text, { mode })
  renameSync(temporary, target)
}

/** Runs the command; returns the exit code. */
export const install = async (words: ReadonlyArray<string>, environment: Environment): Promise<number> => {
  const { ask, write, writeError } = environment
  const usage = (problem: string, hint = "sigtrap mcp install --help") => {
    writeError(`error: ${problem} [USAGE]\nhint: ${hint}\n`)
    return 2
  }
  const parsed = parse(words, environment)
  if (Result.isFailure(parsed)) return usage(parsed.failure)
  if (parsed.success === "help") {
    write(`${ServerArguments.usage}\nclients: ${clientNames}\n`)
    return 0
  }
  const { allows, entry, force, name, print } = parsed.success
  const { client, file } = entry
  if (print) {
    write(`${file}\n${snippet(entry)}\n`)
    return 0
  }
  const read = existsSync(file)
    ? await Effect.runPromise(Effect.result(FileReader.reader.text(file, settingsLimit)))
    : undefined
  if (read !== undefined && Result.isFailure(read)) return usage(read.failure.message)
  const text = read?.success ?? ""
  const result = edited(entry, text)
  if (Result.isFailure(result)) {
    return usage(`${file} is left unchanged: ${result.failure}`, `add by hand:\n${snippet(entry)}`)
  }
  const before = existing(entry, text)
  if (before !== undefined && result.success === text) {
    write(`${client.title} already has this entry: ${file}\n`)
    return 0
  }
  if (before !== undefined && !force) {
    if (ask === undefined) return usage(`${file} already has ${name}`, "replace it with --force, or see --print")
    const answer = await ask(`${file} already has ${name}:\n${before}\nReplace it? [y/N] `)
    if (!/^y(?:es)?$/i.test(answer.trim())) {
      write("nothing was changed\n")
      return 0
    }
  }
  try {
    save(file, result.success)
  } catch (error) {
    writeError(
      `error: ${file} cannot be written: ${SystemError.describe(error)} [PERMISSION]\nhint: add by hand:\n${snippet(entry)}\n`
    )
    return 10
  }
  const consent = allows
    ? ""
    : "A client that cannot show a form may start and attach, but not change programs or run debugger and build commands; --allow write,raw allows both.\n"
  write(`${file}: added ${name}\n${client.title}: ${client.afterwards}\n${consent}`)
  return 0
}

const askInTerminal = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}

/**
 * Runs the command with this process's files and terminal; returns the exit code. `sigtrap` is the command that starts sigtrap,
 * if this process is one.
 */
export const run = (words: ReadonlyArray<string>, sigtrap?: ServerCommand.ServerCommand): Promise<number> => {
  const home = process.env["HOME"] ?? homedir()
  const xdg = process.env["XDG_CONFIG_HOME"] ?? ""
  return install(words, {
    folders: {
      home,
      platform: process.platform === "darwin" ? "darwin" : "linux",
      config: xdg.startsWith("/") ? xdg : join(home, ".config")
    },
    directory: process.cwd(),
    server: ServerCommand.of(ServerCommand.origin(Version.product, sigtrap)),
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askInTerminal } : {})
  })
}
