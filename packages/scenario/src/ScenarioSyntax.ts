/**
 * Normalizes the accepted spellings of a scenario: a step that is only a line, an expectation inside or beside the action,
 * a text in place of a list. Unknown keys are kept, and the schema refuses them.
 */
import * as Predicate from "effect/Predicate"
import * as ExpectationSyntax from "./ExpectationSyntax.ts"

type Mapping = ExpectationSyntax.Mapping

/** Keys that every step may have beside its action. */
export const common = [
  "name",
  "description",
  "expect",
  "asserts",
  "allow_failure",
  "budget_bytes",
  "max_ms",
  "timeout"
] as const

const isCommon = (key: string): boolean => common.some((each) => each === key)

/** The keys of an action. */
interface Keys {
  /** The parameter that gets a single value. */
  readonly main: string
  /** Names of the parameters by every spelling. */
  readonly parameters: Readonly<Record<string, string>>
  /** Parts of the answer; such a key inside the action is an expectation. */
  readonly parts: ReadonlySet<string>
}

/**
 * Makes the keys of an action from `name: alias alias, name`, the main parameter first, and from the names of the parts of
 * its answer.
 */
const keys = (parameters: string, parts = ""): Keys => {
  const all = parameters.split(", ").map((one) => one.split(/[:\s]+/))
  return {
    main: all[0]?.[0] ?? "",
    parameters: Object.fromEntries(
      all.flatMap(([name = "", ...aliases]) => [name, ...aliases].map((spelling) => [spelling, name]))
    ),
    parts: new Set(`success ok error code exit ${parts}`.split(" "))
  }
}

const stop = "exit_code signal line function file thread_id"
const written = "text stdout stderr output exit_code"

/** Actions by their names. */
export const actions: { readonly [action: string]: Keys } = {
  command: keys("line: cmd run command name, args: arguments", written),
  await: keys("event: state for until status, reason, timeout", stop),
  inspect_locals: keys("names: name variable variables vars locals, frame, thread, depth"),
  inspect_stack: keys("thread, limit: depth", "frames functions top count"),
  inspect_threads: keys("thread", "count threads"),
  inspect_memory: keys("address: expression expr at, count: size length bytes", "hex ascii"),
  check_output: keys("channel: stream", "stdout stderr text output"),
  evaluate: keys("expression: expr name, frame, format", "value result type"),
  check_breakpoints: keys("id", "count breakpoints hits enabled verified condition"),
  check_state: keys("state: status", `${stop} reason program pid`),
  sleep: keys("duration: for, ms: milliseconds, seconds: s"),
  shell: keys("line: command cmd run script, cwd, background", written),
  snapshot: keys("name: as"),
  diff: keys("from: snapshot since base against name before, to: with after", "changed unchanged added removed vars")
}

/** Keys of an expectation and of a list of assertions. */
const expectations = new Set(["expect", "expected", "expects"])
const assertions = new Set(["asserts", "assert", "assertions", "checks"])

/** Keys of a shell line in setup and teardown. */
const shells = new Set(["run", "cmd", "exec", "sh", "bash", "script"])

const snake = (name: string): string => name.replaceAll(/([a-z])([A-Z])|[-\s]+/g, "$1_$2").toLowerCase()

const actionNamed = (value: unknown): string | undefined => {
  const name = typeof value === "string" ? snake(value) : ""
  return Object.hasOwn(actions, name) ? name : undefined
}

/** Finds the action of a step and the key that names it; absent if there is none or more than one. */
const actionOf = (value: Mapping, fallback: "command" | "shell") => {
  const present = Object.keys(value)
  const naming = ["action", "type", "do"].find((key) => actionNamed(value[key]) !== undefined)
  const others = present.filter((key) => Object.hasOwn(actions, key))
  if (naming !== undefined) {
    const action = actionNamed(value[naming]) ?? ""
    const fits = others.every((key) => key === action || Object.hasOwn(actions[action]?.parameters ?? {}, key))
    return fits ? { action, key: naming, inside: value[action] } : undefined
  }
  const lines = fallback === "shell" ? present.filter((key) => shells.has(key)) : []
  const [key, another] = others.length > 0 ? others : lines
  if (key === undefined || another !== undefined) return undefined
  return { action: others.length > 0 ? key : "shell", key, inside: value[key] }
}

