/**
 * The value that a function returned, after `finish`. sigtrap's Python reads it (`python/frames/ReturnedValue.ts`). An LLDB without Python
 * computes it itself, and false ones for some classes and unions, so only its scalars are used.
 */
import { Instruction } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { withNumber } from "../Characters.ts"
import { shown } from "./ValueText.ts"

/** The command that remembers what `finish` of the selected frame leaves. It fails in an LLDB without Python. */
export const recordCommand = "sigtrap-left"

/** What the command `sigtrap-returned` answers: nothing, a type whose value is unknown, or both. */
const Answer = Schema.fromJsonString(
  Schema.Struct({ type: Schema.optionalKey(Schema.String), value: Schema.optionalKey(Schema.String) })
)

const unknown = "<unknown: the debugger cannot tell where a value of this type is returned>"

/** Returns a value from the output of `sigtrap-returned`; "other" if LLDB does not know the command. */
export const parse = (output: string): Backend.Value | "none" | "other" => {
  const answer = Option.getOrUndefined(Schema.decodeOption(Answer)(output.trim()))
  if (answer === undefined) return "other"
  const { type, value } = answer
  if (type === undefined) return "none"
  const text = value === undefined ? unknown : withNumber(shown(value, type), type)
  return { name: "return", kind: "return", handle: 0, type, value: text }
}

/** Returns a scalar from the output of `thread info`; undefined if there is none. */
export const scalar = (output: string): Backend.Value | undefined => {
  const found = Instruction.returned(output)
  if (found === undefined || /^[({]/.test(found.value)) return undefined
  const value = withNumber(shown(found.value, found.type), found.type)
  return { name: "return", kind: "return", handle: 0, type: found.type, value }
}

/** Reads the returned value in a frame; undefined if there is none. `text` returns the output of a command, also if it failed. */
export const read = Effect.fnUntraced(function* (
  text: (line: string, frame: number) => Effect.Effect<string, Backend.Failure>,
  frame: number
): Effect.fn.Return<Backend.Value | undefined, Backend.Failure> {
  const value = parse(yield* text("sigtrap-returned", frame))
  if (value !== "other") return value === "none" ? undefined : value
  return scalar(yield* text(Instruction.threadInfo, frame))
})
