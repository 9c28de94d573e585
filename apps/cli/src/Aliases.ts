/**
 * Names that other debuggers made familiar. All are accepted, none is needed; help and completion show our own.
 */

/** Words that stand for a command, and options they imply. */
export interface Alias {
  readonly command: string
  readonly options?: ReadonlyArray<string>
}

const words: { readonly [command: string]: ReadonlyArray<string> } = {
  start: ["launch", "debug", "process launch"],
  attach: ["process attach"],
  stop: ["kill", "k", "quit", "q", "close", "process kill"],
  sessions: ["ls", "session list"],
  wait: ["await"],
  break: ["b", "breakpoint add", "breakpoint set", "bp add", "bp set"],
  "breakpoint list": ["breakpoints", "bp list", "info breakpoints", "info break", "i breakpoints", "info b"],
  logpoint: ["dprintf"],
  watch: ["watchpoint set"],
  "catch list": ["info catch"],
  exception: ["exception info"],
  "breakpoint info": ["bp info"],
  "breakpoint enable": ["bp enable", "enable"],
  "breakpoint disable": ["bp disable", "disable"],
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
    "delete",
    "unbreak",
    "clear"
  ],
  continue: ["c", "cont", "resume", "process continue"],
  next: ["n", "over", "step over"],
  step: ["s", "into", "step in", "step into"],
  finish: ["out", "fin", "step out"],
  until: ["u", "run-to", "advance", "to"],
  stepi: ["si", "step inst", "step instruction"],
  nexti: ["ni"],
  restart: ["rerun"],
  connect: ["gdb-remote", "target remote"],
  pause: ["interrupt", "halt", "process interrupt"],
  context: ["where", "state", "ctx"],
  source: ["list", "l", "info source"],
  files: ["sources", "scripts"],
  changed: ["diff"],
  frame: ["f", "frame select", "info frame", "i frame"],
  threads: ["thread list", "info threads", "i threads"],
  thread: ["thread select"],
  args: ["info args", "i args"],
  globals: ["info variables"],
  expand: ["inspect", "props"],
  set: ["set var", "assign"],
  type: ["ptype", "whatis"],
  "memory read": ["x", "mem"],
  registers: ["reg", "register read", "info registers", "i registers"],
  disassemble: ["disas", "dis"],
  modules: ["images", "libs", "image list", "info sharedlibrary"],
  backtrace: ["bt", "stack", "thread backtrace", "info stack"],
  locals: ["frame variable", "info locals", "i locals"],
  print: ["p"],
  eval: ["e", "expression", "expr"],
  output: ["console"],
  input: ["send"],
  raw: ["lldb", "gdb"],
  status: ["info", "info program"]
}

const entries = Object.entries(words).flatMap(([command, names]) =>
  names.map((name): readonly [string, Alias] => [name, { command }])
)

/** What each alias stands for. */
export const commands: ReadonlyMap<string, Alias> = new Map<string, Alias>([
  ...entries,
  ["tbreak", { command: "break", options: ["--temporary"] }],
  ["tb", { command: "break", options: ["--temporary"] }],
  ["rwatch", { command: "watch", options: ["--access", "read"] }],
  ["awatch", { command: "watch", options: ["--access", "access"] }],
  ["breakpoint enable all", { command: "breakpoint enable", options: ["--all"] }],
  ["breakpoint disable all", { command: "breakpoint disable", options: ["--all"] }],
  ["watch list", { command: "breakpoint list" }],
  ["info watchpoints", { command: "breakpoint list" }],
  ["watch remove", { command: "breakpoint remove" }],
  ["watch enable", { command: "breakpoint enable" }],
  ["watch disable", { command: "breakpoint disable" }],
  ["watch edit", { command: "breakpoint edit" }],
  ["watch info", { command: "breakpoint info" }],
  ["breakpoint remove all", { command: "breakpoint remove", options: ["--all"] }],
  ["breakpoint delete all", { command: "breakpoint remove", options: ["--all"] }],
  ["bp remove all", { command: "breakpoint remove", options: ["--all"] }],
  ["delete all", { command: "breakpoint remove", options: ["--all"] }],
  ["clearall", { command: "breakpoint remove", options: ["--all"] }]
])

/** The aliases of a command, in the order of the table. */
export const of = (command: string): ReadonlyArray<string> => words[command] ?? []

/** Other names of a command's options: the name without dashes, and the words that take its place. */
const table: { readonly [command: string]: { readonly [name: string]: ReadonlyArray<string> } } = {
  start: { b: ["--break"], e: ["--stop-on-entry"], m: ["--stop-at-main"], a: ["--adapter"] },
  events: { f: ["--follow"], n: ["--limit"] },
  attach: { n: ["--name"], waitfor: ["--wait"], w: ["--wait"], p: ["--pause"], b: ["--break"], a: ["--adapter"] },
  connect: { b: ["--break"], a: ["--adapter"] },
  break: {
    c: ["--condition"],
    if: ["--condition"],
    n: ["--at"],
    l: ["--log"],
    t: ["--temporary"],
    d: ["--disabled"],
    "hit-count": ["--hits"]
  },
  watch: { w: ["--access", "write"], r: ["--access", "read"], a: ["--access", "access"], c: ["--condition"] },
  context: { context: ["--lines"] },
  source: { context: ["--lines"], r: ["--range"] },
  backtrace: { all: ["--all-threads"], n: ["--limit"] },
  print: { f: ["--format"], a: ["--array"] },
  "memory read": { n: ["--count"], c: ["--count"] },
  disassemble: { n: ["--count"], b: ["--bytes"], s: ["--source"] },
  "sim debug": { b: ["--break"], e: ["--env"], m: ["--stop-at-main"], p: ["--pause"], a: ["--adapter"] },
  "sim attach": { b: ["--break"], w: ["--wait"], waitfor: ["--wait"], p: ["--pause"], a: ["--adapter"] },
  "sim launch": { e: ["--env"], w: ["--wait-for-debugger"] },
  "sim log": { f: ["--follow"], n: ["--limit"] },
  output: { t: ["--tail"], f: ["--follow"], all: ["--since", "0"] }
}

/** The words that take the place of an option's other name; the last of several is its value. */
export const option = (command: string, name: string): ReadonlyArray<string> | undefined => {
  const names = Object.hasOwn(table, command) ? table[command] : undefined
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined
}

/** The other names of a command's options, as they are written. */
export const options = (
  command: string
): ReadonlyArray<{ readonly written: string; readonly words: ReadonlyArray<string> }> =>
  Object.entries(table[command] ?? {}).map(([name, words]) => ({
    written: name.length === 1 ? `-${name}` : `--${name}`,
    words
  }))
