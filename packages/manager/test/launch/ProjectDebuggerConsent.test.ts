// A debugger that a project's configuration file chooses is a command of the repository: it needs the effect `raw`.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects, Errors, Settings } from "@sigtrap/protocol"
import { Effect, Layer } from "effect"
import { Backend } from "../../src/index.ts"
import { FakeBackend } from "../../src/testing/index.ts"
import { call, code, over } from "../support.ts"

const file = "/src/.sigtrap.toml"
const settings = Settings.withProject({ "adapters.evil.command": "sh" }, { file, keys: ["adapters.evil.command"] })
const source = `adapters.evil of ${file}`

/** A fake whose debugger is the project's if the settings say so. */
const fakeOf = () => {
  const fake = FakeBackend.make()
  const choosing = Layer.effect(
    Backend.Backend,
    Backend.Backend.useSync((backend) => ({
      ...backend,
      projectDebugger: (launch: Backend.DebuggerChoice) =>
        Effect.succeed(Settings.project(launch.settings) === undefined ? undefined : { command: "sh -c evil", source })
    }))
  ).pipe(Layer.provide(fake.layer))
  return { ...fake, layer: choosing }
}

/** Runs as a client that may start programs and has these accepted effects. */
const as = (
  uses: ReadonlyArray<Effects.Use>,
  effects: ReadonlyArray<Effects.Name> = ["observe", "control", "launch"]
) =>
  Effect.provideService(Caller.Current, {
    actor: { kind: "mcp" },
    allowance: { effects, destructive: false, uses }
  })

const missing = (error: unknown) => (error instanceof Errors.TierRequired ? error.missing : [])

describe("a debugger of a project's file", () => {
  it.effect("is not started for a caller who may only start programs, by any operation", () => {
    const fake = fakeOf()
    return over(
      fake,
      Effect.gen(function* () {
        const use: Effects.Use = { effect: "raw", field: "adapter", value: "sh -c evil", source }
        const started = yield* Effect.flip(as([])(call.start({ settings })))
        assert.deepStrictEqual(missing(started), [{ ...use, tier: "admin" }])
        assert.strictEqual(yield* code(as([])(call.connect("127.0.0.1:1", { settings }))), "TIER_REQUIRED")
        assert.strictEqual(fake.debuggees.length, 0)
        assert.strictEqual((yield* as([use])(call.start({ settings }))).state, "exited", "it was accepted")
        const all = yield* as([], Effects.names)(call.start({ settings, session: "owner" }))
        assert.strictEqual(all.state, "exited", "the owner chose to trust the file")
        assert.strictEqual((yield* as([])(call.start({ session: "plain" }))).state, "exited", "no project's debugger")
      })
    )
  })

  it.effect("is refused before a build command runs", () => {
    const fake = fakeOf()
    return over(
      fake,
      Effect.gen(function* () {
        const build: Effects.Use = { effect: "raw", field: "build", value: "make" }
        // The machine of this test starts no programs: a build would be a defect.
        const refused = yield* Effect.flip(as([build])(call.start({ settings, build: "make" })))
        assert.deepStrictEqual(
          missing(refused).map(({ field }) => field),
          ["adapter"]
        )
      })
    )
  })

  it.effect("is not started again by recover for such a caller", () => {
    const fake = fakeOf()
    return over(
      fake,
      Effect.gen(function* () {
        yield* call.start({ settings, break: ["main"] })
        const debuggee = yield* fake.newest
        debuggee.lose("it is gone")
        assert.strictEqual(yield* code(as([])(call.recover({ yes: true }))), "TIER_REQUIRED")
        assert.strictEqual((yield* call.recover({ yes: true })).state, "stopped")
      })
    )
  })

  it.effect("is refused by a policy that forbids debugger commands", () => {
    const fake = fakeOf()
    return over(
      fake,
      Effect.gen(function* () {
        const error = yield* Effect.flip(call.start({ settings, deny: ["raw"] }))
        assert.strictEqual(error._tag, "Policy")
        assert.include(error.message, source)
        assert.strictEqual(fake.debuggees.length, 0)
      })
    )
  })
})
