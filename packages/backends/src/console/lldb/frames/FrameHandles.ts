/** The handles of frames: a frame's id of lldb-dap contains LLDB's thread number, shifted by 19 bits, and the frame number. */

const threadShift = 2 ** 19

/** LLDB's thread number and the frame number of a handle. */
export const placeOf = (handle: number): { readonly thread: number; readonly frame: number } => ({
  thread: Math.floor(handle / threadShift),
  frame: handle % threadShift
})

/** The handle of a frame of LLDB's thread number. */
export const handleOf = (thread: number, frame: number): number => thread * threadShift + frame