const isMappings = (value: unknown): value is ReadonlyArray<Mapping> =>
  Array.isArray(value) && value.length > 0 && value.every(Predicate.isReadonlyObject)

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(Predicate.isString)

/** A step while its keys are sorted. */
interface Sorted {
  /** Keys of the step beside its action, and unknown ones. */
  readonly step: Record<string, unknown>
  /** Parameters of the action, and unknown keys in it. */
  readonly parameters: Record<string, unknown>
  /** Expectations by part of the answer. */
  readonly expected: Record<string, unknown>
  /** An expectation that is not a mapping. */
  plain: unknown
  asserts: ReadonlyArray<unknown> | undefined
}

/** Whether a value names variables together with an expectation for each. */
const describes = (action: string, key: string, value: unknown): boolean =>
  action === "inspect_locals" &&
  actions[action]?.parameters[key] === "names" &&
  (Predicate.isReadonlyObject(value) || isMappings(value))

const addExpectation = (sorted: Sorted, action: string, value: unknown): void => {
  if (!Predicate.isReadonlyObject(value)) {
    if (value !== null) sorted.plain = value
    return
  }
  for (const [key, one] of Object.entries(value)) {
    // These are keys of the step, even if they are written in the expectation.
    if (key === "allow_failure" || key === "budget_bytes" || key === "max_ms") sorted.step[key] = one
    else if (describes(action, key, one)) addAssertions(sorted, action, one)
    else sorted.expected[key] = one
  }
}

const addAssertions = (sorted: Sorted, action: string, value: unknown): void => {
  if (Array.isArray(value)) sorted.asserts = [...(sorted.asserts ?? []), ...value]
  else addExpectation(sorted, action, value)
}

/** Sorts one key of a step, or of its action if `inside`. */
const place = (sorted: Sorted, action: string, key: string, value: unknown, inside: boolean): void => {
  const { main = "", parameters = {}, parts = new Set<string>() } = actions[action] ?? {}
  const parameter = Object.hasOwn(parameters, key) ? parameters[key] : undefined
  // In `inspect_memory`, `bytes` is a count if it is a number, and the expected bytes otherwise.
  const isWhich = action === "inspect_memory" && key === "bytes" && typeof value !== "number"
  const isMain = !inside && key === "value" && sorted.parameters[main] === undefined && !parts.has(key)
  if (expectations.has(key)) addExpectation(sorted, action, value)
  else if (assertions.has(key) || describes(action, key, value)) addAssertions(sorted, action, value)
  else if (!inside && isCommon(key)) sorted.step[key] = value
  else if (parameter !== undefined && !isWhich) sorted.parameters[parameter] = value
  else if (isMain) sorted.parameters[main] = value
  else if (isWhich || parts.has(key) || ExpectationSyntax.isComparing(key)) sorted.expected[key] = value
  else if (inside && isCommon(key)) sorted.step[key] = value
  else if (key.startsWith("timeout_")) sorted.step["timeout"] = `${String(value)}${key.slice("timeout_".length)}`
  else (inside ? sorted.parameters : sorted.step)[key] = value
}

/** The parameter that gets the value of `name` beside an action, if the action has no value for it. */
const nameless: { readonly [action: string]: string } = {
  snapshot: "name",
  evaluate: "expression",
  diff: "from",
  command: "line"
}

/** Actions that may be written as a plain text, without parameters. */
const question = /^(?:inspect_(?:locals|stack|threads)|check_(?:output|breakpoints|state)|await|snapshot)$/

