// Which environment the tools of simulators have: it decides which programs run.
import { assert, describe, it } from "@effect/vitest"
import { Caller, Effects, Errors } from "@sigtrap/protocol"
import { Effect, Path } from "effect"
import * as Target from "../../src/simulator/Target.ts"

const own = { SIGTRAP_XCRUN: "/daemon/xcrun" }
const stated = { SIGTRAP_XCRUN: "/client/xcrun" }

/** Returns the environment of the tools for a caller with a token of these tiers, or without a token. */
const environmentOf = Effect.fnUntraced(function* (token?: ReadonlyArray<Effects.Tier>) {
  let found: object | undefined
  const services: Target.Services = {
    access: {
      of: ({ environment }) => {
        found = environment
        return Effect.fail(new Errors.Platform({ what: "simulators", platform: "testing", remedies: [] }))
      }
    },
    defaults: {
      show: () => Effect.die("not read"),
      change: () => Effect.die("not changed"),
      use: () => Effect.die("not changed")
    },
    path: yield* Path.Path,
    environment: own
  }
  const caller: Caller.Caller =
    token === undefined
      ? { actor: { kind: "cli" }, allowance: { ...Caller.everything, effects: Effects.ofTiers(["observe"]) } }
      : {
          actor: { kind: "http", name: "g1" },
          allowance: { effects: Effects.ofTiers(token), destructive: false, uses: [] },
          grant: "g1"
        }
  yield* Target.simulatorsOf(services, { environment: stated }).pipe(
    Effect.provideService(Caller.Current, caller),
    Effect.flip
  )
  return found
})

describe("the tools of simulators", () => {
  it.effect("are those of the daemon for a token without the tier admin, whatever its environment says", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* environmentOf(["observe"]), own)
      assert.deepStrictEqual(yield* environmentOf(["observe", "control", "evaluate", "write"]), own)
    }).pipe(Effect.provide(Path.layer))
  )

  it.effect("are those of the caller for a token with it, and for a client of the user", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* environmentOf(["observe", "admin"]), stated)
      assert.deepStrictEqual(yield* environmentOf(), stated)
    }).pipe(Effect.provide(Path.layer))
  )
})
