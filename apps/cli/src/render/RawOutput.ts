/**
 * Text as the program wrote it, control sequences and all: only a file or a pipe gets it unasked.
 */
import type { CommandLine, CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { type Answer, Errors, Hint } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import type { Fields } from "../grammar/Argv.ts"
import type { Settings } from "./OutputSettings.ts"

/** What of an answer is printed as it is, by the option that asks for it. */
const parts: { readonly [tag: string]: { readonly option: string; readonly field: string; readonly wild: boolean } } = {
  // A program's output can take over a terminal; base64 cannot.
  output: { option: "raw", field: "text", wild: true },
  "memory.read": { option: "base64", field: "data", wild: false }
}

const partOf = (tag: string, input: Fields) => {
  const part = Object.hasOwn(parts, tag) ? parts[tag] : undefined
  return part !== undefined && input[part.option] === true ? part : undefined
}

/** Refuses raw text to a terminal that nobody has allowed. */
export const refuse = (
  tag: string,
  input: Fields,
  { terminal }: CommandLine,
  { json }: Settings
): Effect.Effect<void, Errors.Usage> =>
  partOf(tag, input)?.wild === true && terminal.stdout && !json && input["force"] !== true
    ? Effect.fail(
        new Errors.Usage({
          problem: "raw text of a program can take over a terminal; write it to a file, or use --force",
          near: [],
          remedies: [Hint.local("output", ["--raw", "--force"])]
        })
      )
    : Effect.void

/** The answer as raw text, where that was asked for. */
export const pieces = (
  tag: string,
  input: Fields,
  answer: Answer.Answer<unknown>,
  { json }: Settings
): ReadonlyArray<CommandOutput> | undefined => {
  const part = partOf(tag, input)
  const text = part !== undefined && Predicate.isReadonlyObject(answer.data) ? answer.data[part.field] : undefined
  if (part === undefined || json || typeof text !== "string") return undefined
  return [
    { _tag: "Stdout", text: part.wild ? text : `${text}\n` },
    { _tag: "Exit", code: 0 }
  ]
}
