/**
 * A program as data: the moments of one run, in order.
 *
 * Pure functions compute where breakpoints bind and where a run stops next. `FakeBackend` reports events.
 */
import type { Frame } from "@sigtrap/protocol"
import type { Group, Placement, Resume, BreakpointRequest } from "../ports/Backend.ts"
import type { Tasks } from "../ports/Tasks.ts"

/** A value: its text, or its text with its members. `unnamed` members have no expression of their own. */
export type Content =
  | string
  | {
      readonly value: string
      readonly type?: string
      readonly unnamed?: boolean
      readonly parts: { readonly [name: string]: Content }
    }

/** One frame of a stack. Without `line` it has no source. */
export interface Place {
  readonly function: string
  readonly line?: number
  /** True if the frame is a label of the debugger. */
  readonly label?: boolean
  readonly variables?: { readonly [name: string]: Content }
}

/** The program about to execute one line. */
export interface Moment {
  /** The innermost frame first. */
  readonly stack: readonly [Place, ...ReadonlyArray<Place>]
  /** Text that the line writes to standard output. */
  readonly writes?: string
  /** The line does not end by itself. Only a pause stops the program there. */
  readonly blocks?: boolean
  /** Other threads that stop here for the same reason. */
  readonly others?: ReadonlyArray<number>
}

/** A source file: its lines with code, and the first lines of its functions. */
export interface Source {
  readonly file: string
  readonly code: ReadonlyArray<number>
  readonly functions: { readonly [name: string]: number }
}

/** A program. The first thread is the one that runs through the moments. */
export interface Program {
  readonly source: Source
  /** A library that `Debuggee.load` loads. */
  readonly library?: Source
  readonly threads: readonly [Frame.Thread, ...ReadonlyArray<Frame.Thread>]
  readonly moments: ReadonlyArray<Moment>
  readonly end: { readonly exit_code: number } | { readonly signal: string }
  /** The tasks of its runtime. */
  readonly tasks?: Tasks
  /** True if its debugger runs code of it for expressions that only read by their text. */
  readonly propertiesRunCode?: boolean
  /** True if its debugger refuses a read that runs code of it (true). */
  readonly refusesCode?: boolean
  /** Values of expressions that are not variables. */
  readonly expressions?: { readonly [expression: string]: Content }
  /** Evaluates a condition at a moment (true). */
  readonly holds?: (condition: string, moment: Moment) => boolean
  /** False for a condition that the debugger cannot evaluate: it stops at each hit (true). */
  readonly compiles?: (condition: string) => boolean
}

/** The end of a run: a stop, a line that does not end, or the exit. `output` was written on the way. */
export type Arrival = { readonly output: string } & (
  | {
      readonly kind: "stop"
      readonly at: number
      readonly reason: "breakpoint" | "step" | "finish"
      readonly breakpoints: ReadonlyArray<number>
    }
  | { readonly kind: "blocked"; readonly at: number }
  | { readonly kind: "end" }
)

/** Returns the value of a variable or member, `a.b.c`, in a frame. */
export const lookUp = (place: Place, expression: string): Content | undefined => {
  const [name = "", ...path] = expression.split(".")
  return path.reduce<Content | undefined>(
    (content, part) => (content === undefined || typeof content === "string" ? undefined : content.parts[part]),
    place.variables?.[name]
  )
}

const isCompiled = ({ compiles }: Program, { condition }: BreakpointRequest): boolean =>
  condition === undefined || compiles?.(condition) !== false

/** Returns the options of a breakpoint that this debugger does not support. */
const unsupportedOf = (program: Program, wanted: BreakpointRequest): NonNullable<Placement["unsupported"]> => [
  "hits",
  "log",
  ...(isCompiled(program, wanted) ? [] : (["condition"] as const))
]

const named = ({ at, function: name }: BreakpointRequest, candidate: string): boolean => {
  if (name !== undefined) return name === candidate
  if (at?.kind === "regex") return new RegExp(at.pattern, at.ignoreCase ? "i" : "").test(candidate)
  return at?.kind === "function" && at.name === candidate
}

/** Returns where a breakpoint binds. `loaded` is true if the library is loaded. */
export const bind = (program: Program, loaded: boolean, group: Group, wanted: BreakpointRequest): Placement => {
  const sources = program.library !== undefined && loaded ? [program.source, program.library] : [program.source]
  const unsupported = unsupportedOf(program, wanted)
  const unresolved = (reason: string): Placement => ({ id: wanted.id, resolved: false, locations: [], reason })
  if (group.kind === "watch") {
    return {
      id: wanted.id,
      resolved: true,
      locations: [{ address: wanted.watch?.address ?? "0x0" }],
      unsupported
    }
  }
  if (group.kind === "exception") {
    return wanted.filter === "throw"
      ? { id: wanted.id, resolved: true, locations: [], unsupported }
      : unresolved("the debugger has no such filter")
  }
  if (group.kind !== "source") {
    const locations = sources.flatMap(({ file, functions }) =>
      Object.entries(functions).flatMap(([name, line]) => (named(wanted, name) ? [{ file, line, function: name }] : []))
    )
    return locations.length === 0
      ? unresolved("no function of that name")
      : { id: wanted.id, resolved: true, locations, unsupported }
  }
  const source = sources.find(({ file }) => file === group.path || file.endsWith(`/${group.path}`))
  if (source === undefined) return unresolved("no debug information names such a file")
  const line = source.code.find((candidate) => candidate >= (wanted.line ?? 0))
  return line === undefined
    ? unresolved(`no code at line ${wanted.line ?? 0} or right after it`)
    : { id: wanted.id, resolved: true, locations: [{ file: source.file, line }], unsupported }
}

