/**
 * What values were before the page set them, at the shown stop. The debugger compares values with those of the stop before only.
 */
import { signal } from "@preact/signals"
import type { SessionView } from "../SessionView.ts"

/** The frame of a value, as a command line names it. */
interface Frame {
  readonly words: string
}

/** Values before they were set, by session, stop, frame and expression. */
const before = signal<ReadonlyMap<string, string>>(new Map())

/** Most values that are kept. */
const mostKept = 100

const keyOf = (view: SessionView, { words }: Frame, expression: string): string =>
  [view.session.id, view.reportStop.value, words, expression].join("\n")

/** Records that a value is set. The first value of a stop is kept. */
export const noteSet = (view: SessionView, frame: Frame, expression: string, old: string): void => {
  const key = keyOf(view, frame, expression)
  if (!before.value.has(key)) before.value = new Map([...before.value, [key, old] as const].slice(-mostKept))
}

/** Returns what a value was before it was set at the shown stop; undefined if it was not set, or is again what it was. */
export const wasBeforeSet = (
  view: SessionView,
  frame: Frame,
  expression: string | undefined,
  value: string
): string | undefined => {
  const old = expression === undefined ? undefined : before.value.get(keyOf(view, frame, expression))
  return old === value ? undefined : old
}
