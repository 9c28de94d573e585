/**
 * The intent of a session: what was asked of it. The launch, the breakpoints with their counts, and the number of the
 * newest stop.
 *
 * A record of it is a list of changes in order. `fold` computes the intent from the changes, so that a record that was cut
 * off is an earlier intent. The ledger is another record: it lists the processes of a session.
 */
import { Breakpoint, Caller, Settings } from "@sigtrap/protocol"
import * as Schema from "effect/Schema"
import { ProcessId } from "./Processes.ts"

const optional = Schema.optionalKey

const SpecialPlace = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("address"),
    expression: Schema.String,
    hardware: optional(Schema.Boolean)
  }),
  Schema.Struct({
    kind: Schema.Literal("regex"),
    pattern: Schema.String,
    ignoreCase: Schema.Boolean,
    escaping: optional(Schema.Boolean),
    hardware: optional(Schema.Boolean)
  }),
  Schema.Struct({
    kind: Schema.Literal("function"),
    name: Schema.String,
    file: optional(Schema.String),
    module: optional(Schema.String),
    hardware: optional(Schema.Boolean)
  }),
  Schema.Struct({
    kind: Schema.Literal("line"),
    file: Schema.String,
    line: Schema.Int,
    column: optional(Schema.Int),
    hardware: optional(Schema.Boolean)
  })
])

const Place = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("line"),
    file: Schema.String,
    line: Schema.Int,
    column: optional(Schema.Int)
  }),
  Schema.Struct({ kind: Schema.Literal("function"), name: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("special"), at: SpecialPlace }),
  Schema.Struct({
    kind: Schema.Literal("watch"),
    watch: Schema.Struct({ address: Schema.String, size: Schema.Int, access: Breakpoint.Access })
  }),
  Schema.Struct({ kind: Schema.Literal("catch"), filter: Schema.String })
])

/** A breakpoint, watchpoint or catchpoint: its place, and its model with number, options and hit count. */
export const RecordedBreakpoint = Schema.Struct({ place: Place, model: Breakpoint.Breakpoint })
/** A breakpoint, watchpoint or catchpoint. */
export type RecordedBreakpoint = typeof RecordedBreakpoint.Type

/**
 * The environment of a program, without the values that the daemon has too and without secret ones. `set` are values that
 * differ from the daemon's. `same` has a digest for each value that did not differ. `masked` are names of secret values.
 */
export const RecordedEnvironment = Schema.Struct({
  salt: Schema.String,
  set: Schema.Record(Schema.String, Schema.String),
  same: Schema.Record(Schema.String, Schema.String),
  masked: Schema.Array(Schema.String)
})
/** The environment of a program, without the values that the daemon has too and without secret ones. */
export type RecordedEnvironment = typeof RecordedEnvironment.Type

const Target = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("process"), ...ProcessId.fields }),
  Schema.Struct({ kind: Schema.Literal("core"), file: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("remote"), host: Schema.String, port: Schema.Int })
])

const Words = Schema.Array(Schema.String)

/** A launch request as it is recorded. Its fields are those of `LaunchRequest`. */
export const RecordedLaunch = Schema.Struct({
  program: Schema.String,
  args: Words,
  cwd: Schema.String,
  env: RecordedEnvironment,
  /** True if debuggers are searched in the environment of the caller. */
  callerEnv: Schema.Boolean,
  stopOnEntry: Schema.Boolean,
  sources: optional(Schema.String),
  stdin: optional(Schema.String),
  stdout: optional(Schema.String),
  stderr: optional(Schema.String),
  mergeStderr: optional(Schema.Boolean),
  terminal: optional(Schema.Literal("pty")),
  existing: optional(Target),
  adapter: optional(Schema.String),
  backend: optional(Schema.String),
  options: optional(Schema.Record(Schema.String, Schema.Json)),
  commands: optional(Schema.Struct({ init: optional(Words), preRun: optional(Words), stop: optional(Words) })),
  sourceMap: optional(Schema.Array(Schema.Tuple([Schema.String, Schema.String]))),
  aslr: optional(Schema.Boolean),
  followFork: optional(Schema.Literals(["parent", "child"])),
  loadOnly: optional(Schema.Boolean),
  settings: optional(Settings.Values),
  simulator: optional(Schema.Struct({ udid: Schema.String, name: Schema.String, bundle: Schema.String }))
})
/** A launch request as it is recorded. */
export type RecordedLaunch = typeof RecordedLaunch.Type

/** The file of a program when it was started: size in bytes, modification in milliseconds since 1970, build id. */
export const ProgramFile = Schema.Struct({
  size: Schema.Finite,
  modified: Schema.Finite,
  build: optional(Schema.String)
})
/** The file of a program when it was started. */
export type ProgramFile = typeof ProgramFile.Type

