/**
 * The frame that a thread's report shows, and the reason of a stop that its stack tells.
 *
 * A crash, an abort or a pause often stops the program inside a runtime. The report then shows and selects the innermost
 * frame with source of the user. A step, or a breakpoint that a user set, is shown where it stopped.
 */
import type { Frame, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import type { Page, StopView } from "../../session/values/StopView.ts"
import * as OutputReader from "../OutputReader.ts"

/** Returns the frames that called each other; a full report also has those that raised the cause of an exception. */
export const callersIn = (frames: ReadonlyArray<Frame.Frame>, context: Stop.Detail): ReadonlyArray<Frame.Frame> =>
  context === "full" ? frames : frames.filter(({ raised }) => raised === undefined)

/** Joins successive frames of one function, as in a recursion. */
export const joinRecursion = (frames: ReadonlyArray<Frame.Frame>): ReadonlyArray<Frame.Frame> => {
  const joined: Array<Frame.Frame> = []
  for (const frame of frames) {
    const last = joined.at(-1)
    if (last?.function === frame.function && last.file === frame.file) {
      joined.splice(-1, 1, { ...last, repeat: (last.repeat ?? 1) + 1 })
    } else joined.push(frame)
  }
  return joined
}

/** Numbers of frames in which a user's frame is searched, one after the other. */
const searched = [20, 64]

/** Reasons of stops at a place that the user chose, or that follows from the previous place. */
const exact: ReadonlySet<Stop.StopReason> = new Set<Stop.StopReason>([
  "breakpoint",
  "function-breakpoint",
  "instruction-breakpoint",
  "step",
  "finish",
  "until",
  "goto",
  "restart"
])

/** True if the stopped thread is shown in its innermost frame, with or without source. */
const isExact = (session: Session): boolean => {
  const { stopped } = session.log.snapshot
  if (stopped === undefined || !exact.has(stopped.reason)) return false
  const hit = [...session.breakpoints.list(), ...session.removedBreakpoints()].filter(({ id }) =>
    stopped.breakpoints.includes(id)
  )
  // A debugger's internal breakpoint, such as that of a sanitizer, has no number.
  if (stopped.reason === "breakpoint" && stopped.breakpoints.length === 0) return false
  return hit.length === 0 || hit.some(({ kind }) => kind !== "catch")
}

/**
 * Returns the index of the innermost frame with source of the user; 0 if there is none. The frames after a label wait for the
 * thread and are not on its stack, so the debugger has no variables of them.
 */
export const innermost = Effect.fnUntraced(function* (view: StopView, thread: number) {
  for (const count of searched) {
    const { frames, total } = yield* view.stack(thread, 0, count)
    const index = frames.findIndex((frame) => frame.label === true || RuntimeFrames.isUserFrame(frame))
    if (index !== -1) return frames[index]?.label === true ? 0 : index
    if (frames.length < count || total === frames.length) return 0
  }
  return 0
})

/** Returns the index of the frame that is shown and selected by default in a thread. */
export const indexOf = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number) {
  const isStopped = thread === (session.log.snapshot.stopped?.thread ?? thread)
  return isStopped && isExact(session) ? 0 : yield* innermost(view, thread)
})

/**
 * Returns where the program stopped below the frame with an index: the innermost function that has a name in the symbol
 * table, else the innermost frame. Returns undefined for the innermost frame.
 */
export const stoppedIn = ({ frames }: Page, index: number): Stop.StoppedIn | undefined => {
  const below = frames.slice(0, index)
  const named = below.find(RuntimeFrames.isNamed)
  const place = named ?? below[0]
  if (place === undefined) return undefined
  return {
    ...(named === undefined ? {} : { function: named.function }),
    ...(place.module === undefined ? {} : { module: place.module.slice(place.module.lastIndexOf("/") + 1) }),
    ...(place.address === undefined ? {} : { address: place.address })
  }
}

/** Size of the newest output in which a runtime's own message is searched, in bytes. */
const searchedOutput = 16_384

/** The message of a runtime, in a line that it writes before it stops the program. */
const messages: { readonly [Reason in RuntimeFrames.Cause["reason"]]?: RegExp } = {
  assert: /Assertion (?:failed: )?[`'(](.+?)['`)](?: failed\b|, function\b)/g,
  // The summary of UndefinedBehaviorSanitizer names no error, and gcc writes none.
  sanitizer: /^SUMMARY: (?!Undefined)(\w*Sanitizer: .+)$|^\S+:\d+:\d+: runtime error: (.+)$/gm
}

/** Reasons of stops that a runtime can cause. A pause or a watchpoint may stop a program in any function. */
const causable: ReadonlySet<Stop.StopReason | undefined> = new Set<Stop.StopReason | undefined>([
  "signal",
  "exception",
  "breakpoint"
])

/** Returns the newest output since the previous stop, at most `bytes`. An earlier message belongs to another error. */
export const outputAtStop = (session: Session, bytes = searchedOutput): string =>
  OutputReader.newest(session.maskedOutput, bytes)
    .filter((entry) => entry.stop >= session.log.snapshot.stop - 1)
    .map((entry) => entry.text)
    .join("")

/** Returns the reason and description of a stop in a runtime, if the stack tells them. */
export const causeOf = (session: Session, { frames }: Page, index: number): RuntimeFrames.Cause | undefined => {
  const { stopped } = session.log.snapshot
  // Without a signal only the stack of a core file tells why the program ended.
  const isCore = session.launch.existing?.kind === "core"
  if (!(isCore || causable.has(stopped?.reason)) || isExact(session)) return undefined
  // Without a frame of the user, the runtimes may have ended the program on their own, as after its last statement.
  const runtimes = index === 0 ? RuntimeFrames.withinRuntimes(frames) : frames.slice(0, index)
  const cause = RuntimeFrames.causeOf(runtimes.length === 0 ? frames.slice(0, 1) : runtimes)
  const pattern = cause === undefined ? undefined : messages[cause.reason]
  if (cause === undefined || pattern === undefined) return cause
  const [, written, undefinedBehavior] = [...outputAtStop(session).matchAll(pattern)].at(-1) ?? []
  const description = undefinedBehavior === undefined ? written : `UndefinedBehaviorSanitizer: ${undefinedBehavior}`
  return description === undefined ? cause : { ...cause, description: RuntimeFrames.withoutBuild(description) }
}
