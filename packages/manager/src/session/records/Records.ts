/**
 * What a session stores for a later daemon: its intent, at each change, and its events, in the background. A restart
 * continues both.
 */
import * as Effect from "effect/Effect"
import type * as Intent from "../../ports/Intent.ts"
import { IntentStore } from "../../ports/IntentStore.ts"
import { Displays } from "../values/Displays.ts"
import type { EventLog } from "../events/EventLog.ts"
import { EventSpool } from "./EventSpool.ts"
import { IntentLog, type Subject } from "./IntentLog.ts"
import type { OwnedProcesses } from "../OwnedProcesses.ts"

/** The stored parts of an earlier run. */
export interface Past {
  readonly intent: IntentLog
  readonly spool: EventSpool
  /** Expressions that are shown at each stop. */
  readonly displays: Displays
}

/** The session that is stored. */
export interface Options {
  readonly past: Past | undefined
  /** The request to record; without it the session is not stored. */
  readonly request: Intent.Request | undefined
  readonly name: () => string
  readonly log: EventLog
  readonly breakpoints: Pick<Subject, "last"> & { readonly current: Subject["breakpoints"] }
  readonly ownership: Pick<OwnedProcesses, "isRecorded">
  readonly fork: (work: Effect.Effect<void>) => void
}

/** The records of one session. */
export interface Records extends Past {
  /** Stores the whole session. Called before its program runs. */
  readonly begin: () => void
  /** Returns why the records are incomplete, after another attempt to write them. */
  readonly notStored: Effect.Effect<string | undefined>
}

/** Makes the records of one session, which are empty or those of the earlier run. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const { breakpoints, fork, log, name, ownership, past, request } = options
  const store = yield* IntentStore
  const intent = past?.intent ?? IntentLog.empty()
  const displays = past?.displays ?? new Displays()
  const spool = past?.spool ?? new EventSpool(log.journal, () => intent.record)
  intent.assign({
    breakpoints: breakpoints.current,
    last: breakpoints.last,
    displays: () => displays.recorded,
    stop: () => log.snapshot.stop,
    next: () => log.journal.next
  })
  const records: Records = {
    intent,
    spool,
    displays,
    begin: () => {
      if (request === undefined) return
      intent.request(request, (begun) => store.create(name(), begun))
      fork(spool.run(log, () => intent.counted()))
    },
    notStored: Effect.gen(function* () {
      if (intent.record.problem() !== undefined) yield* spool.finish
      const isRecorded = yield* ownership.isRecorded
      return intent.record.problem() ?? (isRecorded ? undefined : "its processes are not in the ledger")
    })
  }
  return records
})
