/**
 * `sigtrap setup`: getting a debug adapter the way one gets it here. Where the system's package manager has it, that is run;
 * where it comes in another way, the commands are printed and nothing is done.
 */
import * as Adapters from "@sigtrap/host/Adapters"
import { Errors, Nearest } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { Answer, Command, Place } from "./Local.ts"
import * as Words from "./Words.ts"

/** How an adapter comes onto a machine. */
interface Source {
  readonly name: string
  /** Its package, by package manager. */
  readonly packages: { readonly [manager: string]: string }
  /** What a person does where no package manager has it. */
  readonly instruction: string
  /** Files of a project that ask for it. */
  readonly for: RegExp
}

const sources: ReadonlyArray<Source> = [
  {
    name: "lldb-dap",
    packages: { "apt-get": "lldb", dnf: "lldb", pacman: "lldb", apk: "lldb", zypper: "lldb" },
    instruction: "install LLDB 15 or newer with its lldb-dap, and put it on PATH or its path in SIGTRAP_LLDB_DAP",
    for: /\.(?:c|cc|cpp|cxx|h|hpp|m|mm|rs|swift)$|^(?:Makefile|CMakeLists\.txt|Cargo\.toml|meson\.build)$/
  },
  {
    name: "gdb",
    packages: { "apt-get": "gdb", dnf: "gdb", pacman: "gdb", apk: "gdb", zypper: "gdb" },
    instruction: "install GDB 14 or newer and put it on PATH",
    for: /\.(?:f90|f|adb)$/
  },
  {
    name: "debugpy",
    packages: {
      "apt-get": "python3-debugpy",
      dnf: "python3-debugpy",
      pacman: "python-debugpy",
      apk: "py3-debugpy",
      zypper: "python3-debugpy"
    },
    instruction: "python3 -m pip install debugpy",
    for: /\.pyw?$|^(?:pyproject\.toml|requirements\.txt|setup\.py)$/
  },
  {
    name: "delve",
    packages: { "apt-get": "delve", dnf: "delve", pacman: "delve", apk: "delve" },
    instruction: "go install github.com/go-delve/delve/cmd/dlv@latest",
    for: /\.go$|^go\.mod$/
  },
  {
    name: "codelldb",
    packages: {},
    instruction:
      "unpack the CodeLLDB extension (a .vsix is a zip) and set SIGTRAP_CODELLDB to extension/adapter/codelldb",
    for: /^$/
  },
  {
    name: "js-debug",
    packages: {},
    instruction:
      "download js-debug-dap-vVERSION.tar.gz from https://github.com/microsoft/vscode-js-debug/releases, then: mkdir -p ~/.local/share && tar -xzf js-debug-dap-vVERSION.tar.gz -C ~/.local/share (or unpack it anywhere and set SIGTRAP_JS_DEBUG to js-debug/src/dapDebugServer.js)",
    for: /\.[cm]?[jt]sx?$|^(?:package\.json|tsconfig\.json)$/
  }
]

/** The command that gets an adapter. */
export const remedy = (name: string): string => `sigtrap setup ${name}`

const onPath = (name: string, place: Place): boolean =>
  (place.environment["PATH"] ?? "")
    .split(delimiter)
    .some((directory) => isAbsolute(directory) && existsSync(join(directory, name)))

/** Package managers, and the words with which each installs. */
const managers: { readonly [program: string]: ReadonlyArray<string> } = {
  "apt-get": ["install", "--yes"],
  dnf: ["install", "--assumeyes"],
  pacman: ["--sync", "--noconfirm"],
  apk: ["add"],
  zypper: ["--non-interactive", "install"]
}

/** The newest versioned package of LLDB that Debian's index has; those have the adapter. */
const newestLldb = (): string => {
  const found = spawnSync("apt-cache", ["search", "--names-only", "^lldb-[0-9]+$"], {
    encoding: "utf8",
    timeout: 30_000
  })
  const versions = [...(found.stdout ?? "").matchAll(/^lldb-(\d+)\b/gm)].map(([, version]) => Number(version))
  return versions.length === 0 ? "lldb" : `lldb-${Math.max(...versions)}`
}

/** What would install it; nothing where no package manager has it. */
const installation = (source: Source, version: string | undefined, place: Place): ReadonlyArray<string> | undefined => {
  const manager = Object.keys(managers).find((program) => onPath(program, place))
  const named = manager === undefined ? undefined : source.packages[manager]
  if (manager === undefined || named === undefined) {
    const xcode = source.name === "lldb-dap" && onPath("xcode-select", place)
    return xcode ? ["xcode-select", "--install"] : undefined
  }
  const versioned = manager === "apt-get" && source.name === "lldb-dap"
  const wanted = versioned ? (version === undefined ? newestLldb() : `lldb-${version}`) : named
  return [manager, ...(managers[manager] ?? []), wanted]
}

