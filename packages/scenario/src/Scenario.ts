/**
 * The format of a scenario: a program, steps, and their expectations. A file is YAML (JSON is valid YAML) and may have
 * several documents. An unknown key is an error that names similar keys.
 */
import { Nearest, ShellWords } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Documents from "./Documents.ts"
import * as Expectation from "./Expectation.ts"
import * as ScenarioSyntax from "./ScenarioSyntax.ts"

const Strings = Schema.Array(Schema.String)
const text = Schema.optionalKey(Schema.String)
const whole = Schema.optionalKey(Schema.Int)

/** The program to debug: the fields of `start`, or a process, core file or remote target. */
const Target = Schema.Struct({
  program: text,
  args: Schema.optionalKey(Strings),
  env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  cwd: text,
  stdin: text,
  mode: Schema.optionalKey(Schema.Literals(["launch", "attach", "core", "connect"])),
  pid: whole,
  pid_file: text,
  name: text,
  wait: Schema.optionalKey(Schema.Boolean),
  core: text,
  address: text,
  adapter: text,
  stop_on_entry: Schema.optionalKey(Schema.Boolean),
  stop_at_main: Schema.optionalKey(Schema.Boolean),
  pause: Schema.optionalKey(Schema.Boolean),
  break: Schema.optionalKey(Strings)
})
/** The program to debug. */
export type Target = typeof Target.Type

/** A command line: a text that is split into words, or the words. */
const Line = Schema.Union([Schema.String, Strings])
const Duration = Schema.Union([Schema.String, Schema.Finite])

/** The actions with their parameters. A step has exactly one. */
const actions = {
  command: Schema.Struct({ line: Line, args: Schema.optionalKey(Strings) }),
  await: Schema.Struct({ event: text, reason: text, timeout: Schema.optionalKey(Duration) }),
  inspect_locals: Schema.Struct({ names: Schema.optionalKey(Line), frame: whole, thread: whole, depth: whole }),
  inspect_stack: Schema.Struct({ thread: whole, limit: whole }),
  inspect_threads: Schema.Struct({ thread: whole }),
  inspect_memory: Schema.Struct({ address: Schema.Union([Schema.String, Schema.Int]), count: whole }),
  check_output: Schema.Struct({ channel: text }),
  evaluate: Schema.Struct({ expression: Schema.String, frame: whole, format: text }),
  check_breakpoints: Schema.Struct({ id: whole }),
  check_state: Schema.Struct({ state: text }),
  sleep: Schema.Struct({
    duration: Schema.optionalKey(Duration),
    ms: Schema.optionalKey(Schema.Finite),
    seconds: Schema.optionalKey(Schema.Finite)
  }),
  shell: Schema.Struct({ line: Line, cwd: text, background: Schema.optionalKey(Schema.Boolean) }),
  snapshot: Schema.Struct({ name: text }),
  diff: Schema.Struct({ from: text, to: text })
} as const

/** The name of an action. */
export type Action = keyof typeof actions

const Step = Schema.Struct({
  name: text,
  description: text,
  expect: Schema.optionalKey(Schema.Unknown),
  asserts: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  allow_failure: Schema.optionalKey(Schema.Boolean),
  budget_bytes: whole,
  max_ms: Schema.optionalKey(Schema.Finite),
  timeout: Schema.optionalKey(Duration),
  command: Schema.optionalKey(actions.command),
  await: Schema.optionalKey(actions.await),
  inspect_locals: Schema.optionalKey(actions.inspect_locals),
  inspect_stack: Schema.optionalKey(actions.inspect_stack),
  inspect_threads: Schema.optionalKey(actions.inspect_threads),
  inspect_memory: Schema.optionalKey(actions.inspect_memory),
  check_output: Schema.optionalKey(actions.check_output),
  evaluate: Schema.optionalKey(actions.evaluate),
  check_breakpoints: Schema.optionalKey(actions.check_breakpoints),
  check_state: Schema.optionalKey(actions.check_state),
  sleep: Schema.optionalKey(actions.sleep),
  shell: Schema.optionalKey(actions.shell),
  snapshot: Schema.optionalKey(actions.snapshot),
  diff: Schema.optionalKey(actions.diff)
})
/** A step of a scenario, as it was decoded. */
export type Step = typeof Step.Type

const Scenario = Schema.Struct({
  name: Schema.NonEmptyString,
  description: text,
  platforms: Schema.optionalKey(Schema.Array(Schema.Literals(["linux", "darwin", "win32", "any", "all"]))),
  needs: Schema.optionalKey(Strings),
  setup: Schema.optionalKey(Schema.Array(Step)),
  target: Schema.optionalKey(Target),
  steps: Schema.NonEmptyArray(Step),
  teardown: Schema.optionalKey(Schema.Array(Step))
})
/** A scenario, as it was decoded. */
export type Scenario = typeof Scenario.Type

const stepKeys = [...Object.keys(actions), ...ScenarioSyntax.common]

const isAction = (key: string): key is Action => Object.hasOwn(actions, key)

/** Returns the action of a step. */
export const actionOf = (step: Step): Action | undefined => Object.keys(step).find(isAction)

