/**
 * The end of a debugger and its program, in the order that leaves nothing behind.
 *
 * Disconnect first, since a debugger killed while breakpoints are inserted lets the program die of SIGTRAP; then close
 * its input; a signal last. Adapter, debug server and program each lead a process group of their own, so the family is
 * noted as pids with their start times while the links between them exist, and what is left of it is swept at the end.
 * lldb-dap 18 and 19 abort after they have answered disconnect: that is no failure.
 */
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The debugger's process. */
export interface Debugger {
  readonly pid: number
  /** Completes when it is gone, however that came. */
  readonly exit: Effect.Effect<unknown, unknown>
  /** Closes its standard input, at which it ends by itself. */
  readonly closeInput: Effect.Effect<void>
}

/** What is to be ended. */
export interface Options {
  /** Lets go of the program or ends it, by the debugger's own means. */
  readonly disconnect: (how: "kill" | "detach") => Effect.Effect<unknown, unknown>
  readonly process: Debugger
  /** Processes that we started at the adapter's request. */
  readonly programs?: () => ReadonlyArray<number>
  /** Whether the program is ours to kill. */
  readonly launched: boolean
  /** Whether it stays when it has let go: then it is not waited for. */
  readonly servesOn?: boolean
  /** Whether there is anything to disconnect from: a core file knows no disconnect that all versions survive. */
  readonly disconnects?: boolean
}

/** The end of one connection. */
export interface Shutdown {
  /** Whether the end was begun by us. */
  readonly begun: () => boolean
  /** Notes which processes belong to the adapter now. */
  readonly remember: Effect.Effect<void>
  /** Ends everything; a second call waits for the first. */
  readonly end: (how: "kill" | "detach") => Effect.Effect<void>
}

/** How long a debugger may take to answer that it has let go, in milliseconds. */
export const disconnectWithin = 8000

/** The further deadlines of the ladder, in milliseconds. */
const closeWithin = 3000
const sweepWithin = 2000

/** The ladder of one connection. */
export const make = Effect.fnUntraced(function* ({
  disconnect,
  disconnects = true,
  launched,
  process,
  programs = () => [],
  servesOn = false
}: Options) {
  const processes = yield* Processes.Processes
  // Known from its beginning: once it is gone, its pid may be another's.
  const self = yield* processes.identify(process.pid)
  const family = new Map<string, Processes.ProcessId>()
  let begun = false

  const note = (one: Processes.ProcessId) => family.set(`${one.pid} ${one.started}`, one)

  const isStill = (one: Processes.ProcessId) =>
    Effect.map(processes.identify(one.pid), (now) => Option.isSome(now) && now.value.started === one.started)

  const noteDescendants = Effect.fnUntraced(function* (pid: number) {
    for (const one of yield* processes.descendants(pid)) note(one)
  })

  const remember = Effect.gen(function* () {
    if (Option.isSome(self) && (yield* isStill(self.value))) yield* noteDescendants(process.pid)
    for (const pid of programs()) {
      for (const one of Option.toArray(yield* processes.identify(pid))) note(one)
      yield* noteDescendants(pid)
    }
  })

  const gone = Effect.exit(process.exit)

  const ladder = Effect.fnUntraced(function* (how: "kill" | "detach") {
    begun = true
    yield* remember
    const answered = yield* disconnects ? Effect.exit(disconnect(how)) : Effect.succeed(Exit.void)
    yield* process.closeInput
    // After a kill nothing is attached any more, so there is nothing to be lost by a signal.
    const left =
      (how === "kill" || servesOn) && Exit.isSuccess(answered)
        ? Option.none()
        : yield* Effect.timeoutOption(gone, closeWithin)
    if (Option.isNone(left) && Option.isSome(self)) yield* processes.kill(self.value, "SIGKILL")
    yield* Effect.timeoutOption(gone, sweepWithin)
    if (!launched || how === "detach") return
    const rest = [...family.values()]
    yield* Effect.forEach(rest, (one) => processes.kill(one, "SIGKILL"), { discard: true })
    yield* Effect.forEach(rest, (one) => processes.awaitExit(one, sweepWithin), {
      discard: true,
      concurrency: "unbounded"
    })
  })

  let chosen: "kill" | "detach" = "kill"
  const once = yield* Effect.cached(Effect.suspend(() => Effect.uninterruptible(ladder(chosen))))
  const ending: Shutdown = {
    begun: () => begun,
    remember,
    end: (how) =>
      Effect.suspend(() => {
        // What was not started here is never killed.
        if (!begun) chosen = launched || !disconnects ? how : "detach"
        return once
      })
  }
  return ending
})
