/**
 * Whether a step went as expected. Decides what an expectation is about: the part of the answer that its action is for, or
 * parts that it names; and whether a failure of the command was what was expected.
 */
import { Predicate } from "effect"
import * as Expect from "./Expect.ts"
import type * as Scenario from "./Scenario.ts"
import type { Ran } from "./Steps.ts"

/** What is wrong with a step; `mismatches` are those of its expectation. */
export interface Verdict {
  readonly wrong: ReadonlyArray<string>
  readonly mismatches: ReadonlyArray<Expect.Mismatch>
}

/** Keys that name the exit code or the error, so that a failure may be what is expected. */
const exits = ["exit", "exit_code", "code", "ok", "error", "stderr"]

const judgesExit = (expect: unknown): boolean =>
  Predicate.isReadonlyObject(expect) && exits.some((key) => Object.hasOwn(expect, key))

/** Texts that were written for people: an expected text may be a part of them. */
const isText = (step: Scenario.Step): boolean =>
  step.command !== undefined || step.shell !== undefined || step.check_output !== undefined

const aboutText = (expect: string, ran: Ran): ReadonlyArray<Expect.Mismatch> => {
  const actual = typeof ran.main === "string" ? ran.main : ""
  if (expect === "" ? actual === "" : actual.includes(expect.trim())) return []
  return Expect.compare(expect, ran.main)
}

const hexadecimal = (value: unknown): string | undefined => {
  const text = Array.isArray(value)
    ? value.map((byte) => Number(byte).toString(16).padStart(2, "0")).join("")
    : typeof value === "string"
      ? value.replaceAll(/0x|[\s,]/gi, "").toLowerCase()
      : undefined
  return text !== undefined && /^(?:[\da-f]{2})+$/.test(text) ? text : undefined
}

const aboutMemory = (expect: unknown, ran: Ran): ReadonlyArray<Expect.Mismatch> => {
  const [wanted, actual] = [hexadecimal(expect), hexadecimal(ran.main)]
  return wanted !== undefined && actual?.startsWith(wanted) === true ? [] : Expect.compare(expect, ran.main)
}

/** Things in their order, as far as they are named; a text is the name of one. */
const aboutParts = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>, name: string) =>
  parts.length < expect.length
    ? Expect.compare(expect, parts)
    : expect.flatMap((item, index) =>
        Expect.compare(
          typeof item === "string" || Expect.isComparing(item) ? { [name]: item } : item,
          parts[index],
          `[${index}]`,
          [index]
        )
      )

/** Variables, each found by the name that is expected. */
const aboutVariables = (expect: ReadonlyArray<unknown>, parts: ReadonlyArray<unknown>) =>
  expect.flatMap((item, index) => {
    const name = Predicate.isReadonlyObject(item) ? item["name"] : item
    const found = parts.find((one) => Predicate.isReadonlyObject(one) && one["name"] === name)
    return Expect.compare(typeof item === "string" ? { name: item } : item, found, String(name), [index])
  })

/** One variable by name: its value, or more about it. */
const aboutVariable = (expect: unknown, name: string, ran: Ran) => {
  const found = ran.parts?.find((one) => Predicate.isReadonlyObject(one) && one["name"] === name)
  const whole = Predicate.isReadonlyObject(expect) && !Array.isArray(expect) && !Expect.isComparing(expect)
  const value = Predicate.isReadonlyObject(found) ? found["value"] : undefined
  return Expect.compare(expect, whole ? found : value, name, [name])
}

const orderless = (expect: ReadonlyArray<unknown>, actual: unknown): boolean =>
  Array.isArray(actual) && [...expect].toSorted().join("\0") === [...actual].toSorted().join("\0")

/** An expectation that is a list or a single value. */
const plain = (step: Scenario.Step, expect: unknown, ran: Ran): ReadonlyArray<Expect.Mismatch> => {
  if (typeof expect === "number" && (step.command !== undefined || step.shell !== undefined)) {
    return Expect.compare(expect, ran.exit)
  }
  if (step.inspect_memory !== undefined) return aboutMemory(expect, ran)
  if (typeof expect === "string" && isText(step)) return aboutText(expect, ran)
  if (Array.isArray(expect) && !(expect.length > 0 && expect.every(Expect.isComparing))) {
    if (step.inspect_locals !== undefined) return aboutVariables(expect, ran.parts ?? [])
    if (step.inspect_stack !== undefined) return aboutParts(expect, ran.parts ?? [], "function")
    if (step.check_breakpoints !== undefined || step.inspect_threads !== undefined) {
      return (ran.parts ?? []).length === expect.length
        ? aboutParts(expect, ran.parts ?? [], "id")
        : Expect.compare(expect, ran.parts)
    }
    if (step.diff !== undefined && orderless(expect, ran.main)) return []
    if (isText(step) && expect.every((one) => typeof one === "string"))
      return expect.flatMap((one) => aboutText(one, ran))
  }
  return Expect.compare(expect, ran.main)
}

/** What a comparison of the whole may be about: the part that the action is for, or else the text or the list it is from. */
const subjects = ({ main, other, parts, text }: Ran): ReadonlyArray<unknown> => [
  main,
  ...(other === undefined ? [] : [other]),
  ...(typeof main === "number" && parts !== undefined ? [parts, text] : [])
]

/** An expectation that names parts, comparisons among them being about the whole. */
const about = (step: Scenario.Step, written: { readonly [key: string]: unknown }, ran: Ran) => {
  const expect = step.inspect_locals === undefined ? Expect.byPart(written, ran.value) : written
  const variables = new Set((ran.parts ?? []).map((one) => (Predicate.isReadonlyObject(one) ? one["name"] : undefined)))
  const isVariable = (key: string) => step.inspect_locals !== undefined && variables.has(key)
  const keys = Object.keys(expect)
  const comparing = keys.filter((key) => Expect.isComparison(key) && !isVariable(key))
  const comparison = Object.fromEntries(comparing.map((key) => [key, expect[key]]))
  const ofMain = comparing.length === 0 ? [] : Expect.compare(comparison, ran.main)
  const whole = subjects(ran).some((one) => Expect.compare(comparison, one).length === 0) ? [] : ofMain
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
        return step.inspect_memory === undefined ? Expect.compare({ [key]: wanted }, value) : aboutMemory(wanted, ran)
      return Expect.compare({ [key]: wanted }, value)
    })
  return [...whole, ...parts]
}

/** What is wrong with a step that took so long. */
export const judge = (step: Scenario.Step, ran: Ran, ms: number): Verdict => {
  const { expect } = step
  const failed = ran.exit !== 0 && !judgesExit(expect) && !(typeof expect === "number")
  const mismatches =
    expect === undefined || failed
      ? []
      : Predicate.isReadonlyObject(expect) && !Array.isArray(expect)
        ? about(step, { ...expect }, ran)
        : plain(step, expect, ran)
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
