/**
 * The result of several runs: how often which failure occurred.
 */
import { type RunReport } from "@sigtrap/protocol"
import * as FailureSignature from "../../model/runs/FailureSignature.ts"

/** Most runs that an answer lists. */
const mostRecords = 1000

const rateOf = (failures: number, runs: number) => (runs === 0 ? 0 : Math.round((failures / runs) * 1e4) / 1e4)

/** Counts runs and failures. */
export const counted = (runs: number, failures: number) => ({ runs, failures, rate: rateOf(failures, runs) })

/** What a summary says beside the numbers. */
type Facts = Pick<RunReport.RunSummary, "by" | "native">

/** Counts the runs of one call. `onRun` is called with each run after it is counted. */
export class RunCount {
  readonly records: Array<RunReport.RunRecord> = []
  readonly #signatures = new Map<string, RunReport.Signature>()
  readonly #onRun: RunReport.OnRun
  #facts: Facts = { by: "debugger" }

  constructor(onRun: RunReport.OnRun = () => undefined) {
    this.#onRun = onRun
  }

  /** Notes what runs the program, and how often it failed without a debugger. */
  note(facts: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...facts }
  }

  /** Adds a run that has ended; with a signature it has failed. */
  add(record: RunReport.RunRecord, signature?: FailureSignature.FailureSignature): void {
    const added = signature === undefined ? record : { ...record, signature: signature.id }
    this.records.push(added)
    if (signature !== undefined) {
      const before = this.#signatures.get(signature.id)
      this.#signatures.set(signature.id, {
        ...signature,
        count: (before?.count ?? 0) + 1,
        first: Math.min(before?.first ?? record.n, record.n)
      })
    }
    this.#onRun(added, () => this.summary({ outcome: "interrupted" }))
  }

  /** Returns the id of a failure that was found, by its id or text. */
  idOf(wanted: string): string | undefined {
    return [...this.#signatures.values()].find((one) => FailureSignature.matches(one, wanted))?.id
  }

  /** Number of failures; with an id or a text those of this signature. */
  failures(wanted?: string): number {
    return [...this.#signatures.values()].reduce(
      (sum, one) => sum + (FailureSignature.matches(one, wanted) ? one.count : 0),
      0
    )
  }

  /** Returns the summary. */
  summary(rest: Pick<RunReport.RunSummary, "outcome"> & Partial<RunReport.RunSummary>): RunReport.RunSummary {
    const records = this.records.toSorted((one, other) => one.n - other.n)
    const ended = records.filter(({ outcome }) => outcome !== "time-out")
    const times = ended.map(({ ms }) => ms).toSorted((one, other) => one - other)
    return {
      ...counted(ended.length, this.failures()),
      signatures: [...this.#signatures.values()].toSorted(
        (one, other) => other.count - one.count || one.first - other.first
      ),
      median_ms: times[Math.floor(times.length / 2)] ?? 0,
      records: records.slice(-mostRecords),
      ...this.#facts,
      ...rest
    }
  }
}
