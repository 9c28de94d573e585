/**
 * One tool for the operations of a family, such as `breakpoint.list` and `breakpoint.remove`. Its field `action` selects
 * the operation; the description of `action` names the fields of each.
 */
import { Effect } from "effect"
import { Operation, Payload } from "@sigtrap/protocol"
import * as Profile from "./Profile.ts"
import * as Tool from "./Tool.ts"
import * as ToolInput from "./ToolInput.ts"

/** An operation and the action that selects it. */
export interface Member {
  readonly action: string
  readonly operation: Operation.Any
}

/** The members of a family. The first one is called when `action` is left out. */
export type Members = readonly [Member, ...ReadonlyArray<Member>]

/** Returns the name of an operation's field in the family's tool, where `action` itself selects the operation. */
const familyField = (action: string, field: string): string => (field === "action" ? `${action}_action` : field)

/** Returns the input of the operation for an input of the family's tool. */
const operationInput = (action: string, input: ToolInput.Keywords): ToolInput.Keywords => {
  const { [familyField(action, "action")]: own, ...rest } = input
  return own === undefined ? rest : { ...rest, action: own }
}

/** Returns the input of the family's tool for an input of the operation. */
export const familyInput = (member: Member, { action, ...fields }: ToolInput.Keywords): ToolInput.Keywords => ({
  action: member.action,
  ...fields,
  ...(action === undefined ? {} : { [familyField(member.action, "action")]: action })
})

/** Groups the listed operations of a profile by family; families of one operation are left out. */
export const membersOf = (profile: Profile.Name): ReadonlyMap<string, Members> => {
  if (!Profile.get(profile).mergesFamilies) return new Map()
  const groups = new Map<string, Members>()
  for (const operation of Profile.listed(profile)) {
    const { family } = Operation.meta(operation)
    const [, ...rest] = operation._tag.split(".")
    const member = { action: rest.length === 0 ? operation._tag : rest.join("_"), operation }
    const before = groups.get(family)
    if (before === undefined) groups.set(family, [member])
    // The operation with the family's name is the default action.
    else groups.set(family, operation._tag === family ? [member, ...before] : [...before, member])
  }
  return new Map([...groups].filter(([, members]) => members.length > 1))
}

/** Describes an action as `NAME required optional?`, without the fields that the whole family or every tool has. */
const actionText = (members: Members) => {
  const fields = members.map(({ operation }) => Object.keys(Payload.published(operation).properties))
  const isShared = (field: string) => fields.every((each) => each.includes(field))
  return ({ action, operation }: Member): string => {
    const { properties, required } = Payload.published(operation)
    const omitted = [...Payload.callerFields, ...Profile.hiddenFields, ...Profile.instructionFields]
    const optional = Object.keys(properties).filter(
      (field) => !omitted.includes(field) && !required.includes(field) && !isShared(field)
    )
    const own = [...required, ...optional.map((field) => `${field}?`)].map((field) => familyField(action, field))
    return [action, ...own].join(" ")
  }
}

/** Returns the keywords that all these schemas have in common. */
const commonKeywords = (schemas: ReadonlyArray<ToolInput.Keywords>): ToolInput.Keywords => {
  const [first = {}, ...others] = schemas
  return Object.fromEntries(
    Object.entries(first).filter(([keyword, value]) =>
      others.every((other) => JSON.stringify(other[keyword]) === JSON.stringify(value))
    )
  )
}

/** Makes the tool of a family. */
export const make = (profile: Profile.Name, name: string, members: Members): Tool.Tool => {
  const operations = members.map(({ operation }) => operation)
  const schemas = members.flatMap(({ action, operation }) => {
    const { properties } = ToolInput.schema(operation, Profile.fields(profile, operation), Profile.instructionFields)
    return Object.entries(properties).map(([field, schema]) => ({ field: familyField(action, field), schema }))
  })
  const fields = [...new Set(schemas.map(({ field }) => field))]
  const properties = fields.map((field) => [
    field,
    commonKeywords(schemas.flatMap((each) => (each.field === field ? [each.schema] : [])))
  ])
  const actions = members.map(({ action }) => action)
  return {
    name,
    listed: true,
    operations,
    descriptor: {
      name,
      description: members.map(({ action, operation }) => `${action}: ${Operation.meta(operation).summary}`).join("; "),
      inputSchema: {
        type: "object",
        properties: {
          action: {
            enum: actions,
            description: `${members.map(actionText(members)).join("; ")}. Default: ${actions[0]}`
          },
          ...Object.fromEntries(properties)
        }
      },
      annotations: Profile.annotations(profile, operations)
    },
    resolve: ({ action = members[0].action, ...input }) => {
      const member = members.find((each) => each.action === action)
      return member === undefined
        ? Effect.fail(
            Tool.usage(`no action ${typeof action === "string" ? action : JSON.stringify(action)}`, actions, name)
          )
        : Effect.succeed({ operation: member.operation, input: operationInput(member.action, input) })
    }
  }
}
