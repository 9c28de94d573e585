// A control lease ends with the last lasting connection of its actor.
import { Manager } from "@sigtrap/manager"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ActorConnections } from "../../../src/daemon/socket/ActorConnections.ts"

const agent = { kind: "mcp", name: "claude-code" } as const
const other = { kind: "mcp", name: "codex" } as const

/** Runs a test with the list of actors whose leases have ended. */
const over = (
  test: (connections: ActorConnections["Service"], ended: ReadonlyArray<string>) => Effect.Effect<void>
) => {
  const ended: Array<string> = []
  const manager = Layer.mock(Manager.Manager, {
    onChange: () => () => undefined,
    left: () => Effect.void,
    disconnected: (actor) => Effect.sync(() => void ended.push(actor))
  })
  return ActorConnections.use((connections) => test(connections, ended)).pipe(
    Effect.provide(ActorConnections.layer.pipe(Layer.provide(manager)))
  )
}

it.effect("an actor is gone when the last of its connections has closed", () =>
  over((connections, ended) =>
    Effect.gen(function* () {
      connections.called(1, agent)
      connections.called(2, agent)
      connections.called(2, other)
      yield* connections.closed(1)
      assert.deepStrictEqual(ended, [])
      yield* connections.closed(2)
      assert.deepStrictEqual(ended, ["mcp:claude-code", "mcp:codex"])
      yield* connections.closed(2)
      assert.lengthOf(ended, 2)
    })
  )
)

it.effect("of one connection at most 256 actors are remembered", () =>
  over((connections, ended) =>
    Effect.gen(function* () {
      for (let number = 0; number < 300; number++) connections.called(1, { kind: "http", name: String(number) })
      yield* connections.closed(1)
      assert.lengthOf(ended, 256)
      assert.strictEqual(ended.at(-1), "http:299")
    })
  )
)
