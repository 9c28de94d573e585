/**
 * The tools of a profile, computed from the operations: their names, what the list shows of them, and which operation a
 * call means.
 *
 * A tool is an operation, or a family of operations: in `full`, operations with a common first word (`breakpoint.list`,
 * `breakpoint.remove`) are one tool with an `action`, whose description says what each action takes. `operate` calls any
 * operation by its name, so that no hint leads nowhere. Some tools answer without being listed: in `full` the operations
 * that are in families, elsewhere those of `expected`, and everywhere `aliases`.
 */
import { Effect, Predicate } from "effect"
import type { McpSchema } from "effect/ai"
import type { Operations } from "@sigtrap/protocol"
import { Errors, Hint, Operation, Payload } from "@sigtrap/protocol"
import * as ToolInput from "./ToolInput.ts"
import * as Profile from "./Profile.ts"
import * as CompactMessages from "../server/CompactMessages.ts"

/** A call that is known to mean an operation; its input is not decoded yet. */
interface Meant {
  readonly operation: Operation.Any
  readonly input: ToolInput.Keywords
}

/** What a list says of a tool. Only when it is registered it is made one of the library's, which checks all of it. */
interface Descriptor {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: ToolInput.Keywords
  readonly annotations?: McpSchema.Tool["annotations"]
}

/** A tool. */
export interface Tool {
  readonly name: string
  /** Whether the list shows it. */
  readonly listed: boolean
  /** The operations it can call. */
  readonly operations: ReadonlyArray<Operation.Any>
  readonly descriptor: Descriptor
  /** The operation that an input means. */
  readonly meaning: (input: ToolInput.Keywords) => Effect.Effect<Meant, Errors.Usage>
}

/** The name of the tool that calls any operation. */
export const operate = "operate"

/** The name of an operation's own tool: `breakpoint_list`. */
export const name = (operation: Operation.Any): string => operation._tag.replaceAll(".", "_")

/** Other names under which operations are called; no list shows them. */
const aliases: { readonly [alias: string]: Operations.Tag } = {
  stack: "backtrace",
  variables: "locals",
  command: "raw",
  break_delete: "breakpoint.remove"
}

/**
 * Operations that answer to their own name where the list does not show them. Each costs something when the list is
 * read, so only in `full` all of them do; elsewhere those that an agent may try unseen.
 */
const expected: ReadonlySet<string> = new Set<Operations.Tag>([
  "sessions",
  "restart",
  "detach",
  "watch",
  "catch",
  "until",
  "threads",
  "expand"
])

const usage = (problem: string, near: ReadonlyArray<string>, help: string) =>
  new Errors.Usage({ problem, near, remedies: [Hint.remedy(`see the fields of ${help}`)] })

const direct = (profile: Profile.Name, operation: Operation.Any, listed: boolean, known = name(operation)): Tool => ({
  name: known,
  listed,
  operations: [operation],
  descriptor: {
    name: known,
    description: Operation.meta(operation).summary,
    // A schema that no list shows is not made: it would be most of what the start of the server takes.
    inputSchema: listed
      ? { ...ToolInput.schema(operation, Profile.fields(profile, operation), Profile.toldOnce) }
      : { type: "object" },
    annotations: Profile.annotations(profile, [operation])
  },
  meaning: (input) => Effect.succeed({ operation, input })
})

/** An operation as an action of its family. */
interface Member {
  readonly action: string
  readonly operation: Operation.Any
}

/** The name of an operation's field in its family: `action` says there which operation is meant. */
const renamed = (action: string, field: string): string => (field === "action" ? `${action}_action` : field)

/** The input of a family's tool with the names of the operation's own fields. */
const restored = (action: string, input: ToolInput.Keywords): ToolInput.Keywords => {
  const { [renamed(action, "action")]: own, ...rest } = input
  return own === undefined ? rest : { ...rest, action: own }
}

