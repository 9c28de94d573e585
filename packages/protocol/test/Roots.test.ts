import { assert, it } from "@effect/vitest"
import { Roots } from "../src/index.ts"

it("a root contains itself and the paths below it, not those that only begin alike", () => {
  const check = (root: string, path: string, expected: boolean) =>
    assert.strictEqual(Roots.contain([root], path), expected, `${root} ${path}`)
  check("/work", "/work", true)
  check("/work", "/work/a/b.c", true)
  check("/", "/work", true)
  check("/work", "/workshop", false)
  check("/work", "/", false)
})
