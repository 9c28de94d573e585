/**
 * Whether a step went as expected. Decides what an expectation is about: the part of the answer that its action is for, or
 * parts that it names; and whether a failure of the command was what was expected.
 */
import * as Predicate from "effect/Predicate"
import * as Expectation from "./Expectation.ts"
import type * as Scenario from "./Scenario.ts"
import type { StepResult } from "./StepResult.ts"

/** What is wrong with a step; `mismatches` are those of its expectation. */
export interface Verdict {
  readonly wrong: ReadonlyArray<string>
  readonly mismatches: ReadonlyArray<Expectation.Mismatch>
}

/** Keys that name the exit code or the error, so that a failure may be what is expected. */
const exits = ["exit", "exit_code", "code", "ok", "success", "error", "stderr"]

/** A wait that ends before the program stops is a failure, unless it is expected to run on. */
const judgesExit = (expect: unknown): boolean =>
  Predicate.isReadonlyObject(expect) &&
  (exits.some((key) => Object.hasOwn(expect, key)) || expect["event"] === "running" || expect["state"] === "running")

/** What an expectation says of a part. */
export const named = (expect: unknown, part: string): unknown =>
  Predicate.isReadonlyObject(expect) ? expect[part] : undefined

/** Whether nothing but success or failure is expected, if anything. */
export const expectsOutcome = (expect: unknown): boolean =>
  expect === undefined || (Predicate.isReadonlyObject(expect) && Object.keys(expect).every((key) => key === "success"))

/** Whether a failure is expected. */
export const expectsFailure = ({ expect }: Scenario.Step): boolean => {
  const exit = named(expect, "exit") ?? named(expect, "exit_code")
  return (
    named(expect, "success") === false ||
    (typeof exit === "number" && exit !== 0) ||
    ["error", "code"].some((key) => named(expect, key) !== undefined)
  )
}

/** Texts that were written for people: an expected text may be a part of them. */
const isText = (step: Scenario.Step): boolean =>
  step.command !== undefined || step.shell !== undefined || step.check_output !== undefined

const aboutText = (expect: string, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  const actual = typeof result.main === "string" ? result.main : ""
  if (expect === "" ? actual === "" : actual.includes(expect.trim())) return []
  return Expectation.compare(expect, result.main)
}

const hexadecimal = (value: unknown): string | undefined => {
  const text = Array.isArray(value)
    ? value.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")
    : typeof value === "string"
      ? value.replaceAll(/0x|[\s,]/gi, "").toLowerCase()
      : undefined
  return text !== undefined && /^(?:[\da-f]{2})+$/.test(text) ? text : undefined
}

const aboutMemory = (expect: unknown, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  const [wanted, actual] = [hexadecimal(expect), hexadecimal(result.main)]
  return wanted !== undefined && actual?.startsWith(wanted) === true ? [] : Expectation.compare(expect, result.main)
}

/** Things in their order, as far as they are named; a text is the name of one. */
const aboutParts = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>, name: string) =>
  parts.length < expect.length
    ? Expectation.compare(expect, parts)
    : expect.flatMap((item, index) =>
        Expectation.compare(
          typeof item === "string" || Expectation.isComparing(item) ? { [name]: item } : item,
          parts[index],
          `[${index}]`,
          [index]
        )
      )

/** What is said of one thing: comparisons are about the part that it is for, the rest is about parts of it. */
const aboutOne = (
  wanted: { readonly [key: string]: unknown },
  found: unknown,
  main: string,
  at: string,
  key: number
) => {
  const entries = Object.entries(wanted)
  const of = (comparing: boolean) =>
    Object.fromEntries(entries.filter(([name]) => Expectation.isComparison(name) === comparing))
  const [whole, parts] = [of(true), of(false)]
  if (whole["exists"] === false) return Expectation.compare(whole, found, at, [key])
  if (found === undefined) return Expectation.compare({ exists: true }, found, at, [key])
  return [
    ...(Object.keys(whole).length === 0 ? [] : Expectation.compare(whole, named(found, main), at, [key])),
    ...Expectation.compare(parts, found, at, [key])
  ]
}

/** Variables, each found by the name that is expected. */
const aboutVariables = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>) =>
  expect.flatMap((item, index) => {
    const { name, ...wanted } = Predicate.isReadonlyObject(item) ? item : { name: item }
    const found = parts.find((one) => named(one, "name") === name)
    return aboutOne(wanted, found, "value", String(name), index)
  })

/** Assertions, each about the one thing that it names by its place or its number, or about the answer. */
const aboutAssertions = (step: Scenario.Step, asserts: ReadonlyArray<unknown>, result: StepResult) => {
  const { parts } = result
  if (parts === undefined) return asserts.flatMap((item) => expected(step, item, result))
  if (step.inspect_locals !== undefined) return aboutVariables(asserts, parts)
  return asserts.flatMap((item, place) => {
    if (!Predicate.isReadonlyObject(item)) return Expectation.compare(item, result.main)
    const { index, ...wanted } = item
    const found =
      index === undefined && wanted["id"] !== undefined
        ? parts.find((one) => Expectation.same(wanted["id"], named(one, "id")))
        : parts[typeof index === "number" ? index : place]
    return aboutOne(wanted, found, "function", `[${String(index ?? place)}]`, place)
  })
}

