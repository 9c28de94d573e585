/** Mapped source paths. */
import { assert, describe, it } from "@effect/vitest"
import { mapped } from "../../../src/model/sources/SourceMap.ts"

describe("a source path", () => {
  it("is mapped once, by the first pair with its directory", () => {
    const map = [
      ["/build/src", "/home/me/app"],
      ["/build", "/elsewhere/"],
      ["/src", "/src/app"]
    ] as const
    const check = (file: string, expected: string) => assert.strictEqual(mapped(map, file), expected)
    check("/build/src/a/b.c", "/home/me/app/a/b.c")
    check("/build/lib/c.c", "/elsewhere/lib/c.c")
    check("/building/c.c", "/building/c.c")
    check("/src/main.c", "/src/app/main.c")
    check("/src/app/main.c", "/src/app/main.c")
    check("/home/me/app/a/b.c", "/home/me/app/a/b.c")
    check("relative.c", "relative.c")
    assert.strictEqual(mapped(undefined, "/build/src/a.c"), "/build/src/a.c")
  })
})