/** Returns a sentence for each unknown key, with similar ones of `known` and of `others`. */
const unknownKeys = (
  value: unknown,
  known: ReadonlyArray<string>,
  where: string,
  others: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = Nearest.names(key, [...new Set([...known, ...others])])
      return `${where}: no key '${key}'${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`
    })
}

const stepProblems = (steps: unknown, where: string): ReadonlyArray<string> => {
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step: unknown, index) => {
    const place = `${where}[${index}]`
    if (!Predicate.isReadonlyObject(step)) return [`${place}: a step is a mapping`]
    const found = Object.keys(step).filter(isAction)
    const known = (action: Action) => [
      ...Object.keys(actions[action].fields),
      ...Object.keys(ScenarioSyntax.actions[action]?.parameters ?? {}),
      ...Expectation.words
    ]
    const unknown = unknownKeys(step, stepKeys, place, found.flatMap(known))
    const inside = found.flatMap((action) =>
      unknownKeys(step[action], Object.keys(actions[action].fields), `${place}.${action}`, [...known(action), "expect"])
    )
    const count =
      found.length === 1 || unknown.length > 0
        ? []
        : [
            found.length === 0
              ? `${place}: no action; there are: ${Object.keys(actions).join(", ")}`
              : `${place}: ${found.join(" and ")} in one step`
          ]
    const expectation = Expectation.problem([step["expect"], step["asserts"]])
    return [
      ...unknown,
      ...inside,
      ...count,
      ...(Result.isFailure(expectation) ? [`${place}.expect: ${expectation.failure}`] : [])
    ]
  })
}

const problems = (value: unknown): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyObject(value)) return ["a scenario is a mapping"]
  return [
    ...unknownKeys(value, Object.keys(Scenario.fields), "scenario"),
    ...unknownKeys(value["target"], Object.keys(Target.fields), "target"),
    ...["setup", "steps", "teardown"].flatMap((key) => stepProblems(value[key], key))
  ]
}

/** Replaces `${name}` in every text of a value; unknown names are kept. */
const substitute = (value: unknown, names: { readonly [name: string]: string }): unknown => {
  if (typeof value === "string") {
    return value.replaceAll(/\$\{(\w+)\}/g, (all, name: string) =>
      Object.hasOwn(names, name) ? (names[name] ?? all) : all
    )
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, names))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, names)]))
}

/** A scenario of a file, and its place there. */
export interface Entry {
  /** The scenario, or a sentence for each mistake in it. */
  readonly read: Result.Result<Scenario, ReadonlyArray<string>>
  /** Number of its document, from 0. */
  readonly document: number
  /** Its place in the document's list; empty if the document is one scenario. */
  readonly path: ReadonlyArray<number>
}

type Names = { readonly [name: string]: string }

const decode = (given: unknown, names: Names, fallbackName: string | undefined): Entry["read"] => {
  const normalized = ScenarioSyntax.scenario(substitute(given, names), words)
  const value =
    fallbackName !== undefined && Predicate.isReadonlyObject(normalized) && normalized["name"] === undefined
      ? { ...normalized, name: fallbackName }
      : normalized
  const found = problems(value)
  if (found.length > 0) return Result.fail(Documents.shortened(found))
  return Schema.decodeUnknownResult(Scenario)(value, { errors: "all" }).pipe(
    Result.mapError((error) => [String(error.message).replaceAll(/\s*\n\s*/g, " ")])
  )
}

const ofDocument = (value: Documents.Value, index: number, names: Names, fallbackName: string | undefined) => {
  const at = (read: Entry["read"], ...path: ReadonlyArray<number>): Entry => ({ read, document: index, path })
  if (Result.isFailure(value)) return [at(Result.fail(value.failure))]
  const whole = value.success
  if (!Array.isArray(whole) || whole.length === 0) return [at(decode(whole, names, fallbackName))]
  return whole.map((one: unknown, place) =>
    at(decode(one, names, fallbackName && `${fallbackName} ${place + 1}`), place)
  )
}

/** Reads the scenarios of a file: one per document or list item. `fallbackName` names those without a name. */
export const parseAll = (text: string, names: Names = {}, fallbackName?: string): ReadonlyArray<Entry> => {
  const full = Documents.read(text).flatMap((value, index) =>
    Result.isSuccess(value) && value.success === null ? [] : [{ value, index }]
  )
  if (full.length === 0) return [{ read: Result.fail(["a scenario is a mapping"]), document: 0, path: [] }]
  return full.flatMap(({ index, value }, place) =>
    ofDocument(value, index, names, full.length === 1 ? fallbackName : fallbackName && `${fallbackName} ${place + 1}`)
  )
}

/** Reads the first scenario of a text. */
export const parse = (text: string, names: Names = {}, fallbackName?: string): Entry["read"] =>
  parseAll(text, names, fallbackName)[0]?.read ?? Result.fail([])

/** Splits a text into words as a POSIX shell does, without expansion; a list is not changed. */
export const words = (text: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof text === "string" ? ShellWords.split(text) : text

/** Returns the words of a step's command, without a leading `sigtrap`. */
export const lineOf = ({ args = [], line }: NonNullable<Step["command"]>): ReadonlyArray<string> => {
  const all = words(line)
  return [...(all[0] === "sigtrap" ? all.slice(1) : all), ...args]
}
