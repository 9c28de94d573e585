// `sigtrap grant`, and the tokens that it writes, over the socket of a daemon.
import { RemoteClient } from "@sigtrap/host"
import { Grants } from "@sigtrap/host/http/Grants"
import { directory, fakeDaemon } from "@sigtrap/host/testing"
import { assert, describe, it } from "@effect/vitest"
import { type Caller, type Client, Errors } from "@sigtrap/protocol"
import { Effect, Fiber, Predicate } from "effect"
import { existsSync, readFileSync, statSync } from "node:fs"
import { grant } from "../../src/commands/GrantCommand.ts"

const daemon = { program: fakeDaemon.program, args: fakeDaemon.args }

const usage = (...words: ReadonlyArray<string>) =>
  Effect.flip(grant(words, { directory: "/src", environment: {}, runtimeDirectory: "/nowhere", self: undefined }))

/** Runs a test with the command and the client of a daemon that ends with it. */
const over = <A, E>(
  test: (
    run: (...words: ReadonlyArray<string>) => ReturnType<typeof grant>,
    path: string
  ) => Effect.Effect<A, E, Client.Client>
) =>
  Effect.gen(function* () {
    const path = yield* directory
    const connection = yield* RemoteClient.connect({ runtimeDirectory: path, daemon })
    yield* Effect.addFinalizer(() => Effect.ignore(RemoteClient.stop(connection.status.socket)))
    const place = { directory: "/src", environment: {}, runtimeDirectory: path, self: daemon }
    return yield* test((...words) => grant(words, place), path).pipe(
      Effect.provide(RemoteClient.layer({ runtimeDirectory: path, daemon: "none" }))
    )
  }).pipe(Effect.scoped)

const dataOf = (data: unknown) => (Predicate.isReadonlyObject(data) ? data : {})

describe("grant", () => {
  it.live("writes a token that servers accept until it is revoked", () =>
    over((run) =>
      Effect.gen(function* () {
        const made = yield* run("--tier", "control,observe", "--session", "web", "--ttl", "2h", "--name", "review")
        assert.match(made.text, /^grant g1: observe, control on web until .* · token in .*grants\/g1\.token\n$/)
        const { grant: written } = dataOf(made.data)
        const file = String(dataOf(written)["file"])
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const { ended, verify } = yield* Grants
        const token = readFileSync(file, "utf8")
        assert.deepStrictEqual(yield* verify(token), {
          id: "g1",
          name: "review",
          tiers: ["observe", "control"],
          session: "web"
        })
        assert.isUndefined(yield* verify("0".repeat(64)))
        assert.match(
          (yield* run("list")).text,
          /^g1 {2}review {2}observe,control {2}web {2}until .* {2}used \d+ s ago\n$/
        )
        const stream = yield* Effect.forkChild(ended("g1"), { startImmediately: true })
        assert.match((yield* run("revoke", "g1")).text, /^revoked g1/)
        yield* Fiber.join(stream)
        assert.isUndefined(yield* verify(token))
        assert.isFalse(existsSync(file))
        assert.strictEqual((yield* Effect.flip(run("revoke", "g1")))._tag, "GrantNotFound")
        assert.strictEqual((yield* run("list")).text, "no grants\n")
      })
    )
  )

  it.live("prints a token instead of writing it", () =>
    over((run, path) =>
      Effect.gen(function* () {
        const { text } = yield* run("--tier", "observe", "--print")
        assert.match(text, /^[0-9a-f]{64}\n$/)
        assert.isFalse(existsSync(`${path}/grants/g1.token`))
        assert.isDefined(yield* Effect.flatMap(Grants, ({ verify }) => verify(text.trim())))
        assert.match((yield* run("revoke", "all")).text, /^revoked g1/)
      })
    )
  )

  it.live("is refused to a server that calls for another one", () =>
    over((_, path) =>
      Effect.gen(function* () {
        const { remote } = yield* RemoteClient.connect({ runtimeDirectory: path, daemon: "none" })
        const caller: Caller.Caller = {
          actor: { kind: "http" },
          allowance: { effects: ["observe", "launch", "raw"], destructive: true, uses: [] }
        }
        const headers = { "sigtrap-caller": JSON.stringify(caller) }
        const request = { tiers: ["observe"] as const, millis: 60_000, print: true }
        const attempts = [
          remote["grant.create"](request, { headers }),
          remote["grant.list"](undefined, { headers }),
          remote["grant.revoke"]({ id: "all" }, { headers }),
          remote["page.code"]({ tiers: ["observe"] }, { headers })
        ]
        for (const attempt of attempts) {
          const error = yield* Effect.flip(Effect.asVoid<unknown, { readonly _tag: string }, never>(attempt))
          assert.strictEqual(Errors.meta(error).code, "TIER_REQUIRED")
        }
      })
    )
  )

  for (const [words, problem] of [
    [[], /--tier is missing/],
    [["--tier", "root"], /'root' is not a tier/],
    [["--tier", "owner"], /'owner' is not a tier/],
    [["--tier", "observe", "--ttl", "8d"], /--ttl: write a time from 1s to 7d/],
    [["--tier", "observe", "--ttl", "inf"], /--ttl/],
    [["--tier", "observe", "--session", "a/b"], /--session/],
    [["--tier", "observe", "--name", "a b"], /--name/],
    [["list", "--print"], /takes no options/],
    [["revoke"], /needs the id/],
    [["show"], /has no 'show'/]
  ] as const) {
    it.live(`refuses ${words.join(" ")}`, () =>
      Effect.map(usage(...words), ({ message }) => assert.match(message, problem))
    )
  }
})
