/**
 * The runtime directory as a service: a private directory for socket, lock, log and session records. `RuntimePath`
 * chooses and checks it; a refusal becomes an error of the contract.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RuntimePath from "./RuntimePath.ts"

/** The chosen directory and its files. */
export class RuntimeDirectory extends Context.Service<RuntimeDirectory, RuntimePath.Place>()(
  "@sigtrap/host/RuntimeDirectory"
) {}

/** Chooses the directory, and creates it if it does not exist. */
export const make = Effect.fn("RuntimeDirectory.make")(function* (explicit?: string) {
  const resolved = RuntimePath.resolve({ explicit, environment: process.env, uid: process.geteuid?.() ?? -1 })
  if (resolved._tag === "Place") return resolved
  return yield* new Errors.DaemonUnreachable({
    detail: `the runtime directory ${resolved.directory} is refused: ${resolved.problem}`,
    remedies: [Hint.remedy(resolved.remedy)]
  })
})

/** The directory of this user and environment, or the named one. */
export const layer = (explicit?: string): Layer.Layer<RuntimeDirectory, Errors.DaemonUnreachable> =>
  Layer.effect(RuntimeDirectory, make(explicit))
