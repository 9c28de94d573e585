/**
 * Whether a step went as expected. Decides what an expectation is about: the part of the answer that its action is for, or
 * parts that it names; and whether a failure of the command was what was expected.
 */
import { Predicate } from "effect"
import * as Expectation from "./Expectation.ts"
import type * as Scenario from "./Scenario.ts"
import type { Ran } from "./Steps.ts"

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

const aboutText = (expect: string, ran: Ran): ReadonlyArray<Expectation.Mismatch> => {
  const actual = typeof ran.main === "string" ? ran.main : ""
  if (expect === "" ? actual === "" : actual.includes(expect.trim())) return []
  return Expectation.compare(expect, ran.main)
}

const hexadecimal = (value: unknown): string | undefined => {
  const text = Array.isArray(value)
    ? value.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")
    : typeof value === "string"
      ? value.replaceAll(/0x|[\s,]/gi, "").toLowerCase()
      : undefined
  return text !== undefined && /^(?:[\da-f]{2})+$/.test(text) ? text : undefined
}

const aboutMemory = (expect: unknown, ran: Ran): ReadonlyArray<Expectation.Mismatch> => {
  const [wanted, actual] = [hexadecimal(expect), hexadecimal(ran.main)]
  return wanted !== undefined && actual?.startsWith(wanted) === true ? [] : Expectation.compare(expect, ran.main)
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
const aboutAssertions = (step: Scenario.Step, asserts: ReadonlyArray<unknown>, ran: Ran) => {
  const { parts } = ran
  if (parts === undefined) return asserts.flatMap((item) => expected(step, item, ran))
  if (step.inspect_locals !== undefined) return aboutVariables(asserts, parts)
  return asserts.flatMap((item, place) => {
    if (!Predicate.isReadonlyObject(item)) return Expectation.compare(item, ran.main)
    const { index, ...wanted } = item
    const found =
      index === undefined && wanted["id"] !== undefined
        ? parts.find((one) => Expectation.same(wanted["id"], named(one, "id")))
        : parts[typeof index === "number" ? index : place]
    return aboutOne(wanted, found, "function", `[${String(index ?? place)}]`, place)
  })
}

/** One variable by name: its value, or more about it. */
const aboutVariable = (expect: unknown, name: string, ran: Ran) => {
  const found = ran.parts?.find((one) => Predicate.isReadonlyObject(one) && one["name"] === name)
  const whole = Predicate.isReadonlyObject(expect) && !Array.isArray(expect) && !Expectation.isComparing(expect)
  const value = Predicate.isReadonlyObject(found) ? found["value"] : undefined
  return Expectation.compare(expect, whole ? found : value, name, [name])
}

const orderless = (expect: ReadonlyArray<unknown>, actual: unknown): boolean =>
  Array.isArray(actual) && [...expect].toSorted().join("\0") === [...actual].toSorted().join("\0")

/** An expectation that is a list or a single value. */
const plain = (step: Scenario.Step, expect: unknown, ran: Ran): ReadonlyArray<Expectation.Mismatch> => {
  if (typeof expect === "number" && (step.command !== undefined || step.shell !== undefined)) {
    return Expectation.compare(expect, ran.exit)
  }
  if (step.inspect_memory !== undefined) return aboutMemory(expect, ran)
  if (typeof expect === "string" && isText(step)) return aboutText(expect, ran)
  if (Array.isArray(expect) && !(expect.length > 0 && expect.every(Expectation.isComparing))) {
    if (step.inspect_locals !== undefined) return aboutVariables(expect, ran.parts ?? [])
    if (expect.length > 0 && expect.every((one) => named(one, "index") !== undefined))
      return aboutAssertions(step, expect, ran)
    if (step.inspect_stack !== undefined) return aboutParts(expect, ran.parts ?? [], "function")
    if (step.check_breakpoints !== undefined || step.inspect_threads !== undefined) {
      return (ran.parts ?? []).length === expect.length
        ? aboutParts(expect, ran.parts ?? [], "id")
        : Expectation.compare(expect, ran.parts)
    }
    if (step.diff !== undefined && orderless(expect, ran.main)) return []
    if (isText(step) && expect.every((one) => typeof one === "string"))
      return expect.flatMap((one) => aboutText(one, ran))
  }
  return Expectation.compare(expect, ran.main)
}

/** What a comparison of the whole may be about: the part that the action is for, or else the text or the list it is from. */
const subjects = ({ main, other, parts, text }: Ran): ReadonlyArray<unknown> => [
  main,
  ...(other === undefined ? [] : [other]),
  ...(typeof main === "number" && parts !== undefined ? [parts, text] : [])
]

/** An expectation that names parts, comparisons among them being about the whole. */
const about = (step: Scenario.Step, written: { readonly [key: string]: unknown }, ran: Ran) => {
  const expect = step.inspect_locals === undefined ? Expectation.byPart(written, ran.value) : written
  const variables = new Set((ran.parts ?? []).map((one) => (Predicate.isReadonlyObject(one) ? one["name"] : undefined)))
  const isVariable = (key: string) => step.inspect_locals !== undefined && variables.has(key)
  const keys = Object.keys(expect)
  const comparing = keys.filter((key) => Expectation.isComparison(key) && !isVariable(key))
  const comparison = Object.fromEntries(comparing.map((key) => [key, expect[key]]))
  const ofMain = comparing.length === 0 ? [] : Expectation.compare(comparison, ran.main)
  const whole = subjects(ran).some((one) => Expectation.compare(comparison, one).length === 0) ? [] : ofMain
  const value = Predicate.isReadonlyObject(ran.value) ? ran.value : {}
  const parts = keys
    .filter((key) => !comparing.includes(key))
    .flatMap((key) => {
      if (isVariable(key) || (step.inspect_locals !== undefined && !((key.split(".")[0] ?? key) in value))) {
        return aboutVariable(expect[key], key, ran)
      }
      const wanted = expect[key]
      if (key === "frames" && Array.isArray(wanted)) return aboutParts(wanted, ran.parts ?? [], "function")
      if (key === "hex" || key === "bytes")
        return step.inspect_memory === undefined
          ? Expectation.compare({ [key]: wanted }, value)
          : aboutMemory(wanted, ran)
      return Expectation.compare({ [key]: wanted }, value)
    })
  return [...whole, ...parts]
}

const expected = (step: Scenario.Step, expect: unknown, ran: Ran): ReadonlyArray<Expectation.Mismatch> =>
  Predicate.isReadonlyObject(expect) ? about(step, { ...expect }, ran) : plain(step, expect, ran)

/** What is wrong with a step that took so long. */
export const judge = (step: Scenario.Step, ran: Ran, ms: number): Verdict => {
  const { expect } = step
  const failed = ran.exit !== 0 && !judgesExit(expect) && !(typeof expect === "number")
  const mismatches = failed
    ? []
    : [
        ...(expect === undefined ? [] : expected(step, expect, ran)),
        ...(step.asserts === undefined ? [] : aboutAssertions(step, step.asserts, ran))
      ]
  const wrong = [
    ...(failed ? [`it failed with ${ran.exit}`] : []),
    ...mismatches.map(
      ({ actual, expected, path }) => `${path === "" ? "the answer" : path}: expected ${expected}, got ${actual}`
    ),
    ...(step.budget_bytes !== undefined && ran.bytes > step.budget_bytes
      ? [`${ran.bytes} bytes, more than ${step.budget_bytes}`]
      : []),
    ...(step.max_ms !== undefined && ms > step.max_ms ? [`${Math.round(ms)} ms, longer than ${step.max_ms}`] : [])
  ]
  return { wrong, mismatches }
}
