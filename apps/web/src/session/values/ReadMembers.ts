/**
 * The members of opened variables, as they were read last. The source shows them beside the variables.
 */
import { signal } from "@preact/signals"
import type { Value } from "../../connection/Answers.ts"
import type { Session } from "../Session.ts"

/** What shows the variables of a session. */
interface Shown {
  readonly session: Pick<Session, "id">
  /** True while a past stop is looked at. */
  readonly past: { readonly value: boolean }
}

/** What is inside a variable. `ref` is the reference that was read. */
interface Members {
  readonly ref: string | undefined
  readonly values: ReadonlyArray<Value>
}

const read = signal<ReadonlyMap<string, Members>>(new Map())

const keyOf = ({ session }: Shown, variable: string): string => `${session.id}\n${variable}`

/** Records the members of a variable of the shown frame. */
export const recordMembers = (view: Shown, variable: string, members: Members): void => {
  read.value = new Map(read.value).set(keyOf(view, variable), members)
}

/** Forgets the members of a variable: it was closed, or they cannot be read. */
export const forgetMembers = (view: Shown, variable: string): void => {
  const next = new Map(read.value)
  if (next.delete(keyOf(view, variable))) read.value = next
}

/** A variable with its members. `isOld` is true while they are those of an earlier reading. */
export interface OpenedVariable {
  readonly value: Value
  readonly members: ReadonlyArray<Value>
  readonly isOld: boolean
}

/** Returns variables with the members that were read; of a past stop with those that were kept of it. */
export const withMembers = (view: Shown, variables: ReadonlyArray<Value>): ReadonlyArray<OpenedVariable> =>
  variables.map((value) => {
    if (view.past.value) return { value, members: value.children ?? [], isOld: false }
    const known = read.value.get(keyOf(view, value.name))
    return { value, members: known?.values ?? [], isOld: known !== undefined && known.ref !== value.ref }
  })
