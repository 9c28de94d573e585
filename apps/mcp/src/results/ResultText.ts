/**
 * Renders answers and errors as text within a budget, and sanitises text of the program and the debugger. A next step is
 * written as a call of a tool that the client has.
 */
import { Schema } from "effect"
import { type Answer, type Errors, type Operation, Stop } from "@sigtrap/protocol"
import { Doc, Failure, Render, Sanitise } from "@sigtrap/text"
import * as HintText from "./HintText.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import * as Profile from "../tools/Profile.ts"

/** The largest text of an answer in bytes, without the marks around it. */
export const budget = 1780

/** The call that an answer belongs to. */
export interface Call {
  /** Paths in the text are relative to it. */
  readonly directory: string
  readonly input: Keywords
  readonly profile: Profile.Name
}

const encoder = new TextEncoder()

const isDetail = Schema.is(Stop.Detail)

/** The placeholder for the call that shows the rest: a renderer does not know the offset at which its text will be cut. */
export const restPlaceholder = "CALL-FOR-THE-REST"

/** A rendered answer. */
export interface Rendered {
  /** The text with its lists cut to the budget; without lists it may be larger. */
  readonly text: string
  /** The whole text, if the rest is read as a stored text. */
  readonly whole?: string
}

/** Renders an answer without a budget, and returns whether its text has the placeholder. */
const documentOf = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call) => {
  const detail = call.input["context"]
  const placeholder = { isUsed: false }
  const again = (change: Keywords) => {
    if (!("budget" in change)) {
      return Profile.isCompat(call.profile) ? "more with larger limits" : HintText.call(call.profile, operation, change)
    }
    placeholder.isUsed = true
    return restPlaceholder
  }
  const view = {
    directory: call.directory,
    input: call.input,
    again,
    commands: false,
    write: HintText.write(call),
    ...(isDetail(detail) ? { detail } : {})
  }
  return { doc: Render.renderAny(operation._tag, answer, view), placeholder }
}

/** Renders an answer. Each list that was cut ends with the call that shows the rest. */
export const render = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call): Rendered => {
  const { doc, placeholder } = documentOf(operation, answer, call)
  const text = Doc.render(Doc.fit(doc, budget))
  return placeholder.isUsed ? { text, whole: Doc.render(doc) } : { text }
}

/** Returns how much of the budget the text of an answer uses: 1 is all. */
export const excess = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call): number =>
  encoder.encode(Doc.render(documentOf(operation, answer, call).doc)).length / budget

/** Renders an error without its hint, with the output of the program during the call. */
export const failure = (error: Errors.SigtrapError): string =>
  Doc.render(Doc.fit(Failure.render(error, { quiet: true }), budget))

/** Sanitises every string in data. */
export const clean = Sanitise.deep

/** Sanitises a string and puts it on one line. */
export const line = Sanitise.line
