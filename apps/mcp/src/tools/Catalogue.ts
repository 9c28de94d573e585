/**
 * The tools of a profile, computed from the operations, and the tool call for each operation.
 *
 * A listed tool is one operation (`Tool`), a family of operations (`FamilyTool`), or `operate`, which calls any operation
 * by name. Some names can be called without being listed: those the profile selects, and the aliases.
 */
import { Operation } from "@sigtrap/protocol"
import * as FamilyTool from "./FamilyTool.ts"
import * as ListBudget from "./ListBudget.ts"
import * as OperateTool from "./OperateTool.ts"
import * as Profile from "./Profile.ts"
import * as Tool from "./Tool.ts"
import type { Keywords } from "./ToolInput.ts"

/** Bytes that a client or the protocol adds to the list, such as a cursor. */
const listOverhead = 64

/** Makes the listed tools, `operate` last. */
const makeListed = (profile: Profile.Name): ReadonlyArray<Tool.Tool> => {
  const families = FamilyTool.membersOf(profile)
  const tools = new Map<string, Tool.Tool>()
  for (const operation of Profile.listed(profile)) {
    const { family } = Operation.meta(operation)
    const members = families.get(family)
    if (members === undefined) tools.set(Tool.nameOf(operation), Tool.make(profile, operation, true))
    else if (!tools.has(family)) tools.set(family, FamilyTool.make(profile, family, members))
  }
  const reached = new Set([...tools.values()].flatMap(({ operations }) => operations))
  const rest = Profile.callable(profile).filter((operation) => !reached.has(operation))
  return [...tools.values(), OperateTool.make(profile, rest)]
}

/** Makes the tools that can be called and are not listed. */
const makeUnlisted = (profile: Profile.Name): ReadonlyArray<Tool.Tool> => {
  const callable = Profile.callable(profile)
  return [
    ...callable.filter(Profile.get(profile).callsByName).map((operation) => Tool.make(profile, operation, false)),
    ...Object.entries(OperateTool.aliases).flatMap(([alias, tag]) =>
      callable.filter(({ _tag }) => _tag === tag).map((operation) => Tool.make(profile, operation, false, alias))
    )
  ]
}

const cache = new Map<Profile.Name, ReadonlyArray<Tool.Tool>>()

/** Returns the tools of a profile, the listed ones first. They are computed once per process: `full` takes 10-19 ms. */
export const tools = (profile: Profile.Name): ReadonlyArray<Tool.Tool> => {
  const cached = cache.get(profile)
  if (cached !== undefined) return cached
  const listed = makeListed(profile)
  const names = new Set(listed.map(({ name }) => name))
  const made = [
    ...ListBudget.fit(ListBudget.withoutRepeatedTexts(listed), Profile.get(profile).budget - listOverhead),
    ...makeUnlisted(profile).filter(({ name }) => !names.has(name))
  ]
  cache.set(profile, made)
  return made
}

/** How a client of a profile calls an operation. */
export interface Route {
  readonly tool: string
  /** The arguments that select the operation, in words. */
  readonly before: ReadonlyArray<string>
  /** Returns the tool's input for fields of the operation. */
  readonly input: (fields: Keywords) => Keywords
}

/** Returns how a client of a profile calls an operation: by its tool, by an action of its family, or through `operate`. */
export const route = (profile: Profile.Name, operation: Operation.Any): Route => {
  if (!Profile.get(profile).lists(operation)) {
    const input = (fields: Keywords) => ({ operation: operation._tag, input: fields })
    return { tool: OperateTool.name, before: [`operation ${operation._tag}`], input }
  }
  const { family } = Operation.meta(operation)
  const member = FamilyTool.membersOf(profile)
    .get(family)
    ?.find((each) => each.operation === operation)
  if (member === undefined) return { tool: Tool.nameOf(operation), before: [], input: (fields) => fields }
  return {
    tool: family,
    before: [`action ${member.action}`],
    input: (fields) => FamilyTool.familyInput(member, fields)
  }
}
