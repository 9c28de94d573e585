/**
 * A launch request as it is recorded, and made again from a record.
 */
import type { Settings } from "@sigtrap/protocol"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { LaunchRequest } from "../ports/Backend.ts"
import type * as Intent from "../ports/Intent.ts"
import * as Secrets from "../model/secrets/Secrets.ts"
import * as RecordedEnvironment from "./RecordedEnvironment.ts"

/** Returns the secrets that are never recorded. Masking that is turned off for answers is not turned off here. */
const secretsOf = (settings: Settings.Values | undefined) => {
  const { "redact.enabled": _, ...others } = settings ?? {}
  return Secrets.make(others)
}

/** Returns a JSON value without the members that have a secret name. */
const withoutSecrets = (value: unknown, secrets: Secrets.Secrets): Schema.Json => {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value
  }
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, secrets))
  if (!Predicate.isReadonlyObject(value)) return null
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !secrets.named(name))
      .map(([name, one]) => [name, withoutSecrets(one, secrets)])
  )
}

const optionsWithoutSecrets = (options: { readonly [key: string]: unknown }, secrets: Secrets.Secrets) =>
  Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => !secrets.named(name))
      .map(([name, value]) => [name, withoutSecrets(value, secrets)])
  )

/** Returns the settings without variables of adapters that have a secret name. */
const settingsWithoutSecrets = (settings: Settings.Values, secrets: Secrets.Secrets): Settings.Values =>
  Object.fromEntries(
    Object.entries(settings).filter(([key]) => {
      const name = /^adapters\.[\w-]+\.env\.(.+)$/.exec(key)?.[1]
      return name === undefined || !secrets.named(name)
    })
  )

const target = (existing: LaunchRequest["existing"]): Intent.RecordedLaunch["existing"] => {
  if (existing?.kind !== "process") return existing
  const { kind, pid, started } = existing
  return { kind, pid, started }
}

/** Returns a launch request as it is recorded. */
export const record = (launch: LaunchRequest, store: RecordedEnvironment.Store): Intent.RecordedLaunch => {
  const secrets = secretsOf(launch.settings)
  const { callerEnv, env, existing, held: _, options, settings, ...plain } = launch
  const found = target(existing)
  return {
    ...plain,
    // A target that exists already has its own environment.
    env: RecordedEnvironment.record(existing === undefined ? env : {}, store, secrets),
    callerEnv: callerEnv !== undefined || existing !== undefined,
    ...(found === undefined ? {} : { existing: found }),
    ...(options === undefined ? {} : { options: optionsWithoutSecrets(options, secrets) }),
    ...(settings === undefined ? {} : { settings: settingsWithoutSecrets(settings, secrets) })
  }
}

/** A launch request made again, and the variables that have no value or another one. */
export interface Restored extends Omit<RecordedEnvironment.Restored, "env"> {
  readonly launch: LaunchRequest
}

/** Makes a launch request again. `caller` is the environment of the caller. */
export const restore = (
  recorded: Intent.RecordedLaunch,
  caller: RecordedEnvironment.Environment,
  store: RecordedEnvironment.Store
): Restored => {
  const { callerEnv, env: stored, ...plain } = recorded
  const { changed, env, missing } = RecordedEnvironment.restore(stored, caller, store)
  const launch: LaunchRequest = {
    ...plain,
    env: recorded.existing === undefined ? env : caller,
    ...(callerEnv && recorded.existing === undefined ? { callerEnv: caller } : {})
  }
  return { launch, missing, changed }
}
