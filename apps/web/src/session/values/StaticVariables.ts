/**
 * The static and global variables of the files of a session, as the page read them at each stop.
 */
import type { Value } from "../../connection/Answers.ts"
import type { Session } from "../Session.ts"

/** The variables of a file at a stop. `total` counts also those that were not read. */
export interface StaticReading {
  readonly file: string
  readonly stop: number
  readonly values: ReadonlyArray<Value>
  readonly total: number
}

/** Most readings that are kept. */
const mostReadings = 500

/**
 * Returns values by the keys of their rows. Two functions of a file may have a static variable of the same name: the second one has
 * another key.
 */
export const keyed = (values: ReadonlyArray<Value>): ReadonlyMap<string, Value> => {
  const found = new Map<string, Value>()
  for (const value of values) {
    let key = value.name
    for (let place = 2; found.has(key); place++) key = `${value.name} ${place}`
    found.set(key, value)
  }
  return found
}

/** Returns values with what they were in an earlier reading. */
const compared = (values: ReadonlyArray<Value>, before: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const known = keyed(before)
  return [...keyed(values)].map(([key, value]) => {
    const old = known.get(key)?.value
    return old === undefined || old === value.value ? value : { ...value, changed: true, old }
  })
}

/** Returns values in the order of an earlier reading; new ones follow by name, as a debugger has no order of its own. */
const inOrder = (values: ReadonlyArray<Value>, before: ReadonlyArray<Value>): ReadonlyArray<Value> => {
  const places = new Map([...keyed(before).keys()].map((key, place) => [key, place]))
  const placeOf = (key: string) => places.get(key) ?? before.length
  return [...keyed(values)]
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b) || a.localeCompare(b, "en", { numeric: true }))
    .map(([, value]) => value)
}

/** The readings of one session. Those of an earlier run of the program are shown, but nothing is compared with them. */
export class StaticVariables {
  #readings: ReadonlyArray<StaticReading & { readonly run: number }> = []
  readonly #absent = new Map<string, number>()

  /** Records a reading. A file without variables is not read again in this run. */
  record(reading: StaticReading, run: number): void {
    if (reading.total === 0) this.#absent.set(reading.file, run)
    const { file, stop } = reading
    const last = this.#readings.findLast((one) => one.file === file)
    const values = inOrder(reading.values, last?.values ?? [])
    const others = this.#readings.filter((one) => one.file !== file || one.stop !== stop)
    this.#readings = [...others, { ...reading, values, run }].slice(-mostReadings)
  }

  /** Notes that the variables of a file cannot be read in this run. */
  refuse(file: string, run: number): void {
    this.#absent.set(file, run)
  }

  /** True unless the file has no variables in this run, or they cannot be read. */
  mayHave(file: string, run: number): boolean {
    return this.#absent.get(file) !== run
  }

  /** Returns the variables of a file at a stop, with what they were when they were read before. */
  at(file: string, stop: number): StaticReading | undefined {
    const of = this.#readings.filter((one) => one.file === file)
    const found = of.find((one) => one.stop === stop)
    if (found === undefined) return undefined
    const before = of.filter((one) => one.stop < stop && one.run === found.run)
    const last = before.reduce<StaticReading | undefined>(
      (a, b) => (a !== undefined && a.stop > b.stop ? a : b),
      undefined
    )
    return last === undefined ? found : { ...found, values: compared(found.values, last.values) }
  }

  /** True if a file may have variables that were not read at a stop. */
  wasNotRead(file: string): boolean {
    const of = this.#readings.filter((one) => one.file === file)
    return of.length === 0 ? !this.#absent.has(file) : of.some(({ total }) => total > 0)
  }
}

const all = new WeakMap<Session, { readonly id: string; readonly variables: StaticVariables }>()

/** Returns the readings of a session. Those of a daemon that was killed are dropped. */
export const staticsOf = (session: Session): StaticVariables => {
  const known = all.get(session)
  if (known?.id === session.id) return known.variables
  const variables = new StaticVariables()
  all.set(session, { id: session.id, variables })
  return variables
}

/** Returns the process of the program, which is another one in each run. Events cannot tell runs apart: the older ones arrive later. */
export const runOf = ({ snapshot }: Pick<Session, "snapshot">): number => snapshot.peek().pid ?? 0

/**
 * Returns a value under the name that its file has for it: LLDB writes `::` before those outside of namespaces, and the hash of the crate
 * after those of Rust.
 */
export const withPlainName = (value: Value): Value => {
  const name = value.name.replace(/^::/, "").replace(/::h[0-9a-f]{16}$/, "")
  return name === value.name ? value : { ...value, name, expression: value.expression ?? value.name }
}