/** What an action takes beside the fields that every tool describes alike, and those that all of the family take. */
const takes = (members: ReadonlyArray<Member>) => {
  const fields = members.map(({ operation }) => Object.keys(Payload.published(operation).properties))
  const shared = (field: string) => fields.every((each) => each.includes(field))
  return ({ action, operation }: Member): string => {
    const { properties, required } = Payload.published(operation)
    const known = [...Payload.callerFields, ...Profile.unlisted, ...Profile.toldOnce]
    const optional = Object.keys(properties).filter(
      (field) => !known.includes(field) && !required.includes(field) && !shared(field)
    )
    const own = [...required, ...optional.map((field) => `${field}?`)].map((field) => renamed(action, field))
    return [action, ...own].join(" ")
  }
}

/** What all of these schemas say of a field; where they differ in words, the action says which is meant. */
const common = (schemas: ReadonlyArray<ToolInput.Keywords>): ToolInput.Keywords => {
  const [first = {}, ...others] = schemas
  return Object.fromEntries(
    Object.entries(first).filter(([keyword, value]) =>
      others.every((other) => JSON.stringify(other[keyword]) === JSON.stringify(value))
    )
  )
}

const family = (profile: Profile.Name, word: string, members: readonly [Member, ...ReadonlyArray<Member>]): Tool => {
  const operations = members.map(({ operation }) => operation)
  const schemas = members.flatMap(({ action, operation }) =>
    Object.entries(ToolInput.schema(operation, Profile.fields(profile, operation), Profile.toldOnce).properties).map(
      ([field, schema]) => ({ field: renamed(action, field), schema })
    )
  )
  const fields = [...new Set(schemas.map(({ field }) => field))]
  const properties = fields.map((field) => [
    field,
    common(schemas.flatMap((each) => (each.field === field ? [each.schema] : [])))
  ])
  const actions = members.map(({ action }) => action)
  return {
    name: word,
    listed: true,
    operations,
    descriptor: {
      name: word,
      description: members.map(({ action, operation }) => `${action}: ${Operation.meta(operation).summary}`).join("; "),
      inputSchema: {
        type: "object",
        properties: {
          action: { enum: actions, description: `${members.map(takes(members)).join("; ")}. Left out: ${actions[0]}` },
          ...Object.fromEntries(properties)
        },
        additionalProperties: false
      },
      annotations: Profile.annotations(profile, operations)
    },
    meaning: ({ action = members[0].action, ...input }) => {
      const member = members.find((each) => each.action === action)
      return member === undefined
        ? Effect.fail(usage(`no action ${String(action)}`, actions, word))
        : Effect.succeed({ operation: member.operation, input: restored(member.action, input) })
    }
  }
}

/** Names as a list that is short: `breakpoint.*` stands for all whose first word that is. */
const folded = (operations: ReadonlyArray<Operation.Any>): string =>
  [...new Set(operations.map(({ _tag }) => (_tag.includes(".") ? `${_tag.split(".")[0]}.*` : _tag)))].join(" ")

/** The operation that words name: its tag, the words of its command, its tool's name or an alias. */
export const find = (profile: Profile.Name, words: string): Operation.Any | undefined => {
  const wanted = words.trim().replace(/^sigtrap /, "")
  return Profile.callable(profile).find(
    (operation) => operation._tag === (aliases[wanted] ?? wanted.replaceAll(/\s+/g, ".")) || name(operation) === wanted
  )
}

const operateTool = (profile: Profile.Name, unlisted: ReadonlyArray<Operation.Any>): Tool => {
  const callable = Profile.callable(profile)
  const rest = unlisted.length === 0 ? "" : `: ${folded(unlisted)}`
  return {
    name: operate,
    listed: true,
    operations: callable,
    descriptor: {
      name: operate,
      description: `Any operation by name${rest}. Without input it says what the operation takes.`,
      inputSchema: {
        type: "object",
        properties: { operation: { type: "string" }, input: { type: "object", description: "Its fields" } },
        required: ["operation"],
        additionalProperties: false
      },
      annotations: Profile.annotations(profile, callable)
    },
    meaning: ({ operation: asked, input }) => {
      const operation = Predicate.isString(asked) ? find(profile, asked) : undefined
      if (operation === undefined) {
        const word = Predicate.isString(asked) ? asked : ""
        const near = callable.map(({ _tag }) => _tag).filter((tag) => tag.split(".")[0] === word.split(/[. _]/)[0])
        return Effect.fail(usage(word === "" ? "operation is missing" : `no operation ${word}`, near, operate))
      }
      return Effect.succeed({ operation, input: Predicate.isReadonlyObject(input) ? input : {} })
    }
  }
}

