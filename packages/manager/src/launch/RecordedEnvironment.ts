/**
 * The environment of a program as it is recorded, and made again from a record.
 *
 * A record never contains a whole environment. Values that the daemon has too are recorded by a digest, and are taken from
 * the environment of the caller or of the later daemon if the digest matches. Secret values are not recorded at all.
 */
import type { RecordedEnvironment } from "../ports/Intent.ts"
import type { IntentStore } from "../ports/IntentStore.ts"
import type { Secrets } from "../model/secrets/Secrets.ts"

/** Variables by name. */
export type Environment = { readonly [name: string]: string }

/** The parts of the store that are used here. */
export type Store = Pick<IntentStore["Service"], "environment" | "salt" | "digest">

const digestOf = ({ digest }: Store, salt: string, name: string, value: string) => digest(`${salt}${name}=${value}`)

/** True if a variable must not be recorded: its name is secret, or its value contains a secret. PWD is a directory. */
const isSecret = (secrets: Secrets, name: string, value: string) =>
  (name !== "PWD" && secrets.named(name)) || secrets.inText(value) !== value

/** Returns a variable. An inherited property of the object, such as `constructor`, is none. */
const valueOf = (env: Environment, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined

/** Returns an environment as it is recorded. */
export const record = (env: Environment, store: Store, secrets: Secrets): RecordedEnvironment => {
  const salt = store.salt()
  // An object would take a variable named __proto__ as its prototype.
  const set = new Map<string, string>()
  const same = new Map<string, string>()
  const masked: Array<string> = []
  for (const [name, value] of Object.entries(env)) {
    if (isSecret(secrets, name, value)) masked.push(name)
    else if (valueOf(store.environment, name) === value) same.set(name, digestOf(store, salt, name, value))
    else set.set(name, value)
  }
  return { salt, set: Object.fromEntries(set), same: Object.fromEntries(same), masked }
}

/** An environment made again. `missing` are names without a value, `changed` those with another value than before. */
export interface Restored {
  readonly env: Environment
  readonly missing: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
}

/** Makes an environment again. `caller` are the variables of the caller. */
export const restore = (recorded: RecordedEnvironment, caller: Environment, store: Store): Restored => {
  const env = new Map(Object.entries(recorded.set))
  const missing: Array<string> = []
  const changed: Array<string> = []
  for (const [name, digest] of Object.entries(recorded.same)) {
    const known = [valueOf(caller, name), valueOf(store.environment, name)].filter((value) => value !== undefined)
    const equal = known.find((value) => digestOf(store, recorded.salt, name, value) === digest)
    const value = equal ?? known[0]
    if (value === undefined) missing.push(name)
    else {
      env.set(name, value)
      if (equal === undefined) changed.push(name)
    }
  }
  for (const name of recorded.masked) {
    const value = valueOf(caller, name)
    if (value === undefined) missing.push(name)
    else env.set(name, value)
  }
  return { env: Object.fromEntries(env), missing: missing.toSorted(), changed: changed.toSorted() }
}
