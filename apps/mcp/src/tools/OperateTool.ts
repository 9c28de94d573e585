/**
 * The tool `operate`: calls any operation of a profile by name, so that every hint can be followed.
 */
import { Effect, Predicate } from "effect"
import { Nearest, Operation, type Operations } from "@sigtrap/protocol"
import * as Profile from "./Profile.ts"
import * as Tool from "./Tool.ts"

/** The name of the tool. */
export const name = "operate"

/** Other names for operations, used by other debuggers' tools. They can be called and are not listed. */
export const aliases: { readonly [alias: string]: Operations.Tag } = {
  stack: "backtrace",
  variables: "locals",
  command: "raw",
  break_delete: "breakpoint.remove"
}

/** Finds an operation by its tag, the words of its command, the name of its tool, or an alias. */
export const find = (profile: Profile.Name, words: string): Operation.Any | undefined => {
  const word = words.trim().replace(/^sigtrap /, "")
  const tag = aliases[word] ?? word.replaceAll(/\s+/g, ".")
  return Profile.callable(profile).find((operation) => operation._tag === tag || Tool.nameOf(operation) === word)
}

/** Lists tags; `breakpoint.*` stands for all that begin with `breakpoint.`, `catch[.*]` for `catch` and those. */
const tagList = (operations: ReadonlyArray<Operation.Any>): string => {
  const tags = operations.flatMap((operation) => (Operation.meta(operation).forPeople ? [] : [operation._tag]))
  const words = tags.map((tag) => {
    const [first = tag] = tag.split(".")
    const isGroup = tags.some((other) => other.startsWith(`${first}.`))
    return isGroup ? (tags.includes(first) ? `${first}[.*]` : `${first}.*`) : tag
  })
  return [...new Set(words)].join(" ")
}

const example = { operation: "memory.read", input: { address: "&n" } }

/** Makes the tool; its description names the operations without a tool of their own. */
export const make = (profile: Profile.Name, unlisted: ReadonlyArray<Operation.Any>): Tool.Tool => {
  const callable = Profile.callable(profile)
  const usesExample = unlisted.some(({ _tag }) => _tag === example.operation)
  const description = [
    `For what has no tool${usesExample ? `, e.g. ${JSON.stringify(example)}` : ""}.`,
    "Without input: its fields.",
    ...(unlisted.length === 0 ? [] : [`Others: ${tagList(unlisted)}`])
  ]
  return {
    name,
    listed: true,
    operations: callable,
    descriptor: {
      name,
      description: description.join(" "),
      inputSchema: {
        type: "object",
        properties: { operation: { type: "string" }, input: { type: "object" } },
        required: ["operation"]
      },
      annotations: Profile.annotations(profile, callable)
    },
    resolve: ({ operation: given, input }) => {
      const word = Predicate.isString(given) ? given : ""
      const operation = find(profile, word)
      if (operation === undefined) {
        const near = similar(
          word,
          callable.map(({ _tag }) => _tag)
        )
        const [nearest] = near
        const help = nearest === undefined ? undefined : `call ${name} with ${JSON.stringify({ operation: nearest })}`
        return Effect.fail(Tool.usage(word === "" ? "operation is missing" : `no operation ${word}`, near, name, help))
      }
      return Effect.succeed({ operation, input: Predicate.isReadonlyObject(input) ? input : {} })
    }
  }
}

/** Most operations that are named for an unknown one. */
const mostNear = 5

/** Returns the operations of the same group, those that one of the words names, and those of a similar spelling. */
const similar = (word: string, tags: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = word.toLowerCase().split(/[. _-]/)
  const group = tags.filter((tag) => tag.split(".")[0] === words[0])
  const named = tags.filter((tag) => words.includes(tag))
  return [...new Set([...group, ...named, ...Nearest.names(words.join("."), tags)])].slice(0, mostNear)
}

/** Removes the names of rare operations that only read from the description of the tool. */
export const withoutRareNames = (tool: Tool.Tool): Tool.Tool => {
  if (tool.name !== name) return tool
  const rare = tool.operations.filter((operation) => {
    const { frequency, tier } = Operation.meta(operation)
    return frequency === "rare" && tier === "observe"
  })
  const words = tool.descriptor.description?.split(" ") ?? []
  const description = words.filter((word) => !rare.some(({ _tag }) => _tag === word)).join(" ")
  return { ...tool, descriptor: { ...tool.descriptor, description } }
}
