/**
 * The scopes of a frame with the one of the global variables, for debuggers that list it only while a setting is on (Delve:
 * `showGlobalVariables`).
 */
import { type Client, type Errors as Dap, Requests, type Models } from "@sigtrap/dap"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"

/** The parts of a connection that this module uses. */
export interface Options {
  readonly client: Client.Client
  readonly quirks: Pick<Quirks, "globalsSetting">
}

/** Requests the scopes of a frame, all of them. The setting is off again afterwards: with it each stop would read all globals. */
export const all = (
  { client, quirks: { globalsSetting } }: Options,
  frameId: number
): Effect.Effect<ReadonlyArray<Models.Scope>, Dap.RequestError> => {
  const scopes = Effect.map(client.request(Requests.Scopes, { frameId }), (body) => body.scopes)
  if (globalsSetting === undefined) return scopes
  const change = (expression: string) => client.request(Requests.Evaluate, { expression, context: "repl", frameId })
  return Effect.acquireUseRelease(
    change(globalsSetting.on),
    () => scopes,
    () => Effect.ignore(change(globalsSetting.off))
  )
}
