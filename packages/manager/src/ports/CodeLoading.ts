/**
 * How code is loaded that a manager does not need at its start. The machine may have to prepare for it, and to keep what was compiled.
 */
import * as Context from "effect/Context"

/** Runs an import. */
export type Load = <A>(part: () => Promise<A>) => Promise<A>

/** How code is loaded; by default by the import alone. */
export const CodeLoading = Context.Reference<Load>("@sigtrap/manager/CodeLoading", {
  defaultValue: () => (part) => part()
})
