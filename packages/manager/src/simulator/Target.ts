/**
 * Resolves the device and the app of a call: the named ones, else the session defaults, else the booted device.
 */
import { Caller, Errors, Field, Hint, type Simulator } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import type { Defaults } from "./Defaults.ts"
import type { SimulatorAccess, Simulators } from "../ports/Simulators.ts"

/** Fields of every simulator operation. */
export interface Payload {
  readonly simulator?: string | undefined
  readonly deadline?: string | undefined
  readonly directory?: string | undefined
  readonly environment?: { readonly [name: string]: string } | undefined
}

/** Services of simulator operations. */
export interface Services {
  readonly access: SimulatorAccess["Service"]
  readonly defaults: Defaults["Service"]
  readonly path: Path.Path
  /** The environment of this process. */
  readonly environment: { readonly [name: string]: string }
}

/** A device and the simulators of the caller. */
export interface Target {
  readonly simulators: Simulators
  readonly device: Simulator.Device
  readonly subject: Simulator.Subject
  /** Session defaults, also for keys other than device and app. */
  readonly used: ReadonlyArray<Simulator.AppliedDefault>
}

/** A target with its app. */
export interface AppTarget extends Target {
  readonly bundle: string
}

const usage = (problem: string, hint: Hint.Hint) => new Errors.Usage({ problem, near: [], remedies: [hint] })

/**
 * True if the environment that a call states decides which tools run. It chooses programs of the user, so the caller of a token
 * needs the effect `raw` for it. Other surfaces run as the user and fill in their own environment.
 */
const choosesTools = ({ allowance, grant }: Caller.Caller): boolean =>
  grant === undefined || Caller.missing(allowance, [{ effect: "raw", field: "environment" }]).length === 0

/** Returns the simulators of a caller. The tools of a caller who cannot choose them are those of this process. */
export const simulatorsOf = Effect.fnUntraced(function* ({ access, environment: own }: Services, payload: Payload) {
  const caller = yield* Caller.Current
  const millis = payload.deadline === undefined ? Number.POSITIVE_INFINITY : Field.millis(payload.deadline)
  return yield* access.of({
    environment: choosesTools(caller) ? (payload.environment ?? {}) : own,
    ...(Number.isFinite(millis) ? { deadlineMillis: Math.max(millis, 1) } : {})
  })
})

/** The shape of a bundle id: words joined by dots. */
const bundleId = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+$/

/** Returns the device and defaults of a call. `unavailable` includes unavailable devices. */
export const device = Effect.fnUntraced(function* (services: Services, payload: Payload, unavailable = false) {
  const simulators = yield* simulatorsOf(services, payload)
  const { values } = yield* services.defaults.show(payload)
  const fallback = values.find(({ key }) => key === "simulator")
  const chosen = yield* simulators.choose(payload.simulator ?? fallback?.value, unavailable)
  const used = payload.simulator === undefined && fallback !== undefined ? [fallback] : []
  const { name, runtime, udid } = chosen.device
  const target: Target = {
    simulators,
    device: chosen.device,
    subject: { udid, name, runtime, chosen: chosen.why, defaults: used },
    used: values
  }
  return target
})

/** Returns device and app of a call. A single word is the app if it is a bundle id and no simulator has that name. */
export const app = Effect.fnUntraced(function* (
  services: Services,
  payload: Payload & { readonly bundle?: string | undefined }
) {
  const { values } = yield* services.defaults.show(payload)
  const word = payload.simulator
  const isSingleWord = payload.bundle === undefined && word !== undefined && bundleId.test(word)
  const isApp = isSingleWord && !(yield* isDevice(services, payload, word))
  const { simulator: _, ...rest } = payload
  const target = yield* device(services, isApp ? rest : payload)
  if (isApp) return { ...target, bundle: word }
  if (payload.bundle !== undefined) return { ...target, bundle: payload.bundle }
  const fallback = values.find(({ key }) => key === "bundle")
  if (fallback === undefined) {
    return yield* usage("no app is named, and no default app is set", Hint.help("defaults.set"))
  }
  const subject = { ...target.subject, defaults: [...target.subject.defaults, fallback] }
  return { ...target, subject, bundle: fallback.value }
})

const isDevice = Effect.fnUntraced(function* (services: Services, payload: Payload, word: string) {
  const simulators = yield* simulatorsOf(services, payload)
  return (yield* simulators.devices).some(({ name }) => name.toLowerCase() === word.toLowerCase())
})

/** Reads NAME=VALUE pairs. */
export const variables = (
  pairs: ReadonlyArray<string>
): Effect.Effect<{ readonly [name: string]: string }, Errors.Usage> => {
  const wrong = pairs.find((pair) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(pair))
  if (wrong !== undefined) return Effect.fail(usage(`'${wrong}' is not NAME=VALUE`, Hint.help("sim.launch")))
  return Effect.succeed(
    Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]))
  )
}
