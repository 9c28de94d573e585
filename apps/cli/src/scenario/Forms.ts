/**
 * The ways in which a scenario may be written, made into the one that is carried out: a step that is only a line, an
 * action with its expectation inside, texts where lists are meant. What cannot be understood stays as it is, for the
 * schema to refuse. Nothing is guessed from what a program does.
 */
import { Predicate } from "effect"
import * as Expect from "./Expect.ts"

/** A mapping of a scenario's file. */
type Mapping = { readonly [key: string]: unknown }

/** What every step may say beside its action. */
export const common = ["name", "description", "expect", "allow_failure", "budget_bytes", "max_ms", "timeout"] as const

/** Actions, each with the parameter that a single value stands for and the others, `other: ours` where one goes by two names. */
export const actions: {
  readonly [action: string]: { readonly main: string; readonly others: Readonly<Record<string, string>> }
} = {
  command: { main: "line", others: { cmd: "line", run: "line", command: "line", args: "args" } },
  await: {
    main: "event",
    others: { state: "event", for: "event", until: "event", status: "event", reason: "reason", timeout: "timeout" }
  },
  inspect_locals: {
    main: "names",
    others: { name: "names", variables: "names", frame: "frame", thread: "thread", depth: "depth" }
  },
  inspect_stack: { main: "thread", others: { limit: "limit", depth: "limit" } },
  inspect_threads: { main: "thread", others: {} },
  inspect_memory: {
    main: "address",
    others: {
      expression: "address",
      expr: "address",
      at: "address",
      count: "count",
      size: "count",
      length: "count",
      bytes: "count"
    }
  },
  check_output: { main: "channel", others: { stream: "channel" } },
  evaluate: { main: "expression", others: { expr: "expression", frame: "frame", format: "format" } },
  check_breakpoints: { main: "id", others: {} },
  check_state: { main: "state", others: { status: "state" } },
  sleep: { main: "duration", others: { ms: "ms", seconds: "seconds", s: "seconds", for: "duration" } },
  shell: {
    main: "line",
    others: { command: "line", cmd: "line", run: "line", script: "line", cwd: "cwd", background: "background" }
  },
  snapshot: { main: "name", others: { as: "name" } },
  diff: {
    main: "from",
    others: { snapshot: "from", since: "from", base: "from", against: "from", name: "from", to: "to", with: "to" }
  }
}

/** Parameters whose values are also what is expected, so that an action may name its expectation directly. */
const direct: { readonly [action: string]: ReadonlySet<string> } = {
  check_state: new Set(["exit_code", "signal", "reason", "line", "function", "file", "program", "pid"]),
  check_breakpoints: new Set(["count", "breakpoints"]),
  inspect_threads: new Set(["count", "threads"]),
  inspect_stack: new Set(["frames", "functions", "top"]),
  check_output: new Set(["stdout", "stderr", "text"]),
  diff: new Set(["changed", "unchanged", "added", "removed", "vars"])
}

const merged = (outer: unknown, inner: Mapping): unknown => {
  if (Object.keys(inner).length === 0) return outer
  if (outer === undefined) return inner
  return Predicate.isReadonlyObject(outer) ? { ...inner, ...outer } : outer
}

/** Parameters of an action under our names, and what stood among them that is an expectation. */
const parameters = (
  action: string,
  value: unknown
): { readonly own: unknown; readonly expect: Mapping; readonly plain?: unknown } => {
  const form = actions[action]
  if (form === undefined || value === null || value === undefined) return { own: {}, expect: {} }
  if (!Predicate.isReadonlyObject(value)) return { own: { [form.main]: value }, expect: {} }
  const own: Record<string, unknown> = {}
  const expect: Record<string, unknown> = {}
  let plain: unknown
  for (const [key, given] of Object.entries(value)) {
    const name = key === form.main ? key : form.others[key]
    if (key === "expect" || key === "expected") {
      if (Predicate.isReadonlyObject(given)) Object.assign(expect, given)
      else plain = given
    } else if (name !== undefined) own[name] = given
    else if (Expect.isComparison(key) || direct[action]?.has(key) === true) expect[key] = given
    else own[key] = given
  }
  return plain === undefined ? { own, expect } : { own, expect, plain }
}

