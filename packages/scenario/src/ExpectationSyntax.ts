/**
 * Normalizes the accepted spellings of an expectation: a comparison as the ending of a name (`value_contains`), and other
 * words for the parts of an answer.
 */
import * as Predicate from "effect/Predicate"
import * as Expectation from "./Expectation.ts"

/** A mapping of a scenario's file. */
export type Mapping = { readonly [key: string]: unknown }

/** Names that may end with a comparison. The list is closed, so that a variable `n_max` is not one. */
const heads = new Set(
  (
    "value type result text output stdout stderr error message reason description state event exit_code signal " +
    "function file source line name hex ascii count depth hits condition"
  ).split(" ")
)

/** Splits `value_contains` into the part and the comparison. */
const ending = (key: string): { readonly head: string; readonly comparison: string } | undefined => {
  for (let at = key.indexOf("_"); at > 0; at = key.indexOf("_", at + 1)) {
    const [head, comparison] = [key.slice(0, at), key.slice(at + 1)]
    if (heads.has(head) && Expectation.isComparison(comparison)) return { head, comparison }
  }
  return undefined
}

/** Other words for the parts of an answer, by action. */
const parts: { readonly [action: string]: { readonly [name: string]: string } } = {
  evaluate: { result: "value", output: "text" },
  command: { result: "text" },
  shell: { output: "text", result: "text" },
  check_output: { output: "text" },
  inspect_stack: { name: "function", source: "file", frame: "index", level: "index" },
  inspect_locals: { result: "value" }
}

/** Keys that expect success or failure, each with the value that expects success. */
const outcomes: { readonly [key: string]: boolean } = {
  success: true,
  ok: true,
  failure: false,
  fails: false,
  error: false
}

/** Words for the exit of the program in place of a stop reason. */
const ends = new Set(["exit", "exited", "terminated", "terminate", "end", "ended"])

const put = (whole: Record<string, unknown>, key: string, value: unknown) => {
  const before = whole[key]
  const [old, more] = [before, value].map((one) =>
    one === undefined ? {} : Predicate.isReadonlyObject(one) ? one : { equals: one }
  )
  whole[key] = before === undefined ? value : { ...old, ...more }
}

const isText = (value: unknown): boolean =>
  !Predicate.isReadonlyObject(value) || Object.keys(value).every(Expectation.isComparison)

/** Normalizes `numeric` to comparisons; absent if it names parts. */
const numeric = (value: unknown): Mapping | undefined => {
  if (typeof value === "string") {
    const [, operator = "", limit] = /^\s*([<>=!]=?)\s*(\S+)\s*$/.exec(value) ?? []
    return limit === undefined ? { equals: value } : { [operator === "=" ? "==" : operator]: limit }
  }
  if (!Predicate.isReadonlyObject(value)) return { equals: value }
  const { comparison, op = comparison, operator = op, value: limit, ...rest } = value
  const known = Object.keys(rest).every(Expectation.isComparison)
  if (!known || (limit === undefined && operator !== undefined)) return undefined
  if (limit === undefined) return rest
  const own = Expectation.isComparison(String(operator)) ? String(operator) : "equals"
  return { ...rest, [operator === undefined && Expectation.isTolerant(rest) ? "about" : own]: limit }
}

/** Renames the parts of an expectation and moves comparisons below them. */
const named = (action: string, written: Mapping): Mapping => {
  const { path, ...compared } = written
  if (typeof path === "string" && Object.keys(compared).length > 0 && isText(compared)) {
    return { [path.replace(/^\$\.?/, "")]: compared }
  }
  const whole: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(written)) {
    const numbers = key === "numeric" ? numeric(given) : undefined
    if (numbers !== undefined) {
      for (const [name, one] of Object.entries(numbers)) put(whole, name, one)
      continue
    }
    // `{ value: { numeric: … } }` compares a part as a number.
    const value = Predicate.isReadonlyObject(given) && "numeric" in given ? named("", given) : given
    const { comparison, head } = ending(key) ?? { head: key, comparison: undefined }
    const part = parts[action]?.[head] ?? head
    const wanted = comparison === undefined ? value : { [comparison]: value }
    if (Object.hasOwn(outcomes, part) && typeof wanted === "boolean") put(whole, "success", wanted === outcomes[part])
    else if (action === "command" && part === "output" && isText(wanted)) {
      // A text is compared with the command's output, a mapping with its data.
      const about = Predicate.isReadonlyObject(wanted) ? wanted : { contains: wanted }
      for (const [name, one] of Object.entries(about)) put(whole, name, one)
    } else if (part === "reason" && /^SIG[A-Z\d]+$/.test(String(value))) put(whole, "signal", value)
    else if (part === "reason" && ends.has(String(value))) put(whole, "event", { one_of: ["exited", "terminated"] })
    else put(whole, part, wanted)
  }
  return whole
}

/** Normalizes one assertion about a variable, a frame, a thread or a breakpoint. */
export const assertion = (action: string, written: unknown): unknown =>
  Predicate.isReadonlyObject(written) ? named(action, written) : written

/** Normalizes an expectation. */
export const expectation = (action: string, written: unknown): unknown => {
  if (Array.isArray(written)) return written.map((one: unknown) => assertion(action, one))
  if (!Predicate.isReadonlyObject(written)) return written
  // The keys are names of variables, which are not renamed.
  if (action === "inspect_locals") {
    return Object.fromEntries(Object.entries(written).map(([name, one]) => [name, assertion(action, one)]))
  }
  return named(action, written)
}

/** Whether a key is always an expectation: a comparison, or a part that ends with one. */
export const isComparing = (key: string): boolean =>
  key === "numeric" || Expectation.isComparison(key) || ending(key) !== undefined
