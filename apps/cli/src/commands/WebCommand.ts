/**
 * `sigtrap web`: opens the page in the browser of the user. Only the owner of the daemon's socket can do that: no operation, no MCP
 * tool and no token does.
 */
import { RemoteClient } from "@sigtrap/host"
import * as Grants from "@sigtrap/host/http/Grants"
import { Errors, Hint } from "@sigtrap/protocol"
import { Effect, Result } from "effect"
import * as Arguments from "./Arguments.ts"
import type { Answer, Command } from "./ClientCommand.ts"
import * as PageText from "../render/PageText.ts"
import * as OwnerConnection from "./OwnerConnection.ts"

const usage = (problem: string) => new Errors.Usage({ problem, near: [], remedies: [Hint.help("web")] })

/** Returns the tiers of an option. */
const tiersOf = (text: string): Result.Result<ReadonlyArray<Grants.Tier>, Errors.Usage> => {
  const words = text.split(",").map((word) => word.trim())
  const unknown = words.find((word) => !Grants.tiers.some((tier) => tier === word))
  return unknown === undefined
    ? Result.succeed(Grants.tiers.filter((tier) => words.includes(tier)))
    : Result.fail(usage(`--allow: '${unknown}' is not a tier; write one or more of ${Grants.tiers.join(",")}`))
}

/** Runs `web`. */
export const web: Command = Effect.fnUntraced(function* (argv, place) {
  const { flags, values, words } = yield* Effect.fromResult(Arguments.read("web", argv))
  const [extra] = words
  if (extra !== undefined) return yield* usage(`web takes no '${extra}'`)
  const allow = yield* Effect.fromResult(tiersOf(values.get("allow") ?? Grants.tiers[0]))
  const session = values.get("session")
  if (session !== undefined && !/^[A-Za-z0-9._-]{1,64}$/.test(session)) {
    return yield* usage(`--session: '${session}' is not the name of a session`)
  }
  const port = yield* Effect.fromResult(Arguments.port(values.get("port"), "web"))
  const print = flags.has("print")
  const { remote } = yield* OwnerConnection.open(place)
  const page = yield* RemoteClient.opener(remote)({
    allow,
    only: session,
    port,
    print,
    environment: place.environment
  })
  return { text: print ? `${page.url}\n` : PageText.describe(page), data: page } satisfies Answer
})