/** A step in the form that is carried out. `fallback` is the action of a step that is only a line. */
const step = (value: unknown, fallback: "command" | "shell"): unknown => {
  if (typeof value === "string") return { [fallback]: { line: value } }
  if (!Predicate.isReadonlyObject(value)) return value
  const named = value["action"] ?? value["type"]
  const known = Object.keys(value).filter((key) => Object.hasOwn(actions, key))
  const written =
    typeof named === "string" &&
    Object.hasOwn(actions, named) &&
    known.every((key) => key === named || key in (actions[named]?.others ?? {}))
      ? gathered(value, named)
      : value
  return Object.keys(written).reduce<Mapping>((whole, key) => {
    if (!Object.hasOwn(actions, key)) return whole
    const { expect, own, plain } = parameters(key, written[key])
    const wanted = whole["expect"] === undefined && plain !== undefined ? plain : merged(whole["expect"], expect)
    return { ...whole, [key]: own, ...(wanted === undefined ? {} : { expect: wanted }) }
  }, written)
}

/** A step that names its action by a key of its own, its other keys as parameters of the action. */
const gathered = (value: Mapping, action: string): Mapping => {
  const kept = Object.entries(value).filter(([key]) => common.some((each) => each === key))
  const rest = Object.entries(value).filter(
    ([key]) => !common.some((each) => each === key) && key !== "action" && key !== "type"
  )
  const inner = Object.fromEntries(rest)
  const alone = rest.length === 1 && inner[action] !== undefined ? inner[action] : undefined
  // The name of a snapshot is what it is taken for, not what the step is called.
  if (action === "snapshot" && rest.length === 0)
    return { ...Object.fromEntries(kept), snapshot: value["name"] ?? null }
  const single = rest.length === 1 && inner["value"] !== undefined ? inner["value"] : undefined
  return { ...Object.fromEntries(kept), [action]: alone ?? single ?? (rest.length === 0 ? null : inner) }
}

const texts = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) => (typeof item === "number" || typeof item === "boolean" ? String(item) : item))
    : value

/** Words of a text, for a field that is a list. */
const words = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown =>
  typeof value === "string" ? split(value) : texts(value)

/** Variables as a mapping; a list of `NAME=VALUE` is one, too. */
const variables = (value: unknown): unknown => {
  const list = Array.isArray(value) ? value.map(String) : undefined
  if (list !== undefined) {
    return Object.fromEntries(list.map((text) => [text.split("=")[0] ?? text, text.slice(text.indexOf("=") + 1)]))
  }
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === "number" || typeof item === "boolean" ? String(item) : item
    ])
  )
}

/** The target in the form that is carried out; a text is its program. */
const target = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown => {
  if (typeof value === "string") return { program: value }
  if (!Predicate.isReadonlyObject(value)) return value
  const { break: breakpoints, breakpoints: others, ...rest } = value
  const pid = rest["pid"]
  const points = breakpoints ?? others
  return {
    ...rest,
    ...("args" in rest ? { args: words(rest["args"], split) } : {}),
    ...("env" in rest ? { env: variables(rest["env"]) } : {}),
    ...(points === undefined ? {} : { break: typeof points === "string" ? [points] : texts(points) }),
    ...(typeof pid === "string" && /^\d+$/.test(pid) ? { pid: Number(pid) } : {})
  }
}

const platform: { readonly [name: string]: string } = {
  macos: "darwin",
  mac: "darwin",
  osx: "darwin",
  windows: "win32"
}

const platforms = (value: unknown): unknown =>
  (Array.isArray(value) ? value : [value]).map((name: unknown) =>
    typeof name === "string" ? (platform[name.toLowerCase()] ?? name.toLowerCase()) : name
  )

const steps = (value: unknown, fallback: "command" | "shell"): unknown => {
  const all = typeof value === "string" ? [value] : value
  return Array.isArray(all) ? all.map((one: unknown) => step(one, fallback)) : all
}

/** Needs as one list of names, whatever they are sorted by. */
const needs = (value: unknown): unknown =>
  Predicate.isReadonlyObject(value) && !Array.isArray(value)
    ? Object.values(value).flatMap((names: unknown) => (Array.isArray(names) ? names : [names]))
    : typeof value === "string"
      ? value.split(/[\s,]+/)
      : value

/** A whole scenario in the form that is carried out. */
export const scenario = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown => {
  if (!Predicate.isReadonlyObject(value)) return value
  const change = (key: string, form: (value: unknown) => unknown) =>
    value[key] === undefined || value[key] === null ? {} : { [key]: form(value[key]) }
  const present = Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
  return {
    ...present,
    ...change("platforms", platforms),
    ...change("needs", needs),
    ...change("target", (given) => target(given, split)),
    ...change("setup", (given) => steps(given, "shell")),
    ...change("steps", (given) => steps(given, "command")),
    ...change("teardown", (given) => steps(given, "shell"))
  }
}
