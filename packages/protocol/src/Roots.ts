/**
 * The rule `policy.roots`: files must be in one of these directories. Callers resolve symbolic links first.
 */
import { Policy } from "./Errors.ts"

/** True if a path is one of the directories or inside of one. All paths are absolute and without symbolic links. */
export const contain = (roots: ReadonlyArray<string>, path: string, separator = "/"): boolean =>
  roots.some((root) => path === root || path.startsWith(root.endsWith(separator) ? root : `${root}${separator}`))

/** Returns the error for a file outside of the configured directories. */
export const refusal = (roots: ReadonlyArray<string>, file: string): Policy =>
  new Policy({ rule: "roots", what: `${file}, which is outside of ${roots.join(", ")},` })
