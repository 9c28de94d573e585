// The daemon finds debuggers with its own environment and configuration, and answers a moment from the last search.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as Adapters from "../src/Adapters.ts"
import * as InstalledDebuggers from "../src/InstalledDebuggers.ts"

it.effect("debuggers are searched once in five seconds, at the configured paths", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-debuggers-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      mkdirSync(join(folder, "sigtrap"))
      writeFileSync(join(folder, "sigtrap", "config.toml"), '[adapters.lldb-dap]\npath = "/opt/lldb-dap"\n')
      const asked: Array<string | undefined> = []
      const discover: typeof Adapters.discover = (environment) =>
        Effect.sync(() => {
          asked.push(environment["SIGTRAP_LLDB_DAP"])
          return [
            { name: "lldb-dap", languages: ["c"], path: "/opt/lldb-dap", version: "19.1.7", marker: "prompt" },
            { name: "delve", languages: ["go"], problem: "not found" }
          ]
        })
      const find = yield* InstalledDebuggers.make({ XDG_CONFIG_HOME: folder }, discover)
      const [found] = yield* Effect.all([find, find], { concurrency: 2 })
      assert.deepStrictEqual(found, [
        { name: "lldb-dap", languages: ["c"], path: "/opt/lldb-dap", version: "19.1.7" },
        { name: "delve", languages: ["go"], problem: "not found", remedy: "sigtrap setup delve" }
      ])
      assert.deepStrictEqual(asked, ["/opt/lldb-dap"])
      yield* TestClock.adjust("5 seconds")
      yield* find
      assert.lengthOf(asked, 2)
    })
  )
)
