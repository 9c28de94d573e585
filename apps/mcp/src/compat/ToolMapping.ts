/**
 * The profile `xcode-compat`: the debugging tools of XcodeBuildMCP under their old names, with their old parameters, for
 * agents and prompts that were written for them. The names are those that its users have written down; what the tools
 * do is ours, and so is what they answer, beside the old names of `CompatResult`.
 *
 * A tool is a table from its parameters to the fields of an operation. One whose operation is not there is not offered, and
 * a parameter whose field the operation does not have is not taken.
 */
import { Effect, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { Errors, Hint, type Operation, Operations, Payload } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import * as Profile from "../tools/Profile.ts"

/** One operation that a call means, in order; the last one's answer is the answer. */
interface Step {
  readonly tag: string
  readonly input: Keywords
}

/** An old tool. */
export interface Tool {
  readonly name: string
  readonly descriptor: McpSchema.Tool
  /** The operations it may call. */
  readonly operations: ReadonlyArray<Operation.Any>
  /** The operation that an input means; nothing stands for what was left out. */
  readonly step: (input: Keywords) => Effect.Effect<Step, Errors.Usage>
}

const text = (description?: string): Keywords => ({
  type: "string",
  ...(description === undefined ? {} : { description })
})
const integer = (description: string): Keywords => ({ type: "integer", description })
const boolean = (description: string): Keywords => ({ type: "boolean", description })

const session = { debugSessionId: text("Session; the current one when left out") }

interface Description {
  readonly summary: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: { readonly [name: string]: Keywords }
  readonly required?: ReadonlyArray<string>
  readonly step: (input: Keywords) => Step | string
}

/** Fields that are there, `undefined` ones left out. */
const given = (fields: Keywords): Keywords =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== "")
  )

const at = ({ file, function: name, line }: Keywords): string | undefined =>
  Predicate.isString(file) && line !== undefined
    ? `${file}:${Number(line)}`
    : Predicate.isString(name)
      ? name
      : undefined

const milliseconds = (value: unknown): string | undefined => (value === undefined ? undefined : `${Number(value)}ms`)

const simulator = ({ simulatorId, simulatorName }: Keywords) => simulatorId ?? simulatorName

const profileName = text("Profile of defaults")

