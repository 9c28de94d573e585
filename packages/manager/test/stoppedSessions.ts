/** Sessions of the sample program that are stopped at breakpoint 1, for tests. */
import type { Client } from "@sigtrap/protocol"
import { Effect, type Scope } from "effect"
import { FakeBackend } from "../src/testing/index.ts"
import { call, honest, over } from "./support.ts"

type Layers = Client.Client | Scope.Scope

/** Runs a test in a session stopped in line 7, in `main`. */
export const inMain = <A, E>(
  test: (fake: FakeBackend.Fake, debuggee: Effect.Success<FakeBackend.Fake["newest"]>) => Effect.Effect<A, E, Layers>
) => {
  const fake = FakeBackend.make()
  return over(
    fake,
    Effect.andThen(
      call.start({ break: ["main"] }),
      Effect.flatMap(fake.newest, (debuggee) => test(fake, debuggee))
    )
  )
}

/** Runs a test in a session stopped in line 2, in `square`, called by `main`. Checks that no handle of an earlier stop was used. */
export const inSquare = <A, E>(
  test: (fake: FakeBackend.Fake) => Effect.Effect<A, E, Layers>,
  fake = FakeBackend.make()
) =>
  over(
    fake,
    call.start({ break: ["square"] }).pipe(
      Effect.andThen(test(fake)),
      Effect.tap(() => Effect.sync(() => honest(fake)))
    )
  )
