/**
 * Named snapshots of a session and their differences: the variables of the innermost frame, the stack, and the size of the
 * output.
 */
import type { Json } from "./CommandLines.ts"
import { list, part } from "./StepResult.ts"

/** The command lines whose answers make a snapshot, in this order. */
export const queries: ReadonlyArray<ReadonlyArray<string>> = [
  ["status"],
  ["locals"],
  ["backtrace"],
  ["output", "--since", "0"]
]

/** The state of a session at one moment. */
export interface Snapshot {
  readonly state: string
  readonly stop: number | undefined
  readonly values: { readonly [name: string]: string }
  readonly functions: ReadonlyArray<string>
  readonly output: number
}

/** The result of taking or comparing snapshots. */
interface SnapshotResult {
  readonly exit: number
  readonly main: unknown
  readonly value: unknown
  readonly text: string
}

/** Makes a snapshot from the answers to the queries. Parts that a running program does not have are empty. */
export const make = ([status, locals, stack, output]: ReadonlyArray<Json>): Snapshot => {
  const data = (answer: Json | undefined, key: string) => part(answer?.document["data"], key)
  const stop = status?.document["stop"]
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

const compare = (from: Snapshot, to: Snapshot) => {
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
  readonly #snapshots = new Map<string, Snapshot>()
  #last = ""

  /** Stores a snapshot; one without a name gets the next number. */
  take(name: string | undefined, snapshot: Snapshot): SnapshotResult {
    this.#last = name ?? `${this.#snapshots.size + 1}`
    this.#snapshots.set(this.#last, snapshot)
    return { exit: 0, main: this.#last, value: { name: this.#last, ...snapshot }, text: `snapshot ${this.#last}\n` }
  }

  /** Compares two snapshots. `from` defaults to the last snapshot, `to` to the current state. */
  diff({ from, to }: { readonly from?: string; readonly to?: string }, now: Snapshot): SnapshotResult {
    const known = [...this.#snapshots.keys()].join(", ") || "none"
    const before = this.#snapshots.get(from ?? this.#last)
    const after = to === undefined || to === "now" || to === "current" ? now : this.#snapshots.get(to)
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
