/** The operations that run through both backends, and the parts of their answers that are compared. */
import type { Operations } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import type { Debugging } from "../support/fixturePrograms.ts"

/** One question. */
export interface Step {
  readonly label: string
  readonly ask: (debugging: Debugging) => Effect.Effect<unknown>
}

/** A program, how it is started, and what is asked of it in order. */
export interface Scenario {
  readonly name: string
  /** A fixture; or the text of a program in C or C++. */
  readonly program: string | { readonly source: string; readonly language: "c" | "cpp" }
  readonly start: Partial<Operations.PayloadInput<"start">>
  readonly steps: ReadonlyArray<Step>
}

/** Fields that tell of one run, of the debugger or in its words. */
const particular = new Set([
  "backend",
  "adapter",
  "session",
  "elapsed_ms",
  "time",
  "age_s",
  "uptime_s",
  "since",
  "idle_s",
  "pid",
  "os_id",
  // Numbers of events: lldb-dap tells more of what it does.
  "seq",
  "next",
  // How a pipe was read, in one piece or several.
  "entries",
  "recent_output",
  // Which of two pipes was read last.
  "tail",
  "detail",
  "message",
  "hint",
  "raw_reason",
  "remedy"
])

/** Threads and references by whether they are there, addresses without their digits. */
const text = (value: string): string =>
  value
    .replace(/^@[a-z]\d+$/, "@")
    .replace(/^Thread \d+/, "Thread")
    .replace(/0x[0-9a-f]{5,16}\b/g, (one) => (/^0x0{4,}/.test(one) ? one : "0x…"))

/** What of an answer is compared: the model, without what is particular to a run. */
export const comparable = (value: unknown, thread = false): unknown => {
  if (typeof value === "string") return text(value)
  if (typeof value === "number") return thread ? "a thread" : value
  if (Array.isArray(value)) return value.map((one) => comparable(one, thread))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => !particular.has(key) && one !== undefined)
      .map(([key, one]) => {
        const isThread =
          key === "thread" ||
          key === "threads" ||
          key === "other_threads" ||
          key === "known" ||
          (thread && key === "id")
        return [key, comparable(one, isThread)]
      })
  )
}

/** Asks for an operation; a failure is an answer too, by its kind and fields. */
export const ask = <T extends Operations.Tag>(tag: T, input: Operations.PayloadInput<T>): Step => ({
  label: `${tag} ${JSON.stringify(input)}`,
  ask: ({ call }) =>
    Effect.map(Effect.result(call(tag, input)), (result) =>
      Result.isSuccess(result) ? result.success : { failure: { ...result.failure } }
    )
})

/** Whether a value ends in `...}`, or after an address, where the other has more. */
const isCut = (cut: unknown, whole: unknown) =>
  typeof cut === "string" &&
  typeof whole === "string" &&
  ((cut.endsWith("...}") && whole.startsWith(cut.slice(0, -"...}".length))) || whole.startsWith(`${cut} {`))

/** Where two answers differ: paths, each with both values. */
export const differing = (left: unknown, right: unknown, path = ""): ReadonlyArray<string> => {
  // lldb-dap stops the summary of a structure after 10 ms, on a busy machine before its last members.
  if (Object.is(left, right) || isCut(left, right) || isCut(right, left)) return []
  const both = [left, right]
  if (
    both.every(Array.isArray) ||
    both.every((one) => typeof one === "object" && one !== null && !Array.isArray(one))
  ) {
    const [a, b] = both.map((one) => new Map<string, unknown>(Object.entries(Object(one))))
    const keys = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])
    return [...keys].flatMap((key) => differing(a?.get(key), b?.get(key), `${path}.${key}`))
  }
  const shown = both.map((one) => (one === undefined ? "-" : JSON.stringify(one).slice(0, 200)))
  return [`${path}: ${shown.join(" | ")}`]
}
