/**
 * Reports the outcomes of scenarios as text, TAP, JUnit XML or JSON.
 */
import type { Outcome } from "./Runner.ts"

/** The forms of a report. */
export const forms = ["text", "tap", "junit", "json"] as const
/** A form of a report. */
export type Form = (typeof forms)[number]

/** Counts the outcomes by result. */
export const counts = (outcomes: ReadonlyArray<Outcome>) => {
  const count = (result: Outcome["result"]) => outcomes.filter((outcome) => outcome.result === result).length
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") }
}

const indented = (text: string): string =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")

const line = ({ message, ms, name, result, step }: Outcome): string => {
  const mark = { passed: "ok  ", failed: "FAIL", skipped: "skip" }[result]
  const rest = result === "passed" ? "" : `\n  ${step === undefined ? "" : `${step}\n  `}${message ?? ""}`
  return `${mark} ${name} (${ms} ms)${rest}`
}

const text = (outcomes: ReadonlyArray<Outcome>, verbose: boolean): string => {
  const lines = outcomes.flatMap((outcome) => [
    line(outcome),
    ...(outcome.result === "failed" && (outcome.log ?? "") !== ""
      ? [indented(verbose ? (outcome.log ?? "") : (outcome.log ?? "").slice(0, 1500))]
      : [])
  ])
  const { failed, passed, skipped } = counts(outcomes)
  return [...lines, `${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`].join("\n")
}

const tap = (outcomes: ReadonlyArray<Outcome>): string =>
  [
    "TAP version 14",
    `1..${outcomes.length}`,
    ...outcomes.flatMap(({ message, name, result, step }, index) => {
      const title = name.replaceAll("#", "\\#")
      const head = `${result === "failed" ? "not ok" : "ok"} ${index + 1} - ${title}`
      if (result === "skipped") return [`${head} # SKIP ${message ?? ""}`]
      return result === "passed"
        ? [head]
        : [head, "  ---", `  message: ${JSON.stringify(message ?? "")}`, `  at: ${JSON.stringify(step ?? "")}`, "  ..."]
    })
  ].join("\n")

/** Escapes a text for an XML attribute or element; characters that XML forbids are dropped. */
const xml = (value: string): string =>
  value
    .replaceAll(/[^\P{Cc}\t\n\r]|[\p{Cs}\uFFFE\uFFFF]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")

const junit = (outcomes: ReadonlyArray<Outcome>): string => {
  const { failed, skipped } = counts(outcomes)
  const seconds = (ms: number) => (ms / 1000).toFixed(3)
  const total = seconds(outcomes.reduce((sum, { ms }) => sum + ms, 0))
  const cases = outcomes.map(({ file, log, message, ms, name, result, step }) => {
    const inside =
      result === "failed"
        ? `<failure message="${xml(`${step === undefined ? "" : `${step}: `}${message ?? ""}`)}">${xml(log ?? "")}</failure>`
        : result === "skipped"
          ? `<skipped message="${xml(message ?? "")}"/>`
          : ""
    return `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${seconds(ms)}">${inside}</testcase>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="sigtrap" tests="${outcomes.length}" failures="${failed}" skipped="${skipped}" time="${total}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>"
  ].join("\n")
}

/** Returns the data of the JSON report. */
export const data = (outcomes: ReadonlyArray<Outcome>) => ({
  ...counts(outcomes),
  results: outcomes.map(({ log: _, ...outcome }) => outcome)
})

/** Returns a report, without a newline at its end. */
export const print = (form: Form, outcomes: ReadonlyArray<Outcome>, verbose = false): string => {
  switch (form) {
    case "text":
      return text(outcomes, verbose)
    case "tap":
      return tap(outcomes)
    case "junit":
      return junit(outcomes)
    case "json":
      return JSON.stringify(data(outcomes))
  }
}
