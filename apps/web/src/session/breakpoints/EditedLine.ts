/**
 * The line whose breakpoint is edited. The source does not follow the stops until the editor is closed.
 */
import { computed, signal } from "@preact/signals"
import { follow } from "../Preferences.ts"

/** The file and the line; undefined while no breakpoint is edited. */
export const editedLine = signal<{ readonly file: string; readonly line: number } | undefined>(undefined)

/** True while the view moves to each stop: following is on, and no breakpoint is edited. */
export const followsStops = computed(() => follow.value && editedLine.value === undefined)