/** Families of operations whose names have nothing in common; the first is what the family's own name means. */
const kin: { readonly [word: string]: ReadonlyArray<Operations.Tag> } = {
  step: ["step", "next", "finish", "until", "stepi", "nexti"],
  frame: ["frame", "up", "down", "thread"],
  locals: ["locals", "args", "globals"]
}

/** The family of an operation, if it has one by table or by the first word of its tag. */
const familyOf = ({ _tag }: Operation.Any): string => {
  const named = Object.entries(kin).find(([, tags]) => tags.some((tag) => tag === _tag))
  return named?.[0] ?? _tag.split(".")[0] ?? _tag
}

/** The families of several among the operations of `full`; no other profile merges anything. */
const families = (profile: Profile.Name): ReadonlyMap<string, readonly [Member, ...ReadonlyArray<Member>]> => {
  if (profile !== "full") return new Map()
  const groups = new Map<string, readonly [Member, ...ReadonlyArray<Member>]>()
  for (const operation of Profile.listed(profile)) {
    const word = familyOf(operation)
    const [, ...rest] = operation._tag.split(".")
    const member = { action: rest.length === 0 ? operation._tag : rest.join("_"), operation }
    const before = groups.get(word)
    if (before === undefined) groups.set(word, [member])
    // What the family's name alone means comes first.
    else groups.set(word, operation._tag === word ? [member, ...before] : [...before, member])
  }
  return new Map([...groups].filter(([, members]) => members.length > 1))
}

const bytes = (tools: ReadonlyArray<Tool>): number =>
  new TextEncoder().encode(
    CompactMessages.shorten(JSON.stringify({ tools: tools.map(({ descriptor }) => descriptor) }))
  ).length

/** A tool with the schemas of its fields changed; one that becomes nothing is not listed. */
const changed = (
  tool: Tool,
  change: (field: string, schema: ToolInput.Keywords, needed: boolean) => ToolInput.Keywords | undefined
): Tool => {
  const { properties, required } = tool.descriptor.inputSchema
  if (!Predicate.isReadonlyObject(properties)) return tool
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const fields = Object.entries(properties).flatMap(([field, schema]) => {
    const result = Predicate.isReadonlyObject(schema)
      ? change(field, schema, field === "action" || needed.includes(field))
      : undefined
    return result === undefined ? [] : [[field, result] as const]
  })
  const inputSchema = { ...tool.descriptor.inputSchema, properties: Object.fromEntries(fields) }
  return { ...tool, descriptor: { ...tool.descriptor, inputSchema } }
}

/** A family of at least so many actions with what the first does: the others say that by their names, and `action` what they take. */
const unexplained = (tool: Tool, atLeast: number): Tool => {
  if (tool.operations.length < atLeast || tool.name === operate) return tool
  const [first] = tool.descriptor.description?.split("; ") ?? []
  return {
    ...tool,
    descriptor: { ...tool.descriptor, description: `${first}; others: see action` }
  }
}

/** What is left out where a list is too long, one after the other: words about fields, fields that are seldom used, what actions do. */
const diets: ReadonlyArray<(tool: Tool) => Tool> = [
  (tool) => {
    const daily = new Set(tool.operations.flatMap(Profile.daily))
    return changed(tool, (field, schema, needed) =>
      needed || (tool.name !== operate && daily.has(field)) ? schema : ToolInput.compact(schema, false)
    )
  },
  (tool) => unexplained(tool, 20),
  (tool) => {
    const kept = new Set(tool.operations.flatMap(Profile.essential))
    const seldom = (field: string) => tool.operations.length === 1 && !kept.has(field)
    return changed(tool, (field, schema, needed) => (needed || !seldom(field) ? schema : undefined))
  },
  (tool) => unexplained(tool, 2),
  (tool) => changed(tool, (_, schema, needed) => (needed ? schema : ToolInput.compact(schema, false)))
]

