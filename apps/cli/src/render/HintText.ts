/**
 * Writes hints as command lines that run without changes.
 */
import { Hint, Operations } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"

/** Returns the command line of a hint, or the text of a remedy outside sigtrap. */
export const write = (hint: Hint.Hint): string => {
  if (Hint.isLocal(hint)) return Commands.line(Hint.argv(hint))
  if (!Hint.isCall(hint)) return hint.note
  const operation = Operations.find(hint.operation)
  return Commands.line(operation === undefined ? ["help"] : Commands.argvOf(operation, hint.input))
}
