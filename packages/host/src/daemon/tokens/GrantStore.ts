/**
 * The grants of a daemon: creates, checks and revokes tokens, and stores them so that the next daemon knows them.
 *
 * A token has 256 bits. Its SHA-256 digest is stored, never the token. The file of a token is for the client that gets it; it is
 * removed when the grant ends. A grant ends at its time by the wall clock, which also counts while no daemon runs, or after its
 * lifetime by the monotonic clock, so that a clock that is set back does not extend it. If that happens while no daemon runs, the next
 * daemon accepts it for at most its lifetime. A file that this version cannot read, or that has fields of a newer version, is never
 * overwritten: its tokens are refused, and every request fails until it is removed. Fiber: one that waits for the next end (ends with the scope).
 */
import { Errors, Hint, MonotonicTime } from "@sigtrap/protocol"
import { FileReader } from "@sigtrap/manager"
import { purposes } from "@sigtrap/manager/ports/FileReader"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { join } from "node:path"
import * as Grants from "../../http/Grants.ts"
import { RuntimeDirectory } from "../../runtime/RuntimeDirectory.ts"
import { RecordFile } from "../records/RecordFile.ts"

/** Longest lifetime of a grant, in milliseconds. */
export const longest = 7 * 24 * 3_600_000

/** Most grants at a time. */
const most = 100

/**
 * What is asked for. `ask` are tiers for which a person is asked at each use; `millis` is the lifetime; with `print` no file of the
 * token is written. `kind` is that of the caller.
 */
export const Request = Schema.Struct({
  tiers: Schema.NonEmptyArray(Grants.Tier),
  ask: Schema.optionalKey(Schema.Array(Grants.Tier)),
  kind: Grants.Credential.fields.kind,
  session: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,64}$/))),
  name: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,64}$/))),
  millis: Schema.Int.check(Schema.isBetween({ minimum: 1000, maximum: longest })),
  print: Schema.Boolean
})
/** What is asked for. */
export type Request = typeof Request.Type

/** Revoked grants, and how many open connections of theirs were closed as far as the daemon knows them. */
export const Revoked = Schema.Struct({ revoked: Schema.Array(Schema.String), connections: Schema.Int }).annotate({
  identifier: "RevokedGrants"
})
/** Revoked grants. */
export type Revoked = typeof Revoked.Type

/** Version of the stored form. */
const version = 1

/** The stored form. `last` is the number of the newest grant, so that no id is used again. The first files had no version. */
const Stored = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.optionalKey(Schema.Literal(version)),
    last: Schema.Int,
    grants: Schema.Array(
      Schema.Struct({ ...Grants.Grant.fields, hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)) })
    )
  })
)

/** A field that this version does not know may make a grant narrower. */
const decodeStored = Schema.decodeOption(Stored, { onExcessProperty: "error" })

/** A grant that has not ended. `deadline` is its end as `MonotonicTime`. */
interface Held {
  grant: Grants.Grant
  readonly hash: Buffer
  readonly deadline: number
  /** The open connections of its caller. */
  readonly waiting: Set<() => void>
}

const digest = (token: string): Buffer => createHash("sha256").update(token).digest()

/** Returns what the token of a grant allows. */
const credentialOf = ({ ask, id, kind, name, session, tiers }: Grants.Grant): Grants.Credential => ({
  id,
  tiers,
  ...(ask === undefined ? {} : { ask }),
  ...(kind === undefined ? {} : { kind }),
  ...(name === undefined ? {} : { name }),
  ...(session === undefined ? {} : { session })
})

/** The grants of a daemon. */
export class GrantStore extends Context.Service<
  GrantStore,
  Grants.Service & {
    /** Creates a grant. Fails if it cannot be stored. `token` is returned if it has no file. */
    readonly create: (
      request: Request
    ) => Effect.Effect<{ readonly grant: Grants.Grant; readonly token?: string }, Errors.InvalidState>
    /** Fails if the grants of earlier daemons cannot be read. */
    readonly list: Effect.Effect<ReadonlyArray<Grants.Grant>, Errors.InvalidState>
    /** Revokes a grant, or all of them. Fails if there is none with this id, or if it would be valid again for the next daemon. */
    readonly revoke: (id: string) => Effect.Effect<Revoked, Errors.GrantNotFound | Errors.InvalidState>
    /** Calls a function with the id of each grant that ends. Returns a function that ends that. */
    readonly onEnd: (listener: (id: string) => void) => () => void
  }
