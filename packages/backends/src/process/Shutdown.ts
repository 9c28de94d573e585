/**
 * Ends a debugger and its program in an order that leaves no process behind.
 *
 * First a disconnect: when a debugger is killed while breakpoints are inserted, the program dies of SIGTRAP. Then the
 * debugger's input is closed; a signal comes last. Adapter, debug server and program lead process groups of their own, so
 * their pids and start times are noted while they are still descendants, and those left at the end are killed. lldb-dap 18
 * and 19 abort after they have answered disconnect; that is not a failure.
 */
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The debugger's process. */
interface Debugger {
  readonly pid: number
  /** Completes when it has exited, for whatever reason. */
  readonly exit: Effect.Effect<unknown, unknown>
  /** Closes its standard input, which makes it exit. */
  readonly closeInput: Effect.Effect<void>
}

/** What a shutdown ends. */
export interface Options {
  /** Kills the program or detaches from it, by a request to the debugger. */
  readonly disconnect: (how: "kill" | "detach") => Effect.Effect<unknown, unknown>
  readonly process: Debugger
  /** Pids of the programs that we started at the adapter's request. */
  readonly programs?: () => ReadonlyArray<number>
  /** The program was launched here, so it may be killed. */
  readonly launched: boolean
  /** The debugger keeps running after a disconnect, so its exit is not awaited. */
  readonly servesOn?: boolean
  /** A disconnect is sent; not for a core file, where some versions crash on it. */
  readonly disconnects?: boolean
}

/** The shutdown of one connection. */
export interface Shutdown {
  /** True once `end` was called. */
  readonly started: () => boolean
  /** Notes the processes that descend from the adapter now. */
  readonly remember: Effect.Effect<void>
  /** Ends debugger and program; a second call waits for the first. */
  readonly end: (how: "kill" | "detach") => Effect.Effect<void>
}

/** Timeout of the disconnect, in milliseconds. */
export const disconnectTimeout = 8000

/** Timeouts of the exit after the input was closed and after a signal, in milliseconds. */
const closeTimeout = 3000
const killTimeout = 2000

/** Makes the shutdown of one connection. */
export const make = Effect.fnUntraced(function* ({
  disconnect,
  disconnects = true,
  launched,
  process,
  programs = () => [],
  servesOn = false
}: Options) {
  const processes = yield* Processes.Processes
  // Identified at the start, since its pid may be reused after its exit.
  const self = yield* processes.identify(process.pid)
  const descendants = new Map<string, Processes.ProcessId>()
  let started = false

  const note = (one: Processes.ProcessId) => descendants.set(`${one.pid} ${one.started}`, one)

  const isStill = (one: Processes.ProcessId) =>
    Effect.map(processes.identify(one.pid), (now) => Option.isSome(now) && now.value.started === one.started)

  const noteDescendantsOf = Effect.fnUntraced(function* (pid: number) {
    for (const one of yield* processes.descendants(pid)) note(one)
  })

  const remember = Effect.gen(function* () {
    if (Option.isSome(self) && (yield* isStill(self.value))) yield* noteDescendantsOf(process.pid)
    for (const pid of programs()) {
      for (const one of Option.toArray(yield* processes.identify(pid))) note(one)
      yield* noteDescendantsOf(pid)
    }
  })

  const exited = Effect.exit(process.exit)

  const steps = Effect.fnUntraced(function* (how: "kill" | "detach") {
    started = true
    yield* remember
    const answered = yield* disconnects ? Effect.exit(disconnect(how)) : Effect.succeed(Exit.void)
    yield* process.closeInput
    // After a kill no program is attached, so a signal does no harm.
    const exit =
      (how === "kill" || servesOn) && Exit.isSuccess(answered)
        ? Option.none()
        : yield* Effect.timeoutOption(exited, closeTimeout)
    if (Option.isNone(exit) && Option.isSome(self)) yield* processes.kill(self.value, "SIGKILL")
    yield* Effect.timeoutOption(exited, killTimeout)
    if (!launched || how === "detach") return
    const rest = [...descendants.values()]
    yield* Effect.forEach(rest, (one) => processes.kill(one, "SIGKILL"), { discard: true })
    yield* Effect.forEach(rest, (one) => processes.awaitExit(one, killTimeout), {
      discard: true,
      concurrency: "unbounded"
    })
  })

  let chosen: "kill" | "detach" = "kill"
  const once = yield* Effect.cached(Effect.suspend(() => Effect.uninterruptible(steps(chosen))))
  const shutdown: Shutdown = {
    started: () => started,
    remember,
    end: (how) =>
      Effect.suspend(() => {
        // A program that was not launched here is never killed.
        if (!started) chosen = launched || !disconnects ? how : "detach"
        return once
      })
  }
  return shutdown
})
