/**
 * Completion in shells: scripts made from the table of commands. Names of sessions and numbers of breakpoints are asked
 * for when they are needed, by the hidden command `__complete`.
 */
import * as Aliases from "./Aliases.ts"
import * as Commands from "./Commands.ts"
import * as Options from "./Options.ts"

/** The shells there is a script for. */
export const shells = ["bash", "zsh", "fish"] as const
/** A shell there is a script for. */
export type Shell = (typeof shells)[number]

/** What `__complete` can be asked for. */
type Asked = "sessions" | "breakpoints"

const asked: { readonly [command: string]: Asked } = { stop: "sessions", "breakpoint remove": "breakpoints" }

const written = (option: Options.Option): ReadonlyArray<string> =>
  option.kind === "boolean" && option.fallback === true ? [`--no-${option.flag}`] : [`--${option.flag}`]

const letters = (command: string) =>
  Aliases.options(command)
    .map((alias) => alias.written)
    .filter((name) => name.length === 2)

const globals = [...Options.globals.flatMap(written), ...Object.keys(Options.letters).map((letter) => `-${letter}`)]

const flags = (command: Commands.Command): ReadonlyArray<string> => [
  ...command.options.filter(({ field }) => field !== command.meta.rest).flatMap(written),
  ...letters(command.name),
  ...globals
]

const firstWords = [...new Set(Commands.names.map((name) => name.split(" ")[0] ?? name))]

const groups = [...new Set(Commands.names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""))]
const inGroup = (group: string) =>
  Commands.names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))

const subcommands: { readonly [own: string]: ReadonlyArray<string> } = {
  help: [...firstWords, "--agent"],
  schema: firstWords,
  completion: shells,
  daemon: ["start", "stop", "restart", "status"]
}

/** Values of options, by the option as it is written. */
const valued = (): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const all = [...Options.globals, ...Commands.all.flatMap(({ options }) => options)]
  const known = all.filter(({ values }) => values.length > 0).map(({ flag, values }) => [`--${flag}`, values] as const)
  return [...new Map(known)]
}

const files = ["--directory", "-C", "--cwd", "--stdin", "--adapter", "-a"]

/** Candidates by command: words for the shell to choose from. */
const table = (): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => [
  ["", [...firstWords, ...globals]],
  ...groups.map((group) => [group, inGroup(group)] as const),
  ...Object.entries(subcommands),
  ...Commands.all.map((command) => [command.name, flags(command)] as const)
]

const bash = (): string => {
  const group = groups.join("|")
  const rows = table().map(([command, words]) => {
    const live = asked[command] === undefined ? "" : ` $(sigtrap __complete ${asked[command]} 2>/dev/null)`
    const plain = command === "start" ? ` COMPREPLY+=($(compgen -f -- "$word"));` : ""
    return `    "${command}")${plain} words="${words.join(" ")}${live}" ;;`
  })
  const values = valued().map(([flag, words]) => `    ${flag}) words="${words.join(" ")}" ;;`)
  return `# Completion of sigtrap in bash: source <(sigtrap completion bash)
_sigtrap() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="" words="" index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
    --) return ;;
    -S | --session | -C | --directory) ((index++)) ;;
    -*) ;;
    *)
      case "$command" in
      "") command="\${COMP_WORDS[index]}" ;;
      ${group}) command="$command \${COMP_WORDS[index]}" ;;
      esac
      ;;
    esac
  done
  case "$previous" in
    -S | --session) words="$(sigtrap __complete sessions 2>/dev/null)" ;;
    ${files.join(" | ")}) COMPREPLY=($(compgen -f -- "$word")); return ;;
${values.join("\n")}
  esac
  if [[ -z "$words" ]]; then
    case "$command" in
${rows.join("\n")}
    esac
  fi
  COMPREPLY+=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _sigtrap sigtrap
`
}

