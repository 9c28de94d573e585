/**
 * Keeps a tool list within the budget of its profile, however many operations and fields there are: descriptions and rarely
 * used fields are removed, from the largest tool first. No call is lost: a removed field is still accepted, and `operate`
 * describes every operation.
 */
import { Predicate } from "effect"
import { Operation } from "@sigtrap/protocol"
import * as CompactMessages from "./CompactMessages.ts"
import * as OperateTool from "./OperateTool.ts"
import * as Profile from "./Profile.ts"
import type { Tool } from "./Tool.ts"
import * as ToolInput from "./ToolInput.ts"

/** Returns the size of a list as it is sent. */
const bytes = (tools: ReadonlyArray<Tool>): number =>
  new TextEncoder().encode(
    CompactMessages.shorten(JSON.stringify({ tools: tools.map(({ descriptor }) => descriptor) }))
  ).length

/** Maps the schemas of a tool's fields; a field whose result is `undefined` is removed. */
const mapFields = (
  tool: Tool,
  map: (field: string, schema: ToolInput.Keywords, isRequired: boolean) => ToolInput.Keywords | undefined
): Tool => {
  const { properties, required } = tool.descriptor.inputSchema
  if (!Predicate.isReadonlyObject(properties)) return tool
  const requiredFields: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  const fields = Object.entries(properties).flatMap(([field, schema]) => {
    const result = Predicate.isReadonlyObject(schema)
      ? map(field, schema, field === "action" || requiredFields.includes(field))
      : undefined
    return result === undefined ? [] : [[field, result] as const]
  })
  const inputSchema = { ...tool.descriptor.inputSchema, properties: Object.fromEntries(fields) }
  return { ...tool, descriptor: { ...tool.descriptor, inputSchema } }
}

/**
 * Replaces the description of a field by "See NAME" if the earlier tool NAME describes an everyday field of the same name with the same
 * words. The reductions keep the descriptions of everyday fields longest.
 */
export const withoutRepeatedTexts = (tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => {
  const described = new Map<string, string>()
  return tools.map((tool) => {
    const everyday = new Set(tool.operations.flatMap((operation) => Operation.meta(operation).everyday))
    return mapFields(tool, (field, schema) => {
      const { description } = schema
      if (!Predicate.isString(description)) return schema
      const text = `${field}: ${description}`
      const earlier = described.get(text)
      if (earlier === undefined && everyday.has(field)) described.set(text, tool.name)
      const short = `See ${earlier}`
      return earlier !== undefined && short.length < description.length ? { ...schema, description: short } : schema
    })
  })
}

/** Removes the descriptions of all actions but the first from a family with at least `atLeast` operations. */
const withoutActionTexts = (tool: Tool, atLeast: number): Tool => {
  if (tool.operations.length < atLeast || tool.name === OperateTool.name) return tool
  const [first] = tool.descriptor.description?.split("; ") ?? []
  return { ...tool, descriptor: { ...tool.descriptor, description: `${first}; others: see action` } }
}

/** True for a tool with an operation that a short list has, too. */
const isEveryday = (tool: Tool): boolean =>
  tool.operations.some((operation) => Operation.meta(operation).everyday.length > 0)

/** Removes the descriptions of optional fields; everyday fields keep theirs. */
const withoutRareTexts = (tool: Tool): Tool => {
  const everyday = new Set(tool.operations.flatMap((operation) => Operation.meta(operation).everyday))
  return mapFields(tool, (field, schema, isRequired) =>
    isRequired || (tool.name !== OperateTool.name && everyday.has(field)) ? schema : ToolInput.compact(schema, false)
  )
}

/** A family with at least this many operations is large. */
const large = 20

/** Removes the optional fields of a single operation, or of a family with at least `atLeast` operations, unless they are essential. */
const withoutRareFields = (tool: Tool, atLeast: number): Tool => {
  const essential = new Set(tool.operations.flatMap(Profile.essential))
  const isFamily = tool.operations.length >= atLeast && tool.name !== OperateTool.name
  const isReduced = tool.operations.length === 1 || isFamily
  // A family renames a field that is called `action`.
  const isRare = (field: string) => isReduced && !essential.has(field) && !field.endsWith("_action")
  return mapFields(tool, (field, schema, isRequired) => (isRequired || !isRare(field) ? schema : undefined))
}

/** Removes the descriptions of all optional fields. */
const withoutOptionalTexts = (tool: Tool): Tool =>
  mapFields(tool, (_, schema, isRequired) => (isRequired ? schema : ToolInput.compact(schema, false)))

/** The reductions in order: each is applied to one tool after the other before the next begins. */
const reductions: ReadonlyArray<(tool: Tool) => Tool> = [
  OperateTool.withoutRareNames,
  withoutRareTexts,
  (tool) => withoutActionTexts(tool, large),
  (tool) => withoutRareFields(tool, large),
  (tool) => (isEveryday(tool) ? tool : withoutActionTexts(tool, 2)),
  (tool) => (isEveryday(tool) ? tool : withoutRareFields(tool, 2)),
  (tool) => withoutActionTexts(tool, 2),
  withoutOptionalTexts
]

/** Reduces a list until it is at most `budget` bytes of JSON. */
export const fit = (tools: ReadonlyArray<Tool>, budget: number): ReadonlyArray<Tool> => {
  const sizes = new Map(tools.map((tool) => [tool.name, bytes([tool])]))
  const size = (name: string) => sizes.get(name) ?? 0
  const largestFirst = tools.map(({ name }) => name).toSorted((a, b) => size(b) - size(a))
  const fitting = new Map(tools.map((tool) => [tool.name, tool]))
  let excess = bytes(tools) - budget
  for (const reduce of reductions) {
    for (const name of largestFirst) {
      const tool = fitting.get(name)
      if (excess <= 0 || tool === undefined) return [...fitting.values()]
      const smaller = reduce(tool)
      excess -= bytes([tool]) - bytes([smaller])
      fitting.set(name, smaller)
    }
  }
  return [...fitting.values()]
}