/** The largest list of a profile, in bytes of its JSON. */
export const budgets: { readonly [profile in Profile.Name]: number } = {
  default: 8192,
  observe: 8192,
  full: 24_576,
  "xcode-compat": 8192
}

/**
 * A list that keeps its budget, however many operations and fields there are: the largest tools lose the words about
 * fields that may be left out, one tool after the other; if that is not enough, the fields that are seldom used. What a
 * day's debugging takes keeps its words to the last. Nothing is lost by that: such fields are accepted all the same, and
 * `operate` tells the rest.
 */
const within = (tools: ReadonlyArray<Tool>, budget: number): ReadonlyArray<Tool> => {
  const sizes = new Map(tools.map((tool) => [tool.name, bytes([tool])]))
  const size = (name: string) => sizes.get(name) ?? 0
  const bySize = tools.map(({ name }) => name).toSorted((a, b) => size(b) - size(a))
  const fitting = new Map(tools.map((tool) => [tool.name, tool]))
  let over = bytes(tools) - budget
  for (const diet of diets) {
    for (const heavy of bySize) {
      const tool = fitting.get(heavy)
      if (over <= 0 || tool === undefined) return [...fitting.values()]
      const slim = diet(tool)
      over -= bytes([tool]) - bytes([slim])
      fitting.set(heavy, slim)
    }
  }
  return [...fitting.values()]
}

/** The tools of a profile that are computed from the operations, in reading order. */
export const tools = (profile: Profile.Name): ReadonlyArray<Tool> => {
  const listed = Profile.listed(profile)
  const merged = families(profile)
  const shown = new Map<string, Tool>()
  for (const operation of listed) {
    const word = familyOf(operation)
    const members = merged.get(word)
    if (members === undefined) shown.set(name(operation), direct(profile, operation, true))
    else if (!shown.has(word)) shown.set(word, family(profile, word, members))
  }
  const callable = Profile.callable(profile)
  const reachable = new Set([...shown.values()].flatMap(({ operations }) => operations))
  shown.set(
    operate,
    operateTool(
      profile,
      callable.filter((operation) => !reachable.has(operation))
    )
  )
  const hidden = [
    ...callable
      .filter(({ _tag }) => profile === "full" || expected.has(_tag))
      .map((operation) => direct(profile, operation, false)),
    ...Object.entries(aliases).flatMap(([alias, tag]) =>
      callable.filter(({ _tag }) => _tag === tag).map((operation) => direct(profile, operation, false, alias))
    )
  ]
  // What a client adds to the list, such as a cursor, has room, too.
  return [...within([...shown.values()], budgets[profile] - 64), ...hidden.filter((tool) => !shown.has(tool.name))]
}

/** How a client of a profile calls an operation. */
export interface Route {
  readonly tool: string
  /** What stands before the operation's own fields, in words. */
  readonly before: ReadonlyArray<string>
  /** The tool's input for fields of the operation. */
  readonly input: (fields: ToolInput.Keywords) => ToolInput.Keywords
}

/** How a client of a profile calls an operation: by its tool, by an action of its family, or through `operate`. */
export const route = (profile: Profile.Name, operation: Operation.Any): Route => {
  if (!Profile.listed(profile).includes(operation)) {
    const input = (fields: ToolInput.Keywords) => ({ operation: operation._tag, input: fields })
    return { tool: operate, before: [`operation ${operation._tag}`], input }
  }
  const word = familyOf(operation)
  const member = families(profile)
    .get(word)
    ?.find((each) => each.operation === operation)
  return member === undefined
    ? { tool: name(operation), before: [], input: (fields) => fields }
    : {
        tool: word,
        before: [`action ${member.action}`],
        input: ({ action, ...fields }) => ({
          action: member.action,
          ...fields,
          ...(action === undefined ? {} : { [renamed(member.action, "action")]: action })
        })
      }
}
