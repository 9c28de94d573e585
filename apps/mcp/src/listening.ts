/** Listening on a port: what `--http` needs and no other start loads. */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect } from "effect"
import * as Http from "./Http.ts"

/** Listens, and answers with the address. */
export const listen = (options: Http.Options) => Effect.provide(Http.start(options), NodeHttpServer.layerHttpServices)
