/**
 * The client of a manager in this process. It needs a debugger and a machine: `Backend`, `Processes`, `Ledger`,
 * `SimulatorAccess`, `FileReader`, `FileSystem`, `Path`, `ChildProcessSpawner`.
 */
import { Client, Operation } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Build } from "./launch/Build.ts"
import { Defaults } from "./simulator/Defaults.ts"
import * as Handlers from "./Handlers.ts"
import * as NulCharacters from "./model/NulCharacters.ts"
import * as SecretMask from "./model/SecretMask.ts"
import { Manager } from "./session/Manager.ts"
import { Launch } from "./launch/Launch.ts"
import * as Requests from "./Requests.ts"
import * as Permission from "./model/Permission.ts"
import { SourceFiles } from "./model/SourceFiles.ts"
import { AttachTargets } from "./launch/AttachTargets.ts"

const client = Layer.effect(
  Client.Client,
  Effect.gen(function* () {
    const handlers = yield* Handlers.make
    const once = yield* Requests.once
    const manager = yield* Manager
    const consented = Handlers.consented(manager)
    // Each call is a span, named by its operation.
    const permitted = Client.fromHandlers(handlers, (call, work) =>
      Effect.andThen(
        NulCharacters.check(call.payload, Operation.meta(call.operation).bytes),
        consented(
          call.operation,
          call.payload,
          Permission.permitted(
            call.operation,
            call.payload,
            once(call, Effect.withSpan(work, `Operation.${call.operation._tag}`))
          )
        )
      )
    )
    return Client.outermost(SecretMask.client(permitted, manager.sessions))
  })
)

/** `Client` and `Manager`; every session ends with the layer. */
export const layer = client.pipe(
  Layer.provideMerge(Manager.layer),
  Layer.provide([Build.layer, Launch.layer, SourceFiles.layer, AttachTargets.layer, Defaults.layer])
)
