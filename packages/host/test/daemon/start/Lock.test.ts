import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { bundled, child, directory, ended, awaitOutput } from "../../../src/testing/Children.ts"

const { program, args } = bundled(join(import.meta.dirname, "../../fixtures/lock.ts"))
const contender = (path: string) => child(program, [...args, path])

it.live("one process holds the lock, others do not get it, and SIGKILL frees it at once", () =>
  Effect.gen(function* () {
    const path = `${yield* directory}/daemon.lock`
    const owner = yield* contender(path)
    yield* awaitOutput(owner, "held")
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)

    const loser = yield* contender(path)
    yield* awaitOutput(loser, "taken")
    assert.strictEqual(yield* ended(loser), 0)

    owner.kill("SIGKILL")
    yield* ended(owner)
    const heir = yield* contender(path)
    yield* awaitOutput(heir, "held")
  })
)
