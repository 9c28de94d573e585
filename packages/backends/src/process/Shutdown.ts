/**
 * Ends a debugger and its program in an order that leaves no process behind.
 *
 * The order: SIGKILL to the program of a debugger that does not kill it, SIGCONT to a stopped debugger, disconnect, SIGCONT and a second
 * disconnect if the first fails, close the debugger's input, SIGKILL. Disconnect comes first because a program whose debugger is killed while
 * breakpoints are inserted dies of SIGTRAP. Adapter, debug server and program lead their own process groups. So their pids and start times are
 * recorded while they are still descendants, and those that remain at the end are killed. A debugger that was killed has no descendants
 * any more, so its helpers are also found by their environment, which names the debugger's private home. After a program's own
 * exit, processes that keep its pipes are left to the session, which ends them when it is stopped. lldb-dap 18 and 19 abort after they have
 * answered disconnect; this is not a failure. All steps together take at most 8.5 s, and 1 s more if helpers of a killed debugger resist.
 */
import type { Backend } from "@sigtrap/manager"
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The debugger's process. */
interface Debugger {
  readonly pid: number
  /** Completes when the process has exited, whatever the reason. */
  readonly exit: Effect.Effect<unknown, unknown>
  /** Closes its standard input, which makes it exit. */
  readonly closeInput: Effect.Effect<void>
}

/** What a shutdown ends. */
export interface Options {
  /** Kills the program or detaches from it, by a request to the debugger that fails after `millis`. */
  readonly disconnect: (how: "kill" | "detach", millis: number) => Effect.Effect<unknown, unknown>
  readonly process: Debugger
  /** Pids of the programs that were started at the adapter's request (DAP `runInTerminal`). */
  readonly programs?: () => ReadonlyArray<number>
  /** True if the debugger leaves killing these programs to sigtrap, and answers the disconnect when they have ended. */
  readonly awaitsPrograms?: boolean
  /** True if the end of the program was reported. */
  readonly exited?: () => boolean
  /** Processes that have the program's pipes open. */
  readonly holders?: Effect.Effect<ReadonlyArray<Processes.ProcessId>>
  /** The private home of the debugger, which is in the environment of its helpers. */
  readonly home: string
  /** True if the session launched the program; only then it may be killed. */
  readonly launched: boolean
  /** True if the debugger keeps running after a disconnect; its exit is not awaited then. */
  readonly survivesDisconnect?: boolean
  /** False for a core file, where some versions crash at `disconnect`. True by default. */
  readonly disconnects?: boolean
}

/** The shutdown of one connection. */
export interface Shutdown {
  /** True once `end` was called. */
  readonly started: () => boolean
  /** Records the processes that descend from the adapter now. */
  readonly remember: Effect.Effect<void>
  /** Ends debugger and program. A second call waits for the first. */
  readonly end: (how: "kill" | "detach") => Effect.Effect<Backend.Ending>
}

/** Timeouts of the first and the second disconnect, in milliseconds. */
const disconnectTimeouts = [2500, 2000] as const

/** Timeouts of the exit after the input was closed and after a signal, in milliseconds. */
const closeTimeout = 1000
const killTimeout = 1000

