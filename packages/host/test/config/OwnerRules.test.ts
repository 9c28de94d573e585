// The owner's rules follow the user's file while the daemon runs.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as OwnerRules from "../../src/config/OwnerRules.ts"

describe("the rules of the owner", () => {
  it.effect("are those of the user's file, read again after a second, and stay while it has a mistake", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-rules-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true }))
        )
        const file = join(folder, "sigtrap", "config.toml")
        mkdirSync(join(folder, "sigtrap"))
        const rules = yield* OwnerRules.make({ XDG_CONFIG_HOME: folder })
        assert.deepInclude(yield* rules, { askMillis: 60_000, idleMillis: 120_000 })
        writeFileSync(file, '[policy.ask]\nmcp = ["control"]\n\n[ask]\ntimeout = "90s"\n\n[control]\nidle = "5m"\n')
        assert.deepInclude(yield* rules, { askMillis: 60_000 })
        yield* TestClock.adjust("1 second")
        const read = yield* rules
        assert.deepInclude(read, { askMillis: 90_000, idleMillis: 300_000 })
        assert.deepStrictEqual(read.ask.mcp, ["control"])
        assert.deepStrictEqual(read.ask.cli, [])
        writeFileSync(file, '[ask]\ntimeout = "two hours"\n')
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* rules, read)
      })
    )
  )
})
