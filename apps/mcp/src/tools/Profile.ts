/**
 * The profiles: which tools a client is offered and which fields each tool lists. To add a profile, add an entry to
 * `definitions`.
 *
 * A client pays for each byte of the tool list in every conversation, so a short profile lists only the operations and
 * fields that the `Meta` of the operations calls everyday. A field that is not listed is still accepted; the resource
 * `sigtrap://operations/NAME` describes it. An operation that is not listed is called through `operate`.
 */
import { Effects, Operation, Operations } from "@sigtrap/protocol"

interface Definition {
  /** True for operations that have a listed tool of their own. */
  readonly lists: (operation: Operation.Any) => boolean
  /** True for operations that can be called, listed or not. */
  readonly calls: (operation: Operation.Any) => boolean
  /** True for operations that can be called by their name although they are not listed. */
  readonly callsByName: (operation: Operation.Any) => boolean
  /** True if operations of one family are merged into one tool with an `action`. */
  readonly mergesFamilies: boolean
  /** The fields that everyday operations list: all, or their everyday ones. Other operations list all. */
  readonly fields: "all" | "everyday"
  /** The largest tool list in bytes of JSON. */
  readonly budget: number
  /** The effects that need no consent. */
  readonly effects: ReadonlyArray<Effects.Name>
  /** True if the tier `admin` is granted because the user selected this profile. */
  readonly grantsAdmin: boolean
  /** `operations`: tools computed from the operations. `xcode-compat`: the tools of `compat/ToolMapping`. */
  readonly tools: "operations" | "xcode-compat"
}

const isReadOnly = (operation: Operation.Any) => Operation.meta(operation).tier === "observe"

const isEveryday = (operation: Operation.Any) => {
  const { frequency } = Operation.meta(operation)
  return frequency === "basic" || frequency === "everyday"
}

const isCommon = (operation: Operation.Any) => Operation.meta(operation).frequency === "common"

const isOccasional = (operation: Operation.Any) => Operation.meta(operation).frequency === "occasional"

const short: Definition = {
  lists: isEveryday,
  calls: () => true,
  callsByName: isCommon,
  mergesFamilies: false,
  fields: "everyday",
  budget: 8192,
  effects: Effects.ofTiers(["observe", "control", "evaluate"]),
  grantsAdmin: false,
  tools: "operations"
}

const definitions = {
  /** For everyday debugging. */
  default: short,
  /** Every operation. */
  full: {
    ...short,
    lists: (operation) => !Operation.meta(operation).forPeople,
    callsByName: () => true,
    mergesFamilies: true,
    fields: "all",
    budget: 25_600
  },
  /** Only operations that read. */
  observe: {
    ...short,
    lists: (operation) =>
      isReadOnly(operation) && (isEveryday(operation) || isCommon(operation) || isOccasional(operation)),
    calls: isReadOnly,
    effects: Effects.ofTiers(["observe"])
  },
  /**
   * The tools of XcodeBuildMCP, for agents and prompts written for it. They attach to apps and send LLDB commands, so
   * the tier `admin` is granted.
   */
  "xcode-compat": { ...short, lists: () => false, grantsAdmin: true, tools: "xcode-compat" }
} as const satisfies { readonly [name: string]: Definition }

/** The name of a profile. */
export type Name = keyof typeof definitions

/** Returns the definition of a profile. */
export const get = (name: Name): Definition => definitions[name]

/** True if the tools of a profile are those of XcodeBuildMCP, without `operate`. */
export const isCompat = (name: Name): boolean => get(name).tools === "xcode-compat"

/** True if a word is the name of a profile. */
export const isName = (word: string | undefined): word is Name => word !== undefined && Object.hasOwn(definitions, word)

/** The names of all profiles. */
export const names: ReadonlyArray<Name> = Object.keys(definitions).filter(isName)

/** Fields with the same meaning in every tool. The instructions of the server describe them once. */
export const instructionFields: ReadonlyArray<string> = [
  "session",
  "timeout",
  "thread",
  "frame",
  "wait",
  "context",
  "lines",
  "count",
  "start",
  "limit",
  "simulator",
  "args",
  "pause"
]

/** Fields that tools accept and no list shows: those for programs and those for the form of a report. */
export const hiddenFields: ReadonlyArray<string> = ["request_id", "deadline", "context", "lines"]

/** Returns the operations with a listed tool of their own, in the order of the protocol. */
export const listed = (name: Name): ReadonlyArray<Operation.Any> => Operations.all.filter(get(name).lists)

/** Returns the operations that can be called, listed or not. */
export const callable = (name: Name): ReadonlyArray<Operation.Any> => Operations.all.filter(get(name).calls)

/** Returns whether the tool of an operation lists a field. */
export const fields = (name: Name, operation: Operation.Any): ((field: string) => boolean) => {
  if (get(name).fields === "everyday" && isEveryday(operation)) {
    const { everyday } = Operation.meta(operation)
    return (field) => everyday.includes(field)
  }
  const hidden = [...hiddenFields, ...refused(name, operation)]
  return (field) => !hidden.includes(field)
}

/** Returns the optional fields that the tool of an operation shows as required. */
export const required = (name: Name, operation: Operation.Any): ReadonlyArray<string> =>
  get(name).fields === "everyday" && isEveryday(operation) ? Operation.meta(operation).toolRequired : []

/** Returns the fields that every list keeps: the everyday and positional ones, and those of the instructions. */
export const essential = (operation: Operation.Any): ReadonlyArray<string> => {
  const { everyday, positional } = Operation.meta(operation)
  return [...everyday, ...positional, ...instructionFields]
}

/** Returns the fields that a tool refuses so that it stays read-only; `full` refuses none and is not read-only then. */
export const refused = (name: Name, operation: Operation.Any): ReadonlyArray<string> =>
  get(name).fields === "all" || !isReadOnly(operation) ? [] : Effects.adding(Operation.meta(operation))

/** Returns the MCP annotations of a tool that calls these operations. */
export const annotations = (name: Name, operations: ReadonlyArray<Operation.Any>) => {
  const readOnly = operations.every((operation) => {
    const adding = Effects.adding(Operation.meta(operation))
    return isReadOnly(operation) && adding.every((field) => refused(name, operation).includes(field))
  })
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && operations.some((operation) => Operation.meta(operation).destructive),
    idempotentHint: false,
    // A program that runs may reach the network or other files; reading it does not.
    openWorldHint: !readOnly
  }
}
