/**
 * What a scenario remembers of a session under a name, and what has changed since: the variables of the innermost frame,
 * the stack, and the size of the output. Knows nothing of how these are asked for.
 */
import { Predicate } from "effect"
import type { Answered } from "./CommandLines.ts"

/** What is asked for a snapshot, in this order. */
export const questions: ReadonlyArray<ReadonlyArray<string>> = [
  ["status"],
  ["locals"],
  ["backtrace"],
  ["output", "--since", "0"]
]

/** A session at one moment. */
export interface Shot {
  readonly state: string
  readonly stop: number | undefined
  readonly values: { readonly [name: string]: string }
  readonly functions: ReadonlyArray<string>
  readonly output: number
}

interface Told {
  readonly exit: number
  readonly main: unknown
  readonly value: unknown
  readonly text: string
}

const part = (value: unknown, key: string): unknown => (Predicate.isReadonlyObject(value) ? value[key] : undefined)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A snapshot from the answers to the questions; what a session that does not stand cannot say is empty. */
export const make = ([status, locals, stack, output]: ReadonlyArray<Answered>): Shot => {
  const data = (answered: Answered | undefined, key: string) => part(answered?.doc["data"], key)
  const stop = status?.doc["stop"]
  return {
    state: String(data(status, "state") ?? "none"),
    stop: typeof stop === "number" ? stop : undefined,
    values: Object.fromEntries(
      list(data(locals, "variables")).map((one) => [String(part(one, "name")), String(part(one, "value"))])
    ),
    functions: list(data(stack, "frames")).map((frame) => String(part(frame, "function"))),
    output: String(data(output, "text") ?? "").length
  }
}

const compare = (from: Shot, to: Shot) => {
  const names = Object.keys(to.values).filter((name) => from.values[name] !== undefined)
  const changed = names.filter((name) => from.values[name] !== to.values[name])
  const pair = (name: string) => ({ name, old: from.values[name] ?? "", new: to.values[name] ?? "" })
  const vars = changed.map(pair)
  return {
    changed,
    unchanged: names.filter((name) => !changed.includes(name)),
    added: Object.keys(to.values).filter((name) => from.values[name] === undefined),
    removed: Object.keys(from.values).filter((name) => to.values[name] === undefined),
    vars,
    from: from.stop,
    to: to.stop,
    state: { old: from.state, new: to.state },
    stack_changed: from.functions.join("\n") !== to.functions.join("\n"),
    output_bytes: to.output - from.output,
    ...Object.fromEntries(vars.map(({ name, ...values }) => [name, { ...values, from: values.old, to: values.new }]))
  }
}

/** The snapshots of one scenario. */
export class Snapshots {
  readonly #shots = new Map<string, Shot>()
  #last = ""

  /** Remembers one, under the name of the last one's successor when it has none. */
  take(name: string | undefined, shot: Shot): Told {
    this.#last = name ?? `${this.#shots.size + 1}`
    this.#shots.set(this.#last, shot)
    return { exit: 0, main: this.#last, value: { name: this.#last, ...shot }, text: `snapshot ${this.#last}\n` }
  }

  /** What has changed from one snapshot, the last where none is named, to another, to now where none is named. */
  diff({ from, to }: { readonly from?: string; readonly to?: string }, now: Shot): Told {
    const known = [...this.#shots.keys()].join(", ") || "none"
    const before = this.#shots.get(from ?? this.#last)
    const after = to === undefined || to === "now" || to === "current" ? now : this.#shots.get(to)
    if (before === undefined || after === undefined) {
      const missing = before === undefined ? (from ?? "to compare with") : to
      return {
        exit: 2,
        main: undefined,
        value: { code: "USAGE" },
        text: `no snapshot ${missing}; there are: ${known}\n`
      }
    }
    const value = compare(before, after)
    const text = value.vars.map(({ name, new: is, old }) => `${name} ${old} -> ${is}\n`).join("")
    return { exit: 0, main: value.changed, value, text }
  }
}