const zsh = (): string => {
  const rows = table().map(([command, words]) => {
    const live = asked[command] === undefined ? "" : ` \${(f)"$(sigtrap __complete ${asked[command]} 2>/dev/null)"}`
    const plain = command === "start" ? " _files;" : ""
    return `    "${command}")${plain} candidates=(${words.join(" ")}${live}) ;;`
  })
  const values = valued().map(([flag, words]) => `    ${flag}) candidates=(${words.join(" ")}) ;;`)
  return `#compdef sigtrap
# Completion of sigtrap in zsh: source <(sigtrap completion zsh)
_sigtrap() {
  local command="" index
  local -a candidates
  for ((index = 2; index < CURRENT; index++)); do
    case "\${words[index]}" in
    --) _files; return ;;
    -S | --session | -C | --directory) ((index++)) ;;
    -*) ;;
    *)
      case "$command" in
      "") command="\${words[index]}" ;;
      ${groups.join("|")}) command="$command \${words[index]}" ;;
      esac
      ;;
    esac
  done
  case "\${words[CURRENT - 1]}" in
    -S | --session) candidates=(\${(f)"$(sigtrap __complete sessions 2>/dev/null)"}) ;;
    ${files.join(" | ")}) _files; return ;;
${values.join("\n")}
  esac
  if ((\${#candidates} == 0)); then
    case "$command" in
${rows.join("\n")}
    esac
  fi
  compadd -- $candidates
}
compdef _sigtrap sigtrap
`
}

const fishQuote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

const fishOption = (condition: string, option: Options.Option, letter?: string): string => {
  const name = option.fallback === true && option.kind === "boolean" ? `no-${option.flag}` : option.flag
  const parts = [
    "complete -c sigtrap",
    condition,
    letter === undefined ? "" : `-s ${letter}`,
    `-l ${name}`,
    option.kind === "boolean" ? "" : "-r",
    option.values.length === 0 ? "" : `-f -a ${fishQuote(option.values.join(" "))}`,
    option.field === "session" ? "-f -a '(sigtrap __complete sessions 2>/dev/null)'" : "",
    `-d ${fishQuote(option.description)}`
  ]
  return parts.filter((part) => part !== "").join(" ")
}

const fish = (): string => {
  const seen = (name: string) =>
    `-n ${fishQuote(
      name
        .split(" ")
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join("; and ")
    )}`
  const none = "-n __fish_use_subcommand"
  const letterOf = (field: string) => Object.entries(Options.letters).find(([, name]) => name === field)?.[0]
  const summaries = new Map<string, string>([
    ...Commands.all.map(({ name, meta }) => [name, meta.summary] as const),
    ...Commands.own.map(({ name, summary }) => [name, summary] as const)
  ])
  const lines = [
    "# Completion of sigtrap in fish: sigtrap completion fish | source",
    ...firstWords.map(
      (word) => `complete -c sigtrap ${none} -f -a ${word} -d ${fishQuote(summaries.get(word) ?? word)}`
    ),
    ...groups.map((group) => `complete -c sigtrap ${seen(group)} -f -a ${fishQuote(inGroup(group).join(" "))}`),
    ...Object.entries(subcommands).map(
      ([word, words]) => `complete -c sigtrap ${seen(word)} -f -a ${fishQuote(words.join(" "))}`
    ),
    ...Object.entries(asked).map(
      ([name, what]) => `complete -c sigtrap ${seen(name)} -f -a '(sigtrap __complete ${what} 2>/dev/null)'`
    ),
    ...Options.globals.map((option) => fishOption("", option, letterOf(option.field))),
    ...Commands.all.flatMap((command) => command.options.map((option) => fishOption(seen(command.name), option)))
  ]
  return `${lines.join("\n")}\n`
}

/** The script for a shell. */
export const script = (shell: Shell): string => ({ bash, zsh, fish })[shell]()

/** Whether there is a script for a shell of that name. */
export const isShell = (name: string): name is Shell => shells.some((shell) => shell === name)
