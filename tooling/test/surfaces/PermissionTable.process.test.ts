// Every operation and every field with an effect, without each tier that it needs, on every surface: the answer is TIER_REQUIRED with that
// tier and before any other error, and nothing happens. The rows are computed from the operations, so new ones are included.
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Api from "@sigtrap/http/Api"
import { Grants } from "@sigtrap/host/http/Grants"
import { IntentStore, Ledger, Local, Simulators } from "@sigtrap/manager"
import { DiskReader, FakeBackend, FakeMachine } from "@sigtrap/manager/testing"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import * as HttpServer from "@sigtrap/mcp/server/HttpServer"
import * as Server from "@sigtrap/mcp/server/Server"
import { Caller, Client, Effects, Feed, Operation, Operations, Payload } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Effect, FileSystem, Layer, Option, Path, Predicate, Redacted, Stream } from "effect"
import { McpTest } from "effect/ai"
import { HttpEffect } from "effect/http"
import { ChildProcessSpawner } from "effect/process"
import * as CommandRunner from "sigtrap/runner/CommandRunner"

const caller: Payload.Caller = { directory: "/src", environment: {} }

/** The tiers that a token can have. */
const tiers = ["observe", "control", "evaluate", "write", "admin"] as const
type Tier = (typeof tiers)[number]

type Input = Operation.Example["input"]

/** A call, and the tiers that it needs. */
interface Row {
  readonly operation: Operation.Any
  readonly input: Input
  readonly needs: ReadonlySet<Effects.Tier>
  /** True if it starts programs and needs nothing else of the tier admin. */
  readonly onlyLaunches: boolean
}

/** A text in which every rule finds an effect, and values of other types. */
const values: ReadonlyArray<unknown> = [["main if f() :: {f()}"], "main if f() :: {f()}", "uprobe", true, 7, ["7"], "7"]

const rowOf = (operation: Operation.Any, input: Input): Option.Option<Row> =>
  Option.map(
    Effect.runSync(Effect.option(Payload.decode(operation, Payload.fill(operation, input, caller)))),
    (payload) => {
      const uses = Effects.ofCall(Operation.meta(operation), payload)
      return {
        operation,
        input,
        needs: new Set(uses.map(({ effect }) => Effects.tierOf(effect))),
        onlyLaunches: uses.every(({ destroys, effect }) => effect !== "raw" && destroys === undefined)
      }
    }
  )

/** The first example of each operation, and the same with each field that needs another tier. */
const rows: ReadonlyArray<Row> = Operations.all.flatMap((operation) => {
  const { effects, examples } = Operation.meta(operation)
  const base = Option.toArray(rowOf(operation, examples[0].input))
  const known = base[0]?.needs ?? new Set()
  const wider = Object.keys(effects).flatMap((field) =>
    values
      .flatMap((value) => Option.toArray(rowOf(operation, { ...examples[0].input, [field]: value })))
      .filter(({ needs }) => [...needs].some((tier) => !known.has(tier)))
      .slice(0, 1)
  )
  return [...base, ...wider]
})

/** What a surface answered: the code of the error, and the tiers that it names. */
interface Decision {
  readonly code: string
  readonly tiers: ReadonlyArray<string>
}

const decisionOf = (body: unknown): Decision => {
  const error = Predicate.isReadonlyObject(body) ? body["error"] : undefined
  if (!Predicate.isReadonlyObject(error)) return { code: "none", tiers: [] }
  const details = Predicate.isReadonlyObject(error["details"]) ? error["details"] : {}
  const missing = Array.isArray(details["missing"]) ? details["missing"] : []
  const named = missing.map((use: unknown) => (Predicate.isReadonlyObject(use) ? String(use["tier"]) : ""))
  return { code: String(error["code"]), tiers: [...new Set(named)] }
}

const textOf = ({ input, operation }: Row) => `${operation._tag} ${JSON.stringify(input)}`

/** Sends a call as a client that has these tiers. */
type Send = (row: Row, has: ReadonlyArray<Tier>) => Effect.Effect<Decision>

const allowanceOf = (has: ReadonlyArray<Tier>): Caller.Allowance => ({
  effects: Effects.ofTiers(has),
  destructive: has.includes("admin"),
  uses: []
})

/** The token of a client that has these tiers. */
const tokenOf = (has: ReadonlyArray<Tier>) => `has.${has.join(".")}`

const grants = {
  verify: (token: string) =>
    Effect.succeed({ id: token, tiers: tiers.filter((tier) => token.split(".").includes(tier)) }),
  ended: () => Effect.never
}

