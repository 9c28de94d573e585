/**
 * The commands in the input of a script. An agent may write a tool's name for an operation, and numbers as text.
 */
import { Predicate, Result, Schema } from "effect"
import { Operation } from "@sigtrap/protocol"
import * as ScriptLines from "@sigtrap/protocol/grammar/ScriptLines"
import { ScriptCommand } from "@sigtrap/protocol/operations/Script"
import * as OperateTool from "./OperateTool.ts"
import type * as Profile from "./Profile.ts"
import * as ToolInput from "./ToolInput.ts"

const converted = (command: unknown, profile: Profile.Name): unknown => {
  if (!Predicate.isReadonlyObject(command) || !Predicate.isString(command["operation"])) return command
  const operation = OperateTool.find(profile, command["operation"])
  const input = Predicate.isReadonlyObject(command["input"]) ? command["input"] : {}
  return operation === undefined
    ? command
    : { ...command, operation: operation._tag, input: ToolInput.coerce(operation, input) }
}

/** Returns the input with the commands of a script as its operation takes them. Other operations are unchanged. */
export const normalized = (
  operation: Operation.Any,
  input: ToolInput.Keywords,
  profile: Profile.Name
): ToolInput.Keywords => {
  const { commands } = input
  return Operation.meta(operation).composite && Array.isArray(commands)
    ? { ...input, commands: commands.map((command: unknown) => converted(command, profile)) }
    : input
}

const isCommands = Schema.is(Schema.Array(ScriptCommand))

/** Returns the commands that an input of a script has, in order; none if they cannot be parsed. */
export const commandsIn = (input: ToolInput.Keywords): ReadonlyArray<ScriptLines.ScriptStep> => {
  const { commands } = input
  if (!isCommands(commands)) return []
  return Result.getOrElse(ScriptLines.parse(commands), () => [])
}
