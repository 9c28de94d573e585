/**
 * The client whose manager is in this process. What is missing is a debugger and a machine: `Backend`, `Processes`,
 * `Ledger`, `SimulatorAccess`, `FileSystem`, `Path`, `ChildProcessSpawner`.
 */
import { Client } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Building } from "./Building.ts"
import { Defaults } from "./Defaults.ts"
import * as Handlers from "./Handlers.ts"
import { Manager } from "./Manager.ts"
import { Program } from "./Program.ts"
import * as Requests from "./Requests.ts"
import { SourceFiles } from "./SourceFiles.ts"
import { Targets } from "./Targets.ts"

const client = Layer.effect(
  Client.Client,
  Effect.gen(function* () {
    const handlers = yield* Handlers.make
    return Client.fromHandlers(handlers, yield* Requests.once)
  })
)

/** `Client` and `Manager`; every session ends with the layer. */
export const layer = client.pipe(
  Layer.provideMerge(Manager.layer),
  Layer.provide([Building.layer, Program.layer, SourceFiles.layer, Targets.layer, Defaults.layer])
)
