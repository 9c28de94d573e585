/**
 * The directory of a command line: that of the client, or the one that `-C` names, which must exist.
 */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { Errors, Hint } from "@sigtrap/protocol"
import { Effect, Predicate } from "effect"

const refused = (problem: string) =>
  new Errors.Usage({ problem, near: [], remedies: [Hint.remedy("give -C an existing directory")] })

const reason = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : String(error)

/** Returns the directory that `-C` names, relative to the client's; the client's own if it is absent. */
export const of = (directory: string, named: string | undefined): Effect.Effect<string, Errors.Usage> => {
  if (named === undefined) return Effect.succeed(directory)
  const path = resolve(directory, named)
  return Effect.tryPromise({ try: () => stat(path), catch: reason }).pipe(
    Effect.mapError((code) =>
      refused(code === "ENOENT" ? `-C: no directory ${path}` : `-C: cannot use ${path}: ${code}`)
    ),
    Effect.flatMap((found) =>
      found.isDirectory() ? Effect.succeed(path) : Effect.fail(refused(`-C: ${path} is not a directory`))
    )
  )
}
