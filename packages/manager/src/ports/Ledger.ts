/**
 * What every session owns, kept where a later daemon finds it: a record is written before a process is used and
 * removed when the session has ended. A daemon that was killed leaves its records behind; the next one sweeps the
 * processes in them and lists those sessions as lost.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ProcessId } from "./Processes.ts"

/** What one session owns. `launched` processes end with the session, others are left alone. */
export const Entry = Schema.Struct({
  name: Schema.String,
  program: Schema.String,
  args: Schema.Array(Schema.String),
  /** Milliseconds since 1970. */
  started_at: Schema.Finite,
  adapter: Schema.optionalKey(ProcessId),
  debuggee: Schema.optionalKey(ProcessId),
  launched: Schema.Boolean
})
/** What one session owns. */
export type Entry = typeof Entry.Type

/** The service. Writing never fails an operation: a ledger that cannot write logs it. */
export class Ledger extends Context.Service<
  Ledger,
  {
    readonly write: (entry: Entry) => Effect.Effect<void>
    readonly remove: (name: string) => Effect.Effect<void>
    /** Records of an earlier owner, their processes already ended. Each is returned once. */
    readonly lost: Effect.Effect<ReadonlyArray<Entry>>
  }
>()("@sigtrap/manager/Ledger") {
  /** Keeps nothing; for sessions that end with this process. */
  static readonly layerNone = Layer.succeed(this, {
    write: () => Effect.void,
    remove: () => Effect.void,
    lost: Effect.succeed([])
  })
}
