/**
 * The range of a value over the stops: its extremes, and the first and the last stop.
 */

/** A stop and the number that the value was there. */
export type Point = readonly [stop: number, number: number]

/** The range of some points. `low` and `high` are the first ones that have these numbers. */
export interface ValueRange {
  readonly low: Point
  readonly high: Point
  readonly first: number
  readonly last: number
}

/** Returns the range of points in the order of their stops; undefined without any. */
export const rangeOf = (points: ReadonlyArray<Point>): ValueRange | undefined => {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return undefined
  return {
    low: points.reduce((least, one) => (one[1] < least[1] ? one : least)),
    high: points.reduce((most, one) => (one[1] > most[1] ? one : most)),
    first: first[0],
    last: last[0]
  }
}

/** Returns a number with 6 significant digits, for a narrow place. */
export const shortNumber = (number: number): string => String(Number(number.toPrecision(6)))

/** Returns a range in words: `from 0 to 30, stops 1 to 5`. */
export const rangeWords = ({ first, high, last, low }: ValueRange): string => {
  const numbers = low[1] === high[1] ? `always ${low[1]}` : `from ${low[1]} to ${high[1]}`
  return `${numbers}, stops ${first} to ${last}`
}
