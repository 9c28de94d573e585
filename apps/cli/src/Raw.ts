/**
 * Text as the program wrote it, control sequences and all: only a file or a pipe gets it unasked.
 */
import type { CommandLine, CommandOutput } from "@sigtrap/host/DaemonProtocol"
import { type Answer, Errors } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import type { Fields } from "./Argv.ts"
import type { Settings } from "./Settings.ts"

/** Refuses raw text to a terminal that nobody has allowed. */
export const refuse = (
  input: Fields,
  { terminal }: CommandLine,
  { json }: Settings
): Effect.Effect<void, Errors.Usage> =>
  input["raw"] === true && terminal.stdout && !json && input["force"] !== true
    ? Effect.fail(
        new Errors.Usage({
          problem: "raw text of a program can take over a terminal; write it to a file, or use --force",
          near: [],
          help: "sigtrap output --raw --force"
        })
      )
    : Effect.void

/** The answer as raw text, where that was asked for. */
export const pieces = (
  input: Fields,
  answer: Answer.Answer<unknown>,
  { json }: Settings
): ReadonlyArray<CommandOutput> | undefined => {
  const text = Predicate.isReadonlyObject(answer.data) ? answer.data["text"] : undefined
  if (input["raw"] !== true || json || typeof text !== "string") return undefined
  return [
    { _tag: "Stdout", text },
    { _tag: "Exit", code: 0 }
  ]
}
