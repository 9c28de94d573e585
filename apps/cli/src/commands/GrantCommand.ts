/**
 * `sigtrap grant`: writes a token for another client, lists the tokens that are valid, and revokes them. Only the owner of the
 * daemon's socket can do that: no operation, no MCP tool and no token does.
 */
import * as Grants from "@sigtrap/host/http/Grants"
import { Config } from "@sigtrap/host"
import { Errors, Field, Hint, Settings } from "@sigtrap/protocol"
import { Clock, Effect, Result } from "effect"
import * as Arguments from "./Arguments.ts"
import type { Answer, Command, Place } from "./ClientCommand.ts"
import * as OwnerConnection from "./OwnerConnection.ts"

const usage = (problem: string, near: ReadonlyArray<string> = []) =>
  new Errors.Usage({ problem, near, remedies: [Hint.help("grant")] })

/** Lifetime without `--ttl` and without `grant.ttl`. */
const fallback = "1h"

/** Longest lifetime, in days. */
const mostDays = 7

const day = 24 * 3_600_000

const pad = (number: number) => String(number).padStart(2, "0")

/** Returns a time of today as `11:31`, another one with its day. */
const clockTime = (millis: number, now: number): string => {
  const [time, today] = [new Date(millis), new Date(now)]
  const hour = `${pad(time.getHours())}:${pad(time.getMinutes())}`
  return time.toDateString() === today.toDateString()
    ? hour
    : `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())} ${hour}`
}

/** Returns a duration as `4 s`, `3 min`, `2 h` or `1 d`, in the largest unit that fits. */
const duration = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}

const tiersOf = (
  option: "tier" | "ask",
  text: string | undefined
): Result.Result<readonly [Grants.Tier, ...Array<Grants.Tier>], Errors.Usage> => {
  const words = (text ?? "").split(",").map((word) => word.trim())
  const unknown = words.find((word) => !Grants.tiers.some((tier) => tier === word))
  const [first, ...rest] = Grants.tiers.filter((tier) => words.includes(tier))
  if (text === undefined) return Result.fail(usage(`--${option} is missing: ${Grants.tiers.join(", ")}`))
  return unknown === undefined && first !== undefined
    ? Result.succeed([first, ...rest])
    : Result.fail(
        usage(`--${option}: '${unknown ?? ""}' is not a tier; write one or more of ${Grants.tiers.join(",")}`)
      )
}

const millisOf = (text: string): Result.Result<number, Errors.Usage> => {
  const days = /^(\d{1,3})d$/.exec(text)?.[1]
  const millis = days === undefined ? Field.millis(text) : Number(days) * day
  return millis >= 1000 && millis <= mostDays * day
    ? Result.succeed(millis)
    : Result.fail(usage(`--ttl: write a time from 1s to ${mostDays}d, such as 30m, 2h or 1d`))
}

const broken = () =>
  Effect.fail(new Errors.DaemonUnreachable({ detail: "the connection broke", remedies: [Hint.local("daemon.status")] }))

const where = ({ session }: Grants.Grant): string => session ?? "every session"

/** Returns the tiers of a grant, then those that a person is asked for: `observe, ask for evaluate`. */
const tiersIn = ({ ask = [], tiers }: Grants.Grant, separator = ", "): string =>
  [...tiers, ...ask.map((tier) => `ask for ${tier}`)].join(separator)

const create = Effect.fnUntraced(function* ({ flags, values }: Arguments.Words, place: Place) {
  const tiers = yield* Effect.fromResult(tiersOf("tier", values.get("tier")))
  const asked = values.get("ask")
  const ask = asked === undefined ? [] : yield* Effect.fromResult(tiersOf("ask", asked))
  const configured = Settings.text(yield* Config.values({ ...place, directory: "/" }), "grant.ttl")
  const millis = yield* Effect.fromResult(millisOf(values.get("ttl") ?? configured ?? fallback))
  const [name, session] = [values.get("name"), values.get("session")]
  if (name !== undefined && !/^[\x21-\x7e]{1,64}$/.test(name)) {
    return yield* usage("--name takes at most 64 visible characters without blanks")
  }
  if (session !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(session)) {
    return yield* usage(`--session: '${session}' is not the name of a session`)
  }
  const print = flags.has("print")
  const { remote } = yield* OwnerConnection.open(place)
  const { grant, token } = yield* Effect.catchTag(
    remote["grant.create"]({
      tiers,
      millis,
      print,
      ...(ask.length === 0 ? {} : { ask }),
      ...(name === undefined ? {} : { name }),
      ...(session === undefined ? {} : { session })
    }),
    "RpcClientError",
    broken
  )
  const now = yield* Clock.currentTimeMillis
  const what = `${tiersIn(grant)} on ${where(grant)} until ${clockTime(grant.expires, now)}`
  const text = token === undefined ? `grant ${grant.id}: ${what} · token in ${grant.file}\n` : `${token}\n`
  return { text, data: { grant, ...(token === undefined ? {} : { token }) } } satisfies Answer
})

const list = Effect.fnUntraced(function* (place: Place) {
  const { remote } = yield* OwnerConnection.open(place)
  const { grants } = yield* Effect.catchTag(remote["grant.list"](), "RpcClientError", broken)
  const now = yield* Clock.currentTimeMillis
  const lines = grants.map((grant) =>
    [
      grant.id,
      grant.kind === "page" ? `page:${grant.name ?? grant.id}` : (grant.name ?? "-"),
      tiersIn(grant, ","),
      where(grant),
      `until ${clockTime(grant.expires, now)}`,
      grant.last_used === undefined ? "never used" : `used ${duration(now - grant.last_used)} ago`
    ].join("  ")
  )
  return { text: lines.length === 0 ? "no grants\n" : `${lines.join("\n")}\n`, data: { grants } } satisfies Answer
})

const revoke = Effect.fnUntraced(function* (id: string | undefined, place: Place) {
  if (id === undefined) return yield* usage("grant revoke needs the id of a grant, or all")
  const { remote } = yield* OwnerConnection.open(place)
  const data = yield* Effect.catchTag(remote["grant.revoke"]({ id }), "RpcClientError", broken)
  const { connections, revoked } = data
  const closed = connections === 0 ? "" : ` · ${connections} open connection${connections === 1 ? "" : "s"} closed`
  return {
    text: `${revoked.length === 0 ? "no grants" : `revoked ${revoked.join(", ")}`}${closed}\n`,
    data
  } satisfies Answer
})

/** Runs `grant`. */
export const grant: Command = Effect.fnUntraced(function* (argv, place) {
  const given = yield* Effect.fromResult(Arguments.read("grant", argv))
  const [action, id, extra] = given.words
  const isAlone = given.values.size === 0 && !given.flags.has("print")
  if (extra !== undefined || (action === "list" && id !== undefined)) {
    return yield* usage(`grant ${action} takes no '${extra ?? id}'`)
  }
  if (action !== undefined && !isAlone) return yield* usage(`grant ${action} takes no options`)
  switch (action) {
    case undefined:
      return yield* create(given, place)
    case "list":
      return yield* list(place)
    case "revoke":
      return yield* revoke(id, place)
    default:
      return yield* usage(`grant has no '${action}'`, ["list", "revoke"])
  }
})
