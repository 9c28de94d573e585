/**
 * Adds the field names of XcodeBuildMCP to a result. In `data`: `session`, `artifacts`, `breakpoint`, `threads`, `scopes`,
 * `outputLines`, `diagnostics`. At the top: `didError` and `error`.
 */
import { Predicate } from "effect"
import type { Keywords } from "../tools/ToolInput.ts"

const record = (value: unknown): Keywords => (Predicate.isReadonlyObject(value) ? value : {})
const list = (value: unknown): ReadonlyArray<Keywords> =>
  Array.isArray(value) ? value.filter(Predicate.isReadonlyObject) : []

/** Removes fields without a value. */
const present = (fields: Keywords): Keywords =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const actions: { readonly [tool: string]: string } = {
  debug_attach_sim: "attach",
  debug_breakpoint_add: "add-breakpoint",
  debug_breakpoint_remove: "remove-breakpoint",
  debug_continue: "continue",
  debug_stack: "stack",
  debug_variables: "variables",
  debug_lldb_command: "lldb-command",
  debug_detach: "detach"
}

const execution = (state: unknown) => (state === "stopped" ? "paused" : state === "running" ? "running" : state)

const connection = (state: unknown, tool: string) =>
  tool === "debug_detach" || !["starting", "running", "stopped"].includes(String(state)) ? "detached" : "attached"

const place = ({ file, line }: Keywords) => (file === undefined ? undefined : `${String(file)}:${Number(line)}`)

const frames = (data: Keywords) =>
  list(data["frames"]).map((frame) =>
    present({ index: frame["index"], symbol: frame["function"], displayLocation: place(frame) ?? frame["address"] })
  )

const variables = (found: unknown) =>
  list(found).map(({ name, type, value, ...rest }) => present({ name, type: type ?? "", value, ref: rest["ref"] }))

/** Returns the fields that one tool adds to `data`. */
const additions = (tool: string, data: Keywords, extras: Keywords): Keywords => {
  switch (tool) {
    case "debug_attach_sim":
      return {
        artifacts: present({ simulatorId: record(data["simulator"])["udid"], processId: data["pid"] })
      }
    case "debug_breakpoint_add": {
      const requested = record(data["requested"])
      const [real = {}] = list(data["locations"])
      return {
        breakpoint: present({
          breakpointId: data["id"],
          kind: data["kind"] === "line" ? "file-line" : data["kind"],
          file: requested["file"] ?? real["file"],
          line: real["line"] ?? requested["line"],
          name: requested["function"]
        })
      }
    }
    case "debug_breakpoint_remove":
      return { breakpoint: { breakpointId: Array.isArray(data["ids"]) ? data["ids"][0] : undefined } }
    case "debug_stack": {
      const thread = record(data["thread"])
      const shown = frames(data)
      const truncated = Number(data["total"] ?? shown.length) > shown.length
      return {
        threads: [present({ threadId: thread["id"], name: thread["name"] ?? "", truncated, frames: shown })]
      }
    }
    case "debug_variables":
      return {
        scopes: {
          locals: { variables: variables(data["variables"]) },
          globals: { variables: variables(record(extras["globals"])["variables"]) },
          registers: { groups: list(record(extras["registers"])["groups"]) }
        }
      }
    case "debug_lldb_command": {
      const output = String(data["output"] ?? "").replace(/\n$/, "")
      return { command: extras["command"], outputLines: output === "" ? [] : output.split("\n") }
    }
    default:
      return {}
  }
}

/** Adds the fields to the result of a call that succeeded. `extras` is data of other operations, by name. */
export const success = (tool: string, structure: Keywords, extras: Keywords): Keywords => {
  const data = record(structure["data"])
  const { state } = structure
  const action = actions[tool]
  return {
    ...structure,
    data: {
      ...data,
      ...(action === undefined ? {} : { action }),
      ...(structure["session"] === undefined
        ? {}
        : {
            session: {
              debugSessionId: structure["session"],
              connectionState: connection(state, tool),
              executionState: execution(state)
            }
          }),
      ...additions(tool, data, extras)
    },
    didError: false,
    error: null
  }
}

/** Adds the fields to the result of a call that failed. */
export const failure = (structure: Keywords): Keywords => {
  const { code, details, hint, message } = record(structure["error"])
  return {
    ...structure,
    data: { diagnostics: { errors: [{ message }] } },
    didError: true,
    error: message,
    code,
    hint,
    details
  }
}
