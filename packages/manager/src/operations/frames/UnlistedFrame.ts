/**
 * The warning that the variables of a frame that the debugger does not find were not read, or that its registers are unknown.
 */
import type { Answer, Frame } from "@sigtrap/protocol"
import * as UnknownNames from "../names/UnknownNames.ts"

/** Returns the warning that something of a frame was not read; none for a frame that the debugger finds. */
export const warnings = (
  { function: name, unlisted }: Frame.Frame,
  what: "variables" | "registers"
): ReadonlyArray<Answer.Warning> => {
  if (unlisted !== true) return []
  const result = what === "variables" ? ": its variables were not read" : ", so its registers are unknown"
  const message = `the debugger cannot unwind to the frame of ${UnknownNames.codeOf(name)}${result}`
  return [{ code: "FRAME_NOT_LISTED", message, hints: [] }]
}
