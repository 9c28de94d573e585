/**
 * Which tools a client is offered, and which fields each of them shows.
 *
 * An agent pays for every byte of the list in every conversation, so a profile is a table of names: operations, and for
 * the everyday ones the fields that a debugging session takes. What is not in a table is not lost. A field that is not
 * listed is accepted all the same, and its description is in the resource `sigtrap://operations/NAME`; an operation that
 * is not listed is called through the tool `operate`. Operations and fields that are added to the protocol therefore cost
 * `default` nothing, and `full` only what they need.
 */
import { Operation, Operations } from "@sigtrap/protocol"

/**
 * The profiles by name: `default` for everyday debugging, `full` for every operation, `observe` for what only reads,
 * `xcode-compat` for agents that know the tools of XcodeBuildMCP.
 */
export const names = ["default", "full", "observe", "xcode-compat"] as const
/** The name of a profile. */
export type Name = (typeof names)[number]

/** Whether a word names a profile. */
export const isName = (word: string | undefined): word is Name => names.some((name) => name === word)

/** Everyday operations with the fields that are listed, in the order in which an agent meets them. */
const everyday: { readonly [tag: string]: string } = {
  start: "program args break stdin session",
  attach: "pid name pause session",
  "sim.debug": "simulator app args break session",
  "sim.attach": "simulator bundle pause session",
  stop: "session",
  status: "session",
  break: "at pending session",
  "breakpoint.list": "session",
  "breakpoint.remove": "ids session",
  continue: "to session timeout",
  next: "count session",
  step: "count session",
  finish: "session",
  pause: "session",
  wait: "session timeout",
  context: "frame session",
  backtrace: "thread all_threads session",
  locals: "names frame session",
  print: "expressions session",
  eval: "expression session",
  set: "target value session",
  source: "at session",
  output: "since tail session"
}

/** What reading takes beside the everyday operations that only read. */
const reading = ["sessions", "threads", "expand", "registers", "memory.read", "exception"]

/** Fields that mean the same in every tool: the instructions of the server describe them, once. */
export const toldOnce: ReadonlyArray<string> = [
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
  "simulator"
]

/** Fields that no list shows although tools take them: for programs, or for the shape of a report. */
export const unlisted: ReadonlyArray<string> = ["request_id", "deadline", "context", "lines"]

/** Fields with which an operation that otherwise only reads changes something; a read-only tool does not take them. */
const changing: { readonly [tag: string]: ReadonlyArray<string> } = { output: ["clear"] }

/** Operations of the tiers `write` and `admin` that destroy nothing: they begin something, or let it go unharmed. */
export const harmless: ReadonlySet<string> = new Set([
  "start",
  "attach",
  "core",
  "connect",
  "detach",
  "sim.attach",
  "sim.debug",
  "sim.boot",
  "sim.install",
  "sim.launch",
  "defaults.set",
  "defaults.use"
])

const known = (tags: ReadonlyArray<string>) => tags.flatMap((tag) => Operations.find(tag) ?? [])

const observes = (operation: Operation.Any) => Operation.meta(operation).tier === "observe"

/** The operations that have a tool of their own in a profile, in reading order. */
export const listed = (name: Name): ReadonlyArray<Operation.Any> => {
  switch (name) {
    case "full":
      return Operations.all
    case "observe":
      return known([...Object.keys(everyday), ...reading]).filter(observes)
    case "xcode-compat":
      return []
    case "default":
      return known(Object.keys(everyday))
  }
}

/** The operations that can be called in a profile, listed or not. */
export const callable = (name: Name): ReadonlyArray<Operation.Any> =>
  name === "observe" ? Operations.all.filter(observes) : Operations.all

/** The fields that the tool of an operation lists; every field of those that have no table. */
export const fields = (name: Name, operation: Operation.Any): ((field: string) => boolean) => {
  const table = name === "full" || everyday[operation._tag] === undefined ? undefined : daily(operation)
  const hidden = name === "full" ? unlisted : [...unlisted, ...(changing[operation._tag] ?? [])]
  return (field) => (table === undefined ? !hidden.includes(field) : table.includes(field))
}

/** The fields of an everyday operation that debugging takes from day to day. */
export const daily = (operation: Operation.Any): ReadonlyArray<string> => everyday[operation._tag]?.split(" ") ?? []

/** The fields of an operation that no list goes without: those of the everyday table, and what stands without a flag. */
export const essential = (operation: Operation.Any): ReadonlyArray<string> => [
  ...daily(operation),
  ...Operation.meta(operation).positional,
  ...toldOnce
]

/** The fields that a read-only tool of an operation does not take. */
export const refused = (name: Name, operation: Operation.Any): ReadonlyArray<string> =>
  name === "full" ? [] : (changing[operation._tag] ?? [])

/** What a tool may do to a program or to this machine, as clients are told. */
export const annotations = (name: Name, operations: ReadonlyArray<Operation.Any>) => {
  const reads = operations.every(
    (operation) => observes(operation) && (name !== "full" || changing[operation._tag] === undefined)
  )
  const destroys =
    !reads &&
    operations.some((operation) => {
      const { tier } = Operation.meta(operation)
      return (tier === "write" || tier === "admin") && !harmless.has(operation._tag)
    })
  // A program that runs may reach anything; one that is only read reaches nothing.
  return {
    readOnlyHint: reads,
    destructiveHint: destroys,
    idempotentHint: false,
    openWorldHint: !reads
  }
}
