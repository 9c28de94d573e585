/**
 * What clients did at a stop: the values and the frames that agents read, and what may have changed the program.
 */
import type { EventLine } from "../../connection/Answers.ts"

/** A read of an agent, as its event tells it. */
export type Read = Extract<EventLine["event"], { readonly _tag: "Acted" }>

/** Returns the reads of agents at a stop. */
export const readsOf = (events: ReadonlyArray<EventLine>, stop: number): ReadonlyArray<Read> =>
  events.flatMap(({ actor, event, stop: at }) =>
    actor?.role === "agent" && at === stop && event._tag === "Acted" && event.operation === "read" ? [event] : []
  )

/** Matches the frame of a command: `locals --frame 1`, `frame 1`, `locals --frame @f2`. */
const frame = /(?:--frame|^frame) (@f\d+|\d+)(?= |$)/

/**
 * Returns the frames that reads name: an index of the thread that stopped, such as `1`, or a reference, such as `@f2`. A joined
 * read has its commands in a row. An index of another thread is left out.
 */
export const framesRead = (reads: ReadonlyArray<Read>): ReadonlyArray<string> => [
  ...new Set(
    reads
      .flatMap(({ command }) => command.split("; "))
      .filter((command) => !command.includes("--thread"))
      .flatMap((command) => frame.exec(command)?.[1] ?? [])
  )
]

/** The frame that the stop report shows. A read without a frame reads it, until its actor selects another frame. */
export const stopFrame = "stop"

/** Matches a command that selects a frame or a thread for its actor. */
const selection = /^(?:frame|up|down|thread)\b/

/**
 * Returns the expressions of reads, each with its frame: `stopFrame`, an index of the thread that stopped, or a reference. One whose
 * frame is not known is left out: it is of another thread, follows a selection, or was joined with reads of other frames.
 */
export const expressionsRead = (reads: ReadonlyArray<Read>): ReadonlyArray<readonly [string, string]> => {
  let selected = false
  return reads.flatMap((read) => {
    const commands = read.command.split("; ")
    if (commands.some((command) => selection.test(command))) selected = true
    const frames = framesRead([read])
    const unknown =
      read.command.endsWith("…") ||
      commands.some((command) => command.includes("--thread")) ||
      (frames.length === 0 ? selected : commands.length > 1)
    return unknown ? [] : (read.expressions ?? []).map((expression) => [frames[0] ?? stopFrame, expression] as const)
  })
}

/** The tiers of calls that may change what the program has at a stop. */
const writing: ReadonlySet<string> = new Set(["evaluate", "write", "admin"])

/** Operations of these tiers that write no value at the stop: they begin a program, or say where it stops later. */
const harmless: ReadonlySet<string> = new Set([
  "start",
  "attach",
  "core",
  "connect",
  "restart",
  "recover",
  "break",
  "logpoint",
  "breakpoint.edit",
  "breakpoint.load",
  "catch",
  "watch"
])

/** True if a client may have changed values at a stop, such as by `set` or `eval`. */
export const mayWrite = ({ event, stop }: EventLine, at: number): boolean =>
  event._tag === "Acted" && event.ok && stop === at && writing.has(event.tier) && !harmless.has(event.operation)

/** True if a call found out more of a stop after it was read: the value that a function returned. */
export const tellsMore = ({ event, stop }: EventLine, at: number): boolean =>
  event._tag === "Acted" && event.ok && stop === at && event.operation === "finish"
