/**
 * The parameters of the tools of `xcode-compat`: their JSON Schemas, and what their values mean.
 */
import { Predicate } from "effect"
import type { Keywords } from "../tools/ToolInput.ts"

/** Returns the schema of a text. */
export const text = (description?: string): Keywords => ({
  type: "string",
  ...(description === undefined ? {} : { description })
})
/** Returns the schema of a whole number. */
export const integer = (description: string): Keywords => ({ type: "integer", description })
/** Returns the schema of a boolean. */
export const boolean = (description?: string): Keywords => ({
  type: "boolean",
  ...(description === undefined ? {} : { description })
})

/** Removes fields without a value: `null` and empty text count as absent. */
export const given = (fields: Keywords): Keywords =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== "")
  )

/** One way to select what `debug_attach_sim` attaches to. */
const variant = (title: string, properties: { readonly [name: string]: Keywords }, required: string): Keywords => ({
  title,
  type: "object",
  properties,
  required: [required],
  additionalProperties: false
})

/**
 * The two ways to attach. APIs of several models refuse `oneOf` and `anyOf` at the top of a tool's schema, and some clients
 * then drop the tool, so the variants are those of one parameter. The flat parameters of XcodeBuildMCP mean the same.
 */
export const attachTarget: Keywords = {
  description: "What to attach to, as one of two variants, instead of the parameters beside it",
  oneOf: [
    variant(
      "App in a simulator",
      {
        bundleId: text(),
        simulatorId: text("UDID"),
        simulatorName: text("Instead of simulatorId"),
        waitFor: boolean()
      },
      "bundleId"
    ),
    variant("Process of this machine", { pid: { type: "integer" } }, "pid")
  ]
}

/** The defaults of XcodeBuildMCP for builds and devices. They are accepted, because its agents send them with the others. */
export const buildDefaults: { readonly [name: string]: Keywords } = {
  projectPath: text(),
  workspacePath: text(),
  scheme: text(),
  configuration: text(),
  simulatorPlatform: text(),
  deviceId: text(),
  useLatestOS: boolean(),
  arch: text(),
  suppressWarnings: boolean(),
  derivedDataPath: text(),
  preferXcodebuild: boolean(),
  platform: text(),
  env: { type: "object" },
  extraArgs: { type: "array", items: { type: "string" } },
  createIfNotExists: boolean()
}

/** Returns the names of the build defaults in an input. */
export const buildDefaultsIn = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => Object.hasOwn(buildDefaults, name) && name !== "createIfNotExists")

/** The parameters that select what to attach to. */
const targetNames = ["bundleId", "pid", "simulatorId", "simulatorName", "waitFor"]

/** Returns the input with the fields of `target` beside the others, or one sentence that says what is wrong with it. */
export const flattened = ({ target, ...input }: Keywords): Keywords | string => {
  if (target === undefined) return input
  if (!Predicate.isReadonlyObject(target)) return 'target is {"bundleId":…} or {"pid":…}'
  const doubled = targetNames.filter((name) => input[name] !== undefined)
  if (doubled.length > 0) return `give target or ${doubled.join(" and ")}, not both`
  const unknown = Object.keys(target).filter((name) => !targetNames.includes(name))
  if (unknown.length > 0) return `target has no field ${unknown.join(", ")}`
  return { ...input, ...given(target) }
}
