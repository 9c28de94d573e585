/** What the manager keeps of sessions that have ended: nothing, however many there were. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Manager } from "../../src/index.ts"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, over, settle } from "../support.ts"

/** Collects; a reference that only the collected job used is dropped with the next one. */
const collect = Effect.promise(async () => {
  if (process.versions["bun"] !== undefined) Bun.gc(true)
  else {
    setFlagsFromString("--expose-gc")
    runInNewContext("gc")()
  }
  await new Promise((resolve) => setImmediate(resolve))
})

it.effect("nothing of a session is kept after its end", () => {
  const fake = FakeBackend.make()
  return over(
    fake,
    Effect.gen(function* () {
      const manager = yield* Manager.Manager
      const kept: Array<WeakRef<object>> = []
      for (let round = 0; round < 10; round++) {
        const session = `s${round}`
        yield* call.start({ break: ["main"], session })
        kept.push(new WeakRef(yield* manager.select({ session })))
        yield* call.stop({ names: [session] })
      }
      fake.forget()
      yield* settle
      yield* Effect.repeat(collect, { times: 2 })
      // Node may hold the last one until its next task. Bun's collector also keeps what an old word of the stack points to.
      const allowed = process.versions["bun"] === undefined ? 1 : 3
      assert.isAtMost(kept.filter((one) => one.deref() !== undefined).length, allowed)
    })
  )
})
