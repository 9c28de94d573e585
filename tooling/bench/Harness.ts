// Compares candidates. They run interleaved, so that a slow phase of the machine affects all of them, and are reported as a
// ratio to a floor, because absolute times differ between machines. The order changes with each round, and young garbage is
// collected before each sample: otherwise a candidate pays for the garbage of the one before it. A full collection is not run:
// it slows down the next sample, threefold in the codec.
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** A candidate. `run` does the work `times` times (default 1); the reported time is that of one. */
export interface Candidate {
  readonly name: string
  readonly run: () => void | Promise<void>
  readonly times?: number
  /** The name of the floor of this candidate; the floor itself has none. */
  readonly floor?: string
  /** The name of an alternative that may be slower. */
  readonly beside?: string
  /** The target: the largest accepted ratio to the floor. */
  readonly target?: number
  /** The target in microseconds. */
  readonly limit?: number
}

/** What the values of a row are: microseconds, MB, bytes or a number. */
export type Unit = "time" | "MB" | "bytes" | "count"

/** The values of one candidate. */
export interface Row {
  readonly name: string
  readonly min: number
  readonly median: number
  readonly p90: number
  /** Only of single calls. */
  readonly p99?: number
  /** Default: `time`. */
  readonly unit?: Unit
  /** The median, as a multiple of the floor's. */
  readonly ratio?: number
  /** The minimum, as a multiple of the floor's: it counts if the row is too noisy. */
  readonly leastRatio?: number
  /** The target: the largest accepted ratio to the floor. */
  readonly target?: number
  /** The target as a value of the row, in its unit. */
  readonly limit?: number
  /** The target for `p99`, in the unit of the row. */
  readonly limit99?: number
  /** Why the row is unreliable, if it is. */
  readonly doubt?: string
}

/** The rows of candidates measured together. */
export interface Table {
  readonly title: string
  readonly rounds: number
  readonly rows: ReadonlyArray<Row>
  /** Facts besides the rows, one sentence each. */
  readonly notes?: ReadonlyArray<string>
}

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" }) => void = runInNewContext("gc")

/** Returns the candidates in the order of a round, which is the same in every run. */
const shuffled = <A>(list: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  list
    .map((value, index) => ({ value, key: Math.imul(round * 31 + index + 101, 0x9e3779b1) >>> 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value)

const noisy = "too noisy"

/** The doubt of rows that were measured while other programs kept the processors busy. */
const busy = "busy machine"

/** The work of a floor is part of its candidates: if one is clearly faster than the floor, the measurement is wrong. */
const doubtful = (median: number, p90: number, ratio: number | undefined) => {
  if (p90 > 3 * median) return noisy
  return ratio !== undefined && ratio < 0.9 ? "below its floor: measured wrongly" : undefined
}

const quantile = (sorted: ReadonlyArray<number>, q: number) => sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN

/** Runs every candidate `warmup` and then `rounds` times, interleaved. */
export const measure = async (
  title: string,
  candidates: ReadonlyArray<Candidate>,
  { rounds = 40, warmup = 5 }: { readonly rounds?: number; readonly warmup?: number } = {}
): Promise<Table> => {
  const samples = new Map<string, Array<number>>(candidates.map(({ name }) => [name, []]))
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run, times = 1 } of shuffled(candidates, round)) {
      collect({ type: "minor" })
      const start = performance.now()
      await run()
      if (round >= 0) samples.get(name)?.push(((performance.now() - start) * 1000) / times)
    }
  }
  const sorted = new Map([...samples].map(([name, list]) => [name, list.toSorted((a, b) => a - b)]))
  const rows = candidates.map(({ name, beside, floor = beside, target }): Row => {
    const own = sorted.get(name) ?? []
    const [min, median, p90] = [quantile(own, 0), quantile(own, 0.5), quantile(own, 0.9)]
    const base = floor === undefined ? undefined : (sorted.get(floor) ?? [])
    const ratio = base === undefined ? undefined : median / quantile(base, 0.5)
    const doubt = doubtful(median, p90, beside === undefined ? ratio : undefined)
    return {
      name,
      min,
      median,
      p90,
      ...(doubt === undefined ? {} : { doubt }),
      ...(base === undefined || ratio === undefined ? {} : { ratio, leastRatio: min / quantile(base, 0) }),
      ...(target === undefined ? {} : { target })
    }
  })
  return { title, rounds, rows }
}

/** Returns the ratios of a row to its floor. */
export const ratiosTo = (
  row: Pick<Row, "min" | "median">,
  floor: Pick<Row, "min" | "median"> | undefined
): Pick<Row, "ratio" | "leastRatio"> =>
  floor === undefined ? {} : { ratio: row.median / floor.median, leastRatio: row.min / floor.min }

/** Returns the values of a list as a row. */
export const rowOf = (name: string, values: ReadonlyArray<number>, more: Partial<Row> = {}): Row => {
  const sorted = values.toSorted((a, b) => a - b)
  const [min, median, p90] = [quantile(sorted, 0), quantile(sorted, 0.5), quantile(sorted, 0.9)]
  const doubt = doubtful(median, p90, undefined)
  return { name, min, median, p90, ...(doubt === undefined ? {} : { doubt }), ...more }
}

