/**
 * The stacks that were read, and the frame whose values are shown.
 */
import type { Data, Report, StackFrame } from "../../connection/Answers.ts"

/** A stack that was read, with hidden frames or without. */
export interface Stack {
  readonly frames: ReadonlyArray<StackFrame>
  readonly folded: Pick<Report, "left_out" | "hidden_frames">
  readonly all: boolean
  /** How many frames were read, with the folded ones. */
  readonly read: number
  /** True if the stack has more frames than were read. */
  readonly more: boolean
  /** What is said of the frames that the report of a stop leaves out, where they cannot be read any more. */
  readonly leftOut?: string
}

/** Frames that are read at a time. */
export const framesAtATime = 100

/** Returns the folded frames of two parts of a stack. */
const foldedTogether = (one: Stack["folded"], other: Stack["folded"]): Stack["folded"] => {
  const counts = new Map<string, number>()
  for (const { count, what } of [...(one.left_out ?? []), ...(other.left_out ?? [])])
    counts.set(what, (counts.get(what) ?? 0) + count)
  return {
    ...(counts.size === 0 ? {} : { left_out: [...counts].map(([what, count]) => ({ what, count })) }),
    hidden_frames: (one.hidden_frames ?? 0) + (other.hidden_frames ?? 0)
  }
}

/** Returns what is said of the frames that the report of a stop leaves out; undefined if it has all. */
const leftOutWords = ({ deeper, more_frames = 0 }: Report): string | undefined => {
  if (more_frames === 0 && deeper !== true) return undefined
  const count =
    more_frames === 0 ? "More frames" : `${more_frames.toLocaleString("en")} more frame${more_frames === 1 ? "" : "s"}`
  return `${deeper === true && more_frames > 0 ? "At least " : ""}${count} ${more_frames === 1 ? "was" : "were"} not kept.`
}

/** Returns the stack as it is shown when it was read from its first frame. */
export const reportedStack = (report: Report): Stack => {
  const leftOut = leftOutWords(report)
  return {
    frames: report.frames ?? [],
    folded: report,
    all: false,
    read: 0,
    more: false,
    ...(leftOut === undefined ? {} : { leftOut })
  }
}

/** Returns a stack with the frames that were read after those of `before`; without it they are its first ones. */
export const stackWith = (
  { frames, hidden, left_out, total }: Pick<Data<"backtrace">, "frames" | "hidden" | "left_out" | "total">,
  all: boolean,
  before?: Stack
): Stack => {
  const folded = { ...(left_out === undefined ? {} : { left_out }), hidden_frames: hidden }
  const count = frames.length + hidden
  const read = (before?.read ?? 0) + count
  return {
    frames: [...(before?.frames ?? []), ...frames],
    folded: before === undefined ? folded : foldedTogether(before.folded, folded),
    all,
    read,
    more: total === undefined ? count >= framesAtATime : total > read
  }
}

/** The frame that values were read in. */
export interface ValuesFrame {
  readonly thread: number | undefined
  readonly index: number
  readonly name: string
  /** The sentence that is shown if it has no values. */
  readonly empty: string
}

/** Returns why the registers of a frame that the debugger does not find are unknown; undefined for other frames. */
export const unlistedRegisters = (frame: StackFrame | undefined): string | undefined =>
  frame?.unlisted === true ? "The debugger does not find this frame, so its registers are unknown." : undefined

/** Returns why a frame has no values: they are unknown, or its function has no variables. */
export const withoutVariables = (frame: StackFrame | undefined): string => {
  if (frame?.unlisted === true) return "The debugger does not find this frame. Its variables were not read."
  return frame !== undefined && frame.line === undefined
    ? "This function has no debug information, so its variables are unknown."
    : "This frame has no variables."
}

/** True unless the program left a stop before the values of its frame were read. */
export const hasValues = ({ not_read }: Report): boolean => not_read?.includes("locals") !== true

/** The frame of the shown values before any were read. */
export const noFrame: ValuesFrame = { thread: undefined, index: 0, name: "", empty: withoutVariables(undefined) }

/** Returns the frame of the values that a report has. */
export const valuesFrameOf = (report: Report, index: number): ValuesFrame => ({
  thread: report.thread?.id,
  index,
  name: report.location?.function ?? "",
  empty: hasValues(report)
    ? withoutVariables(report.frames?.find((frame) => frame.index === index))
    : "The values were not read at this stop."
})
