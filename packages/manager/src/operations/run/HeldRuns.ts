/**
 * The runs of a hunt that are held, until a session takes them over or they are ended. One that fails while another
 * one is examined may never be examined itself.
 */
import * as Effect from "effect/Effect"
import type { ProgramRuns, Run, RunOptions } from "../../ports/ProgramRuns.ts"

/** A run whose process is stopped without a debugger. */
export type Held = NonNullable<Run["held"]>

/** Makes the runs of a program, and remembers those that are held. */
export const make = (runs: ProgramRuns) => {
  const held = new Set<Held>()
  const kill = Effect.fnUntraced(function* (one: Held | undefined) {
    if (one === undefined) return
    yield* one.release("kill")
    held.delete(one)
  })
  return {
    /** Runs the program once. */
    run: (options: RunOptions) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.tap(restore(runs.run(options)), (run) =>
          Effect.sync(() => {
            if (run?.held !== undefined) held.add(run.held)
          })
        )
      ),
    /** Ends a held run. */
    kill,
    /** Ends all held runs that no session has. */
    killRest: Effect.suspend(() => Effect.forEach([...held], kill, { concurrency: "unbounded", discard: true })),
    /** Leaves a held run to the caller, who ends it or makes a session of it. */
    leave: (one: Held) => void held.delete(one)
  }
}
