/**
 * Hints as command lines that run as they stand.
 */
import { Hint, Operations } from "@sigtrap/protocol"
import * as Commands from "../grammar/Commands.ts"

/** The command line of a hint; for a remedy outside sigtrap its text. */
export const write = (hint: Hint.Hint): string => {
  if (Hint.isLocal(hint)) return Commands.line(Hint.argv(hint))
  if (!Hint.isCall(hint)) return hint.note
  const operation = Operations.find(hint.operation)
  return Commands.line(operation === undefined ? ["help"] : Commands.argvOf(operation, hint.input))
}
