import { assert, it } from "@effect/vitest"
import { Roots } from "../src/index.ts"

it("a root contains itself and the paths below it, not those that only begin alike", () => {
  const check = (root: string, path: string, expected: boolean) =>
    assert.strictEqual(Roots.contain([root], path), expected, `${root} ${path}`)
  check("/project", "/project", true)
  check("/project", "/project/a/b.c", true)
  check("/", "/project", true)
  check("/project", "/projectshop", false)
  check("/project", "/", false)
})
