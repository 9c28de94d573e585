/**
 * The text package as this surface uses it: answers in words within a budget, and strings from outside made harmless.
 * Where a text names a next step, it names it as a call of a tool that the client has.
 */
import { Schema } from "effect"
import { type Answer, type Errors, type Operation, Operations, Payload, Stop } from "@sigtrap/protocol"
import { Doc, Failure, Render, Sanitise } from "@sigtrap/text"
import * as Catalogue from "../tools/Catalogue.ts"
import * as ToolMapping from "../compat/ToolMapping.ts"
import type { Keywords } from "../tools/ToolInput.ts"
import type * as Profile from "../tools/Profile.ts"

/** Most bytes of an answer in words, the marks around it not counted. */
export const budget = 1780

/** The call that an answer belongs to: its arguments, and the directory that paths are shown relative to. */
export interface Call {
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
  const truncated = answer.truncated.map((cut) => ({ ...cut, more: step(call.profile, cut.more) }))
  let goesOn = false
  const again = (change: Keywords) => {
    if (!("budget" in change)) return written(call.profile, operation, change)
    goesOn = true
    return goOn
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
  return goesOn ? { text, whole: Doc.render(doc) } : { text }
}

/** An error in words without its hint, with what the program wrote meanwhile. */
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
    return tool === Catalogue.operate ? `call ${tool} with ${before.join(" ")} alone` : `see the fields of ${tool}`
  }
  const fields = Object.keys(Payload.published(operation).properties).flatMap((field) => {
    const at = words.indexOf(`--${field.replaceAll("_", "-")}`)
    const value = words[at + 1] ?? ""
    return at === -1 ? [] : [/^\d{1,9}$/.test(value) ? `${field} ${value}` : field]
  })
  const all = [...before, ...fields]
  return all.length === 0 ? `call ${tool}` : `call ${tool} with ${all.join(" and ")}`
}

/** Data with every string in it sanitised. */
export const clean = Sanitise.deep

/** A string from outside as one sanitised line. */
export const line = Sanitise.line
