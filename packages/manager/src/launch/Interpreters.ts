/** Tells a client that attached to an interpreter with a native debugger which debugger knows the interpreter's program. */
import { Hint, type Answer } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Backend, LaunchRequest } from "../ports/Backend.ts"

/**
 * Returns the warning that a process is an interpreter, with the call that debugs its program; the warnings of `native` for another
 * process, and if the caller chose the adapter.
 */
export const attached = Effect.fnUntraced(function* (
  { adapter, existing, program }: LaunchRequest,
  native: Effect.Effect<ReadonlyArray<Answer.Warning>>,
  backend: Backend["Service"]
) {
  const known =
    existing?.kind !== "process" || adapter !== undefined
      ? undefined
      : yield* backend.interpreterAdapter?.(program) ?? Effect.undefined
  if (existing?.kind !== "process" || known === undefined) return yield* native
  const name = program.split("/").at(-1) ?? program
  const warning: Answer.Warning = {
    code: "INTERPRETER",
    message: `${name} is an interpreter, and this session debugs its native code; after detach, ${known} can debug the program that it runs`,
    hints: [Hint.call("attach", { pid: existing.pid, adapter: known })]
  }
  return [warning]
})
