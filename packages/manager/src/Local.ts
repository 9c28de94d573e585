/**
 * The client of a manager in this process. It needs a debugger and a machine: `Backend`, `Processes`, `Ledger`,
 * `SimulatorAccess`, `FileReader`, `FileSystem`, `Path`, `ChildProcessSpawner`.
 */
import { Client, Operation, Span } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { Build } from "./launch/Build.ts"
import { Defaults } from "./simulator/Defaults.ts"
import * as Handlers from "./Handlers.ts"
import * as NulCharacters from "./model/NulCharacters.ts"
import * as SecretMask from "./model/secrets/SecretMask.ts"
import { Manager } from "./session/Manager.ts"
import { Launch } from "./launch/Launch.ts"
import * as Requests from "./Requests.ts"
import * as Permission from "./model/permissions/Permission.ts"
import { SourceFiles } from "./model/sources/SourceFiles.ts"
import { AttachTargets } from "./launch/AttachTargets.ts"

/** Makes no spans in a call whose caller has set no tracer: nothing would read them. */
const untraced = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.tracer, (tracer) =>
    tracer === Tracer.nativeTracer ? Effect.provideService(call, References.TracerEnabled, false) : call
  )

/** Returns the client whose calls make spans only for a tracer that their caller has set. */
const sparing = (inner: Client.Client["Service"]): Client.Client["Service"] => ({
  call: (tag, payload) => untraced(inner.call(tag, payload)),
  callAny: (operation, payload) => untraced(inner.callAny(operation, payload))
})

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
            once(call, Span.within(`Operation.${call.operation._tag}`)(work))
          )
        )
      )
    )
    return sparing(Client.outermost(SecretMask.client(permitted, manager.sessions)))
  })
)

/** `Client` and `Manager`; every session ends with the layer. */
export const layer = client.pipe(
  Layer.provideMerge(Manager.layer),
  Layer.provide([Build.layer, Launch.layer, SourceFiles.layer, AttachTargets.layer, Defaults.layer])
)