/** Normalizes a step. `fallback` is the action of a step that is only a line. */
const step = (value: unknown, fallback: "command" | "shell"): unknown => {
  if (typeof value === "string" && question.test(value)) return { [value]: {} }
  if (typeof value === "string" || isTexts(value)) return { [fallback]: { line: value } }
  if (!Predicate.isReadonlyObject(value)) return value
  const found = actionOf(value, fallback)
  if (found === undefined) return value
  const { action, inside, key } = found
  const sorted: Sorted = { step: {}, parameters: {}, expected: {}, plain: undefined, asserts: undefined }
  if (Predicate.isReadonlyObject(inside)) {
    for (const [key, one] of Object.entries(inside)) place(sorted, action, key, one, true)
  } else if (inside !== null && inside !== undefined) {
    if (action === "diff" && Array.isArray(inside)) Object.assign(sorted.parameters, { from: inside[0], to: inside[1] })
    else if (isMappings(inside)) sorted.plain = inside
    else sorted.parameters[actions[action]?.main ?? action] = inside
  }
  for (const [name, one] of Object.entries(value)) {
    if (name !== key && name !== action) place(sorted, action, name, one, false)
  }
  const { asserts, expected, parameters, plain, step: others } = sorted
  const about = nameless[action]
  if (about !== undefined && parameters[about] === undefined && others["name"] !== undefined && key !== action) {
    parameters[about] = others["name"]
    delete others["name"]
  }
  if ("args" in parameters) parameters["args"] = list(parameters["args"])
  const mapping = Object.keys(expected).length > 0
  const expect = !mapping ? plain : plain === undefined ? expected : { ...expected, equals: plain }
  return {
    ...others,
    [action]: parameters,
    ...(expect === undefined ? {} : { expect: ExpectationSyntax.expectation(action, expect) }),
    ...(asserts === undefined ? {} : { asserts: asserts.map((one) => ExpectationSyntax.assertion(action, one)) })
  }
}

const textOf = (item: unknown): unknown =>
  typeof item === "number" || typeof item === "boolean" || typeof item === "bigint" ? String(item) : item

/** Makes a list of texts; a single value becomes a list of one. */
const list = (value: unknown): unknown => (Array.isArray(value) ? value.map(textOf) : [textOf(value)])

/** Splits a text into words for a field that is a list. */
const words = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown =>
  typeof value === "string" ? split(value) : list(value)

/** Normalizes environment variables: a mapping, or a list of `NAME=VALUE`. */
const variables = (value: unknown): unknown => {
  const given = Array.isArray(value) ? value : typeof value === "string" ? [value] : undefined
  if (given?.every(Predicate.isString) === true) {
    return Object.fromEntries(given.map((text) => [text.split("=")[0] ?? text, text.slice(text.indexOf("=") + 1)]))
  }
  if (isMappings(given)) return Object.assign({}, ...given.map(variables))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item === null ? "" : textOf(item)]))
}

/** Normalizes the target; a text is its program. */
const target = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown => {
  if (typeof value === "string") return { program: value }
  if (!Predicate.isReadonlyObject(value)) return value
  const { break: breakpoints, breakpoints: others, ...given } = value
  const rest = Object.fromEntries(Object.entries(given).filter(([, item]) => item !== null))
  const pid = rest["pid"]
  const points = breakpoints ?? others
  return {
    ...rest,
    ...("args" in rest ? { args: words(rest["args"], split) } : {}),
    ...("env" in rest ? { env: variables(rest["env"]) } : {}),
    ...("stdin" in rest ? { stdin: Array.isArray(rest["stdin"]) ? lines(rest["stdin"]) : textOf(rest["stdin"]) } : {}),
    ...(points === undefined ? {} : { break: list(points) }),
    ...(typeof pid === "string" && /^\d+$/.test(pid) ? { pid: Number(pid) } : {})
  }
}

const lines = (texts: ReadonlyArray<unknown>): string => texts.map((text) => `${String(text)}\n`).join("")

const platform: { readonly [name: string]: ReadonlyArray<string> } = {
  macos: ["darwin"],
  mac: ["darwin"],
  osx: ["darwin"],
  windows: ["win32"],
  unix: ["linux", "darwin"],
  posix: ["linux", "darwin"]
}

const platforms = (value: unknown): unknown =>
  (Array.isArray(value) ? value : [value]).flatMap((name: unknown) =>
    typeof name === "string" ? (platform[name.toLowerCase()] ?? name.toLowerCase()) : [name]
  )

const steps = (value: unknown, fallback: "command" | "shell"): unknown => {
  const all = Array.isArray(value) ? value : [value]
  return all.map((one: unknown) => step(one, fallback))
}

/** Normalizes needs to one list of names; a mapping groups them by kind. */
const needs = (value: unknown): unknown =>
  Predicate.isReadonlyObject(value)
    ? Object.values(value).flatMap((names: unknown) => (Array.isArray(names) ? names : [names]))
    : typeof value === "string"
      ? value.split(/[\s,]+/)
      : value

/** Normalizes a scenario. */
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
