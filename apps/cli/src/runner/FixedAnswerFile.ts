/**
 * Computes the answers that the thin client prints without the daemon.
 */
import * as Builtins from "@sigtrap/protocol/grammar/Builtins"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Client } from "@sigtrap/protocol"
import { Effect } from "effect"
import * as Completion from "../help/Completion.ts"
import type * as FixedAnswers from "../thin/FixedAnswers.ts"
import * as BuiltinCommands from "./BuiltinCommands.ts"

type Name = "help" | "schema" | "commands" | "completion"

const noCalls = Client.Client.of({
  call: (tag) => Effect.die(`a fixed answer calls ${tag}`),
  callAny: ({ _tag }) => Effect.die(`a fixed answer calls ${_tag}`)
})

/** Returns what a command answers. */
const answerOf = (name: Name, words: ReadonlyArray<string>, options: { readonly agent?: true } = {}) => {
  const builtin = Effect.fromNullishOr(Builtins.find(name))
  const { data, text } = Effect.runSync(
    Effect.flatMap(builtin, (found) =>
      BuiltinCommands.run({ _tag: "Builtin", builtin: found, words, options }, { directory: "/", environment: {} })
    ).pipe(Effect.provideService(Client.Client, noCalls))
  )
  if (name === "help") return { text }
  return name === "schema" ? { data } : { text, data }
}

const groups = new Set(Commands.names.flatMap((name) => (name.includes(" ") ? [name.split(" ")[0] ?? name] : [])))

/** Returns all answers by their keys. */
const answers = (): ReadonlyMap<string, FixedAnswers.Answer> =>
  new Map([
    ["help", answerOf("help", [])],
    ["help --agent", answerOf("help", [], { agent: true })],
    ...[...new Set([...Commands.names, ...groups])].map(
      (name) => [`help ${name}`, answerOf("help", name.split(" "))] as const
    ),
    ["schema", answerOf("schema", [])],
    ...Commands.names.map((name) => [`schema ${name}`, answerOf("schema", name.split(" "))] as const),
    ["commands", answerOf("commands", [])],
    ...Completion.shells.map((shell) => [`completion ${shell}`, answerOf("completion", [shell])] as const)
  ])

/** Returns the content of the file, by key. */
export const texts = (): ReadonlyMap<string, string> =>
  new Map([...answers()].map(([key, answer]) => [key, JSON.stringify(answer)]))
