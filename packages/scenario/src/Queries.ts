/**
 * Actions that read the session. Each runs one command line and selects the parts of its answer that expectations name.
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { events, option } from "./Words.ts"
import * as Scenario from "./Scenario.ts"
import { list, part, query, record, type StepResult } from "./StepResult.ts"
import type { Workspace } from "./Workspace.ts"

type Parameters<Action extends Scenario.Action> = NonNullable<Scenario.Step[Action]>

/** Runs `inspect_locals`. */
export const locals = (workspace: Workspace, parameters: Parameters<"inspect_locals">) => {
  const { depth, frame, thread } = parameters
  const names = typeof parameters.names === "string" ? Scenario.words(parameters.names) : (parameters.names ?? [])
  const argv = ["locals", ...names, ...option("frame", frame), ...option("thread", thread), ...option("depth", depth)]
  const variables = (data: unknown) => list(part(data, "variables"))
  const values = (data: unknown) =>
    Object.fromEntries(variables(data).map((variable) => [String(part(variable, "name")), part(variable, "value")]))
  return query(workspace, argv, {
    main: values,
    more: (data) => ({ names: Object.keys(values(data)) }),
    parts: variables
  })
}

/** Runs `inspect_stack`. */
export const stack = (workspace: Workspace, { limit, thread }: Parameters<"inspect_stack">) => {
  const frames = (data: unknown) => list(part(data, "frames"))
  const functions = (data: unknown) => frames(data).map((frame) => part(frame, "function"))
  return query(workspace, ["backtrace", ...option("thread", thread), ...option("limit", limit)], {
    main: functions,
    more: (data) => ({
      functions: functions(data),
      depth: frames(data).length,
      count: frames(data).length,
      top: functions(data)[0],
      ...record(frames(data)[0])
    }),
    parts: frames
  })
}

/** Runs `inspect_threads`. */
export const threads = (workspace: Workspace) => {
  const all = (data: unknown) => list(part(data, "threads"))
  const count = (data: unknown) => all(data).length
  return query(workspace, ["threads"], { main: count, more: (data) => ({ count: count(data) }), parts: all })
}

/** Runs `inspect_memory`. */
export const memory = (workspace: Workspace, { address, count }: Parameters<"inspect_memory">) => {
  const raw = (data: unknown) =>
    Result.getOrElse(Base64.decode(String(part(data, "data") ?? "")), () => new Uint8Array())
  const hex = (data: unknown) => Array.from(raw(data), (byte) => byte.toString(16).padStart(2, "0")).join(" ")
  return query(workspace, ["memory", "read", String(address), ...option("count", count)], {
    main: hex,
    more: (data) => ({
      hex: hex(data),
      bytes: [...raw(data)],
      ascii: String.fromCodePoint(...raw(data).map((byte) => (byte >= 32 && byte < 127 ? byte : 46))),
      text: new TextDecoder().decode(raw(data)).replace(/\0.*$/s, "")
    })
  })
}

/** Runs `check_output`. */
export const output = (workspace: Workspace, { channel }: Parameters<"check_output">) => {
  const of = (name: string, data: unknown) =>
    list(part(data, "entries"))
      .filter((entry) => part(entry, "channel") === name)
      .map((entry) => String(part(entry, "text") ?? ""))
      .join("")
  return query(workspace, ["output", ...option("channel", channel)], {
    main: (data) => part(data, "text"),
    more: (data) => ({ stdout: of("stdout", data), stderr: of("stderr", data) })
  })
}

/** Runs `check_breakpoints`. */
export const breakpoints = (workspace: Workspace, { id }: Parameters<"check_breakpoints">) => {
  const all = (data: unknown) =>
    list(part(data, "breakpoints"))
      .filter((each) => id === undefined || part(each, "id") === id)
      .map((each) => ({
        ...record(list(part(each, "locations"))[0]),
        location: part(part(each, "requested"), "text"),
        ...record(each),
        hits: part(each, "hit_count"),
        verified: part(each, "resolved")
      }))
  return query(workspace, ["breakpoint", "list"], {
    main: (data) => all(data).length,
    more: (data) => ({
      ...(id === undefined ? {} : all(data)[0]),
      count: all(data).length,
      total: all(data).length,
      breakpoints: all(data)
    }),
    parts: all
  })
}

/** Runs `check_state`; fails if the session is in another state. */
export const state = Effect.fnUntraced(function* (workspace: Workspace, parameters: Parameters<"check_state">) {
  const result = yield* query(workspace, ["status"], { main: (data) => part(data, "state") })
  const expected = parameters.state === undefined ? undefined : (events[parameters.state]?.event ?? parameters.state)
  if (expected === undefined || expected === result.main) return result
  const failed: StepResult = { ...result, exit: 1, text: `expected state ${expected}, got ${String(result.main)}` }
  return failed
})

/** Runs `evaluate` with `print`, or with `eval` if the expression may change the program. */
export const evaluate = Effect.fnUntraced(function* (workspace: Workspace, parameters: Parameters<"evaluate">) {
  const { expression, format, frame } = parameters
  const value = (data: unknown) => part(data, "value") ?? list(part(data, "values"))[0]
  const by = (command: string) =>
    query(workspace, [command, ...option("frame", frame), ...option("format", format), "--", expression], {
      main: (data) => part(value(data), "value"),
      more: (data) => record(value(data))
    })
  const result = yield* by("print")
  // If the expression may change the program, `print` fails with the hint `eval`.
  const [hint] = list(part(part(result.value, "error"), "hints"))
  return part(hint, "operation") === "eval" ? yield* by("eval") : result
})
