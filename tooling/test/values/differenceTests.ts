/** Tests of `diff` of two sessions whose objects are at other addresses, for each LLDB backend. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform, Programs } from "../support/fixturePrograms.ts"

/** A change of the program, and a pattern for each of its differences. */
export interface Change {
  readonly change: string
  readonly found: ReadonlyArray<RegExp>
}

/** The changes that are tested with every change of the product. */
export const quickChanges: ReadonlyArray<Change> = [
  { change: "same", found: [] },
  { change: "alias", found: [/^bank\.last the object of .*made\.next -> the object of .*made$/] }
]

/** All changes. */
export const allChanges: ReadonlyArray<Change> = [
  ...quickChanges,
  { change: "value", found: [/^total 3 -> 100$/, /value 2 -> 99$/] },
  { change: "null", found: [/^bank\.last the object of .* -> NULL$/] },
  { change: "vector", found: [/^bank\.amounts\[2\] undefined -> 3$/] },
  { change: "name", found: [/^bank\.owner "alice" -> "bob"$/] }
]

/** Compares a program with itself after each change. */
export const differenceTests = (adapter: "lldb-dap" | "lldb", changes: ReadonlyArray<Change>): void => {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(`two sessions under ${adapter}`, (it) => {
    it.effect("differ by their values, and not by addresses", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const { line } = yield* Programs
          const at = [`bank.cpp:${line("bank.cpp", "sum")}`]
          yield* start("bank", { adapter, session: "base", args: ["0", "same"], break: at })
          for (const { change, found } of changes) {
            yield* start("bank", { adapter, session: "other", args: ["9", change], break: at, replace: true })
            const { data } = yield* call("diff", { a: "base", b: "other", ignore: ["argv", "moved", "change"] })
            const lines = data.frames.flatMap(({ vars }) =>
              vars.map(({ new: now, old, path }) => `${path} ${old} -> ${now}`)
            )
            for (const pattern of found) {
              assert.isTrue(
                lines.some((text) => pattern.test(text)),
                `${change}: ${pattern} ${JSON.stringify(data)}`
              )
            }
            if (found.length === 0) assert.deepStrictEqual(data.frames, [], change)
            assert.strictEqual(data.compared, 2, change)
          }
        })
      )
    )
  })
}
