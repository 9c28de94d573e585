/**
 * The commands: one for each operation, and a few of the command line's own. Words, options and examples are computed
 * from the operations; nothing is said twice.
 */
import { Envelope, Operation, Operations, Payload, ShellWords } from "@sigtrap/protocol"
import { Predicate } from "effect"
import * as Aliases from "./Aliases.ts"
import * as Options from "./Options.ts"

/** A command that calls an operation. */
export interface Command {
  /** Its words: `breakpoint list`. */
  readonly name: string
  readonly operation: Operation.Any
  readonly meta: Operation.Meta
  readonly options: ReadonlyArray<Options.Option>
  /** Everything after its first argument is the argument, dashes and all: a line for another program. */
  readonly verbatim: boolean
}

/** A command of the command line itself. */
export interface Own {
  readonly name: "help" | "schema" | "commands" | "completion" | "version" | "__complete" | Machine
  readonly usage: string
  readonly summary: string
  readonly examples: readonly [string, string]
  /** Carried out by the program itself before it gets here: only its help is asked for. */
  readonly local?: true
}

type Machine = "adapters" | "daemon" | "config" | "doctor" | "log" | "mcp" | "setup" | "skill" | "test"

/** Operations whose argument is a line for another program. */
const verbatim: ReadonlySet<string> = new Set(["raw"])

const make = (operation: Operation.Any): Command => ({
  name: Envelope.command(operation),
  operation,
  meta: Operation.meta(operation),
  options: Options.of(operation),
  verbatim: verbatim.has(operation._tag)
})

/** One command for each operation, in reading order. */
export const all: ReadonlyArray<Command> = Operations.all.map(make)

const byName = new Map(all.map((command) => [command.name, command]))

/** The command of that name. */
export const find = (name: string): Command | undefined => byName.get(name)

/** The command that `--version` stands for. */
export const version: Own = {
  name: "version",
  usage: "version",
  summary: "Print the versions",
  examples: ["version", "version --json"]
}

/** The command line's own commands; those that begin with an underscore are for scripts. */
export const own: ReadonlyArray<Own> = [
  { name: "help", usage: "help [COMMAND]", summary: "Explain a command", examples: ["help break", "help --agent"] },
  {
    name: "schema",
    usage: "schema [COMMAND]",
    summary: "Print JSON Schemas of a command's payload and of its JSON answer",
    examples: ["schema start", "schema"]
  },
  {
    name: "commands",
    usage: "commands",
    summary: "List every command with its options",
    examples: ["commands", "commands --json"]
  },
  {
    name: "completion",
    usage: "completion bash|zsh|fish|powershell",
    summary: "Print a script that completes commands in a shell",
    examples: ["completion bash", "completion fish"]
  },
  version,
  {
    name: "test",
    usage:
      "test [validate|record] FILE... [--filter RE] [--report text|tap|junit|json] [-j N] [--retries N] [--keep] [--update]",
    summary: "Run scenario files against a real debugger",
    examples: ["test scenarios/app.yaml", "test validate scenarios"],
    local: true
  },
  {
    name: "daemon",
    usage: "daemon run|start|stop|restart|status|logs [--force] [-n LINES]",
    summary: "Look after the process that keeps the sessions",
    examples: ["daemon status", "daemon logs -n 20"],
    local: true
  },
  {
    name: "adapters",
    usage: "adapters",
    summary: "List the debug adapters of this machine",
    examples: ["adapters", "adapters --json"],
    local: true
  },
  {
    name: "doctor",
    usage: "doctor [ADAPTER]",
    summary: "Debug a tiny program with each adapter, in every way, to see that it works",
    examples: ["doctor", "doctor lldb-dap --json"],
    local: true
  },
  {
    name: "setup",
    usage:
      "setup [ADAPTER...] [--auto] [--list|--check|--path|--dry-run|--uninstall] [--dir DIR] [--version V] [--force] [--offline]",
    summary: "Install a debug adapter the way one gets it here, or say how",
    examples: ["setup lldb-dap --dry-run", "setup debugpy --dir ./tools --dry-run"],
    local: true
  },
  {
    name: "config",
    usage: "config path|list|get KEY|set KEY VALUE|unset KEY|edit|init|validate|trust [--project] [--revoke]",
    summary: "Show or change your settings, or those of a project",
    examples: ["config list", "config set timeouts.wait 1m"],
    local: true
  },
  {
    name: "log",
    usage: "log [-n LINES] [-f] [--level LEVEL] [--source daemon|ipc] [--session NAME] [--match RE] [--clear]",
    summary: "Show the daemon's log",
    examples: ["log -n 20", "log --match error"],
    local: true
  },
  {
    name: "skill",
    usage: "skill print|install [--target claude|agents] [--force]",
    summary: "Write a skill file for a coding agent",
    examples: ["skill print", "skill install --target claude"],
    local: true
  },
  {
    name: "mcp",
    usage: "mcp [--profile NAME] [--allow TIERS] [--isolated] [--http [PORT]] | mcp install --client NAME [--print]",
    summary: "Serve agents over MCP, or tell their clients to start that server",
    examples: ["mcp install --client claude-code --print", "mcp --profile full"],
    local: true
  },
  {
    name: "__complete",
    usage: "__complete sessions|breakpoints|adapters|files",
    summary: "Print names for completion, one a line",
    examples: ["__complete sessions", "__complete breakpoints"]
  }
]