/** Measures single calls: each candidate is called `calls` times in each round. The first rounds only warm up. */
export const latencies = async (
  title: string,
  candidates: ReadonlyArray<Candidate>,
  {
    calls = 50,
    rounds = 40,
    warmup = 20
  }: { readonly calls?: number; readonly rounds?: number; readonly warmup?: number } = {}
): Promise<Table> => {
  const samples = new Map<string, Array<number>>(candidates.map(({ name }) => [name, []]))
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of shuffled(candidates, round)) {
      collect({ type: "minor" })
      for (let call = 0; call < calls; call++) {
        const start = performance.now()
        await run()
        if (round >= 0) samples.get(name)?.push((performance.now() - start) * 1000)
      }
    }
  }
  const plain = new Map(candidates.map(({ name }) => [name, rowOf(name, samples.get(name) ?? [])]))
  const rows = candidates.map(({ name, beside, floor = beside, limit, target }): Row => {
    const own = samples.get(name) ?? []
    const p99 = quantile(
      own.toSorted((a, b) => a - b),
      0.99
    )
    return rowOf(name, own, {
      p99,
      ...ratiosTo(plain.get(name) ?? rowOf(name, []), floor === undefined ? undefined : plain.get(floor)),
      ...(limit === undefined ? {} : { limit }),
      ...(target === undefined ? {} : { target })
    })
  })
  return { title, rounds: rounds * calls, rows }
}

const time = (micros: number) => {
  if (micros >= 1000) return `${(micros / 1000).toFixed(micros >= 100_000 ? 0 : 1)} ms`
  return `${micros.toFixed(micros >= 10 ? 0 : 2)} µs`
}

const bytes = (count: number) => (count >= 10_000 ? `${(count / 1024).toFixed(0)} KiB` : `${count.toFixed(0)} bytes`)

/** Formats a value of a row. */
export const shown = (value: number, unit: Unit = "time"): string => {
  if (unit === "time") return time(value)
  if (unit === "bytes") return bytes(value)
  return `${value.toFixed(Number.isInteger(value) ? 0 : 1)}${unit === "MB" ? " MB" : ""}`
}

/** Marks the times of a table that was measured on a busy machine. */
export const onBusyMachine = (table: Table): Table => ({
  ...table,
  rows: table.rows.map((row) => ((row.unit ?? "time") === "time" ? { ...row, doubt: row.doubt ?? busy } : row))
})

/** Returns the ratio and the value that count: those of the minima if a row is too noisy or the machine was busy. */
export const counted = ({ doubt, leastRatio, median, min, ratio }: Row) =>
  doubt === noisy || doubt === busy ? { ratio: leastRatio ?? ratio, value: min } : { ratio, value: median }

/** True if a row misses its target. */
export const isMissed = (row: Row): boolean => {
  const { limit, limit99, p99 = 0, target } = row
  const { ratio, value } = counted(row)
  return (
    (target !== undefined && ratio !== undefined && ratio > target) ||
    (limit !== undefined && value > limit) ||
    (limit99 !== undefined && row.doubt === undefined && p99 > limit99)
  )
}

const aim = ({ limit, limit99, target, unit }: Row): string =>
  [
    target === undefined ? [] : `aim ≤ ${target} ×`,
    limit === undefined ? [] : `aim ≤ ${shown(limit, unit)}`,
    limit99 === undefined ? [] : `aim of p99 ≤ ${shown(limit99, unit)}`
  ]
    .flat()
    .join(", ")

const noteOf = (row: Row): string =>
  [row.doubt ?? [], aim(row) === "" ? [] : aim(row), isMissed(row) ? "**missed**" : []].flat().join(", ")

/** Formats a table as Markdown. */
export const markdown = ({ title, rounds, rows, notes = [] }: Table): string => {
  const hasP99 = rows.some(({ p99 }) => p99 !== undefined)
  const hasRatio = rows.some(({ ratio }) => ratio !== undefined)
  const lines = rows.map((row) => {
    const { leastRatio, min, median, name, p90, p99, ratio, unit } = row
    const values = [min, median, p90].map((value) => shown(value, unit))
    const last = hasP99 ? [p99 === undefined ? "" : shown(p99, unit)] : []
    const ratios = hasRatio ? [ratio, leastRatio].map((value) => value?.toFixed(2) ?? "") : []
    return `| ${[name, ...values, ...last, ...ratios, noteOf(row)].join(" | ")} |`
  })
  const columns = ["min", "median", "p90"]
    .concat(hasP99 ? ["p99"] : [])
    .concat(hasRatio ? ["× floor", "of minima"] : [])
  return [
    `### ${title} (${rounds} rounds)`,
    "",
    `| | ${columns.join(" | ")} | |`,
    `| --- | ${columns.map(() => "---:").join(" | ")} | --- |`,
    ...lines,
    "",
    ...(notes.length === 0 ? [] : [...notes, ""])
  ].join("\n")
}
