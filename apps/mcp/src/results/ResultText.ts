/**
 * Renders answers and errors as text within a budget, and sanitises text of the program and the debugger. A next step is
 * written as a call of a tool that the client has.
 */
import { Schema } from "effect"
import { type Answer, type Errors, type Operation, Operations, Payload, Stop } from "@sigtrap/protocol"
import { Doc, Failure, Render, Sanitise } from "@sigtrap/text"
import * as Catalogue from "../tools/Catalogue.ts"
import * as OperateTool from "../tools/OperateTool.ts"
import * as ToolMapping from "../compat/ToolMapping.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import type * as Profile from "../tools/Profile.ts"

/** The largest text of an answer in bytes, without the marks around it. */
export const budget = 1780

/** The call that an answer belongs to. */
export interface Call {
  /** Paths in the text are relative to it. */
  readonly directory: string
  readonly input: Keywords
  readonly profile: Profile.Name
}

const isDetail = Schema.is(Stop.Detail)

/** A call as a client of the profile makes it. */
const written = (profile: Profile.Name, operation: Operation.Any, fields: Keywords): string => {
  if (profile === "xcode-compat") return "more with larger limits"
  const { input, tool } = Catalogue.route(profile, operation)
  return `call ${tool} with ${JSON.stringify(input(fields))}`
}

/** The placeholder for the call that shows the rest: a renderer does not know the offset at which its text will be cut. */
export const restPlaceholder = "CALL-FOR-THE-REST"

/** A rendered answer. */
export interface Rendered {
  /** The text with its lists cut to the budget; without lists it may be larger. */
  readonly text: string
  /** The whole text, if the rest is read as a stored text. */
  readonly whole?: string
}

/** Renders an answer. Each list that was cut ends with the call that shows the rest. */
export const render = (operation: Operation.Any, answer: Answer.Answer<unknown>, call: Call): Rendered => {
  const detail = call.input["context"]
  const truncated = answer.truncated.map((cut) => ({ ...cut, more: step(call.profile, cut.more) }))
  let hasPlaceholder = false
  const again = (change: Keywords) => {
    if (!("budget" in change)) return written(call.profile, operation, change)
    hasPlaceholder = true
    return restPlaceholder
  }
  const view = {
    directory: call.directory,
    input: call.input,
    again,
    commands: false,
    ...(isDetail(detail) ? { detail } : {})
  }
  const doc = Render.renderAny(operation._tag, { ...answer, truncated }, view)
  const text = Doc.render(Doc.fit(doc, budget))
  return hasPlaceholder ? { text, whole: Doc.render(doc) } : { text }
}

/** Renders an error without its hint, with the output of the program during the call. */
export const failure = (error: Errors.SigtrapError): string =>
  Doc.render(Doc.fit(Failure.render(error, { quiet: true }), budget))

/**
 * A next step as an agent can take it. A hint is a command; where it is one that has a tool, it becomes a call of that tool
 * with the names of its fields. Of their values only numbers are kept: all others may be words of the program.
 */
export const step = (profile: Profile.Name, hint: string): string => {
  const words = /^sigtrap (.+)$/s.exec(hint)?.[1]?.split(/\s+/) ?? []
  const [operation] = Operations.all
    .filter(({ _tag }) => _tag.split(".").every((word, index) => words[index] === word))
    .toSorted((a, b) => b._tag.length - a._tag.length)
  if (operation === undefined) return line(hint)
  if (profile === "xcode-compat") {
    const old = ToolMapping.toolOf(operation)
    return old === undefined ? `in a shell: sigtrap ${operation._tag.replaceAll(".", " ")}` : `call ${old}`
  }
  const { before, tool } = Catalogue.route(profile, operation)
  if (words.includes("--help")) {
    return tool === OperateTool.name ? `call ${tool} with ${before.join(" ")} alone` : `see the fields of ${tool}`
  }
  const fields = Object.keys(Payload.published(operation).properties).flatMap((field) => {
    const at = words.indexOf(`--${field.replaceAll("_", "-")}`)
    const value = words[at + 1] ?? ""
    return at === -1 ? [] : [/^\d{1,9}$/.test(value) ? `${field} ${value}` : field]
  })
  const all = [...before, ...fields]
  return all.length === 0 ? `call ${tool}` : `call ${tool} with ${all.join(" and ")}`
}

/** Sanitises every string in data. */
export const clean = Sanitise.deep

/** Sanitises a string and puts it on one line. */
export const line = Sanitise.line
