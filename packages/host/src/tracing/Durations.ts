/**
 * The durations of calls since the last request to a collector, as an OTLP histogram for each operation and result.
 */
import type { Attribute } from "./SpanDocument.ts"

/** Upper bounds of the buckets, in milliseconds. */
const bounds = [1, 5, 10, 50, 100, 500, 1000, 5000, 30_000]

/** Operations and results that are counted apart; further ones are left out. */
const maxSeries = 500

interface Series {
  readonly operation: string
  readonly code: string
  readonly counts: Array<number>
  sum: number
  count: number
}

/** Durations of calls. */
export class Durations {
  #series = new Map<string, Series>()
  #since: bigint

  /** `now`: nanoseconds since 1970. */
  constructor(now: bigint) {
    this.#since = now
  }

  /** Adds a call that took `millis`; `code` is "OK" or the code of its error. */
  add(operation: string, code: string, millis: number): void {
    const key = `${operation} ${code}`
    let series = this.#series.get(key)
    if (series === undefined) {
      if (this.#series.size >= maxSeries) return
      series = { operation, code, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0, count: 0 }
      this.#series.set(key, series)
    }
    const found = bounds.findIndex((bound) => millis <= bound)
    const bucket = found === -1 ? bounds.length : found
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += millis
    series.count += 1
  }

  /** Returns the metric of the calls since the last time; undefined if there are none. */
  take(now: bigint): object | undefined {
    const since = this.#since
    this.#since = now
    if (this.#series.size === 0) return undefined
    const all = [...this.#series.values()]
    this.#series = new Map()
    const attribute = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } })
    return {
      name: "sigtrap.call.duration",
      description: "Duration of calls, waiting for the program included",
      unit: "ms",
      histogram: {
        // The values since the last request (delta temporality).
        aggregationTemporality: 1,
        dataPoints: all.map(({ code, count, counts, operation, sum }) => ({
          attributes: [attribute("sigtrap.operation", operation), attribute("sigtrap.result", code)],
          startTimeUnixNano: String(since),
          timeUnixNano: String(now),
          count: String(count),
          sum,
          bucketCounts: counts.map(String),
          explicitBounds: bounds
        }))
      }
    }
  }
}
