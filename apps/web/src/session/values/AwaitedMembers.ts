/**
 * The members of an open value until those of a new stop are read: as many as the value has now. Rows that come or go do so together
 * with the values of the stop, not when the members are read.
 */
import type { Value } from "../../connection/Answers.ts"

/** Members that are read at a time. */
export const pageSize = 100

/** What was read of a value: its members from `first` on, and how many it had. */
export interface ReadMembers {
  readonly values: ReadonlyArray<Value>
  readonly first: number
  /** How many members it has; undefined if the debugger does not say so. */
  readonly total: number | undefined
  /** The number that came with the value itself. It may not count what the debugger adds. */
  readonly counted: number | undefined
}

/** Returns how many members are read again, so that the list keeps its length: whole pages. */
export const readAgain = (shown: number): number => pageSize * Math.max(1, Math.ceil(shown / pageSize))

/** Returns the name of the member after another one, if the names are numbers. */
const nameAfter = (name: string): string => {
  const [, before = "", digits, after = ""] = /^(\[?)(\d{1,15})(\]?)$/.exec(name) ?? []
  return digits === undefined ? "" : `${before}${Number(digits) + 1}${after}`
}

/** Returns how many members a value has that now comes with another number; undefined if that is not known. */
export const awaitedTotal = ({ counted, first, total, values }: ReadMembers, now: number | undefined) =>
  counted === undefined || now === undefined ? total : Math.max(0, (total ?? first + values.length) + now - counted)

/** Returns the members to show until they are read: those of the stop before, without those that are gone, and new ones without a value. */
export const awaitedMembers = (read: ReadMembers, now: number | undefined): ReadonlyArray<Value> => {
  const { first, values } = read
  const total = awaitedTotal(read, now)
  if (total === undefined || read.counted === now) return values
  const count = Math.max(0, Math.min(total - first, readAgain(values.length)))
  const awaited = values.slice(0, count)
  while (awaited.length < count) awaited.push({ name: nameAfter(awaited.at(-1)?.name ?? ""), value: "" })
  return awaited
}
