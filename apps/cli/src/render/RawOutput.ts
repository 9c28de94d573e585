/**
 * Prints program output with its control sequences. A terminal gets it only with `--force`.
 */
import type { CommandLine, CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { type Answer, Errors, Hint } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"
import type { Fields } from "@sigtrap/protocol/grammar/Argv"
import type { Settings } from "./OutputSettings.ts"

/** The part of an answer that an option prints unchanged. */
const parts: { readonly [tag: string]: { readonly option: string; readonly field: string; readonly wild: boolean } } = {
  // A program's output can take over a terminal; base64 cannot.
  output: { option: "raw", field: "text", wild: true },
  "memory.read": { option: "base64", field: "data", wild: false }
}

const partOf = (tag: string, input: Fields) => {
  const part = Object.hasOwn(parts, tag) ? parts[tag] : undefined
  return part !== undefined && input[part.option] === true ? part : undefined
}

/** True if a call asks for the program's output with its control sequences. */
export const isWild = (tag: string, input: Fields): boolean => partOf(tag, input)?.wild === true

/** Refuses raw text on a terminal without `--force`. */
export const refuse = (
  tag: string,
  input: Fields,
  { terminal }: CommandLine,
  { json }: Settings
): Effect.Effect<void, Errors.Usage> =>
  isWild(tag, input) && terminal.stdout && !json && input["force"] !== true
    ? Effect.fail(
        new Errors.Usage({
          problem: "raw text of a program can take over a terminal; write it to a file, or use --force",
          near: [],
          remedies: [Hint.local("output", ["--raw", "--force"])]
        })
      )
    : Effect.void

/** Returns the raw text of an answer if an option asks for it. */
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
