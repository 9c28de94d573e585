/**
 * The tools of the profile `xcode-compat`: the debugging tools of XcodeBuildMCP with their names and parameters, for agents
 * and prompts written for it. Each maps its parameters to the fields of an operation. A tool whose operation does not
 * exist is not listed, and a parameter whose field the operation lacks is ignored.
 */
import { Effect, Predicate } from "effect"
import { McpSchema } from "effect/ai"
import { Errors, Hint, type Operation, Operations, Payload } from "@sigtrap/protocol"
import type { Keywords } from "../tools/ToolInput.ts"
import * as Profile from "../tools/Profile.ts"
import type { Call } from "../tools/Tool.ts"
import {
  attachTarget,
  boolean,
  buildDefaults,
  buildDefaultsIn,
  flattened,
  given,
  integer,
  text
} from "./CompatParameters.ts"

/** The operation of a call, by its tag. */
interface Target {
  readonly tag: string
  readonly input: Keywords
  /** The parameters that have no meaning here; the result names them. */
  readonly unused?: ReadonlyArray<string>
}

/** A call of an operation, and the parameters that it does not use. */
interface CompatCall extends Call {
  readonly unused: ReadonlyArray<string>
}

/** A tool of XcodeBuildMCP. */
export interface Tool {
  readonly name: string
  readonly descriptor: McpSchema.Tool
  /** The operations it can call. */
  readonly operations: ReadonlyArray<Operation.Any>
  /** Returns the operation that an input calls, without the fields that were left out. */
  readonly resolve: (input: Keywords) => Effect.Effect<CompatCall, Errors.Usage>
}

const session = { debugSessionId: text("Session; default: the current one") }

/** The mapping of one tool. */
interface Mapping {
  readonly summary: string
  /** The tags of the operations it can call. */
  readonly tags: ReadonlyArray<string>
  readonly parameters: { readonly [name: string]: Keywords }
  readonly required?: ReadonlyArray<string>
  /** Returns the operation for an input, or one sentence that says what is wrong with the input. */
  readonly target: (input: Keywords) => Target | string
}

const location = ({ file, function: name, line }: Keywords): string | undefined =>
  Predicate.isString(file) && line !== undefined
    ? `${file}:${Number(line)}`
    : Predicate.isString(name)
      ? name
      : undefined

const milliseconds = (value: unknown): string | undefined => (value === undefined ? undefined : `${Number(value)}ms`)

const simulator = ({ simulatorId, simulatorName }: Keywords) => simulatorId ?? simulatorName

const profileName = text("Profile of defaults")

