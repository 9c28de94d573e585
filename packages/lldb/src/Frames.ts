/**
 * Stacks and threads as records: LLDB prints frames and threads by format settings, and these print one record a line,
 * its fields between control characters that no name contains.
 *
 * The settings hold for a whole debugger, so that each question comes as three commands to send together: set the
 * format, ask, put it back.
 */

/** One frame. `index` is its number, `thread` LLDB's own number of the thread, addresses are `0x…`. */
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
  /** The stack pointer, which tells activations of one function apart. */
  readonly stackPointer?: string
}

/** One thread with its innermost frame. `tid` is the operating system's number. */
export interface ThreadRecord {
  readonly index: number
  readonly tid: number
  readonly stopReason?: string
  readonly address?: string
  readonly module?: string
  readonly function?: string
  readonly file?: string
  readonly line?: number
  /** The name that the program gave the thread. */
  readonly name?: string
}

const record = "\\x1e"
const field = "\\x1f"

// A variable in braces is left out alone when it has no value; without them the rest of the line is lost.
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

/** Three commands to send together: the second one's output is the answer. */
export type Formatted = readonly [before: string, question: string, after: string]

const formatted = (setting: string, fields: ReadonlyArray<string>, command: string): Formatted => [
  `settings set ${setting} "${format(fields)}"`,
  command,
  `settings clear ${setting}`
]

/** Frames `start` to `start + count` of the thread with LLDB's number `thread`. */
export const stack = (thread: number, start: number, count: number): Formatted =>
  formatted("frame-format", frameFields, `thread backtrace -c ${count} -s ${start} ${thread}`)

/** The innermost `count` frames of every thread. */
export const stacks = (count: number): Formatted =>
  formatted("frame-format", frameFields, `thread backtrace -c ${count} all`)

/** All threads. */
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

/** The frames in the answer to `stack`; nothing when the answer has another form. */
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

/** The threads in the answer to `threads`. */
export const threadList = (output: string): ReadonlyArray<ThreadRecord> =>
  records(output).flatMap(([indexText, tidText, reason, pc, module, name, file, line, threadName]) => {
    const index = natural(indexText)
    const tid = natural(tidText)
    if (index === undefined || tid === undefined) return []
    return [
      {
        index,
        tid,
        ...text("stopReason", reason),
        ...text("address", address(pc)),
        ...text("module", module),
        ...text("function", name),
        ...text("file", file),
        ...lineOf(line),
        ...text("name", threadName)
      }
    ]
  })
