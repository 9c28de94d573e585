/**
 * What a handler of a session answers, before `Calls` adds the session's name and state.
 */
import type { Answer, Snapshot } from "@sigtrap/protocol"

/** Answer of a handler, without the envelope. `at` is the state that it describes, if the session may have left it. */
export interface Reply<Data> {
  readonly data: Data
  readonly truncated?: ReadonlyArray<Answer.Truncation>
  readonly warnings?: ReadonlyArray<Answer.Warning>
  readonly at?: Snapshot.Snapshot
}