const library = Effect.map(
  Client.Client,
  (client): Send =>
    ({ input, operation }, has) =>
      Effect.flatMap(Effect.orDie(Payload.decode(operation, Payload.fill(operation, input, caller))), (payload) =>
        client.callAny(operation, payload).pipe(
          Effect.match({
            onSuccess: () => ({ code: "none", tiers: [] }),
            onFailure: (error) =>
              error._tag === "TierRequired"
                ? { code: "TIER_REQUIRED", tiers: [...new Set(error.missing.map(({ tier }) => tier))] }
                : { code: error._tag, tiers: [] }
          }),
          Effect.provideService(Caller.Current, { actor: { kind: "library" }, allowance: allowanceOf(has) })
        )
      )
)

const commandLine = Effect.map(
  Effect.context<Client.Client>(),
  (context): Send =>
    ({ input, operation }, has) =>
      CommandRunner.exec({
        argv: ["--json", ...Commands.argvOf(operation, input)],
        ...caller,
        terminal: { stdout: false, stderr: false, columns: 80, color: false }
      }).pipe(
        Stream.provideService(Caller.Current, { actor: { kind: "cli" }, allowance: allowanceOf(has) }),
        Stream.runCollect,
        Effect.provideContext(context),
        Effect.map((pieces) => pieces.map((piece) => (piece._tag === "Stdout" ? piece.text : "")).join("")),
        Effect.map((text) => decisionOf(JSON.parse(text.split("\n")[0] ?? "")))
      )
)

const authority = "127.0.0.1:4711"

const http = Effect.map(
  Api.make({ version: "1.2.3", authority, token: Redacted.make("0123456789abcdef".repeat(4)), caller }).pipe(
    Effect.provideService(Grants, grants)
  ),
  (api): Send => {
    const handle = HttpEffect.toWebHandler(api)
    return ({ input, operation }, has) =>
      Effect.promise(async () => {
        const response = await handle(
          new Request(`http://${authority}/v1/${operation._tag.split(".").join("/")}`, {
            method: "POST",
            headers: { host: authority, authorization: `Bearer ${tokenOf(has)}`, "content-type": "application/json" },
            body: JSON.stringify(input)
          })
        )
        const decision = decisionOf(await response.json())
        assert.strictEqual(
          response.status === 403 && decision.code === "TIER_REQUIRED",
          decision.code === "TIER_REQUIRED"
        )
        return decision
      })
  }
)

const nameOf = (operation: Operation.Any) => operation._tag.replaceAll(".", "_")

/** MCP over HTTP, with a session of its own for each token. */
const mcpHttp = Effect.gen(function* () {
  const { url } = yield* HttpServer.start({
    port: 0,
    version: "1.2.3",
    caller,
    profile: "full",
    allow: [],
    structured: true,
    token: Redacted.make("own")
  }).pipe(Effect.provideService(Grants, grants))
  const post = (token: string, headers: { readonly [name: string]: string }, body: object) =>
    Effect.promise(async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2025-11-25",
          ...headers
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body })
      })
      return { session: response.headers.get("mcp-session-id") ?? "", text: await response.text() }
    })
  const sessions = new Map<string, string>()
  const send: Send = Effect.fnUntraced(function* ({ input, operation }, has) {
    const token = tokenOf(has)
    if (!sessions.has(token)) {
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "agent", version: "1" }
      }
      sessions.set(token, (yield* post(token, {}, { method: "initialize", params })).session)
    }
    const params = { name: nameOf(operation), arguments: input }
    const called = yield* post(token, { "mcp-session-id": sessions.get(token) ?? "" }, { method: "tools/call", params })
    const line =
      called.text
        .split("\n")
        .find((one) => one.startsWith("data:"))
        ?.slice(5) ?? called.text
    const { result } = JSON.parse(line)
    return decisionOf(Predicate.isReadonlyObject(result) ? result["structuredContent"] : undefined)
  })
  return send
})

/**
 * MCP over standard input. The profile gives the tiers observe, control and evaluate, `--allow` the others. A client without forms may
 * start programs.
 */
const mcpStdio = Effect.gen(function* () {
  const grantable = ["write", "admin"] as const
  const connect = (allow: ReadonlyArray<(typeof grantable)[number]>) =>
    Effect.map(
      McpTest.makeClient(ToolCalls.layer({ caller, profile: "full", allow, structured: true, notifies: false }), {
        protocols: Server.protocols
      }),
      (client) => [allow.join(), client] as const
    )
  const clients = new Map(yield* Effect.all([connect([]), connect(["write"]), connect(["admin"]), connect(grantable)]))
  const send: Send = ({ input, operation }, has) => {
    const client = clients.get(grantable.filter((tier) => has.includes(tier)).join())
    if (client === undefined) return Effect.die("no client")
    return client.callTool({ name: nameOf(operation), arguments: { ...input } }).pipe(
      Effect.orDie,
      Effect.map(({ structuredContent }) => decisionOf(structuredContent))
    )
  }
  return send
})

