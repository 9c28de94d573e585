// Reading variables, members, exceptions and frames page by page shows each once, in order, and ends, for any sizes of pages and budgets.
import { assert, describe, it } from "@effect/vitest"
import type { Client } from "@sigtrap/protocol"
import { Effect, Predicate, Schema } from "effect"
import { cli, withStack } from "./runningProgram.ts"

type Json = { readonly [field: string]: unknown }

const record = (value: unknown): Json => (Predicate.isReadonlyObject(value) ? value : {})
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Follows the call that each page names for the rest. Returns a field of all items. */
const readAll = Effect.fnUntraced(function* (
  first: ReadonlyArray<string>,
  name: string,
  field: string,
  budget: number,
  directory: string
): Effect.fn.Return<ReadonlyArray<unknown>, never, Client.Client> {
  const found: Array<unknown> = []
  const seen = new Set<string>()
  for (let words = first; ;) {
    const text = yield* cli([...words, "--json", "--budget", String(budget)], directory)
    const document = record(JSON.parse(text))
    const items = list(record(document["data"])[name])
    found.push(...items.map((item) => record(item)[field]))
    const cut = list(document["truncated"])
      .map(record)
      .find(({ path }) => path === `data.${name}`)
    const more = cut?.["more"]
    if (!Predicate.isString(more)) {
      assert.isUndefined(cut, `a cut without the call for the rest: ${text.slice(-300)}`)
      return found
    }
    assert.isAbove(items.length, 0, `the page of ${words.join(" ")} moves`)
    assert.isFalse(seen.has(more), `${more} comes twice`)
    seen.add(more)
    words = more.split(" ").slice(1)
  }
})

const Count = Schema.Literals([0, 1, 2, 3, 7, 20, 51, 130])
const Limit = Schema.Literals([1, 3, 20, 50, 1000])
const Budget = Schema.Literals([0, 900, 2000, 16_384])

const options = { arbitrary: { runs: 25 } }
const names = (count: number) => Array.from({ length: count }, (_, at) => `item${at}`)
const limitOf = (limit: number, count: number) => String(Math.max(limit, Math.ceil(count / 30)))

describe("pages of lists", () => {
  it.effect.prop(
    "show each local variable once",
    [Count, Limit, Budget],
    ([count, limit, budget]) => {
      const variables = Object.fromEntries(names(count).map((name) => [name, "1"]))
      return withStack([{ function: "main", line: 10, variables }], true, (directory) =>
        Effect.gen(function* () {
          const words = ["locals", "--count", limitOf(limit, count)]
          assert.deepStrictEqual(yield* readAll(words, "variables", "name", budget, directory), names(count))
        })
      )
    },
    options
  )

  it.effect.prop(
    "show each member of a value once",
    [Count, Limit, Budget],
    ([count, limit, budget]) => {
      const parts = Object.fromEntries(names(count + 1).map((name) => [name, "1"]))
      const variables = { all: { value: "{...}", parts } }
      return withStack([{ function: "main", line: 10, variables }], true, (directory) =>
        Effect.gen(function* () {
          yield* cli(["locals"], directory)
          const words = ["expand", "@v1", "--count", limitOf(limit, count)]
          assert.deepStrictEqual(yield* readAll(words, "children", "name", budget, directory), names(count + 1))
        })
      )
    },
    options
  )

  it.effect.prop(
    "show each exception once",
    [Count, Limit, Budget],
    ([count, limit, budget]) =>
      withStack([{ function: "main", line: 10 }], true, (directory, debuggee) =>
        Effect.gen(function* () {
          const stop = { _tag: "Stopped", reason: "exception", breakpoints: [], thread: 1, focus: true } as const
          for (const raw_reason of names(count)) debuggee.emit({ ...stop, raw_reason })
          const words = ["exceptions", "--limit", limitOf(limit, count)]
          assert.deepStrictEqual(yield* readAll(words, "exceptions", "text", budget, directory), names(count))
        })
      ),
    options
  )

  it.effect.prop(
    "show each frame once, with and without a total",
    [Count, Limit, Budget, Schema.Boolean],
    ([count, limit, budget, totals]) => {
      const callers = names(count).map((name) => ({ function: name, line: 10 }))
      return withStack([{ function: "main", line: 10 }, ...callers], totals, (directory) =>
        Effect.gen(function* () {
          const words = ["backtrace", limitOf(limit, count)]
          const found = yield* readAll(words, "frames", "function", budget, directory)
          assert.deepStrictEqual(found, ["main", ...names(count)])
        })
      )
    },
    options
  )
})
