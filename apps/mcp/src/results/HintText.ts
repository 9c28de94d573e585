/**
 * Hints as calls of tools that a client's profile has.
 *
 * A hint is our own words to an agent, so it holds no text that the program or the debugger wrote: numbers, truth values,
 * words of a schema, and what the client itself has sent. Of every other value only the name of its field is given.
 */
import { Predicate } from "effect"
import { Envelope, Hint, type Operation, Operations, Payload, ShellWords } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import * as ToolMapping from "../compat/ToolMapping.ts"
import * as Catalogue from "../tools/Catalogue.ts"
import * as OperateTool from "../tools/OperateTool.ts"
import * as Profile from "../tools/Profile.ts"
import type { Keywords } from "../tools/ToolInput.ts"

/** The call that a hint answers: the client's profile, and the values that the client sent. */
export interface Call {
  readonly profile: Profile.Name
  readonly input: Keywords
}

/** Every text in a value, however deep. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Predicate.isReadonlyObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** Whether a value is safe to repeat to an agent. */
const isSafe = (operation: Operation.Any, made: Call) => {
  const sent = new Set(textsIn(made.input))
  return (field: string, value: unknown): boolean => {
    const schema = Payload.published(operation).properties[field]
    const words = [...textsIn(schema?.["enum"]), ...textsIn(schema?.["anyOf"])]
    const safe = (part: unknown): boolean => {
      if (Predicate.isString(part)) return sent.has(part) || words.includes(part)
      if (Array.isArray(part)) return part.every(safe)
      return Predicate.isNumber(part) || Predicate.isBoolean(part)
    }
    return safe(value)
  }
}

/** A call of an operation's tool. */
export const call = (profile: Profile.Name, operation: Operation.Any, fields: Keywords): string => {
  const { input, tool } = Catalogue.route(profile, operation)
  const all = input(fields)
  return Object.keys(all).length === 0 ? `call ${tool}` : `call ${tool} with ${JSON.stringify(all)}`
}

const byPerson = (words: ReadonlyArray<string>): string =>
  `a person can run: ${ShellWords.join(["sigtrap", ...words].map(Sanitise.line))}`

const helpOf = (profile: Profile.Name, operation: Operation.Any): string => {
  const { before, tool } = Catalogue.route(profile, operation)
  return tool === OperateTool.name ? `call ${tool} with ${before.join(" ")} alone` : `see the fields of ${tool}`
}

const calling = (hint: Hint.Call, operation: Operation.Any, made: Call): string => {
  const old = made.profile === "xcode-compat" ? ToolMapping.toolOf(operation) : undefined
  if (old !== undefined) return `call ${old}`
  if (made.profile === "xcode-compat" || !Profile.callable(made.profile).includes(operation)) {
    return byPerson(operation._tag.split("."))
  }
  const fields = Object.entries(hint.input)
  const safe = isSafe(operation, made)
  const known = Object.fromEntries(fields.filter(([field, value]) => safe(field, value)))
  const named = fields.map(([field]) => field).filter((field) => !(field in known))
  const text = call(made.profile, operation, known)
  if (named.length === 0) return text
  return text.includes(" with ") ? `${text} and ${named.join(", ")}` : `${text} with ${named.join(" and ")}`
}

/** A hint as the client can carry it out. */
export const write =
  (made: Call): Envelope.WriteHint =>
  (hint) => {
    if (Hint.isCall(hint)) {
      const operation = Operations.find(hint.operation)
      return operation === undefined ? `see ${OperateTool.name}` : calling(hint, operation, made)
    }
    if (!Hint.isLocal(hint)) return Sanitise.line(hint.note)
    const explained = Operations.find(Hint.explained(hint) ?? "")
    return explained === undefined || made.profile === "xcode-compat"
      ? byPerson(Hint.argv(hint))
      : helpOf(made.profile, explained)
  }

/** Hints as structured content: the input of a call is left out if it holds a text that is not safe to repeat. */
export const shown = (hints: Hint.Hints, made: Call): ReadonlyArray<Keywords> =>
  Envelope.hints(hints, write(made)).map(({ input, ...hint }) => {
    const operation = hint.operation === undefined ? undefined : Operations.find(hint.operation)
    const safe = operation === undefined ? () => hint.local === true : isSafe(operation, made)
    return input !== undefined && Object.entries(input).every(([field, value]) => safe(field, value))
      ? { ...hint, input }
      : hint
  })