/** True if a surface can take this tier from the caller of this row. */
const canLack = (surface: string, row: Row, tier: Tier) =>
  surface !== "MCP" || tier === "write" || (tier === "admin" && !row.onlyLaunches)

const surfaces = Effect.all({
  library,
  "command line": commandLine,
  HTTP: http,
  "MCP over HTTP": mcpHttp,
  MCP: mcpStdio
})

/** A manager on a machine without files, whose writes are recorded. */
const machine = (fake: FakeBackend.Fake, written: Array<string>) => {
  const write = (path: string) => Effect.sync(() => void written.push(path))
  const files = FileSystem.layerNoop({
    exists: () => Effect.succeed(false),
    writeFile: write,
    writeFileString: write,
    makeDirectory: write,
    remove: write
  })
  return Local.layer.pipe(
    Layer.provide([
      Layer.mock(ChildProcessSpawner.ChildProcessSpawner, {}),
      fake.layer,
      Ledger.Ledger.layerNone,
      IntentStore.IntentStore.layerNone,
      FakeMachine.processes,
      files,
      DiskReader.layer.pipe(Layer.provide(files)),
      Path.layer,
      Simulators.SimulatorAccess.layerNone("testing")
    ]),
    Layer.merge(Layer.mock(Feed.Feed, {})),
    Layer.merge(NodeHttpServer.layerHttpServices)
  )
}

describe("the table of permissions", () => {
  it("has a row for each operation, and one for each tier beyond that of an operation", () => {
    assert.deepStrictEqual(
      [...new Set(rows.map(({ operation }) => operation._tag))],
      Operations.all.map(({ _tag }) => _tag)
    )
    for (const tier of tiers)
      assert.isTrue(
        rows.some(({ needs }) => needs.has(tier)),
        tier
      )
  })

  for (const isLive of [false, true]) {
    it.live(
      `without a tier, every surface answers with that tier before any other error, ${isLive ? "and the session stays as it was" : "without a session"}`,
      () => {
        const fake = FakeBackend.make()
        const written: Array<string> = []
        return Effect.gen(function* () {
          const client = yield* Client.Client
          if (isLive) {
            const connect = Operations.byTag("connect")
            yield* client.callAny(connect, yield* Payload.decode(connect, { address: "localhost:1" }))
          }
          const events = yield* Payload.decode(Operations.byTag("events"), {})
          const state = Effect.gen(function* () {
            const { data } = yield* client.call("sessions", {})
            const log = yield* Effect.option(client.callAny(Operations.byTag("events"), events))
            const sessions = data.sessions.map(({ name, state: now }) => ({ name, now }))
            return { sessions, events: Option.map(log, (answer) => answer.data) }
          })
          const before = yield* state
          const problems: Array<string> = []
          for (const [surface, send] of Object.entries(yield* surfaces)) {
            for (const row of rows) {
              for (const tier of tiers) {
                if (!row.needs.has(tier) || !canLack(surface, row, tier)) continue
                const { code, tiers: named } = yield* send(
                  row,
                  tiers.filter((one) => one !== tier)
                )
                if (code === "TIER_REQUIRED" && named.join() === tier) continue
                problems.push(`${surface}: ${textOf(row)} without ${tier}: ${code} ${named.join()}`)
              }
            }
          }
          assert.deepStrictEqual(problems, [])
          assert.deepStrictEqual(yield* state, before)
          assert.lengthOf(fake.debuggees, isLive ? 1 : 0)
          assert.deepStrictEqual(written, [])
        }).pipe(Effect.scoped, Effect.provide(machine(fake, written)))
      },
      120_000
    )
  }

  it.live(
    "with the tiers of a call, no surface asks for another",
    () =>
      Effect.gen(function* () {
        const problems: Array<string> = []
        for (const [surface, send] of Object.entries(yield* surfaces)) {
          for (const row of rows) {
            // A script needs the tiers of its commands, too.
            if (Operation.meta(row.operation).composite) continue
            const { code } = yield* send(
              row,
              tiers.filter((tier) => row.needs.has(tier))
            )
            if (code === "TIER_REQUIRED") problems.push(`${surface}: ${textOf(row)}`)
          }
        }
        assert.deepStrictEqual(problems, [])
      }).pipe(Effect.scoped, Effect.provide(machine(FakeBackend.make(), []))),
    120_000
  )
})
