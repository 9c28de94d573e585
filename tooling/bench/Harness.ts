// Measures candidates against each other: interleaved, so that a slow moment of the machine falls on all of them, and as a ratio to
// the floor they are compared with, because absolute times do not travel between machines. The order changes with each round and
// young garbage is collected before each sample: otherwise a candidate pays for what the one before it left behind. A full
// collection would be wrong the other way: it slows down what runs next, threefold in the codec.
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** One way of doing the work. `run` does it `times` times (once unless said); the reported time is of one. */
export interface Candidate {
  readonly name: string
  readonly run: () => void | Promise<void>
  readonly times?: number
  /** The name of the candidate that this one is compared with; the floor itself has none. */
  readonly floor?: string
  /** The name of a candidate that does the same in another way, and may be slower. */
  readonly beside?: string
  /** The largest ratio to the floor that is aimed at. */
  readonly target?: number
}

/** What was measured of one candidate, in microseconds. */
interface Row {
  readonly name: string
  readonly min: number
  readonly median: number
  readonly p90: number
  readonly ratio?: number
  readonly target?: number
  /** Why the row is not to be trusted, if it is not. */
  readonly doubt?: string
}

/** The rows of candidates that were measured together. */
export interface Table {
  readonly title: string
  readonly rounds: number
  readonly rows: ReadonlyArray<Row>
}

setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" }) => void = runInNewContext("gc")

/** The candidates in an order of the round's own, the same in every run. */
const shuffled = <A>(list: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  list
    .map((value, index) => ({ value, key: Math.imul(round * 31 + index + 101, 0x9e3779b1) >>> 0 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ value }) => value)

/** A floor is work that its candidates cannot avoid: one that is clearly faster means that the measurement is wrong. */
const doubtful = (median: number, p90: number, ratio: number | undefined) => {
  if (p90 > 3 * median) return "too noisy"
  return ratio !== undefined && ratio < 0.9 ? "below its floor: measured wrongly" : undefined
}

const quantile = (sorted: ReadonlyArray<number>, q: number) => sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN

/** Runs every candidate `warmup` and then `rounds` times, in turn. */
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

/** A table as Markdown. */
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
