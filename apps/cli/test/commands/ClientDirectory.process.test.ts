// -C for commands that run in the client: their relative paths begin at this directory, and it must exist.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sigtrap } from "../commandLine.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-directory-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("-C before a command of the client", () => {
  it.effect("is where it writes", () =>
    Effect.gen(function* () {
      const path = yield* temporary
      const project = join(path, "project")
      mkdirSync(project)
      const { data } = yield* sigtrap(join(path, "run"), "-C", project, "skill", "install")
      assert.isTrue(data.file.startsWith(project), data.file)
      assert.isTrue(existsSync(data.file))
      const config = yield* sigtrap(join(path, "run"), "config", "init", "--project", "-C", project)
      assert.strictEqual(config.data.file, join(project, ".sigtrap.toml"))
    })
  )

  it.effect("is refused if it does not exist", () =>
    Effect.gen(function* () {
      const path = yield* temporary
      const { code, error } = yield* sigtrap(join(path, "run"), "-C", join(path, "none"), "skill", "install")
      assert.strictEqual(code, 2)
      assert.strictEqual(error.message, `-C: no directory ${join(path, "none")}`)
    })
  )
})
