/**
 * Reads the options for the thin client: the daemon's runtime directory, and whether the command runs in the client. All
 * other words go to the daemon unchanged. The words are divided as in the daemon, with a generated copy of the spellings.
 */
import * as Words from "@sigtrap/protocol/grammar/Words"
import { client, running, spellings, starting } from "@sigtrap/protocol/grammar/Spellings.generated"

/** The options that the client reads, and the words for the daemon. */
export interface EarlyOptions {
  /** The words for the daemon. */
  readonly argv: ReadonlyArray<string>
  readonly runtimeDirectory: string | undefined
  /** False if the command fails where no daemon runs, instead of starting one. */
  readonly startsDaemon: boolean
  /** True if the command runs in this process, with a manager of its own. */
  readonly foreground: boolean
  /** The command that runs in the client, and its words; absent for others and for help. */
  readonly client: { readonly name: string; readonly words: ReadonlyArray<string> } | undefined
  /** True if errors of the client are printed as JSON. */
  readonly json: boolean
  /** True if the version of this program is printed: `version`, `--version` or `-V`, alone or with `--json`. */
  readonly printsVersion: boolean
  /** True if the command line asks for help, a schema, the commands or a completion script, which need no daemon. */
  readonly describes: boolean
  /** The first word that is neither an option nor its value. */
  readonly command: string | undefined
  /** True if a stopped program stays stopped when the client is interrupted before the answer. */
  readonly leavesStopped: boolean
  /** True if the command starts a program or a session, which may not have begun when the client is interrupted. */
  readonly starts: boolean
  /** True if the command runs a program of its own, which an interrupt ends. */
  readonly endsProgram: boolean
}

const RUNTIME = "--runtime-dir"

const includes = (names: ReadonlyArray<string>, name: string | undefined): boolean =>
  name !== undefined && names.includes(name)

/** Options that name the program of `run` when the command line has no path of a program. */
const programOptions: ReadonlyArray<string> = ["--runner", "--launch-config"]

/** Commands that print what this program can do. */
const descriptions: ReadonlyArray<string> = ["help", "schema", "commands", "completion"]

const isVersion = (word: string): boolean => /^(?:version|--version|-V)$/.test(word)

/** True if an option asks for help or the version, which the daemon prints for every command. */
const isHelp =
  (command: string | undefined) =>
  ({ name, written }: Words.Token): boolean => {
    if (written === "-h" || written === "-V" || written === "--help") return true
    // `setup --version V` is an option of the command.
    return written === "--version" && (command === undefined || includes(spellings.mixed[name] ?? [], command))
  }

/** Removes the client's options from a command line. Words after `--` are arguments of the debugged program. */
export const parse = (words: ReadonlyArray<string>, format: string | undefined): EarlyOptions => {
  const end = words.indexOf("--")
  const length = end === -1 ? words.length : end
  const argv: Array<string> = []
  let runtimeDirectory: string | undefined
  let startsDaemon = true
  let foreground = false
  for (let index = 0; index < length; index++) {
    const word = words[index] ?? ""
    if (word === RUNTIME) runtimeDirectory = words[++index] ?? ""
    else if (word.startsWith(`${RUNTIME}=`)) runtimeDirectory = word.slice(RUNTIME.length + 1)
    else if (word === "--no-daemon-start") startsDaemon = false
    else if (word === "--foreground") foreground = true
    else argv.push(word)
  }
  argv.push(...words.slice(length))

  const { options, places } = Words.divide(spellings, argv)
  const first = places.map((place) => argv[place] ?? "")
  const name = Words.commandAt(spellings, first)
  const asksVersion = name === "version" || (first.length === 0 && options.some(({ written }) => isVersion(written)))
  const isClient = includes(client, name) && !options.some(isHelp(name))
  const [place = 0] = places
  // The servers read the words after their names.
  const rest = name === "mcp" || name === "serve" ? argv.slice(place + 1) : argv.filter((_, index) => index !== place)
  return {
    argv,
    runtimeDirectory,
    startsDaemon,
    // The daemon may have another version; it would print its own.
    foreground: foreground || asksVersion,
    client: isClient && name !== undefined ? { name, words: rest } : undefined,
    json: format === "json" || options.some(({ written }) => written === "--json"),
    printsVersion: argv.some(isVersion) && argv.every((word) => isVersion(word) || word === "--json"),
    describes: first.length === 0 || includes(descriptions, name) || options.some(isHelp(name)),
    command: first[0],
    leavesStopped: !includes(running, name),
    starts: includes(starting, name),
    endsProgram:
      name === "run" && (first.length > 1 || options.some(({ written }) => includes(programOptions, written)))
  }
}
