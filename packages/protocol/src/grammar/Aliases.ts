/**
 * Command names and options of GDB, LLDB and other debuggers. All are accepted; help and completion show those of sigtrap.
 */

/** The command that replaces an alias. */
export interface Alias {
  readonly command: string
  /** Options that the alias implies. */
  readonly options?: ReadonlyArray<string>
  /** A pattern that the next word must match; otherwise the word is not an alias. */
  readonly before?: RegExp
}

const words: { readonly [command: string]: ReadonlyArray<string> } = {
  start: ["launch", "debug", "process launch"],
  attach: ["process attach"],
  capabilities: ["features"],
  stop: ["kill", "k", "quit", "q", "close", "process kill"],
  sessions: ["ls", "session list"],
  wait: ["await"],
  break: ["b", "breakpoint add", "breakpoint set", "bp add", "bp set", "br set", "br s"],
  "breakpoint list": ["breakpoints", "bp list", "br list", "br l"],
  logpoint: ["dprintf"],
  watch: ["watchpoint set", "watch set", "watchpoint set variable", "watchpoint set expression"],
  exception: ["exception info"],
  "breakpoint info": ["bp info"],
  "breakpoint enable": ["bp enable", "enable"],
  "breakpoint disable": ["bp disable", "disable"],
  "breakpoint toggle": ["bp toggle", "toggle"],
  "breakpoint find": ["bp find"],
  "breakpoint edit": ["bp edit", "breakpoint modify"],
  "breakpoint lines": ["bp lines", "breakable"],
  "breakpoint save": ["bp save"],
  "breakpoint load": ["bp load"],
  "breakpoint remove": [
    "breakpoint delete",
    "breakpoint rm",
    "breakpoint clear",
    "bp remove",
    "bp delete",
    "bp rm",
    "bp clear",
    "br delete",
    "br del",
    "delete",
    "del",
    "rm",
    "unbreak",
    "clear"
  ],
  run: ["r"],
  continue: ["c", "cont", "resume", "process continue"],
  next: ["n", "over", "step over", "thread step-over"],
  step: ["s", "into", "step in", "step into", "thread step-in"],
  finish: ["out", "fin", "step out", "thread step-out"],
  until: ["u", "run-to", "advance", "to"],
  stepi: ["si", "step inst", "step instruction", "thread step-inst"],
  nexti: ["ni"],
  restart: ["rerun"],
  connect: ["gdb-remote", "target remote"],
  pause: ["interrupt", "halt", "process interrupt"],
  context: ["where", "state", "ctx"],
  source: ["list", "l"],
  files: ["sources", "scripts"],
  frame: ["f", "frame select", "frame info"],
  threads: ["thread list"],
  thread: ["thread select"],
  expand: ["inspect", "props"],
  set: ["set var", "set variable", "assign"],
  type: ["ptype", "whatis"],
  "memory read": ["x", "mem"],
  registers: ["reg", "register read"],
  disassemble: ["disas", "dis"],
  modules: ["images", "libs", "image list"],
  backtrace: ["bt", "stack", "thread backtrace"],
  locals: ["frame variable"],
  print: ["p", "v", "po"],
  "display remove": ["undisplay", "display rm", "display delete"],
  eval: ["e", "expression", "expr", "call"],
  output: ["console"],
  input: ["send"],
  raw: ["lldb", "gdb"],
  status: ["info", "process status"]
}

/** Commands for `info WORD` and `i WORD` of GDB. */
const info: { readonly [word: string]: string } = {
  breakpoints: "breakpoint list",
  breakpoint: "breakpoint list",
  break: "breakpoint list",
  b: "breakpoint list",
  threads: "threads",
  thread: "thread",
  locals: "locals",
  lo: "locals",
  args: "args",
  registers: "registers",
  r: "registers",
  frame: "frame",
  f: "frame",
  stack: "backtrace",
  source: "source",
  line: "source",
  sources: "files",
  sharedlibrary: "modules",
  shared: "modules",
  variables: "globals",
  program: "status",
  catch: "catch list",
  exceptions: "exceptions",
  display: "display list"
}

/** The words that `info` accepts. */
export const infoWords: ReadonlyArray<string> = [...Object.keys(info), "watchpoints"]

const entries = Object.entries(words).flatMap(([command, names]) =>
  names.map((name): readonly [string, Alias] => [name, { command }])
)

