/**
 * The ways in which a scenario may be written, made into the one that is carried out: a step that is only a line, an
 * action with its expectation inside or beside it, texts where lists are meant. What cannot be understood stays where it
 * is, for the schema to refuse. Nothing is guessed from what a program does.
 */
import * as Predicate from "effect/Predicate"
import * as ExpectationSyntax from "./ExpectationSyntax.ts"

type Mapping = ExpectationSyntax.Mapping

/** What every step may say beside its action. */
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

/** An action's parameters. */
interface Form {
  /** The one that a single value stands for. */
  readonly main: string
  /** All of them, `other: ours` where one goes by two names. */
  readonly parameters: Readonly<Record<string, string>>
  /** Parts of the answer that an action may name directly, as what is expected of them. */
  readonly parts: ReadonlySet<string>
}

/**
 * An action as it is written below: its parameters, the main one first, each with its other names behind a colon; and the
 * parts of its answer.
 */
const form = (parameters: string, parts = ""): Form => {
  const all = parameters.split(", ").map((one) => one.split(/[:\s]+/))
  return {
    main: all[0]?.[0] ?? "",
    parameters: Object.fromEntries(
      all.flatMap(([ours = "", ...others]) => [ours, ...others].map((name) => [name, ours]))
    ),
    parts: new Set(`success ok error code exit ${parts}`.split(" "))
  }
}

const stop = "exit_code signal line function file thread_id"
const written = "text stdout stderr output exit_code"

/** Actions by their names. */
export const actions: { readonly [action: string]: Form } = {
  command: form("line: cmd run command name, args: arguments", written),
  await: form("event: state for until status, reason, timeout", stop),
  inspect_locals: form("names: name variable variables vars locals, frame, thread, depth"),
  inspect_stack: form("thread, limit: depth", "frames functions top count"),
  inspect_threads: form("thread", "count threads"),
  inspect_memory: form("address: expression expr at, count: size length bytes", "hex ascii"),
  check_output: form("channel: stream", "stdout stderr text output"),
  evaluate: form("expression: expr name, frame, format", "value result type"),
  check_breakpoints: form("id", "count breakpoints hits enabled verified condition"),
  check_state: form("state: status", `${stop} reason program pid`),
  sleep: form("duration: for, ms: milliseconds, seconds: s"),
  shell: form("line: command cmd run script, cwd, background", written),
  snapshot: form("name: as"),
  diff: form("from: snapshot since base against name before, to: with after", "changed unchanged added removed vars")
}

/** What the keys are called under which a step says what is to come of it. */
const expectations = new Set(["expect", "expected", "expects"])
const assertions = new Set(["asserts", "assert", "assertions", "checks"])

/** A line for the shell where a machine is made ready, as others call it. */
const shells = new Set(["run", "cmd", "exec", "sh", "bash", "script"])

const snake = (name: string): string => name.replaceAll(/([a-z])([A-Z])|[-\s]+/g, "$1_$2").toLowerCase()

const actionNamed = (value: unknown): string | undefined => {
  const name = typeof value === "string" ? snake(value) : ""
  return Object.hasOwn(actions, name) ? name : undefined
}

/** Which action a step has, and the key that says so; none where that is not clear. */
const actionOf = (value: Mapping, fallback: "command" | "shell") => {
  const keys = Object.keys(value)
  const said = ["action", "type", "do"].find((key) => actionNamed(value[key]) !== undefined)
  const others = keys.filter((key) => Object.hasOwn(actions, key))
  if (said !== undefined) {
    const action = actionNamed(value[said]) ?? ""
    const fits = others.every((key) => key === action || Object.hasOwn(actions[action]?.parameters ?? {}, key))
    return fits ? { action, said, inside: value[action] } : undefined
  }
  const lines = fallback === "shell" ? keys.filter((key) => shells.has(key)) : []
  const [key, another] = others.length > 0 ? others : lines
  if (key === undefined || another !== undefined) return undefined
  return { action: others.length > 0 ? key : "shell", said: key, inside: value[key] }
}

const isMappings = (value: unknown): value is ReadonlyArray<Mapping> =>
  Array.isArray(value) && value.length > 0 && value.every(Predicate.isReadonlyObject)

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(Predicate.isString)

/** A step as it is gathered from its keys. */
interface Gathered {
  /** What the step says beside its action, and what nobody understands. */
  readonly step: Record<string, unknown>
  /** The parameters of its action, and what nobody understands there. */
  readonly own: Record<string, unknown>
  /** Parts of the answer with what is expected of them. */
  readonly wanted: Record<string, unknown>
  /** An expectation that is no mapping. */
  plain: unknown
  asserts: ReadonlyArray<unknown> | undefined
}

/** Whether variables are named together with what is said of each. */
const describes = (action: string, key: string, value: unknown): boolean =>
  action === "inspect_locals" &&
  actions[action]?.parameters[key] === "names" &&
  (Predicate.isReadonlyObject(value) || isMappings(value))

const expecting = (gathered: Gathered, action: string, value: unknown): void => {
  if (!Predicate.isReadonlyObject(value)) {
    if (value !== null) gathered.plain = value
    return
  }
  for (const [key, one] of Object.entries(value)) {
    // A limit or a permission is the step's, wherever it stands.
    if (key === "allow_failure" || key === "budget_bytes" || key === "max_ms") gathered.step[key] = one
    else if (describes(action, key, one)) asserting(gathered, action, one)
    else gathered.wanted[key] = one
  }
}

