/**
 * The runtime directory as a service: one private place for socket, lock, log and session records. The rules are those
 * of `RuntimePath`; a refusal becomes the error that a caller sees.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RuntimePath from "./RuntimePath.ts"

/** The service: the place that was chosen. */
export class RuntimeDirectory extends Context.Service<RuntimeDirectory, RuntimePath.Place>()(
  "@sigtrap/host/RuntimeDirectory"
) {}

/** Chooses the directory and makes it when it is absent. */
export const make = Effect.fnUntraced(function* (explicit?: string) {
  const resolved = RuntimePath.resolve({ explicit, environment: process.env, uid: process.geteuid?.() ?? -1 })
  if (resolved._tag === "Place") return resolved
  return yield* new Errors.DaemonUnreachable({
    detail: `the runtime directory ${resolved.directory} is refused: ${resolved.problem}`,
    remedies: [Hint.remedy(resolved.remedy)]
  })
})

/** The directory for this user and environment, or the one named. */
export const layer = (explicit?: string): Layer.Layer<RuntimeDirectory, Errors.DaemonUnreachable> =>
  Layer.effect(RuntimeDirectory, make(explicit))
