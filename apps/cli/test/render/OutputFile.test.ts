import { assert, describe, it } from "@effect/vitest"
import { Hint } from "@sigtrap/protocol"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OutputFile from "../../src/render/OutputFile.ts"

const place = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-saved-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const answer = {
  state: "stopped",
  data: { address: "0x10", data: Buffer.from("bytes").toString("base64"), unreadable: [[0, 1]] },
  warnings: [],
  truncated: []
} as const

describe("bytes in a file", () => {
  it.effect("can be read only by the owner, also if they replace a file", () =>
    Effect.gen(function* () {
      const directory = yield* place
      const file = join(directory, "out.bin")
      writeFileSync(file, "something longer than that", { mode: 0o644 })
      const input = { address: "&n", out: "out.bin" }
      const refused = yield* Effect.flip(OutputFile.save("memory.read", input, answer, directory, {}))
      assert.strictEqual(refused._tag, "FileExists")
      assert.deepStrictEqual(
        refused.hints[0],
        Hint.local("memory.read", ["&n", "--out", "out.bin", "--force"], "to replace it")
      )
      assert.strictEqual(readFileSync(file, "utf8"), "something longer than that")
      const saved = yield* OutputFile.save("memory.read", { ...input, force: true }, answer, directory, {})
      assert.deepInclude(saved, { file, bytes: 5 })
      assert.include(saved?.text, "1 unreadable ranges are filled with zeros")
      assert.strictEqual(readFileSync(file, "utf8"), "bytes")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.isUndefined(yield* OutputFile.save("memory.read", {}, answer, directory, {}))
    })
  )

  it.effect("are not written outside policy.roots or to a missing directory", () =>
    Effect.gen(function* () {
      const directory = yield* place
      const away = yield* place
      symlinkSync(away, join(directory, "link"))
      const save = (out: string) =>
        Effect.flip(OutputFile.save("memory.read", { out }, answer, directory, { "policy.roots": [directory] }))
      assert.strictEqual((yield* save(join(away, "x")))._tag, "Policy")
      assert.strictEqual((yield* save("link/x"))._tag, "Policy")
      assert.strictEqual((yield* save("nowhere/x"))._tag, "Usage")
      const failed = yield* Effect.flip(OutputFile.save("memory.read", { out: "nowhere/x" }, answer, directory, {}))
      assert.strictEqual(failed._tag, "FileNotWritten")
    })
  )
})
