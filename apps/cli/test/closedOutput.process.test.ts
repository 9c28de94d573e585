import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { directory, ended } from "@sigtrap/host/testing"
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
