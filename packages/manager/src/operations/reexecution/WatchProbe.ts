/**
 * Whether watchpoints report writes on this machine. Some virtual machines accept a watchpoint and report no write to it: that no
 * write was counted says nothing of the program then.
 */
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as CountedWrites from "./CountedWrites.ts"
import * as ReexecutionCall from "./ReexecutionCall.ts"
import * as Rerun from "./Rerun.ts"
import * as WatchedRun from "./WatchedRun.ts"

/** Size of a word of the stack. */
const wordSize = 8

/**
 * Words below the stack pointer at the first instruction. A dynamic linker pushes the return address of its first call to the first one;
 * the entry of glibc in a static program pushes the stack pointer to the second one.
 */
const words: ReadonlyArray<number> = [1, 2]

/** Fails if watchpoints do not report a write that each program makes at its start. It is tested on x86-64 only. */
export const check = Effect.fnUntraced(
  function* ({ call, value }: Pick<CountedWrites.Search, "call" | "value">) {
    const rerun = yield* ReexecutionCall.run(call)
    const { connection, session } = rerun
    const { frames } = yield* connection.stack(session.log.snapshot.stopped?.thread ?? 0, 0, 1)
    const [first] = frames
    const { faults } = connection.inspection
    const stack = first === undefined || faults === undefined ? undefined : yield* faults.number("$rsp", first.handle)
    if (stack === undefined) return
    const watches = yield* Effect.forEach(
      words,
      Effect.fnUntraced(function* (word) {
        const address = `0x${(stack - BigInt(word * wordSize)).toString(16)}`
        const watch = { address, size: wordSize, access: "write" } as const
        const run = yield* WatchedRun.watchIn(rerun, { ...value, expression: address, watch })
        yield* WatchedRun.stopFrom(run, 1)
        return run.watch
      })
    )
    const isReported = yield* Rerun.resume(rerun, "continue", "its start").pipe(
      Effect.map(({ stopped }) => stopped.breakpoints.some((id) => watches.includes(id))),
      Effect.catchTag("NotReproduced", () => Effect.succeed(false))
    )
    if (!isReported) return yield* new Errors.WatchUnavailable({ expression: value.expression, why: "machine" })
  },
  (effect) => Effect.scoped(effect)
)
