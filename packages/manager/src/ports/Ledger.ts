/**
 * Records of the processes of each session, for a later daemon. A record is written before a process is used and removed
 * when the session ends. A killed daemon leaves its records behind; the next one ends the processes in them and lists
 * those sessions as lost.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ProcessId } from "./Processes.ts"

/** The processes of one session, or an adapter without one. `launched` ones end with the session; others keep running. */
export const Entry = Schema.Struct({
  name: Schema.String,
  program: Schema.String,
  args: Schema.Array(Schema.String),
  /** Milliseconds since 1970. */
  started_at: Schema.Finite,
  adapter: Schema.optionalKey(ProcessId),
  /** The private home of the adapter, which is in the environment of its helpers. */
  home: Schema.optionalKey(Schema.String),
  debuggee: Schema.optionalKey(ProcessId),
  launched: Schema.Boolean,
  /** True for an adapter that was started before a session needed it. */
  prestarted: Schema.optionalKey(Schema.Literal(true)),
  /** False if `intent.store` is false, so that the session has no intent record. */
  recorded: Schema.optionalKey(Schema.Literal(false))
})
/** The processes of one session. */
export type Entry = typeof Entry.Type

/** Writes and reads the records. A write failure is logged and never fails an operation. `write` returns true on success. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly write: (entry: Entry) => Effect.Effect<boolean>
    readonly remove: (name: string) => Effect.Effect<void>
    /** Records of sessions of an earlier daemon, whose processes are already ended. Each is returned once. */
    readonly lost: Effect.Effect<ReadonlyArray<Entry>>
  }
>()("@sigtrap/manager/Ledger") {
  /** Keeps no records; for sessions that end with this process. */
  static readonly layerNone = Layer.succeed(this, {
    write: () => Effect.succeed(true),
    remove: () => Effect.void,
    lost: Effect.succeed([])
  })
}
