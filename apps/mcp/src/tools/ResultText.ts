/**
 * The text package as this surface uses it: answers in words within a budget, and strings from outside made harmless.
 * Where a text names a next step, it names it as a call of a tool that the client has.
 */
import { Schema } from "effect"
import { type Answer, type Errors, type Operation, Stop } from "@sigtrap/protocol"
import { Doc, Failure, Render, Sanitise } from "@sigtrap/text"
import * as HintText from "./HintText.ts"
import type { Keywords } from "./ToolInput.ts"
import type * as Profile from "./Profile.ts"

/** Most bytes of an answer in words, the marks around it not counted. */
export const budget = 1780

/** The call that an answer belongs to: its arguments, and the directory that paths are shown relative to. */
export interface Call {
  readonly directory: string
  readonly input: Keywords
  readonly profile: Profile.Name
}

const isDetail = Schema.is(Stop.Detail)

/** Stands in a text for the call that goes on after the part that is shown; the renderers know no place, only a budget. */
export const goOn = "CALL-THAT-GOES-ON"

/** An answer as text. */
export interface Rendered {
  /** Within the budget as far as its lists can be cut. */
  readonly text: string
  /** All of it, where the call for the rest is not one of the same operation. */
  readonly whole?: string
}

/** An answer as text: lists within the budget, the call that shows the rest at their end. */
export const render = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call): Rendered => {
  const detail = call.input["context"]
  let goesOn = false
  const again = (change: Keywords) => {
    if (!("budget" in change)) {
      return call.profile === "xcode-compat"
        ? "more with larger limits"
        : HintText.call(call.profile, operation, change)
    }
    goesOn = true
    return goOn
  }
  const view = {
    directory: call.directory,
    input: call.input,
    again,
    commands: false,
    write: HintText.write(call),
    ...(isDetail(detail) ? { detail } : {})
  }
  const doc = Render.renderAny(operation._tag, answer, view)
  const text = Doc.render(Doc.fit(doc, budget))
  return goesOn ? { text, whole: Doc.render(doc) } : { text }
}

/** An error in words without its hint, with what the program wrote meanwhile. */
export const failure = (error: Errors.SigtrapError): string =>
  Doc.render(Doc.fit(Failure.render(error, { quiet: true }), budget))

/** Data with every string in it sanitised. */
export const clean = Sanitise.deep

/** A string from outside as one sanitised line. */
export const line = Sanitise.line
