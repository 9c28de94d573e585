/**
 * Handlers of the session defaults.
 */
import type { Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { keys, defaultProfile, type Profile } from "../../simulator/Defaults.ts"
import * as Targets from "../../simulator/Target.ts"
import type { Services } from "../../simulator/Target.ts"

/** Handles `defaults.show`. */
export const show = ({ defaults }: Services, payload: Operations.Payload<"defaults.show">) =>
  defaults.show(payload, payload.profile)

/** `defaults.set`. The simulator is checked if simulators are available. */
export const set = Effect.fnUntraced(function* (services: Services, payload: Operations.Payload<"defaults.set">) {
  if (payload.simulator !== undefined && payload.simulator !== "booted") {
    const { simulator } = payload
    // Without simulators the name is not checked, so that a project can be set up on another machine.
    yield* Targets.simulatorsOf(services, payload).pipe(
      Effect.flatMap((simulators) => simulators.choose(simulator)),
      Effect.catch((error) => (error._tag === "DeviceNotFound" ? Effect.fail(error) : Effect.void))
    )
  }
  const { backend, bundle, simulator } = payload
  const added: Profile = {
    ...(simulator === undefined ? {} : { simulator }),
    ...(bundle === undefined ? {} : { bundle }),
    ...(backend === undefined ? {} : { backend })
  }
  return yield* services.defaults.change(
    payload,
    (file, profile) => ({
      ...file,
      profiles: { ...file.profiles, [profile]: { ...file.profiles[profile], ...added } }
    }),
    { profile: payload.profile, persist: payload.persist }
  )
})

/** Handles `defaults.clear`. */
export const clear = ({ defaults }: Services, payload: Operations.Payload<"defaults.clear">) =>
  defaults.change(
    payload,
    (file, profile) => {
      if (payload.all) return { profile: defaultProfile, profiles: {} }
      const removed = payload.keys.length === 0 ? keys : payload.keys
      const remaining = Object.fromEntries(
        Object.entries(file.profiles[profile] ?? {}).filter(([key]) => !removed.some((one) => one === key))
      )
      const { [profile]: _, ...others } = file.profiles
      return { ...file, profiles: Object.keys(remaining).length === 0 ? others : { ...others, [profile]: remaining } }
    },
    { profile: payload.all ? undefined : payload.profile, persist: payload.persist, all: payload.all }
  )

/** Handles `defaults.use`. */
export const use = ({ defaults }: Services, payload: Operations.Payload<"defaults.use">) =>
  defaults.use(payload, payload.name, payload.persist)