const asserting = (gathered: Gathered, action: string, value: unknown): void => {
  if (Array.isArray(value)) gathered.asserts = [...(gathered.asserts ?? []), ...value]
  else expecting(gathered, action, value)
}

/** Puts one key of a step, or of its action, where it belongs. */
const place = (gathered: Gathered, action: string, key: string, value: unknown, inside: boolean): void => {
  const { main = "", parameters = {}, parts = new Set<string>() } = actions[action] ?? {}
  const parameter = Object.hasOwn(parameters, key) ? parameters[key] : undefined
  // The bytes of memory are how many there are, or which.
  const isWhich = action === "inspect_memory" && key === "bytes" && typeof value !== "number"
  const isMain = !inside && key === "value" && gathered.own[main] === undefined && !parts.has(key)
  if (expectations.has(key)) expecting(gathered, action, value)
  else if (assertions.has(key) || describes(action, key, value)) asserting(gathered, action, value)
  else if (!inside && isCommon(key)) gathered.step[key] = value
  else if (parameter !== undefined && !isWhich) gathered.own[parameter] = value
  else if (isMain) gathered.own[main] = value
  else if (isWhich || parts.has(key) || ExpectationSyntax.isComparing(key)) gathered.wanted[key] = value
  else if (inside && isCommon(key)) gathered.step[key] = value
  else if (key.startsWith("timeout_")) gathered.step["timeout"] = `${String(value)}${key.slice("timeout_".length)}`
  else (inside ? gathered.own : gathered.step)[key] = value
}

/** A name beside an action that does not say what it is about: it is that. */
const nameless: { readonly [action: string]: string } = {
  snapshot: "name",
  evaluate: "expression",
  diff: "from",
  command: "line"
}

/** A step that is only the name of an action. */
const question = /^(?:inspect_(?:locals|stack|threads)|check_(?:output|breakpoints|state)|await|snapshot)$/

/** A step in the form that is carried out. `fallback` is the action of a step that is only a line. */
const step = (value: unknown, fallback: "command" | "shell"): unknown => {
  if (typeof value === "string" && question.test(value)) return { [value]: {} }
  if (typeof value === "string" || isTexts(value)) return { [fallback]: { line: value } }
  if (!Predicate.isReadonlyObject(value)) return value
  const found = actionOf(value, fallback)
  if (found === undefined) return value
  const { action, inside, said } = found
  const gathered: Gathered = { step: {}, own: {}, wanted: {}, plain: undefined, asserts: undefined }
  if (Predicate.isReadonlyObject(inside)) {
    for (const [key, one] of Object.entries(inside)) place(gathered, action, key, one, true)
  } else if (inside !== null && inside !== undefined) {
    if (action === "diff" && Array.isArray(inside)) Object.assign(gathered.own, { from: inside[0], to: inside[1] })
    else if (isMappings(inside)) gathered.plain = inside
    else gathered.own[actions[action]?.main ?? action] = inside
  }
  for (const [key, one] of Object.entries(value)) {
    if (key !== said && key !== action) place(gathered, action, key, one, false)
  }
  const { asserts, own, plain, step: beside, wanted } = gathered
  const about = nameless[action]
  if (about !== undefined && own[about] === undefined && beside["name"] !== undefined && !(said === action)) {
    own[about] = beside["name"]
    delete beside["name"]
  }
  if ("args" in own) own["args"] = list(own["args"])
  const mapping = Object.keys(wanted).length > 0
  const expect = !mapping ? plain : plain === undefined ? wanted : { ...wanted, equals: plain }
  return {
    ...beside,
    [action]: own,
    ...(expect === undefined ? {} : { expect: ExpectationSyntax.expectation(action, expect) }),
    ...(asserts === undefined ? {} : { asserts: asserts.map((one) => ExpectationSyntax.assertion(action, one)) })
  }
}

const textOf = (item: unknown): unknown =>
  typeof item === "number" || typeof item === "boolean" || typeof item === "bigint" ? String(item) : item

/** A list of texts; a single value is one. */
const list = (value: unknown): unknown => (Array.isArray(value) ? value.map(textOf) : [textOf(value)])

/** Words of a text, for a field that is a list. */
const words = (value: unknown, split: (text: string) => ReadonlyArray<string>): unknown =>
  typeof value === "string" ? split(value) : list(value)

/** Variables as a mapping; a list of `NAME=VALUE` is one, too. */
const variables = (value: unknown): unknown => {
  const given = Array.isArray(value) ? value : typeof value === "string" ? [value] : undefined
  if (given?.every(Predicate.isString) === true) {
    return Object.fromEntries(given.map((text) => [text.split("=")[0] ?? text, text.slice(text.indexOf("=") + 1)]))
  }
  if (isMappings(given)) return Object.assign({}, ...given.map(variables))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, item === null ? "" : textOf(item)]))
}

/** The target in the form that is carried out; a text is its program. */
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

/** Needs as one list of names, whatever they are sorted by. */
const needs = (value: unknown): unknown =>
  Predicate.isReadonlyObject(value)
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
