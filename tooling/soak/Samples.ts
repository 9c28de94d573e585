/** Measured values over the time of a soak. */

const median = (list: ReadonlyArray<number>) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

/** Values with their times. */
export class Samples {
  readonly #values: Array<readonly [seconds: number, value: number]> = []

  /** Adds a value, if there is one. */
  add(seconds: number, value: number | undefined): void {
    if (value !== undefined) this.#values.push([seconds, value])
  }

  #third(end: number, index: number): ReadonlyArray<number> {
    const [from, to] = [(end * index) / 3, (end * (index + 1)) / 3]
    return this.#values.filter(([at]) => at >= from && at < to).map(([, value]) => value)
  }

  /** Returns the median of each third of a time: sessions come and go, so single values differ. */
  thirds(end: number): ReadonlyArray<number> {
    return [0, 1, 2].map((index) => median(this.#third(end, index)))
  }

  /** Returns the growth from the middle third to the last; nothing if one of them has no value. */
  growth(end: number): number | undefined {
    const [, middle = 0, last = 0] = this.thirds(end)
    return middle === 0 || last === 0 ? undefined : last - middle
  }
}
