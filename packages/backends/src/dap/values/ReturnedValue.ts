/**
 * The value that a function returned, after a step out of it, as an adapter shows it: in a scope of the frame (DAP `scopes`).
 */
import { type Client, Requests } from "@sigtrap/dap"
import type { Backend } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type { Quirks } from "../../adapters/Quirks.ts"
import type * as Console from "../Console.ts"
import * as Values from "./Values.ts"

/** The parts of a connection that this module uses. */
export interface Options extends Pick<Console.Options, "failed"> {
  readonly client: Client.Client
  readonly quirks: Pick<Quirks, "hidesReturned">
  /** The adapter's name in messages. */
  readonly name: string
}

/** The value that an adapter shows as a scope of the frame. */
const returnedInScope = ({ client, failed }: Pick<Options, "client" | "failed">) =>
  Effect.fnUntraced(function* (frame: number) {
    const { scopes } = yield* client.request(Requests.Scopes, { frameId: frame }).pipe(Effect.mapError(failed))
    const scope = scopes.find(({ presentationHint }) => presentationHint === "returnValue")
    if (scope === undefined) return undefined
    const { variables } = yield* client
      .request(Requests.Variables, { variablesReference: scope.variablesReference })
      .pipe(Effect.mapError(failed))
    const [value] = variables
    return value === undefined ? undefined : { ...Values.valueOf(value), name: "return", kind: "return" as const }
  })

/** The value of an adapter that does not report what a function returned. */
const unknownReturned = (name: string) => () =>
  Effect.succeed({ name: "return", kind: "return" as const, handle: 0, value: `<unknown: ${name} does not report it>` })

/** Returns the request for the value that a function returned to a frame. */
export const make = ({ client, failed, name, quirks }: Options): Backend.Connection["returned"] =>
  quirks.hidesReturned === true ? unknownReturned(name) : returnedInScope({ client, failed })
