/** A session whose daemon was killed, and the daemon after it, for tests. */
import { Effect, type Scope } from "effect"
import type { IntentStore } from "../../../src/index.ts"
import { call, fakeWith, over } from "../../support.ts"
import { MemoryStore } from "../records/memoryStore.ts"

const plain = () => fakeWith({})

/** Starts a session with breakpoints, and returns what a later daemon finds after SIGKILL at its first stop. */
const lost = Effect.suspend(() => {
  const store = new MemoryStore()
  return over(
    fakeWith({}),
    Effect.gen(function* () {
      yield* call.start({ break: ["main"], args: ["one", "two"], label: "mine" })
      yield* call.break("main", { temporary: false })
      yield* call.break("work", { condition: "n > 2", name: "second", pending: true })
      yield* call.break("/^never$/", { pending: true })
      yield* call.remove([3])
      yield* call.display("i")
      yield* call.display("total", { format: "x" })
      yield* call.undisplay([1])
      return store.lose()
    }),
    undefined,
    store.layer
  )
})

/** Runs a test as the daemon after the one that was killed. */
export const next = <A, E>(
  test: (store: MemoryStore, fake: ReturnType<typeof plain>) => Parameters<typeof over<A, E>>[1],
  found: Effect.Effect<ReadonlyArray<IntentStore.Lost>, unknown, Scope.Scope> = lost
) =>
  Effect.flatMap(found, (sessions) => {
    const store = new MemoryStore(sessions)
    const fake = plain()
    return over(fake, test(store, fake), undefined, store.layer)
  })

/** The breakpoints of the session, each as number, place, hit count, condition and name. */
export const shape = Effect.map(call.breakpoints(), ({ data }) =>
  data.breakpoints.map(({ condition, hit_count, id, name, requested }) => [
    id,
    requested.text,
    hit_count,
    condition,
    name
  ])
)
