/**
 * What a soak did and found: a cell for each operation and fault, broken invariants, and measurements.
 */

/** A broken invariant. */
export interface Violation {
  readonly invariant: string
  readonly detail: string
  /** Seconds since the start. */
  readonly at: number
}

/** Measured values of one kind. */
interface Samples {
  readonly name: string
  readonly values: Array<number>
}

/** The report of one soak. */
export class Report {
  readonly #started = performance.now()
  readonly #cells = new Map<string, number>()
  readonly #answers = new Map<string, number>()
  readonly violations: Array<Violation> = []
  readonly notes: Array<string> = []
  readonly #samples = new Map<string, Samples>()
  /** Episodes that another fault disturbed; they are not counted in a cell. */
  disturbed = 0

  /** Seconds since the start. */
  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  /** Counts an episode. */
  count(operation: string, fault: string, answer: string): void {
    const cell = `${operation}\t${fault}`
    this.#cells.set(cell, this.times(operation, fault) + 1)
    const how = `${fault}: ${answer}`
    this.#answers.set(how, (this.#answers.get(how) ?? 0) + 1)
  }

  /** Returns how often an operation met a fault. */
  times(operation: string, fault: string): number {
    return this.#cells.get(`${operation}\t${fault}`) ?? 0
  }

  /** Records a broken invariant. */
  broken(invariant: string, detail: string): void {
    this.violations.push({ invariant, detail, at: Math.round(this.seconds) })
    process.stderr.write(`broken: ${invariant}: ${detail}\n`)
  }

  /** Records a measured value. */
  sample(name: string, value: number): void {
    const samples = this.#samples.get(name) ?? { name, values: [] }
    samples.values.push(value)
    this.#samples.set(name, samples)
  }

  /** Returns the report as data. */
  data(operations: ReadonlyArray<string>, faults: ReadonlyArray<string>, more: object) {
    const quantile = (sorted: ReadonlyArray<number>, q: number) => sorted[Math.floor((sorted.length - 1) * q)] ?? 0
    return {
      ...more,
      seconds: Math.round(this.seconds),
      cells: Object.fromEntries(
        operations.map((operation) => [
          operation,
          Object.fromEntries(faults.map((fault) => [fault, this.times(operation, fault)]))
        ])
      ),
      answers: Object.fromEntries([...this.#answers].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      disturbed: this.disturbed,
      milliseconds: Object.fromEntries(
        [...this.#samples.values()].map(({ name, values }) => {
          const sorted = values.toSorted((a, b) => a - b)
          const at = (q: number) => Math.round(quantile(sorted, q))
          return [name, { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }]
        })
      ),
      notes: this.notes,
      violations: this.violations
    }
  }

  /** Formats the cells as a table. */
  table(operations: ReadonlyArray<string>, faults: ReadonlyArray<string>): string {
    const width = Math.max(...operations.map(({ length }) => length))
    const head = ["".padEnd(width), ...faults].join("  ")
    const rows = operations.map((operation) =>
      [
        operation.padEnd(width),
        ...faults.map((fault) => String(this.times(operation, fault)).padStart(fault.length))
      ].join("  ")
    )
    return [head, ...rows].join("\n")
  }
}
