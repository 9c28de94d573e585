/**
 * A scenario: a program, what is done to it, and what is expected. Read from YAML (of which JSON is a part); files are
 * closed: a key that does not exist is an error which names the nearest.
 */
import { Predicate, Result, Schema } from "effect"
import { parseDocument } from "yaml"
import * as Nearest from "../Nearest.ts"
import * as Expect from "./Expect.ts"

const Strings = Schema.Array(Schema.String)

/** The program to debug: the fields of `start`. */
const Target = Schema.Struct({
  program: Schema.String,
  args: Schema.optionalKey(Strings),
  env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  cwd: Schema.optionalKey(Schema.String),
  stdin: Schema.optionalKey(Schema.String),
  adapter: Schema.optionalKey(Schema.String),
  stop_on_entry: Schema.optionalKey(Schema.Boolean),
  stop_at_main: Schema.optionalKey(Schema.Boolean),
  break: Schema.optionalKey(Strings)
})

/** Words as a list, or as one text that a shell would split in the same way. */
const Words = Schema.Union([Schema.String, Strings])

const Names = Schema.Struct({ names: Schema.optionalKey(Strings), frame: Schema.optionalKey(Schema.Int) })

/** What a step can do, and what its value looks like. A step has exactly one of these. */
const actions = {
  command: Words,
  await: Schema.Union([Schema.String, Schema.Struct({ timeout: Schema.optionalKey(Schema.String) }), Schema.Null]),
  inspect_locals: Schema.Union([Names, Strings, Schema.Null]),
  inspect_stack: Schema.Union([Schema.Struct({ thread: Schema.optionalKey(Schema.Int) }), Schema.Null]),
  inspect_threads: Schema.Union([Schema.Struct({}), Schema.Null]),
  check_output: Schema.Union([
    Schema.Struct({ channel: Schema.optionalKey(Schema.String) }),
    Schema.String,
    Schema.Null
  ]),
  evaluate: Schema.String,
  check_breakpoints: Schema.Union([Schema.Struct({}), Schema.Null]),
  check_state: Schema.Union([Schema.String, Schema.Null]),
  shell: Schema.String
} as const

/** What a step can do. */
export type Action = keyof typeof actions

/** What every step may say beside its action. */
const common = {
  name: Schema.optionalKey(Schema.String),
  expect: Schema.optionalKey(Schema.Unknown),
  allow_failure: Schema.optionalKey(Schema.Boolean),
  budget_bytes: Schema.optionalKey(Schema.Int),
  max_ms: Schema.optionalKey(Schema.Finite)
} as const

const Step = Schema.Struct({
  ...common,
  command: Schema.optionalKey(actions.command),
  await: Schema.optionalKey(actions.await),
  inspect_locals: Schema.optionalKey(actions.inspect_locals),
  inspect_stack: Schema.optionalKey(actions.inspect_stack),
  inspect_threads: Schema.optionalKey(actions.inspect_threads),
  check_output: Schema.optionalKey(actions.check_output),
  evaluate: Schema.optionalKey(actions.evaluate),
  check_breakpoints: Schema.optionalKey(actions.check_breakpoints),
  check_state: Schema.optionalKey(actions.check_state),
  shell: Schema.optionalKey(actions.shell)
})
/** A step. */
export type Step = typeof Step.Type

const Scenario = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.optionalKey(Schema.String),
  platforms: Schema.optionalKey(Schema.Array(Schema.Literals(["linux", "darwin"]))),
  needs: Schema.optionalKey(Strings),
  setup: Schema.optionalKey(Schema.Array(Step)),
  target: Schema.optionalKey(Target),
  steps: Schema.NonEmptyArray(Step),
  teardown: Schema.optionalKey(Schema.Array(Step))
})
/** A scenario. */
export type Scenario = typeof Scenario.Type

const stepKeys = [...Object.keys(actions), ...Object.keys(common)]

const isAction = (key: string): key is Action => Object.hasOwn(actions, key)

/** What a step does. */
export const actionOf = (step: Step): Action | undefined => Object.keys(step).find(isAction)

const unknownKeys = (value: unknown, known: ReadonlyArray<string>, where: string): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyObject(value)) return []
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const near = Nearest.names(key, known)
      return `${where}: no key '${key}'${near.length === 0 ? "" : `; nearest: ${near.join(", ")}`}`
    })
}

const stepProblems = (steps: unknown, where: string): ReadonlyArray<string> => {
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step: unknown, index) => {
    const place = `${where}[${index}]`
    if (!Predicate.isReadonlyObject(step)) return [`${place}: a step is a mapping`]
    const unknown = unknownKeys(step, stepKeys, place)
    const found = Object.keys(step).filter(isAction)
    const count =
      found.length === 1 || unknown.length > 0
        ? []
        : [
            found.length === 0
              ? `${place}: no action; there are: ${Object.keys(actions).join(", ")}`
              : `${place}: ${found.join(" and ")} in one step`
          ]
    const expectation = Expect.problem(step["expect"])
    return [...unknown, ...count, ...(Result.isFailure(expectation) ? [`${place}.expect: ${expectation.failure}`] : [])]
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

/** `${name}` in every text of a value, replaced by what the name stands for; other names stay as they are. */
const substitute = (value: unknown, names: { readonly [name: string]: string }): unknown => {
  if (typeof value === "string") {
    return value.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(names, name) ? (names[name] ?? whole) : whole
    )
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, names))
  if (!Predicate.isReadonlyObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, names)]))
}

/** Reads a scenario; everything that is wrong with it, one sentence each. */
export const parse = (
  text: string,
  names: { readonly [name: string]: string } = {}
): Result.Result<Scenario, ReadonlyArray<string>> => {
  const document = parseDocument(text, { prettyErrors: true, strict: true, uniqueKeys: true })
  if (document.errors.length > 0) {
    return Result.fail(document.errors.map(({ message }) => message.split("\n")[0] ?? message))
  }
  const value = substitute(document.toJS({ maxAliasCount: 100 }), names)
  const found = problems(value)
  if (found.length > 0) return Result.fail(found)
  return Schema.decodeUnknownResult(Scenario)(value, { errors: "all" }).pipe(
    Result.mapError((error) => [String(error.message).replaceAll(/\s*\n\s*/g, " ")])
  )
}

/** The words of a text, split as a POSIX shell does it, without expanding anything. */
export const words = (text: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  if (typeof text !== "string") return text
  return [...text.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\])+/gs)].map(([word]) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1")
    )
  )
}
