// The limits of the heap are options of V8, which uses compiled code only with the options with which it was compiled.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { awaitOutput, bundled, child } from "../../src/testing/Children.ts"

const tags = bundled(join(import.meta.dirname, "../fixtures/HeapTags.ts"))

it.live("compiled code is loaded and stored with V8's default options, also when the process exits", () =>
  Effect.gen(function* () {
    // Bun and Deno have no such options.
    if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return
    const [standard, limited, excepted, limitedAgain, atExit] = JSON.parse(
      yield* awaitOutput(yield* child(tags.program, tags.args), "]")
    )
    assert.notStrictEqual(limited, standard)
    assert.deepStrictEqual([excepted, limitedAgain, atExit], [standard, limited, standard])
  })
)
