// The declarations of the packages that every program imports are small: each operation and model is named, not repeated.
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./sources.ts"

/** Most characters of all declarations of a package, and of one of its files, without comments. Its build is read. */
const most = { protocol: 255_000, host: 95_000, file: 14_500 }

const comment = /\/\*\*[\s\S]*?\*\//g

describe("declarations", () => {
  for (const name of ["protocol", "host"] as const)
    it(`of ${name} are small`, () => {
      const files = globSync(join(root, "packages", name, "dist/**/*.d.ts"))
      assert.isAbove(files.length, 20, "build it first")
      const sizes = files.map((file) => readFileSync(file, "utf8").replaceAll(comment, "").length)
      assert.isAtMost(Math.max(...sizes), most.file)
      assert.isAtMost(
        sizes.reduce((sum, size) => sum + size, 0),
        most[name]
      )
    })
})
