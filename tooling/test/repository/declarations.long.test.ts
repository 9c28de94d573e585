// The declarations of the packages that every program imports are small: each operation and model is named, not repeated.
import { assert, describe, it } from "@effect/vitest"
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { root } from "./sources.ts"

/** Most bytes of all declarations of a package, and of one of its files: about 2.6 KB for each of 130 operations. Its build is read. */
const most = { protocol: 345_000, host: 150_000, file: 16_000 }

describe("declarations", () => {
  for (const name of ["protocol", "host"] as const)
    it(`of ${name} are small`, () => {
      const files = globSync(join(root, "packages", name, "dist/**/*.d.ts"))
      assert.isAbove(files.length, 20, "build it first")
      const sizes = files.map((file) => statSync(file).size)
      assert.isAtMost(Math.max(...sizes), most.file)
      assert.isAtMost(
        sizes.reduce((sum, size) => sum + size, 0),
        most[name]
      )
    })
})
