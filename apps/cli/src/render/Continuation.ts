/**
 * The call that shows what an answer has left out: the next page of a list, or the same call without a budget.
 */
import { Hint, Payload } from "@sigtrap/protocol"
import type * as Argv from "@sigtrap/protocol/grammar/Argv"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import type { View } from "@sigtrap/text"
import { Predicate, Schema } from "effect"
import type * as JsonDocument from "./JsonDocument.ts"

/** Returns the call with some fields changed. `--budget` is not a field of the call, so a change of it is a local command. */
export const changed = (
  command: Commands.Command,
  input: Argv.Fields,
  { budget, ...fields }: View.Change
): Hint.Hint => {
  const { _tag } = command.operation
  const whole = { ...input, ...fields }
  if (budget === undefined) return { operation: _tag, input: Schema.decodeUnknownSync(Hint.Call.fields.input)(whole) }
  const words = Commands.argvOf(command.operation, whole).slice(_tag.split(".").length)
  const end = words.indexOf("--")
  const place = end === -1 ? words.length : end
  return Hint.local(_tag, [...words.slice(0, place), "--budget", String(budget), ...words.slice(place)])
}

/** Returns the call that shows the rest of a cut list: its next page, or the same call without a budget. */
export const of = (command: Commands.Command, input: Argv.Fields): JsonDocument.Continuation => {
  const fields = Payload.published(command.operation).properties
  const start = typeof input["start"] === "number" ? input["start"] : 0
  return {
    more: (path, shown, next) => {
      const list = /^data\.(?:frames|threads|variables|children|entries|events|exceptions)$/.test(path) && shown > 0
      if (list && "start" in fields) return changed(command, input, { start: start + shown })
      return list && "since" in fields && Predicate.isReadonlyObject(next)
        ? changed(command, input, { since: next["seq"] })
        : changed(command, input, { budget: 0 })
    }
  }
}
