/**
 * The warning about a frame that the debugger does not find, so that its variables are unknown.
 */
import type { Answer, Frame } from "@sigtrap/protocol"
import * as UnknownNames from "../names/UnknownNames.ts"

/** Returns the warning that something of a frame is unknown; none for a frame that the debugger finds. */
export const warnings = (
  { function: name, unlisted }: Frame.Frame,
  what: "variables" | "registers"
): ReadonlyArray<Answer.Warning> => {
  if (unlisted !== true) return []
  const message = `the debugger cannot unwind to the frame of ${UnknownNames.codeOf(name)}, so its ${what} are unknown`
  return [{ code: "FRAME_NOT_LISTED", message, hints: [] }]
}
