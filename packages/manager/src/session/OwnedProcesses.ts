/**
 * The processes of one session: the adapter and the program. They are recorded in the ledger, from which a later daemon ends
 * those that are left. The program can be checked, signalled and killed without the debugger.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as IntentRequest from "../launch/IntentRequest.ts"
import type { LaunchRequest } from "../ports/Backend.ts"
import type * as Ledger from "../ports/Ledger.ts"
import { Ledger as LedgerService } from "../ports/Ledger.ts"
import { Processes, type ProcessId, startedBefore } from "../ports/Processes.ts"

/** The processes of one session. */
export interface OwnedProcesses {
  /** Records a process in the ledger. Does nothing after the session has ended. */
  readonly record: (role: Role, pid: number) => Effect.Effect<void>
  /** Records the adapter and its private home. */
  readonly spawned: (pid: number, home: string) => Effect.Effect<void>
  /** Begins to record a process, in synchronous code. The effect completes it. */
  readonly announce: (role: Role, pid: number) => Effect.Effect<void>
  /** Completes when every announced process is recorded. */
  readonly settled: Effect.Effect<void>
  /** True if the newest record is in the ledger, after another attempt to write it. */
  readonly isRecorded: Effect.Effect<boolean>
  /** True if the recorded program has exited. */
  readonly programGone: Effect.Effect<boolean>
  /** Waits until the recorded program has exited, at most `millis`. Returns its pid if it still exists then. */
  readonly survivor: (millis: number) => Effect.Effect<number | undefined>
  /** Removes the session from the ledger. */
  readonly forget: Effect.Effect<void>
  /** Renames the session in the ledger. */
  readonly rename: (name: string) => Effect.Effect<void>
  /** Returns how often a thread of the program was taken off a processor; undefined if the program is not on this machine. */
  readonly switches: (thread: number) => Effect.Effect<number | undefined>
  /** Signals the program, if it runs on this machine and is still the same process. */
  readonly signal: (signal: "SIGTERM" | "SIGKILL" | "SIGSTOP") => Effect.Effect<void>
  /** Kills the program if it has not exited after `millis`. */
  readonly killAfter: (millis: number) => Effect.Effect<void>
  /** Processes of the session that still exist. */
  readonly remaining: Effect.Effect<ReadonlyArray<Remaining>>
}

type Role = "adapter" | "debuggee"

/** A process of a session. */
interface Remaining {
  readonly pid: number
  readonly role: Role
}

/** Timeout for the exit of a killed process, in milliseconds. */
const killTimeout = 2000

/** The session whose processes are recorded. */
export interface Subject {
  readonly name: string
  readonly launch: LaunchRequest
}

/** Makes the process record of one session, which is empty. */
export const make = Effect.fnUntraced(function* ({ launch, ...subject }: Subject) {
  const startedAt = yield* Clock.currentTimeMillis
  const ledger = yield* LedgerService
  const processes = yield* Processes
  const owned: { adapter?: ProcessId; debuggee?: ProcessId; home?: string } = {}
  const announced = new Set<Latch.Latch>()
  let isEnded = false
  let isWritten = true
  let name = subject.name
  const { existing } = launch
  // A pid from a core file or a remote target says nothing about the processes of this machine.
  const isLocal = existing === undefined || existing.kind === "process"

  const entry = (): Ledger.Entry => ({
    name,
    program: launch.program,
    args: launch.args,
    started_at: startedAt,
    launched: existing === undefined,
    ...(IntentRequest.isOff(launch.settings) ? { recorded: false } : {}),
    ...owned
  })

  const signal: OwnedProcesses["signal"] = (signal) =>
    Effect.suspend(() =>
      owned.debuggee === undefined ? Effect.void : Effect.asVoid(processes.kill(owned.debuggee, signal))
    )

  const write = Effect.suspend(() => ledger.write(entry())).pipe(
    Effect.map((written) => {
      isWritten = written
      return written
    })
  )

  const record: OwnedProcesses["record"] = Effect.fnUntraced(function* (role, pid) {
    if (!isLocal && role === "debuggee") return
    const found = yield* processes.identify(pid)
    if (Option.isNone(found) || isEnded) return
    // A debugger launches no process that is older than itself: it reports a wrong pid, such as that of a container.
    const isForeign =
      role === "debuggee" &&
      existing === undefined &&
      owned.adapter !== undefined &&
      startedBefore(found.value, owned.adapter)
    if (isForeign) return
    owned[role] = found.value
    yield* write
  })

  const ownership: OwnedProcesses = {
    record,
    spawned: (pid, home) =>
      Effect.suspend(() => {
        owned.home = home
        return record("adapter", pid)
      }),
    announce: (role, pid) => {
      const recorded = Latch.makeUnsafe(false)
      announced.add(recorded)
      return Effect.ensuring(
        record(role, pid),
        Effect.sync(() => {
          announced.delete(recorded)
          recorded.openUnsafe()
        })
      )
    },
    settled: Effect.suspend(() => Effect.forEach([...announced], (recorded) => recorded.await, { discard: true })),
    isRecorded: Effect.suspend(() => (isWritten || isEnded ? Effect.succeed(true) : write)),
    programGone: Effect.suspend(() => {
      const { debuggee } = owned
      if (debuggee === undefined) return Effect.succeed(false)
      return Effect.map(
        processes.identify(debuggee.pid),
        (found) => Option.isNone(found) || found.value.started !== debuggee.started
      )
    }),
    switches: (thread) =>
      Effect.suspend(() =>
        owned.debuggee === undefined
          ? Effect.undefined
          : (processes.switches?.(owned.debuggee.pid, thread) ?? Effect.undefined)
      ),
    survivor: Effect.fnUntraced(function* (millis) {
      const { debuggee } = owned
      if (debuggee === undefined || (yield* processes.awaitExit(debuggee, millis))) return undefined
      return debuggee.pid
    }),
    forget: Effect.suspend(() => {
      isEnded = true
      return ledger.remove(name)
    }),
    rename: (next) =>
      Effect.suspend(() => {
        const before = name
        name = next
        const isRecorded = !isEnded && (owned.adapter !== undefined || owned.debuggee !== undefined)
        return Effect.andThen(ledger.remove(before), isRecorded ? Effect.asVoid(write) : Effect.void)
      }),
    signal,
    killAfter: Effect.fnUntraced(function* (millis) {
      const { debuggee } = owned
      if (debuggee === undefined || (millis > 0 && (yield* processes.awaitExit(debuggee, millis)))) return
      yield* signal("SIGKILL")
      yield* processes.awaitExit(debuggee, killTimeout)
    }),
    remaining: Effect.suspend(() =>
      Effect.filter(
        (["adapter", "debuggee"] as const).flatMap((role) => {
          const one = owned[role]
          return one === undefined ? [] : [{ role, ...one }]
        }),
        ({ pid, started }) =>
          Effect.map(processes.identify(pid), (found) => Option.isSome(found) && found.value.started === started)
      )
    )
  }
  return ownership
})