/** A session as it was asked for. `ttl` is the idle timeout in milliseconds, absent if there is none. */
export const Request = Schema.Struct({
  /** The identity of the session (`SessionId`); absent in records of earlier versions. */
  id: optional(Schema.String),
  /** Milliseconds since 1970. */
  time: Schema.Finite,
  launch: RecordedLaunch,
  file: optional(ProgramFile),
  stopAtMain: Schema.Boolean,
  label: optional(Schema.String),
  ttl: optional(Schema.Finite),
  readOnly: Schema.Boolean,
  deny: Schema.Array(Schema.Literals(["eval", "set", "memory-write", "raw"])),
  /** The roots of source text (`SourceRoots`). */
  roots: Schema.Struct({ directories: Words, searched: Words, policy: Words, homes: Words }),
  /** Who began the session. */
  beganBy: optional(Caller.Actor),
  /** The directory whose current session it is. */
  directory: optional(Schema.String)
})
/** A session as it was asked for. */
export type Request = typeof Request.Type

/** An expression that is shown at each stop. */
export const RecordedDisplay = Schema.Struct({
  id: Schema.Int,
  expression: Schema.String,
  format: optional(Schema.String),
  /** True if the client that set it may not run code of the program. */
  reads_only: optional(Schema.Boolean)
})
/** An expression that is shown at each stop. */
export type RecordedDisplay = typeof RecordedDisplay.Type

/** The expressions that are shown at each stop, and the highest number so far. */
export const Displayed = Schema.Struct({ items: Schema.Array(RecordedDisplay), last: Schema.Int })
/** The expressions that are shown at each stop, and the highest number so far. */
export type Displayed = typeof Displayed.Type

/** One change of the intent. */
export const Change = Schema.TaggedUnion({
  /** The session was started, or its program was started again. */
  Requested: { request: Request },
  /** Breakpoints were set, changed or removed. `last` is the highest number so far. */
  Breakpoints: { set: Schema.Array(RecordedBreakpoint), removed: Schema.Array(Schema.Int), last: Schema.Int },
  /** Expressions that are shown at each stop were added or removed. */
  Displayed: Displayed.fields,
  /** The newest stop, the number of the next event, and breakpoints with a new hit count. */
  Stopped: {
    stop: Schema.Int,
    next: Schema.Int,
    hits: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))
  },
  /** The session was renamed. */
  Renamed: { from: Schema.String },
  /** The program exited, or the debugger ended. */
  Ended: { how: Schema.String }
})
/** One change of the intent. */
export type Change = typeof Change.Type

/** What was asked of a session. */
export interface Intent {
  readonly request: Request
  /** By number, in the order in which they were set. */
  readonly breakpoints: ReadonlyMap<number, RecordedBreakpoint>
  readonly last: number
  /** Absent if there was never one. */
  readonly displays?: Displayed
  readonly stop: number
  /** Number of the next event. */
  readonly next: number
  /** The names that the session had before, oldest first. Absent if it was never renamed. */
  readonly former?: ReadonlyArray<string>
  /** How the program ended, if it did. */
  readonly ended?: string
}

const breakpointsAfter = (
  { breakpoints: before }: Intent,
  { removed, set }: Extract<Change, { _tag: "Breakpoints" }>
): Intent["breakpoints"] => {
  const breakpoints = new Map(before)
  for (const one of set) breakpoints.set(one.model.id, one)
  for (const id of removed) breakpoints.delete(id)
  return breakpoints
}

const hitsAfter = (
  { breakpoints: before }: Intent,
  { hits }: Extract<Change, { _tag: "Stopped" }>
): Intent["breakpoints"] => {
  if (hits.length === 0) return before
  const breakpoints = new Map(before)
  for (const [id, hit_count] of hits) {
    const one = breakpoints.get(id)
    if (one !== undefined) breakpoints.set(id, { ...one, model: { ...one.model, hit_count } })
  }
  return breakpoints
}

/** Most former names that are recorded. */
const mostNames = 20

/** Returns the intent after one more change; none before the first request. */
export const fold = (before: Intent | undefined, change: Change): Intent | undefined => {
  if (change._tag === "Requested") {
    const { request } = change
    const { ended: _, ...kept } = before ?? { breakpoints: new Map(), last: 0, stop: 0, next: 1 }
    return { ...kept, request }
  }
  if (before === undefined) return undefined
  switch (change._tag) {
    case "Breakpoints":
      return { ...before, breakpoints: breakpointsAfter(before, change), last: Math.max(before.last, change.last) }
    case "Displayed": {
      const { _tag: _, ...displays } = change
      return { ...before, displays }
    }
    case "Stopped":
      return {
        ...before,
        breakpoints: hitsAfter(before, change),
        stop: Math.max(before.stop, change.stop),
        next: Math.max(before.next, change.next)
      }
    case "Renamed":
      return {
        ...before,
        former: [...(before.former ?? []).filter((name) => name !== change.from), change.from].slice(-mostNames)
      }
    case "Ended":
      return { ...before, ended: change.how }
  }
}

/** Returns the fewest changes that lead to an intent. */
export const changesOf = ({
  breakpoints,
  displays,
  ended,
  former = [],
  last,
  next,
  request,
  stop
}: Intent): ReadonlyArray<Change> => [
  { _tag: "Requested", request },
  { _tag: "Breakpoints", set: [...breakpoints.values()], removed: [], last },
  ...(displays === undefined ? [] : [{ _tag: "Displayed" as const, ...displays }]),
  { _tag: "Stopped", stop, next, hits: [] },
  ...former.map((from) => ({ _tag: "Renamed" as const, from })),
  ...(ended === undefined ? [] : [{ _tag: "Ended" as const, how: ended }])
]
