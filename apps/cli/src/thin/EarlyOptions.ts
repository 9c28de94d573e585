/**
 * What the entry of the program has to know of a command line before the daemon sees it: the few options that say where
 * the daemon is, and whether the command is about the daemon itself. Everything else is passed on untouched.
 */

/** A command line as the entry sees it. */
export interface Entry {
  /** What is left for the command line's own grammar. */
  readonly argv: ReadonlyArray<string>
  readonly runtimeDirectory: string | undefined
  /** Fail instead of starting a daemon. */
  readonly noStart: boolean
  /** Run the command in this process. */
  readonly foreground: boolean
  /** What follows the word `daemon`, when that is the command. */
  readonly daemon: ReadonlyArray<string> | undefined
  /** What follows a command that concerns the machine, when that is the command. */
  readonly local: ReadonlyArray<string> | undefined
  /** Whether failures of the entry are written as JSON. */
  readonly json: boolean
  /** The first word that is no option. */
  readonly command: string | undefined
}

/** Global options that take the next word as their value. */
const VALUED = new Set([
  "-S",
  "--session",
  "--select",
  "--timeout",
  "--budget",
  "--request-id",
  "-C",
  "--directory",
  "--color",
  "--config"
])

/** Commands that concern the machine and are carried out in this process. */
const LOCAL = new Set(["adapters", "config", "doctor", "log", "logs", "setup", "skill", "test"])

const HELP = new Set(["--help", "-h", "--version", "-V"])

const RUNTIME = "--runtime-dir"

/** Takes the entry's own options out of a command line. Nothing after `--` is looked at. */
export const parse = (words: ReadonlyArray<string>, format: string | undefined): Entry => {
  const argv: Array<string> = []
  let runtimeDirectory: string | undefined
  let noStart = false
  let foreground = false
  let json = format === "json"
  let command: string | undefined
  let after = 0
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    if (word === "--") {
      argv.push(...words.slice(index))
      break
    }
    if (word === RUNTIME) runtimeDirectory = words[++index] ?? ""
    else if (word.startsWith(`${RUNTIME}=`)) runtimeDirectory = word.slice(RUNTIME.length + 1)
    else if (word === "--no-daemon-start") noStart = true
    else if (word === "--foreground") foreground = true
    else {
      argv.push(word)
      if (word === "--json") json = true
      if (VALUED.has(word) && index + 1 < words.length) argv.push(words[++index] ?? "")
      else if (command === undefined && !word.startsWith("-")) {
        command = word
        after = argv.length
      }
    }
  }
  // Their help is written where all help is.
  // `setup` takes the version that it shall get.
  const helps = (word: string) => HELP.has(word) && !(command === "setup" && word === "--version")
  const daemon = command === "daemon" && !argv.some(helps) ? argv.slice(after) : undefined
  const isLocal = command !== undefined && LOCAL.has(command) && !argv.some(helps)
  const local = isLocal ? argv.filter((_, index) => index !== after - 1) : undefined
  return { argv, runtimeDirectory, noStart, foreground, daemon, local, json, command }
}

/** What follows the word `mcp`, when that is the command and it is not its help that is wanted. */
export const mcp = ({ argv, command }: Entry): ReadonlyArray<string> | undefined =>
  command !== "mcp" || argv.some((word) => HELP.has(word)) ? undefined : argv.slice(argv.indexOf("mcp") + 1)