>()("@sigtrap/host/GrantStore") {}

const failed = (problem: string) =>
  new Errors.InvalidState({ problem, remedies: [Hint.local("grant", ["list"]), Hint.local("daemon.status")] })

/** The error of every request while the file of the grants cannot be used; `problem` is a clause. */
const unusable = (path: string, problem: string) =>
  new Errors.InvalidState({
    problem: `the grants in ${path} are not valid and are not changed, because ${problem}`,
    remedies: [
      { note: "run the version of sigtrap that wrote the file" },
      { note: `remove ${path}, which revokes its tokens for ever, then run sigtrap daemon restart` }
    ]
  })

/** What the file of the grants has: neither a problem nor grants if there is no file. */
interface Read {
  readonly stored?: typeof Stored.Type
  readonly problem?: Errors.InvalidState
}

/** Reads the file of the grants. */
const read = Effect.fnUntraced(function* (
  path: string,
  reader: FileReader.FileReader["Service"]
): Effect.fn.Return<Read> {
  const text = yield* Effect.result(reader.text(path, purposes.record))
  if (Result.isFailure(text)) {
    const { detail, rule } = text.failure
    return rule === "absent" ? {} : { problem: unusable(path, detail) }
  }
  const stored = decodeStored(text.success)
  return Option.isSome(stored)
    ? { stored: stored.value }
    : { problem: unusable(path, "they are damaged or from another version of sigtrap") }
})

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : String(error)

/** Returns the tiers of a grant in their order, and those that a person is asked for. */
const tiersOf = (tiers: ReadonlyArray<Grants.Tier>, ask: ReadonlyArray<Grants.Tier>) => {
  const asked = Grants.tiers.filter((tier) => ask.includes(tier) && !tiers.includes(tier))
  return { tiers: Grants.tiers.filter((tier) => tiers.includes(tier)), ...(asked.length === 0 ? {} : { ask: asked }) }
}

/** The store of the runtime directory. */
export const layer = Layer.effect(
  GrantStore,
  Effect.suspend(() =>
    Effect.flatMap(Effect.all([RuntimeDirectory, FileReader.FileReader]), ([{ grants }, reader]) =>
      make(grants, reader)
    )
  )
)

