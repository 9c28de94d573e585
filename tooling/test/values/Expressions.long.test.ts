/** The expression of every value in a program evaluates to that value, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { platform } from "../support/fixturePrograms.ts"
import { expressions } from "./expressions.ts"

/** Values by the way to them, each with its expression. */
const expected: ReadonlyArray<readonly [path: string, expression: string | undefined]> = [
  ["derived/shapes::Base", undefined],
  ["derived/shapes::Base/id", "derived.id"],
  ["derived/shapes::Base/x", "derived.shapes::Base::x"],
  ["derived/x", "derived.x"],
  ["last/shapes::Derived/shapes::Other/z", "last.shapes::Other::z"],
  ["object/z", "((shapes::Last *)object)->z"],
  ["both/shapes::Left/left", "both.left"],
  ["one/point", "one.point"],
  ["one/point/x", "one.point.x"],
  ["one/", undefined],
  ["one/next/next/point", "one.next->next->point"],
  ["one/pair/[1]/x", "(*one.pair)[1].x"],
  ["pointer/point", "pointer->point"],
  ["again/*again/point/x", "(*again)->point.x"],
  ["points/[1]/y", "points[1].y"],
  ["behind/[0]", undefined],
  ["map/[2]", undefined],
  ["map/[2]/second", "map[7]"],
  ["named/[1]/second", 'named["b"]'],
  ["optional/Value", "*optional"],
  ["unique/pointer/x", "unique.pointer->x"]
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("expressions of values", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`evaluate to their values (${backend})`, () =>
      Effect.gen(function* () {
        const { locals, values, wrong } = yield* expressions("expressions", backend, 4)
        assert.deepStrictEqual(wrong, [])
        // A value that fits into the report is whole.
        assert.strictEqual(
          locals.find(({ name }) => name === "derived")?.value,
          "{shapes::Base:{id:1, x:10}, shapes::Other:{y:20, z:21}, x:30, own:31}"
        )
        const found = new Map(values)
        assert.deepStrictEqual(
          expected.map(([path]) => [path, found.has(path) ? found.get(path) : "not shown"]),
          expected.map(([path, expression]) => [path, expression])
        )
      })
    )
  }
})
