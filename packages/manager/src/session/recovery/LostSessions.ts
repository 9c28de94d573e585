/**
 * The sessions of a daemon that was killed. Its processes have been ended, except attached programs. What was asked of a
 * session comes from its intent record; a session without one has only its name and program.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Clock from "effect/Clock"
import * as Registry from "../../breakpoints/Registry.ts"
import * as IntentRequest from "../../launch/IntentRequest.ts"
import * as RecordedLaunch from "../../launch/RecordedLaunch.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { LaunchRequest } from "../../ports/Backend.ts"
import { IntentStore, type Lost, type Record } from "../../ports/IntentStore.ts"
import { type Entry, Ledger } from "../../ports/Ledger.ts"
import { Snapshot } from "@sigtrap/protocol"
import { Displays } from "../values/Displays.ts"
import * as EventLog from "../events/EventLog.ts"
import { EventSpool } from "../records/EventSpool.ts"
import { IntentLog } from "../records/IntentLog.ts"
import { limitsOf } from "../events/Journal.ts"
import { Viewpoints } from "../callers/Viewpoints.ts"
import * as Reruns from "../Reruns.ts"
import * as Session from "../Session.ts"
import type { SessionNames } from "../SessionNames.ts"

/** Why these sessions are lost. */
const reason = "the daemon that kept it ended unexpectedly"

/** Makes a session from its record. */
const recorded = Effect.fnUntraced(function* (lost: Lost, manager: Scope.Scope) {
  const store = yield* IntentStore
  const { damage, events, intent: kept, name } = lost
  const { request } = kept
  const { launch } = RecordedLaunch.restore(request.launch, {}, store)
  const policy = Policy.of({ read_only: request.readOnly, deny: request.deny, settings: launch.settings })
  const breakpoints = yield* Registry.make({
    secrets: Secrets.make(launch.settings),
    policy,
    sourceMap: launch.sourceMap
  })
  breakpoints.adopt([...kept.breakpoints.values()], kept.last)
  const log = new EventLog.EventLog(yield* Clock.Clock, () => undefined, undefined, limitsOf(launch.settings))
  const missing = log.journal.restore(events, kept.next)
  const viewpoints = new Viewpoints(log.journal)
  // The stop reports of the earlier daemon have shown this output.
  viewpoints.skipOutput()
  const intent = IntentLog.opened(store.open(lost), kept)
  const session = yield* Session.make(
    {
      name,
      launch,
      lost: damage === undefined ? reason : `${reason}; ${damage}`,
      stopAtMain: request.stopAtMain,
      policy,
      sourceRoots: request.roots,
      request,
      restarts: {
        log: {
          journal: log.journal,
          latest: events.at(-1)?.time ?? 0,
          snapshot: { ...Snapshot.initial, stop: kept.stop }
        },
        breakpoints,
        displays: new Displays(kept.displays),
        viewpoints,
        intent,
        spool: new EventSpool(log.journal, () => intent.record, log.journal.next)
      },
      ...(request.beganBy === undefined ? {} : { beganBy: request.beganBy }),
      ...(request.label === undefined ? {} : { label: request.label }),
      ...(request.id === undefined ? {} : { continues: request.id }),
      ttl: request.ttl ?? Infinity,
      missing
    },
    manager
  )
  return { session, directory: request.directory }
})

/** Returns the launch of a session of which only the ledger is known, or nothing. */
const launchOf = (entry: Entry | undefined): LaunchRequest => ({
  program: entry?.program ?? "",
  args: entry?.args ?? [],
  cwd: "",
  env: {},
  stopOnEntry: false,
  ...(entry?.recorded === false ? { settings: IntentRequest.off } : {})
})

/** Returns the past of a session whose record cannot be used. It is removed with the session. */
const unrecorded = Effect.fnUntraced(function* (record: Record, { settings, sourceMap }: LaunchRequest) {
  const breakpoints = yield* Registry.make({ secrets: Secrets.make(settings), policy: Policy.none, sourceMap })
  const log = new EventLog.EventLog(yield* Clock.Clock, () => undefined)
  return {
    log: { journal: log.journal, latest: 0, snapshot: Snapshot.initial },
    breakpoints,
    displays: new Displays(),
    intent: IntentLog.unusable(record),
    spool: new EventSpool(log.journal, () => record)
  }
})

/** Adds the sessions of an earlier daemon. */
export const add = Effect.fnUntraced(function* (names: SessionNames, manager: Scope.Scope) {
  const ledger = yield* Ledger
  const store = yield* IntentStore
  for (const lost of yield* store.lost) {
    const { directory, session } = yield* recorded(lost, manager)
    names.set(session)
    names.hadNames(session, lost.intent.former ?? [])
    names.makeCurrent(directory, session.name)
  }
  const processes = yield* ledger.lost
  for (const { name, problem, record } of yield* store.unreadable) {
    const launch = launchOf(processes.find((entry) => entry.name === name))
    const lost = `${reason}; its record cannot be used: ${problem}`
    names.set(yield* Session.make({ name, launch, lost, restarts: yield* unrecorded(record, launch) }, manager))
  }
  for (const entry of processes) {
    if (names.get(entry.name) !== undefined || Reruns.isUnpublished(entry.name)) continue
    names.set(yield* Session.make({ name: entry.name, launch: launchOf(entry), lost: reason }, manager))
  }
})