const mappings: { readonly [name: string]: Mapping } = {
  debug_attach_sim: {
    summary: "Attach to a running app in a simulator (bundleId), or to a process of this machine (pid)",
    tags: ["attach", "sim.attach"],
    parameters: {
      target: attachTarget,
      bundleId: text("App: its bundle id; not with pid"),
      pid: integer("Process: its id; not with bundleId or a simulator"),
      simulatorId: text("App: UDID of its simulator"),
      simulatorName: text("App: name of its simulator, instead of simulatorId"),
      waitFor: boolean("App: wait for it to appear"),
      continueOnAttach: boolean("Keep the process running (default true)"),
      makeCurrent: boolean("Make the session the current one (default true)")
    },
    target: (sent) => {
      const input = flattened(sent)
      if (Predicate.isString(input)) return input
      const { bundleId, continueOnAttach, makeCurrent, pid, simulatorId, simulatorName, waitFor } = input
      if (simulatorId !== undefined && simulatorName !== undefined) return "give simulatorId or simulatorName, not both"
      if (pid !== undefined && bundleId !== undefined) return "give bundleId or pid, not both"
      if (pid !== undefined && simulator(input) !== undefined) {
        return "a simulator can be named with bundleId only; pid is a process of this machine"
      }
      if (makeCurrent === false || makeCurrent === "false") {
        return "makeCurrent: false is not available; a new session becomes the current one, and debugSessionId selects another"
      }
      const pause = continueOnAttach === false || continueOnAttach === "false"
      if (pid !== undefined) {
        return waitFor === true
          ? "waitFor can be used with bundleId only, not with pid"
          : { tag: "attach", input: given({ pid, pause }) }
      }
      // Without bundleId and pid: the app of the session defaults.
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
      condition: text("Stop only if this expression is true"),
      ...session
    },
    target: (input) => {
      const { condition, debugSessionId, file, function: name, line } = input
      if (file !== undefined && name !== undefined) return "give file and line, or function, not both"
      if ((file === undefined) !== (line === undefined)) return "file and line go together"
      const place = location(input)
      if (place === undefined) return "give file and line, or function"
      return { tag: "break", input: given({ at: place, condition, session: debugSessionId }) }
    }
  },
  debug_breakpoint_remove: {
    summary: "Remove a breakpoint",
    tags: ["breakpoint.remove"],
    parameters: { breakpointId: integer("Number of the breakpoint"), ...session },
    required: ["breakpointId"],
    target: ({ breakpointId, debugSessionId }) => ({
      tag: "breakpoint.remove",
      input: given({ ids: [breakpointId], session: debugSessionId })
    })
  },
  debug_continue: {
    summary: "Resume the process without waiting for the next stop",
    tags: ["continue"],
    parameters: session,
    target: ({ debugSessionId }) => ({ tag: "continue", input: given({ wait: false, session: debugSessionId }) })
  },
  debug_stack: {
    summary: "Show the stack of a thread",
    tags: ["backtrace"],
    parameters: {
      threadIndex: integer("Index of the thread from 0, in the debugger's order; default: the stopped one"),
      maxFrames: integer("Largest number of frames"),
      ...session
    },
    target: ({ debugSessionId, maxFrames }) => ({
      tag: "backtrace",
      input: given({ limit: maxFrames, session: debugSessionId })
    })
  },
  debug_variables: {
    summary: "Show the variables of a frame",
    tags: ["locals"],
    parameters: { frameIndex: integer("Frame, 0 is innermost"), ...session },
    target: ({ debugSessionId, frameIndex }) => ({
      tag: "locals",
      input: given({ frame: frameIndex, session: debugSessionId })
    })
  },
  debug_lldb_command: {
    summary: "Run an LLDB command",
    tags: ["raw"],
    parameters: {
      command: text("One command line"),
      timeoutMs: integer("Timeout in milliseconds (default 30000)"),
      ...session
    },
    required: ["command"],
    target: ({ command, debugSessionId, timeoutMs }) => ({
      tag: "raw",
      input: given({ command, timeout: milliseconds(timeoutMs), session: debugSessionId })
    })
  },
  debug_detach: {
    summary: "End the session and leave the process running",
    tags: ["detach"],
    parameters: session,
    target: ({ debugSessionId }) => ({ tag: "detach", input: given({ session: debugSessionId }) })
  },
  session_show_defaults: {
    summary: "Show the session defaults",
    tags: ["defaults.show"],
    parameters: {},
    target: () => ({ tag: "defaults.show", input: {} })
  },
  session_set_defaults: {
    summary: "Set session defaults. Simulator and app are used; defaults for builds are accepted and have no effect.",
    tags: ["defaults.set", "defaults.show"],
    parameters: {
      simulatorId: text("UDID of the simulator"),
      simulatorName: text("Name of the simulator"),
      bundleId: text("Bundle id"),
      profile: profileName,
      persist: boolean("Save them in the project"),
      ...buildDefaults
    },
    target: (input) => {
      const { bundleId, persist, profile, simulatorId, simulatorName } = input
      const isTwice = simulatorId !== undefined && simulatorName !== undefined
      const unused = [...(isTwice ? ["simulatorName"] : []), ...buildDefaultsIn(Object.keys(input))]
      const selected = given({ simulator: simulator(input), bundle: bundleId })
      // Nothing to set, so no profile is made and no file is written.
      if (Object.keys(selected).length === 0 && unused.length > 0) {
        return { tag: "defaults.show", input: {}, unused }
      }
      return { tag: "defaults.set", input: { ...selected, ...given({ profile, persist }) }, unused }
    }
  },
  session_clear_defaults: {
    summary: "Clear session defaults",
    tags: ["defaults.clear", "defaults.show"],
    parameters: {
      keys: { type: "array", items: { type: "string" } },
      profile: profileName,
      all: boolean("Clear every profile")
    },
    target: ({ all, keys, profile }) => {
      const sent = Array.isArray(keys) ? keys.map(String) : []
      const unused = buildDefaultsIn(sent)
      const names = sent
        .filter((key) => !unused.includes(key))
        .map((key) =>
          key === "simulatorId" || key === "simulatorName" ? "simulator" : key === "bundleId" ? "bundle" : key
        )
      // Without keys every key is cleared.
      if (names.length === 0 && unused.length > 0) return { tag: "defaults.show", input: {}, unused }
      return { tag: "defaults.clear", input: given({ keys: [...new Set(names)], profile, all }), unused }
    }
  },
  session_use_defaults_profile: {
    summary: "Switch to another profile of session defaults",
    tags: ["defaults.use"],
    parameters: {
      profile: text("Profile of defaults; give this or global"),
      global: boolean("Switch to the profile default, which exists without a name in XcodeBuildMCP"),
      persist: boolean("Save the selection in the project")
    },
    target: ({ global, persist, profile }) => {
      const isGlobal = global === true || global === "true"
      if (isGlobal && profile !== undefined) return "give profile or global, not both"
      if (!isGlobal && profile === undefined) return "give profile or global"
      return { tag: "defaults.use", input: given({ name: isGlobal ? "default" : profile, persist }) }
    }
  }
}