/** What the entry of the program handles before it gets here; the options are no unknown ones. */
export const reserved = { options: ["foreground"] } as const

/** Every word or group of words that a command line can begin with, our own names alone. */
export const names: ReadonlyArray<string> = [
  ...all.map(({ name }) => name),
  ...own.map(({ name }) => name).filter((name) => !name.startsWith("_"))
]

/** Finds a command by its first words, aliases included, the longest match first. */
export const resolve = (
  words: ReadonlyArray<string>
):
  | {
      readonly command: Command
      readonly own?: never
      readonly length: number
      readonly options: ReadonlyArray<string>
      /** Its words as they were written. */
      readonly written: string
    }
  | { readonly own: Own; readonly command?: never; readonly length: number }
  | undefined => {
  for (let length = Math.min(3, words.length); length > 0; length -= 1) {
    const name = words.slice(0, length).join(" ")
    const alias = Aliases.commands.get(name) ?? Aliases.formatted(name)
    if (alias?.before !== undefined && alias.before.test(words[length] ?? "-") === false) continue
    const command = find(alias?.command ?? name)
    if (command !== undefined) return { command, length, options: alias?.options ?? [], written: name }
    const mine = own.find((candidate) => candidate.name === name)
    if (mine !== undefined) return { own: mine, length }
  }
  return undefined
}

const list = (value: unknown): ReadonlyArray<string> =>
  (Array.isArray(value) ? value : [value]).filter(Predicate.isNotNullish).map(String)

const looksLikeOption = (word: string) => word === "--" || /^--?[A-Za-z]/.test(word)

const flags = (option: Options.Option | undefined, flag: string, value: unknown): ReadonlyArray<string> => {
  if (option?.kind === "boolean" && !option.many) return [value === false ? `--no-${flag}` : `--${flag}`]
  return list(value).flatMap((text) =>
    text.startsWith("-") || text === "" ? [`--${flag}=${text}`] : [`--${flag}`, text]
  )
}

/**
 * The words that make this call, without the program's name: positional fields, then options, then what follows `--`.
 * Reading them gives the same payload again. Fields that surfaces fill in are left out.
 */
export const argvOf = (
  operation: Operation.Any,
  input: { readonly [field: string]: unknown }
): ReadonlyArray<string> => {
  const { name, meta, options } = find(Envelope.command(operation)) ?? make(operation)
  const given = Object.keys(input).filter(
    (field) => Predicate.isNotNullish(input[field]) && !Payload.callerFields.includes(field)
  )
  const positional: Array<string> = []
  for (const field of meta.positional) {
    if (!given.includes(field) || list(input[field]).some((word) => looksLikeOption(word) || word === "")) break
    positional.push(field)
  }
  const named = given.filter((field) => !positional.includes(field) && field !== meta.rest)
  const rest = meta.rest === undefined ? [] : list(input[meta.rest])
  return [
    ...name.split(" "),
    ...positional.flatMap((field) => list(input[field])),
    ...named.flatMap((field) => {
      const option = options.find((candidate) => candidate.field === field)
      return flags(option, option?.flag ?? Options.flagOf(field), input[field])
    }),
    ...(rest.length === 0 ? [] : ["--", ...rest])
  ]
}

/** A command line that can be pasted. */
export const line = (argv: ReadonlyArray<string>): string => ShellWords.join(["sigtrap", ...argv])
