/**
 * New runs of the programs of sessions. They are sessions that no list has; one that is published gets a name. Their processes
 * are in the ledger, so none of their processes outlives the daemon.
 */
import { Caller } from "@sigtrap/protocol"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Backend, LaunchRequest } from "../ports/Backend.ts"
import type { IntentStore } from "../ports/IntentStore.ts"
import type { Ledger } from "../ports/Ledger.ts"
import type { Processes } from "../ports/Processes.ts"
import type { Held } from "../ports/ProgramRuns.ts"
import * as Session from "./Session.ts"
import type { SessionNames } from "./SessionNames.ts"

/** The manager of the runs. */
export interface Owner {
  readonly names: SessionNames
  readonly lifetime: Scope.Scope
  readonly end: (session: Session.Session) => Effect.Effect<string | undefined>
  readonly endWhenIdle: (session: Session.Session) => Effect.Effect<unknown>
  readonly services: Context.Context<Backend | Ledger | Processes | IntentStore>
}

/** True for the name that a new run has in the ledger until it is published. A daemon that finds it shows no lost session. */
export const isUnpublished = (name: string): boolean => /\.back-\d+$/.test(name)

/** Returns the launch of a new run. It writes no files of the earlier one: its output is captured. */
export const launchOf = ({
  held: _,
  loadOnly: __,
  stderr: ___,
  stdout: ____,
  ...launch
}: LaunchRequest): LaunchRequest => ({ ...launch, stopOnEntry: true })

/** Makes the new runs of one manager. */
export const make = ({ end, endWhenIdle, lifetime, names, services }: Owner) => {
  let count = 0
  return {
    rerun: Effect.fn("Manager.rerun")(function* (session: Session.Session, held?: Held) {
      const { actor: beganBy } = yield* Caller.Current
      count += 1
      const rerun = yield* Session.make(
        {
          name: `${session.name}.back-${count}`,
          launch: { ...launchOf(session.launch), ...(held === undefined ? {} : { held, stopOnEntry: false }) },
          beganBy,
          policy: session.policy,
          sourceRoots: session.sourceRoots,
          ttl: session.idle.millis,
          label: `new run of ${session.name}`
        },
        lifetime
      ).pipe(Effect.provide(services))
      const token = yield* rerun.start(Effect.void)
      return { session: rerun, token }
    }),
    publish: Effect.fn("Manager.publish")(function* (session: Session.Session, name: string) {
      const other = names.get(name)
      if (other !== undefined) yield* end(other)
      yield* session.rename(name)
      names.set(session)
      yield* endWhenIdle(session)
    }),
    discard: (session: Session.Session) =>
      Effect.suspend(() =>
        names.get(session.name) === session
          ? Effect.void
          : Effect.asVoid(Effect.forkIn(session.end({ how: "kill" }), lifetime, { startImmediately: true }))
      )
  }
}