/** What became of one adapter. */
interface Result {
  readonly name: string
  readonly path?: string
  readonly version?: string
  readonly already?: true
  readonly command?: ReadonlyArray<string>
  readonly instruction?: string
  readonly ran?: boolean
  readonly problem?: string
  readonly remedy?: string
}

const usable = (name: string, place: Place) =>
  Effect.map(Adapters.discover(place.environment), (all) =>
    all.find((one) => one.name === name && one.path !== undefined && one.problem === undefined)
  )

const one = Effect.fnUntraced(function* (source: Source, words: Words.Words, place: Place) {
  const { flags, values } = words
  const { name } = source
  const known = yield* usable(name, place)
  const found = (adapter: Adapters.Adapter): Result => ({
    name,
    ...(adapter.path === undefined ? {} : { path: adapter.path }),
    ...(adapter.version === undefined ? {} : { version: adapter.version })
  })
  if (known !== undefined && !flags.has("force") && !flags.has("dry-run")) {
    return { ...found(known), already: true } satisfies Result
  }
  const absent: Result = { name, problem: `no ${name} is here`, remedy: remedy(name) }
  if (flags.has("check") || flags.has("path")) return absent
  const command = installation(source, values.get("version"), place)
  if (command === undefined) return { name, instruction: source.instruction } satisfies Result
  if (flags.has("dry-run")) return { name, command, ran: false } satisfies Result
  const line = command.join(" ")
  if (flags.has("offline")) return { ...absent, problem: `${line} would download`, command } satisfies Result
  if (process.geteuid?.() !== 0 && command[0] !== "xcode-select") {
    return yield* new Errors.Permission({ detail: `${line} needs root`, remedy: `sudo ${line}` })
  }
  yield* Effect.sync(() => process.stderr.write(`running ${line}\n`))
  const [program = "", ...args] = command
  // Its own words go to our standard error, so that --json stays one document.
  const { status } = yield* Effect.sync(() => spawnSync(program, args, { stdio: ["inherit", 2, 2] }))
  const now = yield* usable(name, place)
  const result: Result =
    status === 0 && now !== undefined
      ? { ...found(now), command, ran: true }
      : { ...absent, problem: `${line} ended with ${status ?? "a signal"} and no ${name} is here`, command, ran: true }
  return result
})

const textOf = ({ command, instruction, name, path, problem }: Result, several: boolean): string => {
  const said = path ?? (command === undefined ? instruction : command.join(" ")) ?? problem ?? ""
  return `${several ? `${name}: ` : ""}${said}\n`
}

/** The adapters that the files of a directory ask for. */
const needed = (directory: string): ReadonlyArray<Source> => {
  const files = readdirSync(directory).flatMap((name) => [name])
  return sources.filter((source) => files.some((name) => source.for.test(name)))
}

/** `setup` */
export const setup: Command = Effect.fnUntraced(function* (argv, place) {
  const flags = ["list", "check", "dry-run", "path", "force", "auto", "offline"]
  const words = yield* Effect.fromResult(Words.read({ command: "setup", flags, valued: ["version"] }, argv))
  if (words.flags.has("list")) {
    const all = yield* Effect.forEach(sources, (source) =>
      Effect.map(usable(source.name, place), (found) => ({
        name: source.name,
        ...(found?.path === undefined ? { remedy: remedy(source.name) } : { path: found.path })
      }))
    )
    const text = all
      .map(({ name, ...rest }) => `${name.padEnd(9)} ${"path" in rest ? rest.path : "not here"}\n`)
      .join("")
    return { text, data: { adapters: all } }
  }
  const names = words.words.length === 0 && !words.flags.has("auto") ? ["lldb-dap"] : words.words
  const chosen = words.flags.has("auto") ? [...needed(place.directory)] : []
  for (const name of names) {
    const source = sources.find((known) => known.name === name)
    if (source === undefined) {
      const all = sources.map((known) => known.name)
      const near = Nearest.names(name, all)
      return yield* new Errors.Usage({
        problem: `no setup for '${name}'; there is: ${all.join(", ")}`,
        near,
        help: "sigtrap setup --list"
      })
    }
    chosen.push(source)
  }
  const results = yield* Effect.forEach(chosen, (source) => one(source, words, place))
  const failed = results.filter(({ problem }) => problem !== undefined)
  const answer: Answer = {
    text: results
      .filter(({ problem }) => problem === undefined)
      .map((each) => textOf(each, results.length > 1))
      .join(""),
    data: { adapters: results }
  }
  if (failed.length === 0) return answer
  const message = failed.map(({ problem }) => problem).join("; ")
  return { ...answer, problem: { code: "TOOL_MISSING", exit: 8, message, hint: remedy(failed[0]?.name ?? "lldb-dap") } }
})
