/**
 * Fits a page of program output into the budget of a command line, by the size of what is printed.
 */
import { type Answer, OutputPage } from "@sigtrap/protocol"
import { Doc, Render, type View } from "@sigtrap/text"
import type { Fields } from "@sigtrap/protocol/grammar/Argv"
import * as JsonDocument from "./JsonDocument.ts"
import type { Settings } from "./OutputSettings.ts"

/** The largest page of one call in bytes, if there is no budget. */
export const largest = 1_048_576

/** Bytes of JSON around the data of an answer. */
const envelope = 600

const encoder = new TextEncoder()
const size = (text: string): number => encoder.encode(text).length

/** Returns how many bytes of text may fit. JSON has each text twice: in its entry, and joined. */
export const room = ({ budget, json }: Settings): number =>
  budget === 0 ? largest : Math.min(largest, json ? Math.ceil(budget / 2) : budget)

/** Returns the answer with as much of its page as fits. */
export const fit = (
  tag: string,
  answer: Answer.Answer<unknown>,
  input: Fields,
  view: View.View,
  { budget, json }: Settings
): Answer.Answer<unknown> => {
  if (budget === 0) return answer
  const reserved = json ? Math.min(envelope, budget / 2) : 0
  return OutputPage.shrink(answer, input, (part) => {
    const text = json ? JsonDocument.print(part, false) : Doc.render(Render.renderAny(tag, part, view))
    return (size(text) + reserved) / budget
  })
}
