/**
 * A tool: what the list says about it, and how a call of it becomes a call of an operation.
 */
import { Effect } from "effect"
import type { McpSchema } from "effect/ai"
import { Errors, Hint, Operation } from "@sigtrap/protocol"
import * as Profile from "./Profile.ts"
import * as ToolInput from "./ToolInput.ts"

/** A call of an operation; its input is not decoded yet. */
export interface Call {
  readonly operation: Operation.Any
  readonly input: ToolInput.Keywords
}

/** What the list says about a tool. It becomes a `McpSchema.Tool`, which validates all of it, at registration. */
interface Descriptor {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema: ToolInput.Keywords
  readonly annotations?: McpSchema.Tool["annotations"]
}

/** What registration and the list need of a tool. */
export interface Entry {
  readonly name: string
  /** False for names that can be called and are not in the list. */
  readonly listed: boolean
  /** The operations it can call. */
  readonly operations: ReadonlyArray<Operation.Any>
  readonly descriptor: Descriptor
}

/** A tool that is computed from operations. */
export interface Tool extends Entry {
  /** Returns the operation that an input calls. */
  readonly resolve: (input: ToolInput.Keywords) => Effect.Effect<Call, Errors.Usage>
}

/** Returns the name of an operation's own tool: `breakpoint_list`. */
export const nameOf = (operation: Operation.Any): string => operation._tag.replaceAll(".", "_")

/** Makes the error of a call that names no operation. */
export const usage = (problem: string, near: ReadonlyArray<string>, tool: string, help = `see the fields of ${tool}`) =>
  new Errors.Usage({ problem, near, remedies: [Hint.remedy(help)] })

/** Makes the tool of one operation. */
export const make = (
  profile: Profile.Name,
  operation: Operation.Any,
  listed: boolean,
  name = nameOf(operation)
): Tool => {
  const { tool: description } = Operation.meta(operation)
  return {
    name,
    listed,
    operations: [operation],
    descriptor: {
      name,
      description,
      // Schemas are most of the server's start-up time, so a tool that is not listed has none.
      inputSchema: listed
        ? {
            ...ToolInput.schema(
              operation,
              Profile.fields(profile, operation),
              Profile.instructionFields,
              Profile.required(profile, operation)
            )
          }
        : { type: "object" },
      annotations: Profile.annotations(profile, [operation])
    },
    resolve: (input) => Effect.succeed({ operation, input })
  }
}
