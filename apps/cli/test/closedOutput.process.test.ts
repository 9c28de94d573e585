import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { directory, ended, script } from "@sigtrap/host/testing"
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"
import { started as sigtrap } from "./commandLine.ts"

const slow = 30_000

/** Exit code after SIGPIPE. */
const readerClosed = 141

it.live(
  "a command whose reader closes its end ends as SIGPIPE would end it",
  () =>
    Effect.gen(function* () {
      const { started } = yield* sigtrap(yield* directory, "skill", "print")
      started.stdout.destroy()
      assert.strictEqual(yield* ended(started), readerClosed)
    }),
  slow
)

// Linux has a device on which every write fails as on a full disk.
it.live.skipIf(!existsSync("/dev/full"))(
  "a command whose output cannot be written says so and ends with 1",
  () =>
    Effect.gen(function* () {
      const { args, program } = script(join(import.meta.dirname, "../src/main.ts"))
      const full = yield* Effect.acquireRelease(
        Effect.sync(() => openSync("/dev/full", "w")),
        (descriptor) => Effect.sync(() => closeSync(descriptor))
      )
      const { status, stderr } = spawnSync(program, [...args, "skill", "print"], {
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8"
      })
      assert.strictEqual(status, 1)
      assert.match(stderr, /^error: the answer was not written: .*no space left on device/i)
    }),
  slow
)
