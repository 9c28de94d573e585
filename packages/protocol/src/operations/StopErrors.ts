/**
 * Error lists of the operations that read a stopped program.
 */
import * as Errors from "../Errors.ts"

/** The errors of selecting a session, a thread and a frame of a stopped program. */
export const stopped = [...Errors.selection, Errors.NotStopped, Errors.ThreadNotFound, Errors.FrameNotFound] as const
