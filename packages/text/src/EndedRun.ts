/**
 * What the report of a program that has ended adds: breakpoints that were never hit, and children that ran without the debugger.
 */
import type { Stop } from "@sigtrap/protocol"
import * as Doc from "./Doc.ts"

/** Most breakpoints that are named as never hit. */
const maxNeverHit = 5

/** `its condition never held`, `it waits for hit ==9`, or both; undefined for a breakpoint that stops at each pass. */
const obstacle = ({ condition, hits }: Stop.NeverHit): string | undefined => {
  if (hits === undefined) return condition === undefined ? undefined : "its condition never held"
  const count = Doc.cut(hits, 20)
  return condition === undefined ? `it waits for hit ${count}` : `it waits for hit ${count} with its condition`
}

/**
 * `breakpoint 1 (app.c:14 if n > 9) never hit: passed 3 times, its condition never held`. A child may have reached
 * the place without the debugger.
 */
const neverHit = (one: Stop.NeverHit): Doc.Line => {
  const { at, condition, id, missed, passed, unresolved, watch } = one
  const place = Doc.cut(condition === undefined ? at : `${at} if ${condition}`, 80)
  const why = obstacle(one)
  const unreached =
    watch === true
      ? "the debugger reported no access after it was set"
      : `this process did not reach the place after it was set${missed === true ? ", or the debugger no longer traced its thread" : ""}`
  const text =
    unresolved !== undefined
      ? `it stayed pending (${Doc.cut(unresolved, 120)})`
      : why === undefined || passed === 0
        ? unreached
        : passed === undefined
          ? `${why}, or ${unreached}`
          : `passed ${passed === 1 ? "once" : `${passed} times`}, ${why}`
  return Doc.line(
    Doc.span(`${watch === true ? "watchpoint" : "breakpoint"} ${id} (${place}) never hit: ${text}`, "dim")
  )
}

/** `child 1234 ran without the debugger; see follow_fork`. */
const forked = ({ children = [] }: Stop.StopReport): ReadonlyArray<Doc.Line> => {
  if (children.length === 0) return []
  const pids = children.slice(0, maxNeverHit).map(({ pid }) => pid)
  const more = children.length > pids.length ? ", …" : ""
  const who = children.length === 1 ? "child" : `${children.length} children of fork:`
  return [Doc.line(Doc.span(`${who} ${pids.join(", ")}${more} ran without the debugger; see follow_fork`, "dim"))]
}

/** Returns the lines of a report. */
export const lines = (report: Stop.StopReport): ReadonlyArray<Doc.Line> => [
  ...(report.never_hit ?? []).slice(0, maxNeverHit).map(neverHit),
  ...forked(report)
]
