import { assert, it } from "@effect/vitest"
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Directories from "../../src/runtime/Directories.ts"

it("a directory is made with those above it, and one that exists stays", () => {
  const top = mkdtempSync(join(tmpdir(), "sigtrap-test-"))
  const path = join(top, "a", "b", "c")
  Directories.make(path, 0o700)
  Directories.make(path, 0o755)
  assert.strictEqual(statSync(path).mode & 0o777, 0o700)
  writeFileSync(join(path, "file"), "")
  assert.throws(() => Directories.make(join(path, "file")), "EEXIST")
  assert.throws(() => Directories.make(join(path, "file", "below")), "ENOTDIR")
  rmSync(top, { recursive: true })
})

// The recursive mkdirSync of Node does not end here.
it.skipIf(!existsSync("/proc/self"))("a directory that the file system refuses is an error", () => {
  assert.throws(() => Directories.make("/proc/.config/sigtrap", 0o700), "ENOENT")
})
