// Tests a C program: what a function returns, and how the program exits.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"
import { expect, it } from "vitest"

// The start of a debugger takes longer than the five seconds of Vitest on a machine that is busy.
it("adds the scores as whole numbers", { timeout: 60_000 }, () =>
  Effect.gen(function* () {
    const debug = yield* Sigtrap.make({ isolated: true })
    yield* debug.start({ program: "./app", break: ["sum_scores"] })
    const { data } = yield* debug.finish()
    expect(data.return_value?.value).toBe("60")
    const end = yield* debug.continue()
    expect(end.data).toMatchObject({ event: "exited", exit_code: 3 })
  }).pipe(Effect.scoped, Effect.runPromise)
)
