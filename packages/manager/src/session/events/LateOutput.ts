/**
 * Output after the end of a program: other processes may keep its pipes, such as a grandchild that was forked twice.
 *
 * The pipes stay open, and what is written to them is recorded, until no other process has them open or the session is
 * ended. Ending the session kills these processes, since they descend from what it launched. Fibers: one for a program with such
 * processes, which closes the pipes when they have exited. It ends with the pipes.
 */
import type { Session as Model } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Listener, Pipes } from "../../ports/Backend.ts"
import { type Description, Processes } from "../../ports/Processes.ts"

/** Time between two checks for processes that keep the pipes, in milliseconds. */
const interval = 1000

/** Timeout for the exit of killed processes, in milliseconds. */
const killTimeout = 1000

/** Number of rounds in which processes are killed. One of them may fork before its signal arrives. */
const killRounds = 3

/** The pipes of one session's program. */
export interface LateOutput {
  /** Where the debugger opens the pipes. */
  readonly pipes: NonNullable<Listener["pipes"]>
  /** Processes that have the pipes open, except the daemon. */
  readonly holders: Effect.Effect<ReadonlyArray<Description>>
  /**
   * Decides on the pipes when the debugger is gone. After an exit they stay open while another process has them. After a loss of
   * the debugger such processes are killed. After a detach the pipes are closed.
   */
  readonly settle: (state: Model.SessionState) => Effect.Effect<void>
  /** Closes the pipes; `kill` ends the processes that have them open before, within 3 s. */
  readonly end: (kill: boolean) => Effect.Effect<void>
}

/** Makes the pipes' record of one session, within the scope of the manager. */
export const make = Effect.fnUntraced(function* (manager: Scope.Scope) {
  const processes = yield* Processes
  const scope = yield* Scope.fork(manager)
  let opened: Pipes | undefined

  const holders = Effect.suspend(() => (opened === undefined ? Effect.succeed([]) : opened.holders))

  const close = Effect.suspend(() => {
    opened = undefined
    return Scope.close(scope, Exit.void)
  })

  const drainAndClose = Effect.suspend(() => {
    opened?.drain()
    return close
  })

  const kill = Effect.gen(function* () {
    for (let round = 0; round < killRounds; round++) {
      const found = yield* holders
      if (found.length === 0) return
      yield* Effect.forEach(found, (one) => processes.kill(one, "SIGKILL"), { discard: true })
      yield* Effect.forEach(found, (one) => processes.awaitExit(one, killTimeout), {
        discard: true,
        concurrency: "unbounded"
      })
    }
  })

  const isRunning = ({ pid, started }: Description) =>
    Effect.map(processes.identify(pid), (now) => Option.isSome(now) && now.value.started === started)

  /** Waits until no process has the pipes open. All processes are read only when the known ones have exited. */
  const abandoned = Effect.gen(function* () {
    for (let found = yield* holders; found.length > 0; found = yield* holders) {
      while ((yield* Effect.filter(found, isRunning)).length > 0) yield* Effect.sleep(interval)
    }
  })

  const late: LateOutput = {
    pipes: {
      scope,
      opened: (pipes) => {
        opened = pipes
      }
    },
    holders,
    settle: Effect.fnUntraced(function* (state) {
      if (state === "detached") return yield* close
      if (state === "lost") yield* kill
      if ((yield* holders).length === 0) return yield* drainAndClose
      // The fiber ends with the scope that it closes, so the close runs in another.
      yield* Effect.forkIn(Effect.andThen(abandoned, Effect.forkIn(drainAndClose, manager)), scope)
    }),
    end: (isKilled) => (isKilled ? Effect.andThen(kill, drainAndClose) : close)
  }
  return late
})
