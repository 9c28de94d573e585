/**
 * What was read of open values, by path. It outlives the rows that show it: rows that get another place are drawn anew, and what is
 * inside of them must neither go nor be read again for it.
 */
import { type Signal, signal } from "@preact/signals"
import { useLayoutEffect, useMemo } from "preact/hooks"
import type { Report, Value } from "../../connection/Answers.ts"
import { forgetMembers } from "../../session/values/ReadMembers.ts"
import type { SessionView } from "../../session/SessionView.ts"

/** A reading of members: of which reference, at which stop and report, and whether its answer came. */
interface Asked {
  readonly ref: string | undefined
  readonly stop: number
  readonly report: Report | undefined
  answered: boolean
}

/** The members of an open value that were read. */
export interface MemberPages {
  readonly read: Signal<ReadonlyArray<Value>>
  readonly problem: Signal<string | undefined>
  readonly total: Signal<number | undefined>
  /** The number of members that came with the value which was read. */
  readonly counted: Signal<number | undefined>
  readonly first: Signal<number>
  readonly loading: Signal<boolean>
  /** The reference of `read`. */
  readonly readBy: Signal<string | undefined>
  /** What was asked for last. */
  asked: Asked | undefined
  reading: AbortController
  /** The heights in pixels of the blocks of elements that are far from what is visible, by their number. */
  readonly far: Map<number, number>
  /** How many components show it. */
  users: number
}

const known = new Map<string, MemberPages>()

const pagesOf = (key: string, value: Value): MemberPages => {
  const found = known.get(key)
  if (found !== undefined) return found
  const made: MemberPages = {
    read: signal(value.children ?? []),
    problem: signal(undefined),
    total: signal(value.child_count),
    counted: signal(value.child_count),
    first: signal(0),
    loading: signal(false),
    readBy: signal(value.ref),
    asked: undefined,
    reading: new AbortController(),
    far: new Map(),
    users: 0
  }
  known.set(key, made)
  return made
}

/** Returns what was read of a value, until it is closed. `variable` is its name if it is a variable of the shown frame. */
export const useMemberPages = (
  view: SessionView,
  path: string,
  value: Value,
  variable: string | undefined
): MemberPages => {
  const key = `${view.session.id}\n${path}`
  const pages = useMemo(() => pagesOf(key, value), [key])
  useLayoutEffect(() => {
    pages.users += 1
    return () => {
      pages.users -= 1
      // Another component that shows it may be drawn in the same turn.
      queueMicrotask(() => {
        if (pages.users > 0 || known.get(key) !== pages) return
        pages.reading.abort()
        known.delete(key)
        if (variable !== undefined) forgetMembers(view, variable)
      })
    }
  }, [pages, view, variable])
  return pages
}
