/**
 * The environment of a program as it is recorded, and made again from a record.
 *
 * A record never contains a whole environment. Values that the daemon has too are recorded by a digest, and are taken from
 * the environment of the caller or of the later daemon if the digest matches. Secret values are not recorded at all.
 */
import type { RecordedEnvironment } from "../ports/Intent.ts"
import type { IntentStore } from "../ports/IntentStore.ts"
import type { Secrets } from "../model/Secrets.ts"

/** Variables by name. */
export type Environment = { readonly [name: string]: string }

/** The parts of the store that are used here. */
export type Store = Pick<IntentStore["Service"], "environment" | "salt" | "digest">

const digestOf = ({ digest }: Store, salt: string, name: string, value: string) => digest(`${salt}${name}=${value}`)

/** True if a variable must not be recorded: its name is secret, or its value contains a secret. PWD is a directory. */
const isSecret = (secrets: Secrets, name: string, value: string) =>
  (name !== "PWD" && secrets.named(name)) || secrets.inText(value) !== value

/** Returns an environment as it is recorded. */
export const record = (env: Environment, store: Store, secrets: Secrets): RecordedEnvironment => {
  const salt = store.salt()
  const set: Record<string, string> = {}
  const same: Record<string, string> = {}
  const masked: Array<string> = []
  for (const [name, value] of Object.entries(env)) {
    if (isSecret(secrets, name, value)) masked.push(name)
    else if (store.environment[name] === value) same[name] = digestOf(store, salt, name, value)
    else set[name] = value
  }
  return { salt, set, same, masked }
}

/** An environment made again. `missing` are names without a value, `changed` those with another value than before. */
export interface Restored {
  readonly env: Environment
  readonly missing: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
}

/** Makes an environment again. `caller` are the variables of the caller. */
export const restore = (recorded: RecordedEnvironment, caller: Environment, store: Store): Restored => {
  const env: Record<string, string> = { ...recorded.set }
  const missing: Array<string> = []
  const changed: Array<string> = []
  for (const [name, digest] of Object.entries(recorded.same)) {
    const known = [caller[name], store.environment[name]].filter((value) => value !== undefined)
    const equal = known.find((value) => digestOf(store, recorded.salt, name, value) === digest)
    const value = equal ?? known[0]
    if (value === undefined) missing.push(name)
    else {
      env[name] = value
      if (equal === undefined) changed.push(name)
    }
  }
  for (const name of recorded.masked) {
    const value = caller[name]
    if (value === undefined) missing.push(name)
    else env[name] = value
  }
  return { env, missing: missing.toSorted(), changed: changed.toSorted() }
}