/** Makes the shutdown of one connection. */
export const make = Effect.fnUntraced(function* ({
  awaitsPrograms = false,
  disconnect,
  disconnects = true,
  exited: hasExited = () => false,
  holders = Effect.succeed([]),
  home,
  launched,
  process,
  programs = () => [],
  survivesDisconnect = false
}: Options) {
  const processes = yield* Processes.Processes
  // Identified at the start, since the pid may be reused after the debugger's exit.
  const self = yield* processes.identify(process.pid)
  const descendants = new Map<string, Processes.ProcessId>()
  let started = false

  const record = (one: Processes.ProcessId) => descendants.set(`${one.pid} ${one.started}`, one)

  const isStill = (one: Processes.ProcessId) =>
    Effect.map(processes.identify(one.pid), (now) => Option.isSome(now) && now.value.started === one.started)

  const recordDescendantsOf = Effect.fnUntraced(function* (pid: number) {
    for (const one of yield* processes.descendants(pid)) record(one)
  })

  const remember = Effect.gen(function* () {
    if (Option.isSome(self) && (yield* isStill(self.value))) yield* recordDescendantsOf(process.pid)
    for (const pid of programs()) {
      for (const one of Option.toArray(yield* processes.identify(pid))) record(one)
      yield* recordDescendantsOf(pid)
    }
  })

  const exited = Effect.exit(process.exit)

  const isRunning = Effect.suspend(() => (Option.isSome(self) ? isStill(self.value) : Effect.succeed(false)))

  /** Continues the debugger and its server if a signal has stopped them. A traced process is the program. */
  const wake = Effect.gen(function* () {
    for (const one of [...Option.toArray(self), ...descendants.values()]) {
      const found = yield* processes.describe(one.pid)
      const sleeps = Option.exists(found, (now) => now.started === one.started && now.stopped && !now.traced)
      if (sleeps) yield* processes.kill(one, "SIGCONT")
    }
  })

  /** Disconnects, twice if the debugger does not answer and still runs. Returns whether it answered. */
  const disconnectOrRetry = Effect.fnUntraced(function* (how: "kill" | "detach") {
    if (!disconnects) return true
    for (const millis of disconnectTimeouts) {
      yield* wake
      // A request can wait behind others that the debugger does not answer.
      const answered = yield* Effect.exit(disconnect(how, millis)).pipe(
        Effect.interruptible,
        Effect.timeoutOption(millis)
      )
      if (Option.exists(answered, Exit.isSuccess)) return true
      if (!(yield* isRunning)) return false
    }
    return false
  })

  const killAll = Effect.fnUntraced(function* (all: ReadonlyArray<Processes.ProcessId>) {
    yield* Effect.forEach(all, (one) => processes.kill(one, "SIGKILL"), { discard: true })
    yield* Effect.forEach(all, (one) => processes.awaitExit(one, killTimeout), {
      discard: true,
      concurrency: "unbounded"
    })
  })

  /** Ends helpers of a debugger that was attached. They detach from the program first, so they get time to exit. */
  const endHelpers = Effect.gen(function* () {
    const helpers = yield* processes.carrying(home)
    const end = (one: Processes.ProcessId) =>
      Effect.flatMap(processes.awaitExit(one, closeTimeout), (gone) =>
        gone ? Effect.void : Effect.asVoid(processes.kill(one, "SIGKILL"))
      )
    yield* Effect.forEach(helpers, end, { discard: true, concurrency: "unbounded" })
  })

  const steps = Effect.fnUntraced(function* (how: "kill" | "detach") {
    started = true
    const isOver = hasExited()
    yield* remember
    if (awaitsPrograms && launched && how === "kill") {
      yield* killAll([...descendants.values()].filter(({ pid }) => programs().includes(pid)))
    }
    const answered = yield* disconnectOrRetry(how)
    yield* process.closeInput
    // After a kill no program is attached, so a signal does no harm.
    const exit =
      (how === "kill" || survivesDisconnect) && answered
        ? Option.none()
        : yield* Effect.timeoutOption(exited, closeTimeout)
    const killed = Option.isNone(exit) && Option.isSome(self) && (yield* processes.kill(self.value, "SIGKILL"))
    yield* Effect.timeoutOption(exited, killTimeout)
    const ending: Backend.Ending = { forced: killed && !answered }
    if (!launched) yield* endHelpers
    if (!launched || how === "detach") return ending
    const kept = isOver && descendants.size > 0 ? yield* holders : []
    const rest = [...descendants.values()].filter(
      ({ pid, started }) => !kept.some((one) => one.pid === pid && one.started === started)
    )
    yield* killAll(rest)
    // Background processes of a program that has exited may have inherited the home.
    if (!isOver) yield* Effect.flatMap(processes.carrying(home), killAll)
    return ending
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
