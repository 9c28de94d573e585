/**
 * The YAML documents of a file, read in time that is linear in its size. The checks of the library for repeated keys and its
 * texts for errors need quadratic time, so both are made here.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { type Document, isScalar, LineCounter, parseAllDocuments, visit } from "yaml"

/** Maximum number of mistakes that are named for one scenario. */
const maxProblems = 20

/** Most levels of lists and mappings in a document, aliases expanded. */
const maxLevels = 100

/** Maximum number of repeats of a value by aliases. */
const maxAliases = 100

/** Returns the first mistakes and the number of further ones. */
export const shortened = (problems: ReadonlyArray<string>): ReadonlyArray<string> =>
  problems.length > maxProblems
    ? [...problems.slice(0, maxProblems), `${problems.length - maxProblems} more`]
    : problems

/** True if a value has more levels than allowed. A value that contains itself has. */
const isTooDeep = (value: unknown, levels = maxLevels): boolean => {
  const items = Array.isArray(value) ? value : Predicate.isReadonlyObject(value) ? Object.values(value) : []
  return items.length > 0 && (levels === 0 || items.some((item: unknown) => isTooDeep(item, levels - 1)))
}

/** Returns the positions of keys that their mapping has already. */
const repeatedKeys = (document: Document): ReadonlyArray<number> => {
  const found: Array<number> = []
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) found.push(key.range?.[0] ?? 0)
        keys.add(key.value)
      }
    }
  })
  return found
}

/** The value of a document, or a sentence for each mistake in it. */
export type Value = Result.Result<unknown, ReadonlyArray<string>>

const tooDeep = `the document has more than ${maxLevels} levels, or an alias (*NAME) inside its own anchor`

const valueOf = (document: Document, at: (position: number) => string): Value => {
  if (document.errors.some(({ code }) => code === "RESOURCE_EXHAUSTION")) return Result.fail([tooDeep])
  const wrong = document.errors.slice(0, maxProblems + 1).map(({ message, pos: [start] }) => `${message} ${at(start)}`)
  if (wrong.length > 0) return Result.fail(shortened(wrong))
  const repeated = repeatedKeys(document)
  if (repeated.length > 0)
    return Result.fail(shortened(repeated.map((start) => `Map keys must be unique ${at(start)}`)))
  const value = Result.try((): unknown => document.toJS({ maxAliasCount: maxAliases }))
  if (Result.isFailure(value)) return Result.fail(["the aliases (*NAME) of this document expand to too many values"])
  return isTooDeep(value.success) ? Result.fail([tooDeep]) : Result.succeed(value.success)
}

/** Reads the documents of a text. */
export const read = (text: string): ReadonlyArray<Value> => {
  const lineCounter = new LineCounter()
  const options = { lineCounter, prettyErrors: false, strict: true, uniqueKeys: false }
  const at = (position: number) => {
    const { col, line } = lineCounter.linePos(position)
    return `at line ${line}, column ${col}`
  }
  return [...parseAllDocuments(text, options)].map((document) => valueOf(document, at))
}
