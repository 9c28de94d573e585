/**
 * Completion scripts for shells, made from the table of commands. The scripts run the hidden command `__complete` for
 * the current names of sessions, breakpoints, adapters and files.
 */
import { type Operation, Settings } from "@sigtrap/protocol"
import * as Aliases from "@sigtrap/protocol/grammar/Aliases"
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import * as Options from "@sigtrap/protocol/grammar/Options"

/** The shells that have a script. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const
/** A shell that has a script. */
export type Shell = (typeof shells)[number]

/** Returns the kind of current names that each command takes. */
const kindsOf = (): { readonly [command: string]: Operation.Completion | "adapters" } => ({
  ...Object.fromEntries(
    Commands.all.flatMap(({ meta, name }) => (meta.completes === undefined ? [] : [[name, meta.completes]]))
  ),
  doctor: "adapters",
  setup: "adapters"
})

const flagOf = (option: Options.Option): ReadonlyArray<string> =>
  option.kind === "boolean" && option.fallback === true ? [`--no-${option.flag}`] : [`--${option.flag}`]

const letters = (command: string) =>
  Aliases.options(command)
    .map((alias) => alias.written)
    .filter((name) => name.length === 2)

/** The options of every command. */
export const globals: ReadonlyArray<string> = [
  ...Options.globals.flatMap(flagOf),
  ...Object.keys(Options.letters).map((letter) => `-${letter}`)
]

/** Returns the options of a command, with those of every command. */
export const flags = (command: Commands.Command): ReadonlyArray<string> => [
  ...command.options.filter(({ field }) => field !== command.meta.rest).flatMap(flagOf),
  ...letters(command.name),
  ...globals
]

/** Returns the options of a command that calls no operation, with those of every such command. */
export const builtinFlags = ({ client, letters: own, options }: Builtins.Builtin): ReadonlyArray<string> => [
  ...new Set([
    ...options.flatMap(flagOf),
    ...Object.keys(own).map((letter) => `-${letter}`),
    ...(client ? [...Options.clientGlobals.flatMap(flagOf), "--help"] : globals)
  ])
]

const firstWords = [...new Set(Commands.names.map((name) => name.split(" ")[0] ?? name))]

const groups = [
  "config",
  ...new Set(Commands.names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""))
]
const inGroup = (group: string) =>
  Commands.names.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1))

/** The keys of settings. The user chooses the word for `NAME`, so a key with it is offered up to that place. */
export const settings: ReadonlyArray<string> = Settings.keys.map(({ key }) => key.replace(/NAME.*$/, ""))

/** The first words after a command that calls no operation. */
export const subcommands: { readonly [own: string]: ReadonlyArray<string> } = {
  help: [...firstWords, "--agent"],
  schema: firstWords,
  completion: shells,
  daemon: ["run", "start", "stop", "restart", "status", "logs"],
  config: ["path", "list", "get", "set", "unset", "edit", "init", "validate", "trust"],
  "config get": settings,
  "config set": settings,
  "config unset": settings,
  skill: ["print", "install"],
  test: ["validate", "record"]
}

/** Returns the accepted values of options, by flag. */
const valued = (): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
  const all = [...Options.globals, ...[...Commands.all, ...Builtins.all].flatMap(({ options }) => options)]
  const known = all.filter(({ values }) => values.length > 0).map(({ flag, values }) => [`--${flag}`, values] as const)
  return [...new Map(known)]
}

const files = ["--directory", "-C", "--cwd", "--stdin", "--config", "--program"]

/** Options that take the name of an adapter. */
const adapters = ["--adapter", "-a"]

/** The kinds whose names depend on the words that are typed. */
const isTyped = (kind: string | undefined) => kind === "expressions" || kind === "locations"

/** The command that prints names of a kind. It starts no daemon. */
const printed = (kind: string, line: string) =>
  `sigtrap --no-daemon-start __complete ${isTyped(kind) ? `line "${line}"` : kind} 2>/dev/null`

/** The first words after a command that calls no operation. */
const wordsAfter = ({ name }: Builtins.Builtin): ReadonlyArray<string> =>
  Object.hasOwn(subcommands, name) ? (subcommands[name] ?? []) : []

/** Returns the candidates of each command. */
const table = (): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => [
  ["", [...firstWords, ...globals]],
  ...groups.filter((group) => group !== "config").map((group) => [group, inGroup(group)] as const),
  ...Object.entries(subcommands).filter(([name]) => Builtins.find(name) === undefined),
  // After the key of a setting, as the scripts name that place.
  ["config value", Options.clientGlobals.flatMap(flagOf)],
  ...Commands.all.map((command) => [command.name, flags(command)] as const),
  ...Builtins.all.map((builtin) => [builtin.name, [...wordsAfter(builtin), ...builtinFlags(builtin)]] as const)
]

