/**
 * Names of the program that are similar to a name which was not found, for errors and warnings. A search that fails or
 * takes more than a second finds none.
 */
import { Expression } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Connection } from "../ports/Backend.ts"

/** What is asked of the debugger. */
type Names = Pick<Connection["inspection"], "functionNames" | "files">

/** Number of first letters that a similar function shares. */
const shared = 3

/** Longest time of a search, in milliseconds. */
export const searchWithin = 1000

/** The last part of a path. */
export const baseName = (file: string) => file.split(/[/\\]/).at(-1) ?? file

const bounded = <E>(names: Effect.Effect<ReadonlyArray<string>, E>): Effect.Effect<ReadonlyArray<string>> =>
  names.pipe(
    Effect.timeoutOption(searchWithin),
    Effect.map(Option.getOrElse((): ReadonlyArray<string> => [])),
    Effect.catch(() => Effect.succeed([]))
  )

/** Returns functions of the program with the same first letters, or with their second and third letter swapped. */
export const functions = ({ functionNames }: Names, name: string): Effect.Effect<ReadonlyArray<string>> => {
  const [first = "", second = "", third = ""] = name
  const swapped = `${first}${third}${second}`
  const near = (start: string) => Effect.map(functionNames(start), (known) => Expression.nearest(name, known))
  return bounded(
    Effect.flatMap(near(name.slice(0, shared)), (found) =>
      found.length > 0 || third === "" || swapped === name.slice(0, shared) ? Effect.succeed(found) : near(swapped)
    )
  )
}

/** Returns source files of the program with similar names; none if one has the same name. */
export const files = ({ files: all }: Names, file: string): Effect.Effect<ReadonlyArray<string>> =>
  bounded(
    Effect.map(all, (paths) => {
      const known = paths.map(baseName)
      const name = baseName(file)
      return known.includes(name) ? [] : Expression.nearest(name, known)
    })
  )
