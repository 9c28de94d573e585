/**
 * Poison inputs: calls and files that once held, filled or crashed a daemon, or could. A new one is added for each defect.
 * `app` in the directory of a poison is a program; a program of the session `work` has written long lines.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** What is sent: a command line, or bytes on a connection of their own. */
type Sent = { readonly argv: ReadonlyArray<string> } | { readonly bytes: () => Uint8Array | string }

/** An input, and how the daemon must answer it. */
export type Poison = Sent & {
  readonly name: string
  /** Writes the files that it needs into its directory. */
  readonly files?: (directory: string) => void
  /** The code of the answer, `ok`, or `none` for bytes that are not a request. */
  readonly answer: RegExp
  /** True for a search, which stops after 100 ms of work. */
  readonly isSearch?: true
}

const mebibyte = 1024 * 1024

/** Characters of the longest text that a request may have, and of three repeated characters. */
const longest = 131_070

/** A request with a payload of this JSON text. */
const request = (payload: string) => `{"_tag":"Request","id":"1","tag":"status","payload":${payload},"headers":[]}\n`

const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels)

const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index))

const config = (text: string) => (directory: string) => writeFileSync(join(directory, "config.toml"), text)

const launchJson = (text: string) => (directory: string) => {
  mkdirSync(join(directory, ".vscode"))
  writeFileSync(join(directory, ".vscode/launch.json"), text)
}

const start = ["start", "./app", "--no-wait"]
const named = ["--config", "config.toml", "status"]
const launch = ["start", "--launch-json", ".vscode/launch.json", "--no-wait"]

