/** The HTTP platform for `--http`. Loaded on demand: standard input and output do not need it. */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect } from "effect"
import * as HttpServer from "./HttpServer.ts"

/** Serves until the scope closes; returns the address. */
export const listen = (options: HttpServer.Options) =>
  Effect.provide(HttpServer.start(options), NodeHttpServer.layerHttpServices)
