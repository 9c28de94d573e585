/** Every operation that some debugger does not support belongs to a capability, so that clients can hide it. */
import { assert, describe, it } from "@effect/vitest"
import { Capability, Client, Operation, Operations, Payload, Session } from "@sigtrap/protocol"
import { Effect, Layer } from "effect"
import { Backend, Inspection } from "../../../src/index.ts"
import { FakeBackend } from "../../../src/testing/index.ts"
import { ask, call, over } from "../../support.ts"

/** A debugger that supplies nothing beyond what every debug adapter must. */
const poor = (): FakeBackend.Fake => {
  const fake = FakeBackend.make()
  const layer = Layer.effect(
    Backend.Backend,
    Effect.map(Backend.Backend, ({ launch }) => ({
      launch: (request: Backend.LaunchRequest, listener: Backend.Listener) =>
        Effect.map(launch(request, listener), (connection) => ({
          ...connection,
          // A debug adapter that describes no types finds none, and `type` answers from the expression.
          inspection: { ...Inspection.none("poor"), type: () => Effect.succeed([]) },
          filters: Effect.succeed([])
        }))
    }))
  ).pipe(Layer.provide(fake.layer))
  return { ...fake, layer }
}

/** A debugger that states that it lacks a capability. */
const stating = (id: Capability.Id): FakeBackend.Fake => {
  const fake = FakeBackend.make()
  const layer = Layer.effect(
    Backend.Backend,
    Effect.map(Backend.Backend, ({ launch }) => ({
      launch: (request: Backend.LaunchRequest, listener: Backend.Listener) =>
        Effect.map(launch(request, listener), (connection) => ({
          ...connection,
          features: () => [Session.feature(id, "none")]
        }))
    }))
  ).pipe(Layer.provide(fake.layer))
  return { ...fake, layer }
}

/** Inputs that reach the debugger where the first example does not. */
const inputs: { readonly [tag: string]: object } = {
  "memory.read": { address: "0x1000" },
  "memory.write": { address: "0x1000", hex: "00" },
  disassemble: { at: "main" }
}

const isUnsupported = Effect.fnUntraced(function* (operation: Operation.Any) {
  const [example] = Operation.meta(operation).examples
  const input = inputs[operation._tag] ?? example.input
  yield* call.start({ break: ["main"] })
  const client = yield* Client.Client
  const payload = yield* Effect.orDie(Payload.decode(operation, { ...input, directory: "/src" }))
  return yield* client.callAny(operation, payload).pipe(
    Effect.as(false),
    Effect.catch(({ _tag }) => Effect.succeed(_tag === "Unsupported"))
  )
})

describe("an operation that a debugger does not support", () => {
  const ofSessions = Operations.all.filter(
    (operation) => "session" in Payload.published(operation).properties && !operation._tag.startsWith("sim.")
  )

  it.effect("belongs to a capability", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.filter(ofSessions, (operation) => over(poor(), isUnsupported(operation)))
      const tags = refused.map(({ _tag }) => _tag)
      assert.includeMembers(tags, ["args", "globals", "registers", "memory.read", "memory.write", "disassemble"])
      const known = Capability.all.flatMap(({ operations }): ReadonlyArray<string> => operations)
      for (const tag of tags) assert.include(known, tag)
    })
  )

  it.effect.each([
    ["watch", "watchpoints", { expression: "n" }],
    ["memory.read", "read-memory", { address: "n" }],
    ["memory.write", "write-memory", { address: "n", hex: "00" }]
  ] as const)("fails before its expression is evaluated: %s", ([tag, id, input]) =>
    over(
      stating(id),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const client = yield* Client.Client
        const operation = Operations.all.find(({ _tag }) => _tag === tag)
        assert(operation !== undefined)
        const payload = yield* Effect.orDie(Payload.decode(operation, { ...input, directory: "/src" }))
        const error = yield* Effect.flip(client.callAny(operation, payload))
        assert.strictEqual(error._tag, "Unsupported")
      })
    )
  )
})

describe("capabilities", () => {
  it.effect("list what the debugger supports and what the manager adds", () =>
    over(
      FakeBackend.make(),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        const by = new Map((yield* ask("capabilities", {})).data.features.map(({ id, by }) => [id, by]))
        assert.deepStrictEqual(
          [by.get("stepping"), by.get("logpoints"), by.get("types")],
          ["adapter", "manager", "none"]
        )
        const status = yield* ask("status", { capabilities: true })
        assert.strictEqual(status.data.capabilities?.length, by.size)
        assert.isUndefined((yield* ask("status", {})).data.capabilities)
      })
    )
  )
})
