// The schemas of all operations take a third of the start of a daemon, of which a command uses those of one.
import { assert, it } from "@effect/vitest"
import { awaitOutput, child, script } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { join } from "node:path"

const reading = script(join(import.meta.dirname, "fixtures/ReadOperations.ts"))

it.live(
  "what the daemon loads at its start reads the schemas and facts of no operation",
  () =>
    Effect.gen(function* () {
      const found = JSON.parse(yield* awaitOutput(yield* child(reading.program, reading.args), "}"))
      assert.deepStrictEqual(found, { atStart: [], afterwards: ["next"] })
    }),
  60_000
)