/** The commands of all aliases. */
export const commands: ReadonlyMap<string, Alias> = new Map<string, Alias>([
  ...entries,
  ...Object.entries(info).flatMap(([word, command]) =>
    ["info", "i"].map((first): readonly [string, Alias] => [`${first} ${word}`, { command }])
  ),
  ...["info", "i"].map((first): readonly [string, Alias] => [
    `${first} watchpoints`,
    { command: "breakpoint list", options: ["--kind", "watch"] }
  ]),
  ["do", { command: "script" }],
  ["batch", { command: "script", options: ["--file"] }],
  ["rbreak", { command: "break", options: ["--regex"] }],
  ["ibreak", { command: "break", options: ["--address"] }],
  ["hbreak", { command: "break", options: ["--hardware"] }],
  ["starti", { command: "start", options: ["--stop-on-entry"] }],
  ["tbreak", { command: "break", options: ["--temporary"] }],
  ["tb", { command: "break", options: ["--temporary"] }],
  ["rwatch", { command: "watch", options: ["--access", "read"] }],
  ["awatch", { command: "watch", options: ["--access", "access"] }],
  ["watch list", { command: "breakpoint list", options: ["--kind", "watch"] }],
  ["watchpoint list", { command: "breakpoint list", options: ["--kind", "watch"] }],
  ["watchpoint delete", { command: "breakpoint remove" }],
  ["watchpoint enable", { command: "breakpoint enable" }],
  ["watchpoint disable", { command: "breakpoint disable" }],
  ["watchpoint modify", { command: "breakpoint edit" }],
  ["watch remove", { command: "breakpoint remove" }],
  ["watch enable", { command: "breakpoint enable" }],
  ["watch disable", { command: "breakpoint disable" }],
  ["watch edit", { command: "breakpoint edit" }],
  ["watch info", { command: "breakpoint info" }],
  ["clearall", { command: "breakpoint remove", options: ["--all"] }],
  // `break add` without a location, or before a condition, sets a breakpoint on a function named `add`.
  ...["break", "b"].flatMap((first): ReadonlyArray<readonly [string, Alias]> => [
    [`${first} add`, { command: "break", before: /^(?!if$|-)/ }],
    [`${first} set`, { command: "break", before: /^(?!if$|-)/ }],
    [`${first} remove`, { command: "breakpoint remove", before: /^(?:\d+|all|--all)$/ }],
    [`${first} delete`, { command: "breakpoint remove", before: /^(?:\d+|all|--all)$/ }],
    [`${first} enable`, { command: "breakpoint enable", before: /^(?:\d+|all|--all)$/ }],
    [`${first} disable`, { command: "breakpoint disable", before: /^(?:\d+|all|--all)$/ }]
  ])
])

const letters = "xduotcfasj"

/** Unit letters of GDB's `x`, with their size in bytes. */
const units: { readonly [unit: string]: string } = { b: "1", h: "2", w: "4", g: "8" }

/** Returns the command for a word of GDB with a format: `x/16xw`, `p/x`. */
export const formatted = (word: string): Alias | undefined => {
  const printed = new RegExp(`^(?:p|print)/([${letters}B])$`).exec(word)?.[1]
  if (printed !== undefined) return { command: "print", options: ["--format", printed] }
  const examined =
    word === "x/" ? null : new RegExp(`^x/(\\d{1,6})?([${letters.replace("j", "i")}])?([bhwg])?$`).exec(word)
  if (examined === null) return undefined
  const [, count = "1", format = "x", unit] = examined
  if (format === "i") return { command: "disassemble", options: ["--count", count] }
  const own = format === "c" || format === "s" ? "1" : format === "a" ? "8" : "4"
  const size = (unit === undefined ? undefined : units[unit]) ?? own
  // The length of a string is unknown; 64 bytes are read for each.
  const bytes = Number(count) * (format === "s" ? 64 : Number(size))
  return { command: "memory read", options: ["--format", format, "--size", size, "--count", String(bytes)] }
}

/** Returns the aliases of a command, in the order of the table. */
export const of = (command: string): ReadonlyArray<string> => words[command] ?? []