/** Runs from a moment, -1 before the first, until `hit` returns breakpoints or the step is finished. */
export const advance = (
  program: Program,
  from: number,
  how: Resume,
  hit: (moment: Moment) => ReadonlyArray<number>
): Arrival => {
  const depth = program.moments[from]?.stack.length ?? 0
  let output = ""
  for (let at = from; ; at++) {
    const leaving = program.moments[at]
    if (leaving?.blocks === true) return { kind: "blocked", at, output }
    output += leaving?.writes ?? ""
    const arriving = program.moments[at + 1]
    if (arriving === undefined) return { kind: "end", output }
    const breakpoints = hit(arriving)
    const deep = arriving.stack.length
    if (breakpoints.length > 0) return { kind: "stop", at: at + 1, reason: "breakpoint", breakpoints, output }
    if (how === "step" || how === "stepi" || ((how === "next" || how === "nexti") && deep <= depth)) {
      return { kind: "stop", at: at + 1, reason: "step", breakpoints, output }
    }
    if (how === "finish" && deep < depth) return { kind: "stop", at: at + 1, reason: "finish", breakpoints, output }
  }
}

const sampleSource: Source = {
  file: "/src/app.c",
  code: [2, 3, 7, 8, 10, 11, 13],
  functions: { square: 2, main: 7 }
}

/** The text of the sample's source file. */
export const sampleText = `int square(int n) {
  int result = n * n;
  return result;
}

int main(void) {
  int total = 0;
  for (int i = 1; i <= 3; i++) {
    /* a comment */
    total += square(i);
    printf("total=%d\\n", total);
  }
  return total;
}
`

const runtime: Place = { function: "__libc_start_main" }

const pair: Content = {
  value: "{...}",
  type: "struct pair",
  parts: {
    first: { value: "{...}", parts: { inner: { value: "{...}", unnamed: true, parts: { name: '"one"' } } } },
    second: { value: "{...}", parts: { inner: { value: "{...}", unnamed: true, parts: { name: '"two"' } } } }
  }
}

const main = (line: number, i: number, total: number): Place => ({
  function: "main",
  line,
  variables: { total: `${total}`, i: `${i}`, pair }
})

const round = (i: number, before: number): ReadonlyArray<Moment> => {
  const caller = main(10, i, before)
  const square = (line: number, result: string): Moment => ({
    stack: [{ function: "square", line, variables: { n: `${i}`, result } }, caller, runtime]
  })
  const after = before + i * i
  return [
    { stack: [caller, runtime] },
    square(2, "0"),
    square(3, `${i * i}`),
    { stack: [main(11, i, after), runtime], writes: `total=${after}\n` }
  ]
}

/** Adds the squares of 1, 2 and 3 in `/src/app.c`, writes each sum, and exits with 14. */
export const sample: Program = {
  source: sampleSource,
  library: { file: "/src/plugin.c", code: [3, 4], functions: { plugin: 3 } },
  threads: [{ id: 1, name: "app" }],
  moments: [
    { stack: [main(7, 0, 0), runtime] },
    ...round(1, 0),
    ...round(2, 1),
    ...round(3, 5),
    { stack: [main(13, 4, 14), runtime] }
  ],
  end: { exit_code: 14 }
}

/** Returns the sample with a line that does not end. */
export const blockingAt = (line: number): Program => ({
  ...sample,
  moments: sample.moments.map((moment) => (moment.stack[0].line === line ? { ...moment, blocks: true } : moment))
})

/** Returns the group that is recorded under a path. */
export const groupOf = (path: string): Group => {
  if (path === "special" || path === "watch" || path === "exception") return { kind: path }
  return path === "" ? { kind: "function" } : { kind: "source", path }
}

/** Returns the numbers of the breakpoints at a moment. `lists` are the newest lists by path. */
export const hits = (
  program: Program,
  loaded: boolean,
  lists: ReadonlyMap<string, ReadonlyArray<BreakpointRequest>>,
  moment: Moment
): ReadonlyArray<number> => {
  const { line } = moment.stack[0]
  return [...lists].flatMap(([path, list]) =>
    list
      .filter(
        (wanted) =>
          bind(program, loaded, groupOf(path), wanted).locations.some(
            (place) => place.file === program.source.file && place.line === line
          ) &&
          (wanted.condition === undefined ||
            !isCompiled(program, wanted) ||
            program.holds?.(wanted.condition, moment) !== false)
      )
      .map((wanted) => wanted.id)
  )
}
