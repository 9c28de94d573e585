/**
 * Reads stacks and threads: format settings make LLDB print one record per line, with control characters that no name
 * contains between the fields.
 *
 * The settings are global in an LLDB, so a query consists of three commands to send together: set the format, print,
 * reset the format.
 */
import type * as Effect from "effect/Effect"
import * as Steps from "./internal/Steps.ts"

/** A frame. `index` is its number, `thread` LLDB's index of the thread, addresses are `0x…`. */
export interface FrameRecord {
  readonly thread: number
  readonly tid: number
  readonly index: number
  readonly address: string
  readonly module?: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  /** The stack pointer, which distinguishes activations of one function. */
  readonly stackPointer?: string
}

/** A thread with its innermost frame. `tid` is the thread id of the operating system. */
export interface ThreadRecord {
  readonly index: number
  readonly tid: number
  readonly stopReason?: string
  readonly address?: string
  readonly module?: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  /** The name that the program has set. */
  readonly name?: string
}

const record = "\\x1e"
const field = "\\x1f"

// If a variable has no value, LLDB omits the braces that contain it; without braces it omits the rest of the line.
const format = (fields: ReadonlyArray<string>) => `${record}${fields.map((one) => `{${one}}${field}`).join("")}\\n`

const place = ["${module.file.fullpath}", "${function.name}", "${line.file.fullpath}", "${line.number}"]

const frameFields = [
  "${thread.index}",
  "${thread.id%tid}",
  "${frame.index}",
  "${frame.pc}",
  ...place,
  "${line.column}",
  "${frame.sp}"
]

/** Three commands to send together; the output of the second one is the answer. */
export type Formatted = readonly [before: string, query: string, after: string]

const formatted = (setting: string, fields: ReadonlyArray<string>, command: string): Formatted => [
  `settings set ${setting} "${format(fields)}"`,
  command,
  `settings clear ${setting}`
]

/** Prints `count` frames from `start` of the thread with LLDB's index `thread`. */
export const stack = (thread: number, start: number, count: number): Formatted =>
  formatted("frame-format", frameFields, `thread backtrace -c ${count} -s ${start} ${thread}`)

/** Runs a command that prints frames as `stack` does. */
export const framesOf = (command: string): Formatted => formatted("frame-format", frameFields, command)

/** Prints the innermost `count` frames of every thread. */
export const stacks = (count: number): Formatted =>
  formatted("frame-format", frameFields, `thread backtrace -c ${count} all`)

/** Prints all threads. */
export const threads: Formatted = formatted(
  "thread-format",
  ["${thread.index}", "${thread.id%tid}", "${thread.stop-reason}", "${frame.pc}", ...place, "${thread.name}"],
  "thread list"
)

const records = (output: string): ReadonlyArray<ReadonlyArray<string>> =>
  output.split("\n").flatMap((line) => {
    const at = line.indexOf("\u001e")
    return at < 0 ? [] : [line.slice(at + 1).split("\u001f")]
  })

const natural = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const address = (text: string | undefined): string | undefined =>
  text !== undefined && /^0x[0-9a-fA-F]+$/.test(text) ? `0x${BigInt(text).toString(16)}` : undefined

const text = <K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } => {
  const one: { [P in K]?: string } = {}
  if (value !== undefined && value !== "") one[key] = value
  return one
}

const lineOf = (value: string | undefined) => {
  const line = natural(value)
  return line === undefined || line === 0 ? {} : { line }
}

/** Parses the output of `stack`; returns no frames for output of another form. */
export const frames = (output: string): ReadonlyArray<FrameRecord> =>
  records(output).flatMap(([threadText, tidText, indexText, pc, module, name, file, line, columnText, sp]) => {
    const thread = natural(threadText)
    const tid = natural(tidText)
    const index = natural(indexText)
    const at = address(pc)
    const column = natural(columnText)
    if (thread === undefined || tid === undefined || index === undefined || at === undefined) return []
    return [
      {
        thread,
        tid,
        index,
        address: at,
        ...text("module", module),
        ...text("function", name),
        ...text("file", file),
        ...lineOf(line),
        ...(column === undefined || column === 0 ? {} : { column }),
        ...text("stackPointer", address(sp))
      }
    ]
  })

/** Parses the same as `frames`, and lets other fibers run after each step. */
export const framesInSteps = (output: string): Effect.Effect<ReadonlyArray<FrameRecord>> =>
  Steps.byLines(output, frames)

/** Parses the output of `threads`. */
export const threadList = (output: string): ReadonlyArray<ThreadRecord> =>
  records(output).flatMap(([indexText, tidText, reason, pc, module, name, file, line, threadName]) => {
    const index = natural(indexText)
    const tid = natural(tidText)
    if (index === undefined || tid === undefined) return []
    return [
      {
        index,
        tid,
        // The other threads of a core file have the signal 0.
        ...text("stopReason", reason === "signal 0" ? "" : reason),
        ...text("address", address(pc)),
        ...text("module", module),
        ...text("function", name),
        ...text("file", file),
        ...lineOf(line),
        ...text("name", threadName)
      }
    ]
  })

/** Parses the same as `threadList`, and lets other fibers run after each step. */
export const threadListInSteps = (output: string): Effect.Effect<ReadonlyArray<ThreadRecord>> =>
  Steps.byLines(output, threadList)