/** Other names of a command's options, without dashes, and the words that replace them. */
const table: { readonly [command: string]: { readonly [name: string]: ReadonlyArray<string> } } = {
  start: {
    b: ["--break"],
    e: ["--stop-on-entry"],
    m: ["--stop-at-main"],
    a: ["--adapter"],
    "env-file": ["--env-from"]
  },
  run: { b: ["--break"], a: ["--adapter"] },
  events: { f: ["--follow"], n: ["--limit"] },
  attach: {
    "stop-on-entry": ["--pause"],
    e: ["--pause"],
    n: ["--name"],
    waitfor: ["--wait"],
    w: ["--wait"],
    p: ["--pause"],
    b: ["--break"],
    a: ["--adapter"]
  },
  connect: { b: ["--break"], a: ["--adapter"] },
  break: {
    c: ["--condition"],
    if: ["--condition"],
    n: ["--function"],
    f: ["--function"],
    l: ["--log"],
    a: ["--address"],
    r: ["--regex"],
    t: ["--temporary"],
    d: ["--disabled"],
    "hit-count": ["--hits"]
  },
  watch: { w: ["--access", "write"], r: ["--access", "read"], a: ["--access", "access"], c: ["--condition"] },
  context: { context: ["--lines"] },
  source: { context: ["--lines"], r: ["--range"] },
  backtrace: { all: ["--all-threads"], n: ["--limit"], c: ["--limit"] },
  print: { f: ["--format"], a: ["--array"], T: ["--type"], R: ["--raw"], P: ["--path"] },
  registers: { f: ["--format"], a: ["--all"] },
  "memory read": { n: ["--count"], c: ["--count"], s: ["--size"], f: ["--format"] },
  "memory write": { s: ["--size"], f: ["--file"] },
  next: { t: ["--thread"] },
  continue: { t: ["--thread"] },
  disassemble: { n: ["--count"], c: ["--count"], b: ["--bytes"], s: ["--source"], F: ["--flavor"], f: ["--function"] },
  "sim debug": { b: ["--break"], e: ["--env"], m: ["--stop-at-main"], p: ["--pause"], a: ["--adapter"] },
  "sim attach": { b: ["--break"], w: ["--wait"], waitfor: ["--wait"], p: ["--pause"], a: ["--adapter"] },
  "sim launch": { e: ["--env"], w: ["--wait-for-debugger"] },
  "sim log": { f: ["--follow"], n: ["--limit"] },
  output: { t: ["--tail"], f: ["--follow"], all: ["--since", "0"] }
}

/** Options of LLDB's commands, by the spelling of the command. */
const lldb: typeof table = {
  "breakpoint set": {
    n: ["--function"],
    name: ["--function"],
    f: ["--file"],
    l: ["--line"],
    r: ["--regex"],
    a: ["--address"],
    o: ["--temporary"],
    i: ["--ignore"],
    t: ["--thread"],
    N: ["--name"]
  }
}

const lldbOf = (written: string) =>
  /^(?:(?:breakpoint|bp) (?:set|add)|br (?:set|s))$/.test(written) ? lldb["breakpoint set"] : undefined

/**
 * Returns the words that replace another name of an option; the last of several is its value. `written` is the spelling
 * of the command, which decides between the options of LLDB and those of sigtrap.
 */
export const option = (command: string, name: string, written = command): ReadonlyArray<string> | undefined => {
  const ofLldb = lldbOf(written)
  if (ofLldb !== undefined && Object.hasOwn(ofLldb, name)) return ofLldb[name]
  const names = Object.hasOwn(table, command) ? table[command] : undefined
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined
}

/** Returns the other names of a command's options with their dashes. */
export const options = (
  command: string
): ReadonlyArray<{ readonly written: string; readonly words: ReadonlyArray<string> }> =>
  Object.entries(table[command] ?? {}).map(([name, words]) => ({
    written: name.length === 1 ? `-${name}` : `--${name}`,
    words
  }))

/** Options that other programs have, and the options of sigtrap with the same meaning, best first. */
const meanings: { readonly [flag: string]: ReadonlyArray<string> } = {
  name: ["session"],
  "session-name": ["session"],
  dir: ["cwd", "directory"],
  chdir: ["cwd", "directory"],
  workdir: ["cwd", "directory"],
  "working-dir": ["cwd", "directory"],
  "working-directory": ["cwd", "directory"],
  debugger: ["adapter"],
  lines: ["limit", "count"],
  count: ["limit", "lines"],
  grep: ["match"],
  filter: ["match"],
  pattern: ["match"],
  format: ["json"],
  output: ["out"]
}

/** Returns the options that mean the same as an unknown one, without dashes. */
export const sameMeaning = (flag: string): ReadonlyArray<string> =>
  (Object.hasOwn(meanings, flag) ? meanings[flag] : undefined) ?? []