const usage = (problem: string, name: string, near: ReadonlyArray<string> = []) =>
  new Errors.Usage({ problem, near, remedies: [Hint.remedy(`see the fields of ${name}`)] })

const make = (name: string, mapping: Mapping): Tool | undefined => {
  const operations = mapping.tags.flatMap((tag) => Operations.find(tag) ?? [])
  if (operations.length === 0) return undefined
  const { parameters, required = [], summary } = mapping
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
    resolve: Effect.fnUntraced(function* (raw) {
      const input = given(raw)
      const unknown = Object.keys(input).filter((parameter) => !(parameter in parameters))
      if (unknown.length > 0) return yield* usage(`no field ${unknown.join(", ")}`, name, Object.keys(parameters))
      const missing = required.filter((parameter) => input[parameter] === undefined)
      if (missing.length > 0) return yield* usage(`${missing.join(" and ")} is missing`, name)
      const target = mapping.target(input)
      if (Predicate.isString(target)) return yield* usage(target, name)
      const operation = Operations.find(target.tag)
      if (operation === undefined) return yield* usage(`operation ${target.tag} is not available; give pid`, name)
      const { properties } = Payload.published(operation)
      const fields = Object.entries(target.input).filter(([field]) => Object.hasOwn(properties, field))
      return { operation, input: Object.fromEntries(fields), unused: target.unused ?? [] }
    })
  }
}

/** Returns the tools whose operations exist. */
export const tools = (): ReadonlyArray<Tool> =>
  Object.entries(mappings).flatMap(([name, mapping]) => make(name, mapping) ?? [])

/** The hint for operations that no tool calls: an LLDB command with the same result, or a resource of this server. */
const equivalents: { readonly [tag: string]: string } = {
  threads: 'call debug_lldb_command with {"command":"thread list"}',
  "breakpoint.list": 'call debug_lldb_command with {"command":"breakpoint list"}',
  output: "read the resource sigtrap://sessions/current/output",
  pause: 'call debug_lldb_command with {"command":"process interrupt"}',
  next: 'call debug_lldb_command with {"command":"thread step-over"}',
  step: 'call debug_lldb_command with {"command":"thread step-in"}',
  finish: 'call debug_lldb_command with {"command":"thread step-out"}',
  modules: 'call debug_lldb_command with {"command":"image list"}',
  print: "call debug_variables",
  start: "call debug_attach_sim",
  "sim.debug": "call debug_attach_sim",
  stop: "call debug_detach",
  wait: "read the resource sigtrap://sessions/current",
  status: "read the resource sigtrap://sessions/current",
  context: "read the resource sigtrap://sessions/current",
  sessions: "read the resource sigtrap://sessions",
  "sim.list": "read the resource sigtrap://simulators"
}

/** Returns the hint for an operation: the tool that calls it, or one with the same result. Nothing if there is none. */
export const hintOf = ({ _tag: tag }: Operation.Any): string | undefined => {
  const tool = Object.entries(mappings).find(([, { tags }]) => tags.includes(tag))?.[0]
  return tool === undefined ? equivalents[tag] : `call ${tool}`
}