/** Makes the store of a directory, with the grants of earlier daemons. */
export const make = Effect.fnUntraced(function* (directory: string, reader: FileReader.FileReader["Service"]) {
  const clock = yield* Clock.Clock
  const file = new RecordFile(join(directory, "grants.json"))
  const changed = yield* Latch.make(false)
  const held = new Map<string, Held>()
  const listeners = new Set<(id: string) => void>()
  let last = 0

  const now = () => MonotonicTime.read(clock)
  const time = () => clock.currentTimeMillisUnsafe()
  const tokenFile = (id: string) => new RecordFile(join(directory, `${id}.token`))

  const hold = (grant: Grants.Grant, hash: Buffer) => {
    const { created, expires, id } = grant
    // The clock may have been set back while no daemon ran.
    const left = Math.min(expires - time(), expires - created)
    held.set(id, { grant, hash, deadline: now() + left, waiting: new Set() })
  }

  /** Stores all grants. Throws the error of the system. */
  const store = () => {
    const grants = [...held.values()].map(({ grant, hash }) => ({ ...grant, hash: hash.toString("hex") }))
    file.replace(JSON.stringify({ version, last, grants }))
  }

  /** Ends a grant; returns the number of connections that it had. */
  const end = ({ grant: { id }, waiting }: Held): number => {
    held.delete(id)
    tokenFile(id).remove()
    const connections = waiting.size
    for (const wake of waiting) wake()
    for (const listener of listeners) listener(id)
    return connections
  }

  const isOver = ({ deadline, grant }: Held): boolean => time() >= grant.expires || now() >= deadline

  /** Ends the grants whose time is up. What cannot be stored is removed at the next start. */
  const expire = Effect.suspend(() => {
    const over = [...held.values()].filter(isOver)
    for (const one of over) end(one)
    return over.length === 0 ? Effect.void : Effect.ignore(Effect.try({ try: store, catch: codeOf }))
  })

  const { problem, stored } = yield* read(file.path, reader)
  if (problem !== undefined) yield* Effect.logWarning(problem.message)
  /** Ends the grants whose time is up. Fails if the file of the grants cannot be used. */
  const current = problem === undefined ? expire : Effect.fail(problem)
  if (stored !== undefined) {
    for (const { hash, ...grant } of stored.grants) hold(grant, Buffer.from(hash, "hex"))
    last = stored.last
    yield* expire
  }

  const next = Effect.gen(function* () {
    yield* expire
    const left = Math.min(...[...held.values()].map(({ deadline }) => deadline)) - now()
    changed.closeUnsafe()
    // A timer has at most 31 bits of milliseconds, and the lifetime of a grant fits.
    yield* Effect.raceFirst(changed.await, Number.isFinite(left) ? Effect.sleep(Math.max(1, left)) : Effect.never)
  })
  yield* Effect.forkScoped(Effect.forever(next))
  // The times of the last uses are stored at the end.
  yield* Effect.addFinalizer(() =>
    last === 0 ? Effect.void : Effect.ignore(Effect.try({ try: store, catch: codeOf }))
  )

  return GrantStore.of({
    verify: (token) =>
      Effect.sync(() => {
        const hash = digest(token)
        // All are compared, so that the time does not tell which one comes close.
        const [found] = [...held.values()].filter((one) => timingSafeEqual(one.hash, hash))
        if (found === undefined) return undefined
        if (isOver(found)) {
          end(found)
          return undefined
        }
        found.grant = { ...found.grant, last_used: time() }
        return credentialOf(found.grant)
      }),
    ended: (id) =>
      Effect.callback((resume) => {
        const one = held.get(id)
        const wake = () => resume(Effect.void)
        if (one === undefined) return wake()
        one.waiting.add(wake)
        return Effect.sync(() => one.waiting.delete(wake))
      }),
    create: ({ ask = [], kind, millis, name, print, session, tiers }) =>
      Effect.gen(function* () {
        yield* current
        if (held.size >= most) return yield* failed(`there are ${most} grants; revoke one first`)
        const token = randomBytes(32).toString("hex")
        const id = `g${(last += 1)}`
        const created = time()
        const grant: Grants.Grant = {
          id,
          ...tiersOf(tiers, ask),
          created,
          expires: created + millis,
          ...(kind === undefined ? {} : { kind }),
          ...(name === undefined ? {} : { name }),
          ...(session === undefined ? {} : { session }),
          ...(print ? {} : { file: tokenFile(id).path })
        }
        hold(grant, digest(token))
        const written = Effect.try({
          try: () => {
            store()
            if (!print) tokenFile(id).replace(token)
          },
          catch: (error) => failed(`the grant cannot be stored: ${codeOf(error)}`)
        })
        yield* Effect.tapError(written, () =>
          Effect.sync(() => {
            held.delete(id)
            tokenFile(id).remove()
          })
        )
        changed.openUnsafe()
        return { grant, ...(print ? { token } : {}) }
      }),
    list: Effect.gen(function* () {
      yield* current
      return [...held.values()].map(({ grant }) => grant)
    }),
    revoke: (id) =>
      Effect.gen(function* () {
        yield* current
        const chosen = [...held.values()].filter(({ grant }) => id === "all" || grant.id === id)
        if (chosen.length === 0 && id !== "all") {
          return yield* new Errors.GrantNotFound({ id, known: [...held.keys()] })
        }
        const connections = chosen.reduce((sum, one) => sum + end(one), 0)
        changed.openUnsafe()
        yield* Effect.try({
          try: store,
          catch: (error) =>
            failed(`revoked, but the next daemon will accept it again, because that cannot be stored: ${codeOf(error)}`)
        })
        return { revoked: chosen.map(({ grant }) => grant.id), connections }
      }),
    onEnd: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  })
})
