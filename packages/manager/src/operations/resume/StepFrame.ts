/**
 * The frame on which steps and `finish` act.
 *
 * A stop in a runtime, such as a pause in a system call, is shown in the innermost frame of the user. There `next` and `step`
 * first run until the program returns to this frame, and `finish` leaves its function. `next` and `step` also do so wherever the
 * innermost frame has no source, as GDB does. `finish` also leaves the function of a selected frame, as in GDB and LLDB.
 */
import type { Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Session } from "../../session/Session.ts"
import * as UserFrame from "../frames/UserFrame.ts"

/** The frame on which a resume acts. */
export interface StepFrame {
  readonly index: number
  readonly frame: Frame.Frame
  /** The debugger's handle of the frame. */
  readonly handle: number
  /** The debugger's handle of the frame that this frame called; undefined if it is the innermost one. */
  readonly called: number | undefined
}

/**
 * Returns the frame on which a resume of a thread acts, by default of the thread that stopped. Undefined if it is unknown, or
 * if the debugger can finish no other frame than the innermost one, and the innermost one is meant.
 */
export const of = (
  session: Session,
  how: "next" | "step" | "finish",
  thread: number | undefined
): Effect.Effect<StepFrame | undefined> =>
  Effect.gen(function* () {
    const view = yield* session.view
    const id = yield* view.threadFor(thread, session.log.snapshot.stopped?.thread)
    const { finishesFrames } = yield* session.connection
    const own = (yield* session.viewpoint).selected(view.stop)
    const selected = own.thread === id ? own.frame : undefined
    const shown = yield* UserFrame.indexOf(session, view, id)
    const innermost = yield* view.frame(id, 0)
    const first = innermost.frame.line === undefined ? yield* UserFrame.innermost(view, id) : shown
    // A client that selected a frame of the runtime steps in the runtime.
    const wanted = how === "finish" ? (selected ?? shown) : selected !== undefined && selected < first ? 0 : first
    const index = finishesFrames === true ? wanted : 0
    const located = yield* view.frame(id, index)
    const called = index === 0 ? undefined : (yield* view.frame(id, index - 1)).handle
    return { index, frame: located.frame, handle: located.handle, called }
  }).pipe(Effect.option, Effect.map(Option.getOrUndefined))