const bash = (): string => {
  const kinds = kindsOf()
  const group = groups.join("|")
  const rows = table().map(([command, words]) => {
    const kind = kinds[command]
    const program = command === "start" ? ` _sigtrap_files;` : ""
    // A name may have blanks and characters that end a word of bash, so these are not words of `compgen`.
    if (kind !== undefined && isTyped(kind))
      return `    "${command}") _sigtrap_live && return; words="${words.join(" ")}" ;;`
    const current = kind === undefined ? "" : ` $(${printed(kind, "")})`
    return `    "${command}")${program} words="${words.join(" ")}${current}" ;;`
  })
  const values = valued().map(([flag, words]) => `    ${flag}) words="${words.join(" ")}" ;;`)
  return `# Completion of sigtrap in bash: source <(sigtrap completion bash)
# Adds the names that may follow the typed line. The part before the word that bash completes (app.c: of app.c:14) is removed.
_sigtrap_live() {
  local line="\${COMP_LINE:0:COMP_POINT}" quote="[\\"']" name cut
  local whole="\${line##*[[:space:]\\"\\']}"
  [[ "$word" == -* ]] && return 1
  word="\${word#$quote}"
  [[ "$word" =~ ^[:=\\>\\<\\&\\;\\|]+$ ]] && word=""
  cut="\${whole%"$word"}"
  while IFS= read -r name; do
    [[ "$name" == "$cut"* ]] && COMPREPLY+=("\${name#"$cut"}")
  done < <(sigtrap --no-daemon-start __complete line "$line" 2>/dev/null)
  [[ "\${#COMPREPLY[@]}" -eq 1 && "\${COMPREPLY[0]}" == *: ]] && compopt -o nospace
  return 0
}
# Adds the names of files, which may have blanks.
_sigtrap_files() {
  local name
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")
  compopt -o filenames 2>/dev/null
}
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
      "config get" | "config set" | "config unset") command="config value" ;;
      esac
      ;;
    esac
  done
  case "$previous" in
    -S | --session) words="$(${printed("sessions", "")})" ;;
    ${adapters.join(" | ")}) words="$(${printed("adapters", "")})"; _sigtrap_files ;;
    ${files.join(" | ")}) _sigtrap_files; return ;;
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
  const kinds = kindsOf()
  const rows = table().map(([command, words]) => {
    const kind = kinds[command]
    const current = kind === undefined ? "" : ` \${(f)"$(${printed(kind, "$LBUFFER")})"}`
    const program = command === "start" ? " _files;" : ""
    const options = words.join(" ")
    // The options are offered after a dash only, so that names of the program are not lost among them.
    if (kind !== undefined && isTyped(kind))
      return `    "${command}") if [[ "$PREFIX" == -* ]]; then candidates=(${options}); else candidates=(${current}); fi ;;`
    return `    "${command}")${program} candidates=(${options}${current}) ;;`
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
      "config get" | "config set" | "config unset") command="config value" ;;
      esac
      ;;
    esac
  done
  case "\${words[CURRENT - 1]}" in
    -S | --session) candidates=(\${(f)"$(${printed("sessions", "")})"}) ;;
    ${adapters.join(" | ")}) candidates=(\${(f)"$(${printed("adapters", "")})"}) ;;
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
    option.field === "session" ? `-f -a '(${printed("sessions", "")})'` : "",
    option.field === "adapter" ? `-f -a '(${printed("adapters", "")})'` : "",
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
    ...Builtins.all.map(({ name, summary }) => [name, summary] as const)
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
    ...Object.entries(kindsOf()).map(
      ([name, what]) =>
        `complete -c sigtrap ${seen(name)} -f -a '(${printed(what, "(commandline -cp)").replaceAll('"', "")})'`
    ),
    ...Options.globals.map((option) => fishOption("", option, letterOf(option.field))),
    ...Commands.all.flatMap((command) => command.options.map((option) => fishOption(seen(command.name), option))),
    ...Builtins.all.flatMap(({ letters: own, name, options }) =>
      options.map((option) =>
        fishOption(seen(name), option, Object.entries(own).find(([, flag]) => flag === option.flag)?.[0])
      )
    )
  ]
  return `${lines.join("\n")}\n`
}

const single = (text: string) => `'${text.replaceAll("'", "''")}'`

const powershell = (): string => {
  const kinds = kindsOf()
  const rows = table().map(([command, words]) => `    ${single(command)} = @(${words.map(single).join(", ")})`)
  const current = Object.entries(kinds).map(
    ([command, what]) =>
      `    ${single(command)} = { ${isTyped(what) ? 'sigtrap --no-daemon-start __complete line "$ast"' : `sigtrap --no-daemon-start __complete ${what}`} 2>$null }`
  )
  const values = valued().map(([flag, words]) => `    ${single(flag)} = @(${words.map(single).join(", ")})`)
  return `# Completion of sigtrap in PowerShell: sigtrap completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName sigtrap -ScriptBlock {
  param($word, $ast, $position)
  $table = @{
${rows.join("\n")}
  }
  $live = @{
${current.join("\n")}
  }
  $values = @{
${values.join("\n")}
  }
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $words = @($typed | Where-Object { -not $_.StartsWith('-') })
  $command = if ($words.Count -gt 1 -and $table.ContainsKey("$($words[0]) $($words[1])")) { "$($words[0]) $($words[1])" } elseif ($words.Count -gt 0) { $words[0] } else { '' }
  $found = if ($values.ContainsKey($previous)) { $values[$previous] }
    elseif ($previous -in @('-S', '--session')) { @(sigtrap --no-daemon-start __complete sessions 2>$null) }
    elseif ($previous -in @(${adapters.map(single).join(", ")})) { @(sigtrap --no-daemon-start __complete adapters 2>$null) }
    elseif ($table.ContainsKey($command)) { $table[$command] + $(if ($live.ContainsKey($command)) { @(& $live[$command]) } else { @() }) }
    else { @() }
  $found | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`
}

/** Returns the script for a shell. */
export const script = (shell: Shell): string => ({ bash, zsh, fish, powershell })[shell]()

/** Whether a word is a shell that has a script. */
export const isShell = (name: string): name is Shell => shells.some((shell) => shell === name)