/** One variable by name: its value, or more about it. */
const aboutVariable = (expect: unknown, name: string, result: StepResult) => {
  const found = result.parts?.find((one) => Predicate.isReadonlyObject(one) && one["name"] === name)
  const whole = Predicate.isReadonlyObject(expect) && !Array.isArray(expect) && !Expectation.isComparing(expect)
  const value = Predicate.isReadonlyObject(found) ? found["value"] : undefined
  return Expectation.compare(expect, whole ? found : value, name, [name])
}

const orderless = (expect: ReadonlyArray<unknown>, actual: unknown): boolean =>
  Array.isArray(actual) && [...expect].toSorted().join("\0") === [...actual].toSorted().join("\0")

/** An expectation that is a list or a single value. */
const plain = (step: Scenario.Step, expect: unknown, result: StepResult): ReadonlyArray<Expectation.Mismatch> => {
  if (typeof expect === "number" && (step.command !== undefined || step.shell !== undefined)) {
    return Expectation.compare(expect, result.exit)
  }
  if (step.inspect_memory !== undefined) return aboutMemory(expect, result)
  if (typeof expect === "string" && isText(step)) return aboutText(expect, result)
  if (Array.isArray(expect) && !(expect.length > 0 && expect.every(Expectation.isComparing))) {
    if (step.inspect_locals !== undefined) return aboutVariables(expect, result.parts ?? [])
    if (expect.length > 0 && expect.every((one) => named(one, "index") !== undefined))
      return aboutAssertions(step, expect, result)
    if (step.inspect_stack !== undefined) return aboutParts(expect, result.parts ?? [], "function")
    if (step.check_breakpoints !== undefined || step.inspect_threads !== undefined) {
      return (result.parts ?? []).length === expect.length
        ? aboutParts(expect, result.parts ?? [], "id")
        : Expectation.compare(expect, result.parts)
    }
    if (step.diff !== undefined && orderless(expect, result.main)) return []
    if (isText(step) && expect.every((one) => typeof one === "string"))
      return expect.flatMap((one) => aboutText(one, result))
  }
  return Expectation.compare(expect, result.main)
}

/** What a comparison of the whole may be about: the part that the action is for, or else the text or the list it is from. */
const subjects = ({ main, other, parts, text }: StepResult): ReadonlyArray<unknown> => [
  main,
  ...(other === undefined ? [] : [other]),
  ...(typeof main === "number" && parts !== undefined ? [parts, text] : [])
]

/** An expectation that names parts, comparisons among them being about the whole. */
const about = (step: Scenario.Step, written: { readonly [key: string]: unknown }, result: StepResult) => {
  const expect = step.inspect_locals === undefined ? Expectation.byPart(written, result.value) : written
  const variables = new Set(
    (result.parts ?? []).map((one) => (Predicate.isReadonlyObject(one) ? one["name"] : undefined))
  )
  const isVariable = (key: string) => step.inspect_locals !== undefined && variables.has(key)
  const keys = Object.keys(expect)
  const comparing = keys.filter((key) => Expectation.isComparison(key) && !isVariable(key))
  const comparison = Object.fromEntries(comparing.map((key) => [key, expect[key]]))
  const ofMain = comparing.length === 0 ? [] : Expectation.compare(comparison, result.main)
  const whole = subjects(result).some((one) => Expectation.compare(comparison, one).length === 0) ? [] : ofMain
  const value = Predicate.isReadonlyObject(result.value) ? result.value : {}
  const parts = keys
    .filter((key) => !comparing.includes(key))
    .flatMap((key) => {
      if (isVariable(key) || (step.inspect_locals !== undefined && !((key.split(".")[0] ?? key) in value))) {
        return aboutVariable(expect[key], key, result)
      }
      const wanted = expect[key]
      if (key === "frames" && Array.isArray(wanted)) return aboutParts(wanted, result.parts ?? [], "function")
      if (key === "hex" || key === "bytes")
        return step.inspect_memory === undefined
          ? Expectation.compare({ [key]: wanted }, value)
          : aboutMemory(wanted, result)
      return Expectation.compare({ [key]: wanted }, value)
    })
  return [...whole, ...parts]
}

const expected = (step: Scenario.Step, expect: unknown, result: StepResult): ReadonlyArray<Expectation.Mismatch> =>
  Predicate.isReadonlyObject(expect) ? about(step, { ...expect }, result) : plain(step, expect, result)

/** What is wrong with a step that took so long. */
export const judge = (step: Scenario.Step, result: StepResult, ms: number): Verdict => {
  const { expect } = step
  const failed = result.exit !== 0 && !judgesExit(expect) && !(typeof expect === "number")
  const mismatches = failed
    ? []
    : [
        ...(expect === undefined ? [] : expected(step, expect, result)),
        ...(step.asserts === undefined ? [] : aboutAssertions(step, step.asserts, result))
      ]
  const wrong = [
    ...(failed ? [`it failed with ${result.exit}`] : []),
    ...mismatches.map(
      ({ actual, expected, path }) => `${path === "" ? "the answer" : path}: expected ${expected}, got ${actual}`
    ),
    ...(step.budget_bytes !== undefined && result.bytes > step.budget_bytes
      ? [`${result.bytes} bytes, more than ${step.budget_bytes}`]
      : []),
    ...(step.max_ms !== undefined && ms > step.max_ms ? [`${Math.round(ms)} ms, longer than ${step.max_ms}`] : [])
  ]
  return { wrong, mismatches }
}