const descriptions: { readonly [name: string]: Description } = {
  debug_attach_sim: {
    summary: "Attach to an app that runs in a simulator, or to a process",
    tags: ["attach", "sim.attach"],
    parameters: {
      bundleId: text("Bundle id of the app; either this or pid"),
      pid: integer("Process id; either this or bundleId"),
      simulatorId: text("UDID of the simulator"),
      simulatorName: text("Name of the simulator; either this or simulatorId"),
      waitFor: boolean("Wait for the app to appear"),
      continueOnAttach: boolean("Let the process run on (default true)"),
      makeCurrent: boolean("Make the session the current one (default true)")
    },
    step: (input) => {
      const { bundleId, continueOnAttach, pid, simulatorId, simulatorName, waitFor } = input
      if (simulatorId !== undefined && simulatorName !== undefined) return "give simulatorId or simulatorName, not both"
      if (pid !== undefined && bundleId !== undefined) return "give bundleId or pid, not both"
      const pause = continueOnAttach === false || continueOnAttach === "false"
      if (pid !== undefined) {
        return waitFor === true
          ? "waitFor goes with bundleId, not with pid"
          : { tag: "attach", input: given({ pid, pause }) }
      }
      // Without either it is the default app, where defaults are kept.
      const selected = simulator(input)
      return { tag: "sim.attach", input: given({ bundle: bundleId, simulator: selected, wait: waitFor, pause }) }
    }
  },
  debug_breakpoint_add: {
    summary: "Add a breakpoint at a line or a function",
    tags: ["break"],
    parameters: {
      file: text("Source file, with line"),
      line: { type: "integer" },
      function: text("Function, instead of file and line"),
      condition: text("Stop only when this is true"),
      ...session
    },
    step: (input) => {
      const { condition, debugSessionId, file, function: name, line } = input
      if (file !== undefined && name !== undefined) return "give file and line, or function, not both"
      if ((file === undefined) !== (line === undefined)) return "file and line go together"
      const place = at(input)
      if (place === undefined) return "give file and line, or function"
      return { tag: "break", input: given({ at: place, condition, session: debugSessionId }) }
    }
  },
  debug_breakpoint_remove: {
    summary: "Remove a breakpoint",
    tags: ["breakpoint.remove"],
    parameters: { breakpointId: integer("Number of the breakpoint"), ...session },
    required: ["breakpointId"],
    step: ({ breakpointId, debugSessionId }) => ({
      tag: "breakpoint.remove",
      input: given({ ids: [breakpointId], session: debugSessionId })
    })
  },
  debug_continue: {
    summary: "Let the process run; does not wait for the next stop",
    tags: ["continue"],
    parameters: session,
    step: ({ debugSessionId }) => ({ tag: "continue", input: given({ wait: false, session: debugSessionId }) })
  },
  debug_stack: {
    summary: "Show the stack of a thread",
    tags: ["backtrace"],
    parameters: {
      threadIndex: integer("Which thread, from 0, in the order of the debugger; the stopped one when left out"),
      maxFrames: integer("Most frames"),
      ...session
    },
    step: ({ debugSessionId, maxFrames }) => ({
      tag: "backtrace",
      input: given({ limit: maxFrames, session: debugSessionId })
    })
  },
  debug_variables: {
    summary: "Show the variables of a frame",
    tags: ["locals"],
    parameters: { frameIndex: integer("Frame, 0 is innermost"), ...session },
    step: ({ debugSessionId, frameIndex }) => ({
      tag: "locals",
      input: given({ frame: frameIndex, session: debugSessionId })
    })
  },
  debug_lldb_command: {
    summary: "Run a command of LLDB",
    tags: ["raw"],
    parameters: { command: text("One line"), timeoutMs: integer("Longest wait, 30000 when left out"), ...session },
    required: ["command"],
    step: ({ command, debugSessionId, timeoutMs }) => ({
      tag: "raw",
      input: given({ command, timeout: milliseconds(timeoutMs), session: debugSessionId })
    })
  },
  debug_detach: {
    summary: "End the session and let the process run on",
    tags: ["detach"],
    parameters: session,
    step: ({ debugSessionId }) => ({ tag: "detach", input: given({ session: debugSessionId }) })
  },
  session_show_defaults: {
    summary: "Show the session defaults",
    tags: ["defaults.show"],
    parameters: {},
    step: () => ({ tag: "defaults.show", input: {} })
  },
  session_set_defaults: {
    summary: "Set session defaults",
    tags: ["defaults.set"],
    parameters: {
      simulatorId: text("UDID of the simulator"),
      simulatorName: text("Name of the simulator"),
      bundleId: text("Bundle id"),
      profile: profileName,
      persist: boolean("Keep them in the project")
    },
    step: (input) => {
      const { bundleId, persist, profile, simulatorId, simulatorName } = input
      if (simulatorId !== undefined && simulatorName !== undefined) return "give simulatorId or simulatorName, not both"
      return {
        tag: "defaults.set",
        input: given({ simulator: simulator(input), bundle: bundleId, profile, persist })
      }
    }
  },
  session_clear_defaults: {
    summary: "Clear session defaults",
    tags: ["defaults.clear"],
    parameters: {
      keys: { type: "array", items: { type: "string" } },
      profile: profileName,
      all: boolean("Every profile")
    },
    step: ({ all, keys, profile }) => {
      const names = (Array.isArray(keys) ? keys : []).map((key) =>
        key === "simulatorId" || key === "simulatorName" ? "simulator" : key === "bundleId" ? "bundle" : key
      )
      return { tag: "defaults.clear", input: given({ keys: [...new Set(names)], profile, all }) }
    }
  },
  session_use_defaults_profile: {
    summary: "Switch to another profile of session defaults",
    tags: ["defaults.use"],
    parameters: { profile: profileName, persist: boolean("Keep the choice in the project") },
    required: ["profile"],
    step: ({ persist, profile }) => ({ tag: "defaults.use", input: given({ name: profile, persist }) })
  }
}

const usage = (problem: string, name: string, near: ReadonlyArray<string> = []) =>
  new Errors.Usage({ problem, near, remedies: [Hint.remedy(`see the fields of ${name}`)] })

const make = (name: string, description: Description): Tool | undefined => {
  const operations = description.tags.flatMap((tag) => Operations.find(tag) ?? [])
  if (operations.length === 0) return undefined
  const { parameters, required = [], summary } = description
  return {
    name,
    operations,
    descriptor: new McpSchema.Tool({
      name,
      description: summary,
      inputSchema: {
        type: "object",
        properties: parameters,
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false
      },
      annotations: Profile.annotations("xcode-compat", operations)
    }),
    step: Effect.fnUntraced(function* (raw) {
      const input = given(raw)
      const unknown = Object.keys(input).filter((parameter) => !(parameter in parameters))
      if (unknown.length > 0) return yield* usage(`no field ${unknown.join(", ")}`, name, Object.keys(parameters))
      const missing = required.filter((parameter) => input[parameter] === undefined)
      if (missing.length > 0) return yield* usage(`${missing.join(" and ")} is missing`, name)
      const step = description.step(input)
      if (Predicate.isString(step)) return yield* usage(step, name)
      const operation = Operations.find(step.tag)
      if (operation === undefined) return yield* usage(`there is no ${step.tag} here; give pid`, name)
      // A field that the operation does not have yet says nothing.
      const { properties } = Payload.published(operation)
      return {
        tag: step.tag,
        input: Object.fromEntries(Object.entries(step.input).filter(([field]) => field in properties))
      }
    })
  }
}

/** The old tools whose operations are there. */
export const tools = (): ReadonlyArray<Tool> =>
  Object.entries(descriptions).flatMap(([name, description]) => make(name, description) ?? [])

/** The old tool that calls an operation, if there is one. */
export const toolOf = (operation: Operation.Any): string | undefined =>
  Object.entries(descriptions).find(([, { tags }]) => tags.includes(operation._tag))?.[0]
