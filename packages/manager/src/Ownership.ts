/**
 * The processes of one session: what a later daemon must find to clean up after this one, and whether the program is
 * still there when its debugger has not noticed that it is not.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Launch } from "./Backend.ts"
import type * as Ledger from "./Ledger.ts"
import { Ledger as LedgerService } from "./Ledger.ts"
import { Processes, type ProcessId } from "./Processes.ts"

/** The processes of one session. */
export interface Ownership {
  /** Notes a process and writes the ledger, as long as the session is alive. */
  readonly note: (role: "adapter" | "debuggee", pid: number) => Effect.Effect<void>
  /** Whether the program was seen alive before and is gone now. */
  readonly programGone: Effect.Effect<boolean>
  /** Takes the session out of the ledger. */
  readonly forget: Effect.Effect<void>
}

/** What is noted about a session. */
export interface Subject {
  readonly name: string
  readonly launch: Launch
  readonly startedAt: number
}

/** The processes of a session, none so far. */
export const make = Effect.fnUntraced(function* ({ launch, name, startedAt }: Subject) {
  const ledger = yield* LedgerService
  const processes = yield* Processes
  const owned: { adapter?: ProcessId; debuggee?: ProcessId } = {}
  let over = false
  const { existing } = launch
  // The pid in a core file, or of another machine, may be anybody's here.
  const elsewhere = existing !== undefined && existing.kind !== "process"

  const ownership: Ownership = {
    note: Effect.fnUntraced(function* (role, pid) {
      if (elsewhere && role === "debuggee") return
      const found = yield* processes.identify(pid)
      if (Option.isNone(found) || over) return
      owned[role] = found.value
      const entry: Ledger.Entry = {
        name,
        program: launch.program,
        args: launch.args,
        started_at: startedAt,
        launched: existing === undefined,
        ...owned
      }
      yield* ledger.write(entry)
    }),
    programGone: Effect.suspend(() => {
      const { debuggee } = owned
      if (debuggee === undefined) return Effect.succeed(false)
      return Effect.map(
        processes.identify(debuggee.pid),
        (found) => Option.isNone(found) || found.value.started !== debuggee.started
      )
    }),
    forget: Effect.suspend(() => {
      over = true
      return ledger.remove(name)
    })
  }
  return ownership
})
