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
}

/** The times of one candidate, in microseconds. */
interface Row {
  readonly name: string
  readonly min: number
  readonly median: number
  readonly p90: number
  readonly ratio?: number
  readonly target?: number
  /** Why the row is unreliable, if it is. */
  readonly doubt?: string
}

/** The rows of candidates measured together. */
export interface Table {
  readonly title: string
  readonly rounds: number
  readonly rows: ReadonlyArray<Row>
}

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" }) => void = runInNewContext("gc")

/** Returns the candidates in the order of a round, which is the same in every run. */
const shuffled = <A>(list: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  list
    .map((value, index) => ({ value, key: Math.imul(round * 31 + index + 101, 0x9e3779b1) >>> 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value)

/** The work of a floor is part of its candidates: if one is clearly faster than the floor, the measurement is wrong. */
const doubtful = (median: number, p90: number, ratio: number | undefined) => {
  if (p90 > 3 * median) return "too noisy"
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
    const ratio = floor === undefined ? undefined : median / quantile(sorted.get(floor) ?? [], 0.5)
    const doubt = doubtful(median, p90, beside === undefined ? ratio : undefined)
    return {
      name,
      min,
      median,
      p90,
      ...(doubt === undefined ? {} : { doubt }),
      ...(ratio === undefined ? {} : { ratio }),
      ...(target === undefined ? {} : { target })
    }
  })
  return { title, rounds, rows }
}

const time = (micros: number) => {
  if (micros >= 1000) return `${(micros / 1000).toFixed(micros >= 100_000 ? 0 : 1)} ms`
  return `${micros.toFixed(micros >= 10 ? 0 : 2)} µs`
}

/** Formats a table as Markdown. */
export const markdown = ({ title, rounds, rows }: Table): string => {
  const lines = rows.map(({ name, min, median, p90, ratio, target, doubt }) => {
    const times = [min, median, p90].map(time)
    const note = doubt ?? (ratio === undefined ? "floor" : target === undefined ? "" : `aim ≤ ${target}`)
    return `| ${[name, ...times, ratio === undefined ? "" : ratio.toFixed(2), note].join(" | ")} |`
  })
  return [
    `### ${title} (${rounds} rounds)`,
    "",
    "| | min | median | p90 | × floor | |",
    "| --- | ---: | ---: | ---: | ---: | --- |",
    ...lines,
    ""
  ].join("\n")
}
