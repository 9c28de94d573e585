/**
 * Commands of GDB and LLDB that have another form here, or none: what to say about them, and the call to make instead. A command that
 * differs only in its name is an alias.
 */
import * as Hint from "../answers/Hint.ts"

/** The problem of a command line, and what to do instead. */
export interface Advice {
  readonly problem: string
  readonly hint: Hint.Hint
}

/** Returns the advice for the words after the command. */
type Answer = (words: ReadonlyArray<string>) => Advice

const other =
  (problem: string, hint: (words: ReadonlyArray<string>) => Hint.Hint): Answer =>
  (words) => ({ problem, hint: hint(words) })

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** Returns a hint to edit the breakpoint of a number, or to read how. */
const edit = (id: string | undefined, change: { readonly condition?: string; readonly hits?: string }): Hint.Hint =>
  number(id) === undefined || Object.values(change).includes("")
    ? Hint.help("breakpoint.edit")
    : Hint.call("breakpoint.edit", { id: String(number(id)), ...change })

const start = other("a program is named when it is started", ([program]) =>
  program === undefined ? Hint.help("start") : Hint.call("start", { program })
)

const back = other("a program cannot run backwards", () =>
  Hint.help("back", "runs it again and stops at an earlier stop")
)

const page = other("the source is shown by a page in the browser", () => Hint.local("web"))

const elsewhere = other("the daemon has no current directory", ([directory]) =>
  directory === undefined ? Hint.local("status") : Hint.local("status", ["-C", directory])
)

const lldb = (name: string, command: string): Answer =>
  other(`${name} is a command of the debugger, not of sigtrap`, (words) =>
    Hint.call("raw", { command: [command, ...words].join(" ") })
  )

const moved = (name: string, hint: Hint.Hint): Answer => other(`there is no command ${name}`, () => hint)

const commands: { readonly [words: string]: Answer } = {
  file: start,
  "exec-file": start,
  "symbol-file": start,
  "target create": start,
  condition: other("a condition is an option of a breakpoint", ([id, ...words]) =>
    edit(id, { condition: words.join(" ") })
  ),
  ignore: other("a number of hits to ignore is an option of a breakpoint", ([id, count]) =>
    edit(id, { hits: number(count) === undefined ? "" : `>${count}` })
  ),
  "thread apply": other("the stacks of all threads have an option", () =>
    Hint.call("backtrace", { all_threads: true })
  ),
  "reverse-step": back,
  "reverse-next": back,
  "reverse-continue": back,
  "reverse-finish": back,
  rc: back,
  record: back,
  checkpoint: back,
  layout: page,
  tui: page,
  gui: page,
  cd: elsewhere,
  pwd: elsewhere,
  jump: lldb("jump", "jump"),
  return: lldb("return", "thread return"),
  handle: lldb("handle", "process handle"),
  signal: lldb("signal", "process signal"),
  exit: other("there is nothing to exit from: each command ends by itself", () =>
    Hint.call("stop", {}, "to end the session")
  ),
  show: moved("show", Hint.call("session.info", {}, "to describe the session")),
  search: other("names and texts have a command each", ([text]) =>
    text === undefined
      ? Hint.help("find")
      : Hint.call("find", { name: text }, "or breakpoint find, or setup for a debugger")
  ),
  "info functions": moved("info functions", Hint.help("complete", "kind location lists functions")),
  "info types": moved("info types", Hint.help("type")),
  "info signals": moved("info signals", Hint.call("raw", { command: "process handle" })),
  "info proc": moved("info proc", Hint.call("status", {})),
  "info files": moved("info files", Hint.call("modules", {})),
  "info inferiors": moved("info inferiors", Hint.call("sessions", {})),
  "info scope": moved("info scope", Hint.call("locals", {})),
  "info symbol": other("there is no command info symbol", ([at = "$pc"]) =>
    Hint.call("raw", { command: `image lookup --address ${at}` })
  ),
  "info address": other("there is no command info address", ([name]) =>
    name === undefined ? Hint.help("print") : Hint.call("print", { expressions: [`&${name}`] })
  )
}

/** Options of `break` that name an exception: `catch` stops there. */
const exceptions: { readonly [flag: string]: string } = {
  "--panic": "panic",
  "--throw": "throw",
  "--exception": "throw",
  "--catch": "throw",
  "--uncaught": "uncaught"
}

/** Returns the advice for the first words of a command line; undefined for commands that exist or are unknown. */
export const advice = (words: ReadonlyArray<string>): Advice | undefined => {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ").replace(/^i /, "info ")
    const answer = words.length >= length && Object.hasOwn(commands, name) ? commands[name] : undefined
    if (answer !== undefined) return answer(words.slice(length))
  }
  return undefined
}

/** Returns the hint for an unknown option of a command. */
export const optionHint = (command: string, problem: string): Hint.Hint | undefined => {
  const [, option = ""] = /^unknown option (\S+) of /.exec(problem) ?? []
  const filter = command === "break" && Object.hasOwn(exceptions, option) ? exceptions[option] : undefined
  return filter === undefined ? undefined : Hint.call("catch", { filter })
}
