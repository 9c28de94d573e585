/**
 * The text package as this surface uses it: answers in words within a budget, and strings from outside made harmless.
 * Where a text names a next step, it names it as a call of a tool.
 */
import { Schema } from "effect"
import { type Answer, type Operation, Stop } from "@sigtrap/protocol"
import { Doc, Render, Sanitise } from "@sigtrap/text"

/** Most bytes of an answer in words; the structured answer has everything. */
const budget = 2000

/** The call that an answer belongs to: its arguments, and the directory that paths are shown relative to. */
export interface Call {
  readonly directory: string
  readonly input: { readonly [field: string]: unknown }
}

const isDetail = Schema.is(Stop.Detail)

/** An answer as compact text. */
export const render = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call): string => {
  const detail = call.input["context"]
  const doc = Render.renderAny(operation._tag, answer, {
    directory: call.directory,
    input: call.input,
    again: (change) => `call ${operation._tag.replaceAll(".", "_")} with ${JSON.stringify(change)}`,
    ...(isDetail(detail) ? { detail } : {})
  })
  return Doc.render(Doc.fit(doc, budget))
}

/** Data with every string in it sanitised. */
export const clean = Sanitise.deep

/** A string from outside as one sanitised line. */
export const line = Sanitise.line
