/**
 * The references of scopes in adapters that number them alike for all frames (the quirk `scopeReferences`). Such a reference means the frame
 * of the last `scopes` request (DAP), so the variables are requested together with it, before a request for another frame.
 */
import type { Models } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"

/** A scope with a reference of its own. */
type Scope = keyof NonNullable<Quirks["scopeReferences"]>

/** Reads the variables of the scope that the next `scopes` request will most likely have; undefined in other adapters. */
export const likely = <A>(
  { scopeReferences }: Quirks,
  scope: Scope,
  read: (reference: number) => Effect.Effect<A, Backend.Failure>
): Effect.Effect<A | undefined, Backend.Failure> =>
  scopeReferences === undefined
    ? Effect.succeed(undefined)
    : read(scopeReferences[scope]).pipe(Effect.catchTag("AdapterError", () => Effect.succeed(undefined)))

/** True if the variables that were read so are those of the only chosen scope. */
export const isLikely = (
  { scopeReferences }: Quirks,
  scope: Scope,
  chosen: ReadonlyArray<Pick<Models.Scope, "variablesReference">>
): boolean => chosen.length === 1 && chosen[0]?.variablesReference === scopeReferences?.[scope]
