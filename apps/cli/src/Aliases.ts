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
  stop: ["kill", "k", "quit", "q", "close", "process kill"],
  sessions: ["ls", "session list"],
  wait: ["await"],
  break: ["b", "breakpoint add", "breakpoint set", "bp add", "bp set"],
  "breakpoint list": ["breakpoints", "bp list", "info breakpoints", "info break", "i breakpoints", "info b"],
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
  pause: ["interrupt", "halt", "process interrupt"],
  context: ["where", "state", "ctx", "info frame"],
  backtrace: ["bt", "stack", "thread backtrace", "info stack"],
  locals: ["frame variable", "info locals", "i locals"],
  print: ["p"],
  eval: ["e", "expression", "expr"],
  output: ["console"],
  raw: ["lldb", "gdb"],
  status: ["info", "info program"]
}

const entries = Object.entries(words).flatMap(([command, names]) =>
  names.map((name): readonly [string, Alias] => [name, { command }])
)

/** What each alias stands for. */
export const commands: ReadonlyMap<string, Alias> = new Map<string, Alias>([
  ...entries,
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
  break: { c: ["--condition"], if: ["--condition"], n: ["--at"] },
  context: { context: ["--lines"] },
  output: { t: ["--tail"], all: ["--since", "0"] }
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
