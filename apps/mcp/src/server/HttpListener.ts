/** Listening on a port: what `--http` needs and no other start loads. */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect } from "effect"
import * as HttpServer from "./HttpServer.ts"

/** Listens, and answers with the address. */
export const listen = (options: HttpServer.Options) =>
  Effect.provide(HttpServer.start(options), NodeHttpServer.layerHttpServices)
