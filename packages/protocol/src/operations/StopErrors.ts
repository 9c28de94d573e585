/**
 * Error lists of the operations that read a stopped program.
 */
import * as Errors from "../Errors.ts"

/** The errors of selecting a session, a thread and a frame of a stopped program. */
export const stopped: ReadonlyArray<StoppedError> = [
  ...Errors.selection,
  Errors.NotStopped,
  Errors.ThreadNotFound,
  Errors.FrameNotFound
]

/** The same, where the frame may be a reference. */
export const inFrame: ReadonlyArray<FrameError> = [...stopped, Errors.StaleReference]

/** The class of an error of `inFrame`. */
export type FrameError = StoppedError | typeof Errors.StaleReference

/** The class of an error of selecting a session, a thread or a frame of a stopped program. */
export type StoppedError =
  | Errors.SelectionError
  | typeof Errors.NotStopped
  | typeof Errors.ThreadNotFound
  | typeof Errors.FrameNotFound
