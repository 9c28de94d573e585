/**
 * Frames that the debugger does not find: the warning that their variables were not read, or that their registers are unknown, and
 * the numbers of expressions in them.
 */
import type { Answer, Frame } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { StopView } from "../../session/values/StopView.ts"
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

/** Reads an expression as a number in a frame that the debugger does not find, with the values of its variables. */
export const number = (view: StopView, expression: string, handle: number) =>
  Effect.map(view.connection.evaluate(`(unsigned long)(${expression})`, handle, "read"), ({ value }) => {
    const digits = /^(?:0x[0-9a-fA-F]+|\d+)$/.exec(value)?.[0]
    return digits === undefined ? undefined : BigInt(digits)
  }).pipe(Effect.catchTag("AdapterError", () => Effect.succeed(undefined)))
