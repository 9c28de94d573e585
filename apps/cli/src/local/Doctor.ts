/**
 * `sigtrap adapters`, `doctor` and `setup`: which debuggers are here, whether they really debug, how to get one.
 *
 * The doctor compiles a tiny program and debugs it with each adapter: start, breakpoint, a variable's value, end. Nothing it
 * makes outlives it.
 */
import * as Adapters from "@sigtrap/host/Adapters"
import { Errors } from "@sigtrap/protocol"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { basename, delimiter, isAbsolute, join } from "node:path"
import * as Nearest from "../Nearest.ts"
import * as Runner from "../scenario/Runner.ts"
import type { Answer, Command, Place } from "./Local.ts"
import * as Words from "./Words.ts"

/** Whether a way of debugging works; `untested` was not tried. */
type Mode = "ok" | "missing" | "untested"

interface Adapter {
  readonly name: string
  readonly languages?: ReadonlyArray<string>
  readonly path?: string
  readonly version?: string
  readonly marker?: string
  readonly modes: { readonly launch: Mode; readonly attach: Mode; readonly core: Mode; readonly remote: Mode }
  readonly problem?: string
  readonly remedy?: string
}

const remedy = "sigtrap setup lldb-dap"

const onPath = (name: string, place: Place): string | undefined =>
  (place.environment["PATH"] ?? "")
    .split(delimiter)
    .filter((directory) => isAbsolute(directory))
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file))

const missing = (adapters: ReadonlyArray<Adapter>, text: string, what: string): Answer => ({
  text,
  data: { adapters },
  problem: { code: "TOOL_MISSING", exit: 8, message: what, hint: remedy }
})

const table = (adapters: ReadonlyArray<Adapter>): string =>
  adapters
    .map(({ marker, modes, name, path, problem, remedy, version }) => {
      const state = Object.entries(modes)
        .map(([mode, how]) => `${mode} ${how}`)
        .join(", ")
      const head = `${name}${version === undefined ? "" : ` ${version}`}  ${path ?? "not found"}`
      const ends = marker === undefined ? [] : [`  a command ends at ${marker}`]
      return [
        head,
        `  ${state}`,
        ...ends,
        ...(problem === undefined ? [] : [`  ${problem}`, `  remedy: ${remedy ?? ""}`])
      ].join("\n")
    })
    .map((entry) => `${entry}\n`)
    .join("")

const none: Adapter = {
  name: "lldb-dap",
  modes: { launch: "missing", attach: "missing", core: "missing", remote: "missing" },
  problem: "no lldb-dap on PATH and none in SIGTRAP_LLDB_DAP",
  remedy
}

/** Those that a native program can be tried with. */
const isNative = ({ languages }: Adapters.Adapter) => languages.includes("C")

const wanted = Effect.fnUntraced(function* (words: Words.Words, place: Place) {
  const [name] = words.words
  const found = yield* Adapters.discover(place.environment)
  if (name === undefined) return found
  const chosen = found.filter((one) => one.name === name || one.path === name || basename(one.path ?? "") === name)
  if (chosen.length > 0) return chosen
  const near = Nearest.names(
    name,
    found.map((one) => one.name)
  )
  return yield* new Errors.Usage({ problem: `there is no adapter '${name}'`, near, help: "sigtrap adapters" })
})

const remedyFor = (name: string): string =>
  name === "lldb-dap" ? remedy : `install ${name}, then: sigtrap doctor ${name}`

/** What is known of an adapter before it was tried. */
const listed = (found: Adapters.Adapter): Adapter => {
  const mode: Mode = found.path === undefined ? "missing" : "untested"
  return {
    name: found.name,
    languages: found.languages,
    ...(found.path === undefined ? {} : { path: found.path }),
    ...(found.version === undefined ? {} : { version: found.version }),
    ...(found.marker === undefined ? {} : { marker: found.marker }),
    modes: { launch: mode, attach: mode, core: mode, remote: mode },
    ...(found.problem === undefined ? {} : { problem: found.problem, remedy: remedyFor(found.name) })
  }
}

/** `adapters` */
export const adapters: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Words.read({ command: "adapters", flags: [], valued: [] }, argv))
  const all = (yield* wanted(words, place)).map(listed)
  const lines = all.map(
    ({ languages = [], name, path, problem, version }) =>
      `${name.padEnd(10)} ${(version ?? "").padEnd(8)} ${path ?? problem ?? "not found"}  (${languages.join(", ")})`
  )
  const answer: Answer = { text: `${lines.join("\n")}\n`, data: { adapters: all } }
  return all.some(({ path }) => path !== undefined) ? answer : missing(all, answer.text, "no debug adapter is here")
})

/** A scenario with which each adapter is tried. */
const trial = `
name: doctor
needs: [cc]
setup:
  - name: compile a program with debug information
    shell: |
      printf '%s\\n' '#include <stdio.h>' 'int main(void)' '{' '  int answer = 42;' '  printf("%d\\n", answer);' '  return 0;' '}' > probe.c
      cc -g -O0 probe.c -o probe
target:
  program: probe
  break: [probe.c:5]
steps:
  - name: stop at a breakpoint
    check_state: stopped
    expect: {location.line: 5}
  - name: read a variable
    evaluate: answer
    expect: 42
  - name: run to the end
    command: continue
    expect: {data.event: exited, data.exit_code: 0}
  - name: read the program's output
    check_output:
    expect: "42\\n"
`

const remedies: ReadonlyArray<readonly [RegExp, string]> = [
  [/^setup|needs cc/, "install a C compiler and its headers, then: sigtrap doctor"],
  [/ptrace|not permitted|permission/i, "allow tracing: sysctl kernel.yama.ptrace_scope, or the container's SYS_PTRACE"],
  [/python/i, "install the Python package that belongs to this LLDB, then: sigtrap doctor"]
]