const patterns: ReadonlyArray<Poison> = [
  { name: "pattern with a repeat in a repeat", argv: ["output", "--match", "(a+)+$"], answer: /^ok$/, isSearch: true },
  {
    name: "pattern with nested alternatives",
    argv: ["output", "--match", "(a|aa|a?a)*b$"],
    answer: /^ok$/,
    isSearch: true
  },
  {
    name: "pattern with many gaps",
    argv: ["output", "--match", `${".*a".repeat(30)}z`],
    answer: /^ok$/,
    isSearch: true
  },
  {
    name: "pattern with counts of counts",
    argv: ["output", "--match", "((a{1,1000}){1,1000}){1,1000}"],
    answer: /^USAGE$/
  },
  { name: "pattern of 60,000 groups", argv: ["output", "--match", nested(60_000, "(", ")")], answer: /^USAGE$/ },
  { name: "pattern of 130,000 characters", argv: ["output", "--match", "a|".repeat(65_000)], answer: /^USAGE$/ },
  {
    name: "pattern of a wait",
    argv: ["wait", "--for", "output:/(x+x+)+y/", "--timeout", "300ms"],
    answer: /^(ok|WAIT_TIMEOUT|TIMEOUT)$/
  },
  { name: "pattern of functions", argv: ["break", "--regex", "(a+)+$"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "filter of names", argv: ["locals", "--filter", "/(a*)*b/"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "glob of 60,000 stars", argv: ["locals", "--filter", "*a".repeat(60_000)], answer: /^(?!INTERNAL)[A-Z_]+$/ }
]

const words: ReadonlyArray<Poison> = [
  { name: "argument of 15 MB", argv: ["print", "x".repeat(15_000_000)], answer: /^USAGE$/ },
  { name: "longest word", argv: ["print", "x".repeat(longest)], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "longest quotes", argv: ["print", "'\"\\".repeat(longest / 3)], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "40,000 words", argv: ["print", ...many(40_000, String)], answer: /^USAGE$/ },
  { name: "9,000 words", argv: ["print", ...many(9000, (n) => `v${n}`)], answer: /^USAGE$/ },
  { name: "100 words", argv: ["print", ...many(100, (n) => `v${n}`)], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "9,000 unknown flags", argv: ["status", ...many(9000, (n) => `--unknown-${n}`)], answer: /^USAGE$/ },
  { name: "10,000 breakpoints", argv: [...start, ...many(10_000, (n) => `--break=a.c:${n}`)], answer: /^USAGE$/ },
  {
    name: "4,000 breakpoints",
    argv: [...start, ...many(4000, (n) => `--break=a.c:${n}`)],
    answer: /^(?!INTERNAL)[A-Za-z_]+$/
  },
  {
    name: "longest session name",
    argv: ["status", "--session", "s".repeat(longest)],
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  { name: "longest location", argv: ["break", `${"a:".repeat(longest / 2 - 1)}1`], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  {
    name: "longest condition",
    argv: ["break", `a.c:1 if ${"(".repeat(longest - 9)}`],
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  {
    name: "longest spaces in a location",
    argv: ["break", `a.c:1${" ".repeat(longest - 9)}i`],
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  { name: "longest number", argv: ["source", "--around", "9".repeat(longest)], answer: /^USAGE$/ },
  { name: "number over every limit", argv: ["print", "x", "--depth", "1e308"], answer: /^USAGE$/ },
  { name: "duration over every limit", argv: ["wait", "--timeout", "99999999999999h"], answer: /^USAGE$/ },
  { name: "script of 60,000 commands", argv: ["script", "b;".repeat(60_000)], answer: /^USAGE$/ },
  { name: "script of 60,000 number signs", argv: ["script", "a#".repeat(60_000)], answer: /^USAGE$/ },
  { name: "script of 60,000 words", argv: ["script", `print ${"a ".repeat(60_000)}`], answer: /^USAGE$/ },
  {
    name: "file of 500,000 commands",
    files: (directory) => writeFileSync(join(directory, "c"), "b;".repeat(500_000)),
    argv: ["script", "--file", "c"],
    answer: /^USAGE$/
  },
  {
    name: "file of 500,000 number signs",
    files: (directory) => writeFileSync(join(directory, "c"), "a#".repeat(500_000)),
    argv: ["script", "--file", "c"],
    answer: /^USAGE$/
  },
  { name: "pointer of 65,000 levels", argv: ["status", "--select", "/a".repeat(65_000)], answer: /^ok$/ }
]

const files: ReadonlyArray<Poison> = [
  { name: "NUL in --directory", argv: ["status", "--directory", "/tmp/\0x"], answer: /^USAGE$/ },
  { name: "NUL in --config", argv: ["status", "--config", "a\0b"], answer: /^USAGE$/ },
  { name: "NUL in a program", argv: ["start", "./a\0pp"], answer: /^USAGE$/ },
  { name: "NUL in --cwd", argv: [...start, "--cwd", "/tmp/\0"], answer: /^USAGE$/ },
  { name: "NUL in --env-from", argv: [...start, "--env-from", "a\0b"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "NUL in a source", argv: ["source", "a\0b.c:1"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "NUL in --launch-json", argv: ["start", "--launch-json", "a\0b"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "NUL in a breakpoint file", argv: ["breakpoint", "load", "a\0b"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  { name: "NUL in --stdin", argv: [...start, "--stdin", "a\0b"], answer: /^USAGE$/ },
  { name: "NUL in an argument", argv: [...start, "--", "a\0b"], answer: /^USAGE$/ },
  { name: "NUL in --env", argv: [...start, "--env", "A=\0"], answer: /^USAGE$/ },
  { name: "NUL in a session name", argv: ["status", "--session", "wo\0rk"], answer: /^USAGE$/ },
  {
    name: "FIFO as configuration",
    files: (directory) => execFileSync("mkfifo", [join(directory, ".sigtrap.toml")]),
    argv: ["status"],
    answer: /^(ok|NO_SESSION)$/
  },
  {
    name: "link to a device as configuration",
    files: (directory) => symlinkSync("/dev/zero", join(directory, ".sigtrap.toml")),
    argv: ["status"],
    answer: /^(ok|NO_SESSION)$/
  },
  {
    name: "directory as configuration",
    files: (directory) => mkdirSync(join(directory, ".sigtrap.toml")),
    argv: ["status"],
    answer: /^(ok|NO_SESSION)$/
  },
  { name: "device as named configuration", argv: ["status", "--config", "/dev/zero"], answer: /^INVALID_CONFIG$/ },
  { name: "device as environment", argv: [...start, "--env-from", "/dev/zero"], answer: /^(?!INTERNAL)[A-Z_]+$/ },
  {
    name: "environment of 90,000 lines",
    files: (directory) => writeFileSync(join(directory, "e"), many(90_000, (n) => `A${n}=b`).join("\n")),
    argv: [...start, "--env-from", "e"],
    answer: /^USAGE$/
  },
  {
    name: "environment of 4,000 lines",
    files: (directory) => writeFileSync(join(directory, "e"), many(4000, (n) => `A${n}=b`).join("\n")),
    argv: [...start, "--env-from", "e"],
    answer: /^ok$/
  },
  {
    name: "environment of one line of 1 MB",
    files: (directory) => writeFileSync(join(directory, "e"), " ".repeat(1_000_000) + "x"),
    argv: [...start, "--env-from", "e"],
    answer: /^USAGE$/
  },
  {
    name: "arguments of 500,000 lines",
    files: (directory) => writeFileSync(join(directory, "a"), "\n".repeat(500_000)),
    argv: [...start, "--arg-file", "a"],
    answer: /^USAGE$/
  },
  {
    name: "option of 60,000 levels",
    argv: [...start, "--adapter-opt", `x=${nested(60_000, "[", "]")}`],
    answer: /^USAGE$/
  },
  {
    name: "TOML with a text of 100,000 lines",
    files: config(`output.color = """${"\n".repeat(100_000)}"""`),
    argv: named,
    answer: /^INVALID_CONFIG$/
  },
  {
    name: "TOML with a list of 900 lines",
    files: config(`source.roots = [\n${'"/a",\n'.repeat(900)}]`),
    argv: named,
    answer: /^(ok|INVALID_CONFIG)$/
  },
  {
    name: "TOML with an alias of 1 MB",
    files: config(`alias.a = "${"status ".repeat(140_000)}"`),
    argv: ["--config", "config.toml", "a"],
    answer: /^[A-Z_]+$/
  },
  {
    name: "launch.json whose variables are long",
    files: launchJson(
      `{"configurations":[{"type":"lldb-dap","request":"launch","program":"${"${workspaceFolder}".repeat(50_000)}"}]}`
    ),
    argv: launch,
    answer: /^INVALID_CONFIG$/
  },
  {
    name: "launch.json with a file of spaces as environment",
    files: (directory) => {
      launchJson(`{"configurations":[{"type":"lldb-dap","request":"launch","program":"a","envFile":"e"}]}`)(directory)
      writeFileSync(join(directory, "e"), `A=${" ".repeat(500_000)}x${" ".repeat(500_000)}y`)
    },
    argv: launch,
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  {
    name: "TOML of 100,000 levels",
    files: config(`a = ${nested(100_000, "[", "]")}`),
    argv: named,
    answer: /^INVALID_CONFIG$/
  },
  {
    name: "TOML with a key of 100,000 parts",
    files: config(`${"a.".repeat(100_000)}b = 1`),
    argv: named,
    answer: /^INVALID_CONFIG$/
  },
  {
    name: "TOML of 90,000 keys",
    files: config(many(90_000, (n) => `k${n} = 1`).join("\n")),
    argv: named,
    answer: /^INVALID_CONFIG$/
  },
  {
    name: "launch.json of 100,000 keys",
    files: launchJson(
      `{"configurations":[{${many(45_000, (n) => `"k${n}":1`).join(",")},${many(45_000, (n) => `"k${n}":1`).join(",")}}]}`
    ),
    argv: launch,
    answer: /^(?!INTERNAL)[A-Za-z_]+$/
  },
  {
    name: "launch.json of 1,000 levels",
    files: launchJson(
      `{"configurations":[{"name":"a","type":"lldb-dap","request":"launch","program":"app","x":${nested(1000, "[", "]")}}]}`
    ),
    argv: launch,
    answer: /^(?!INTERNAL)[A-Za-z_]+$/
  },
  {
    name: "launch.json of 100,000 levels",
    files: launchJson(`{"configurations":${nested(100_000, "[", "]")}}`),
    argv: launch,
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  {
    name: "breakpoint file of 2 MiB",
    files: (directory) => writeFileSync(join(directory, "b.json"), `[${"1,".repeat(mebibyte)}1]`),
    argv: ["breakpoint", "load", "b.json"],
    answer: /^(?!INTERNAL)[A-Z_]+$/
  },
  {
    name: "breakpoint file of 100,000 levels",
    files: (directory) => writeFileSync(join(directory, "b.json"), nested(100_000, "[", "]")),
    argv: ["breakpoint", "load", "b.json"],
    answer: /^(?!INTERNAL)[A-Z_]+$/
  }
]

const messages: ReadonlyArray<Poison> = [
  { name: "JSON of 100,000 levels", bytes: () => request(nested(100_000, "[", "]")), answer: /^USAGE$/ },
  {
    name: "JSON of 100,000 objects",
    bytes: () => request(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    answer: /^USAGE$/
  },
  { name: "JSON of 1,000,000 values", bytes: () => request(`[${"1,".repeat(1_000_000)}1]`), answer: /^USAGE$/ },
  { name: "invalid UTF-8", bytes: () => Uint8Array.of(0xff, 0xfe, 0xc0, 0x80, 10), answer: /^none$/ },
  { name: "half a message", bytes: () => '{"_tag":"Request","id":"1","tag":"sta', answer: /^none$/ },
  { name: "line of 17 MiB", bytes: () => "x".repeat(17 * mebibyte), answer: /^none$/ },
  { name: "request of 17 MiB", bytes: () => request(`{"x":"${"x".repeat(17 * mebibyte)}"}`), answer: /^(USAGE|none)$/ },
  { name: "100,000 empty lines", bytes: () => "\n".repeat(100_000), answer: /^none$/ },
  {
    name: "100,000 answers to nothing",
    bytes: () => '{"_tag":"Ack","requestId":"7"}\n'.repeat(100_000),
    answer: /^none$/
  }
]

/** All poison inputs. */
export const all: ReadonlyArray<Poison> = [...patterns, ...words, ...files, ...messages]
