/**
 * Writes hints as calls of tools that the client's profile has.
 *
 * An agent follows hints, so they contain no text of the program or the debugger. A value is written if it is a number, a
 * boolean, a duration, a cursor, a word of the schema or a text that the client sent; otherwise only the name of its field is written.
 */
import { Predicate } from "effect"
import { Envelope, Hint, type Operation, Operations, Payload, ShellWords } from "@sigtrap/protocol"
import { Sanitise } from "@sigtrap/text"
import * as ToolMapping from "../compat/ToolMapping.ts"
import * as Catalogue from "../tools/Catalogue.ts"
import * as OperateTool from "../tools/OperateTool.ts"
import * as Profile from "../tools/Profile.ts"
import type { Keywords } from "../tools/ToolInput.ts"

/** The call that a hint belongs to: the client's profile and the input that the client sent. */
export interface Call {
  readonly profile: Profile.Name
  readonly input: Keywords
}

/** Lists all texts in a value. */
export const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Predicate.isReadonlyObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** A cursor of program output: two numbers. */
const cursor = /^\d{1,15}\+\d{1,15}$/

/** A duration, such as 30s. */
const duration = /^\d{1,9}(?:ms|s|m|h)$/

/** Returns whether the value of a field may be written in a hint. */
const isSafe = (operation: Operation.Any, made: Call) => {
  const sent = new Set(textsIn(made.input))
  return (field: string, value: unknown): boolean => {
    const schema = Payload.published(operation).properties[field]
    const words = [...textsIn(schema?.["enum"]), ...textsIn(schema?.["anyOf"])]
    const safe = (part: unknown): boolean => {
      if (Predicate.isString(part)) {
        return sent.has(part) || words.includes(part) || [cursor, duration].some((form) => form.test(part))
      }
      if (Array.isArray(part)) return part.every(safe)
      return Predicate.isNumber(part) || Predicate.isBoolean(part)
    }
    return safe(value)
  }
}

/** Writes a call of an operation's tool. */
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

const callText = (hint: Hint.Call, operation: Operation.Any, made: Call): string => {
  const old = Profile.isCompat(made.profile) ? ToolMapping.hintOf(operation) : undefined
  if (old !== undefined) return old
  if (Profile.isCompat(made.profile) || !Profile.callable(made.profile).includes(operation)) {
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

/** Writes a hint. */
export const write =
  (made: Call): Envelope.WriteHint =>
  (hint) => {
    if (Hint.isCall(hint)) {
      const operation = Operations.find(hint.operation)
      return operation === undefined ? `see ${OperateTool.name}` : callText(hint, operation, made)
    }
    if (!Hint.isLocal(hint)) return Sanitise.line(hint.note)
    const explained = Operations.find(Hint.helpTag(hint) ?? "")
    const old = explained !== undefined && Profile.isCompat(made.profile) ? ToolMapping.hintOf(explained) : undefined
    if (old !== undefined) return old
    return explained === undefined || Profile.isCompat(made.profile)
      ? byPerson(Hint.argv(hint))
      : helpOf(made.profile, explained)
  }

/** Returns hints for structured content. A call that contains an unsafe value has no input. */
export const shown = (hints: Hint.Hints, made: Call): ReadonlyArray<Keywords> =>
  Envelope.hints(hints, write(made)).map(({ input, ...hint }) => {
    const operation = hint.operation === undefined ? undefined : Operations.find(hint.operation)
    const safe = operation === undefined ? () => hint.local === true : isSafe(operation, made)
    return input !== undefined && Object.entries(input).every(([field, value]) => safe(field, value))
      ? { ...hint, input }
      : hint
  })