const tried = Effect.fnUntraced(function* (found: Adapters.Adapter, place: Place) {
  const about = listed(found)
  if (found.path === undefined || found.problem !== undefined || !isNative(found)) return about
  const outcome = yield* Runner.runText(trial, "doctor", {
    environment: place.environment,
    adapter: found.path,
    keep: false
  })
  if (outcome.result === "passed") {
    const works: Adapter = { ...about, modes: { ...about.modes, launch: "ok" } }
    return works
  }
  const said = [outcome.step, outcome.message, outcome.log].filter(Boolean).join(": ").replaceAll(/\s+/g, " ")
  const problem = said.length > 400 ? `${said.slice(0, 400)}…` : said
  const broken: Adapter = {
    ...about,
    modes: { ...about.modes, launch: outcome.result === "skipped" ? "untested" : "missing" },
    problem,
    remedy: remedies.find(([pattern]) => pattern.test(problem))?.[1] ?? remedyFor(found.name)
  }
  return broken
})

/** `doctor`: without a name one native debugger that works is enough, with one it must be that. */
export const doctor: Command = Effect.fnUntraced(function* (argv, place) {
  const words = yield* Effect.fromResult(Words.read({ command: "doctor", flags: [], valued: [] }, argv))
  const all = yield* Effect.forEach(yield* wanted(words, place), (found) => tried(found, place))
  const asked = words.words.length > 0
  const fine = ({ modes, problem }: Adapter) => modes.launch === "ok" || (asked && problem === undefined)
  return all.some(fine)
    ? { text: table(all), data: { adapters: all } }
    : missing(all, table(all), asked ? `${words.words[0] ?? ""} cannot be used here` : "no native debugger works here")
})

/** A package manager, and what it calls LLDB with its adapter. */
const managers: ReadonlyArray<{ readonly program: string; readonly install: ReadonlyArray<string> }> = [
  { program: "apt-get", install: ["install", "--yes"] },
  { program: "dnf", install: ["install", "--assumeyes", "lldb"] },
  { program: "pacman", install: ["--sync", "--noconfirm", "lldb"] },
  { program: "apk", install: ["add", "lldb"] },
  { program: "zypper", install: ["--non-interactive", "install", "lldb"] }
]

/** The newest versioned package that Debian's index has; those have the adapter from 15 on. */
const debianPackage = (): string => {
  const listed = spawnSync("apt-cache", ["search", "--names-only", "^lldb-[0-9]+$"], {
    encoding: "utf8",
    timeout: 30_000
  })
  const versions = [...(listed.stdout ?? "").matchAll(/^lldb-(\d+)\b/gm)].map(([, version]) => Number(version))
  return versions.length === 0 ? "lldb" : `lldb-${Math.max(...versions)}`
}

/** What would install it; nothing when no package manager is known here. */
const installation = (place: Place): ReadonlyArray<string> | undefined => {
  const manager = managers.find(({ program }) => onPath(program, place) !== undefined)
  if (manager === undefined)
    return onPath("xcode-select", place) === undefined ? undefined : ["xcode-select", "--install"]
  return [manager.program, ...manager.install, ...(manager.program === "apt-get" ? [debianPackage()] : [])]
}

const isLldb = ({ name, path, problem }: Adapters.Adapter) =>
  name === "lldb-dap" && path !== undefined && problem === undefined

/** `setup` */
export const setup: Command = Effect.fnUntraced(function* (argv, place) {
  const grammar = { command: "setup", flags: ["list", "check", "dry-run", "path", "force"], valued: [] }
  const words = yield* Effect.fromResult(Words.read(grammar, argv))
  const [name = "lldb-dap"] = words.words
  const known = ["lldb-dap"]
  if (words.flags.has("list")) return { text: "lldb-dap\n", data: { adapters: known.map((one) => ({ name: one })) } }
  if (!known.includes(name)) {
    const near = Nearest.names(name, known)
    return yield* new Errors.Usage({
      problem: `no setup for '${name}'; there is: lldb-dap`,
      near,
      help: "sigtrap setup --list"
    })
  }
  const found = (yield* Adapters.discover(place.environment)).filter(isLldb)
  const first = found[0]
  if (first !== undefined && !words.flags.has("force") && !words.flags.has("dry-run")) {
    return { text: `${first.path ?? ""}\n`, data: { adapters: found, already: true } }
  }
  if (words.flags.has("check") || words.flags.has("path")) return missing([none], "", "no lldb-dap is here")
  const command = installation(place)
  if (command === undefined)
    return missing([none], "", "no package manager is known here; install LLDB with its lldb-dap")
  const line = command.join(" ")
  if (words.flags.has("dry-run")) return { text: `${line}\n`, data: { command, ran: false } }
  if (process.geteuid?.() !== 0 && command[0] !== "xcode-select") {
    return yield* new Errors.Permission({ detail: `${line} needs root`, remedy: `sudo ${line}` })
  }
  yield* Effect.sync(() => process.stderr.write(`running ${line}\n`))
  const [program = "", ...args] = command
  // Its own words go to our standard error, so that --json stays one document.
  const { status } = spawnSync(program, args, { stdio: ["inherit", 2, 2] })
  const after = (yield* Adapters.discover(place.environment)).filter(isLldb)
  const now = after[0]
  return status === 0 && now !== undefined
    ? { text: `${now.path ?? ""}\n`, data: { adapters: after, command, ran: true } }
    : missing([none], "", `${line} ended with ${status ?? "a signal"} and no lldb-dap is here`)
})
