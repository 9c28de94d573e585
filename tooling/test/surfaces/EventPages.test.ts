// Reading the history of a session page by page shows each event once, in order, and ends: as text and as JSON of the command
// line and as MCP results, for any limits and budgets.
import { assert, describe, it } from "@effect/vitest"
import * as ToolCalls from "@sigtrap/mcp/calls/ToolCalls"
import * as Server from "@sigtrap/mcp/server/Server"
import type { Client } from "@sigtrap/protocol"
import { Effect, Predicate, Schema } from "effect"
import { McpTest } from "effect/ai"
import { cli, withOutput } from "./runningProgram.ts"

/** A page: the numbers of its events, where the next one begins, and whether a surface or a limit cut it. */
interface Page {
  readonly numbers: ReadonlyArray<number>
  readonly next: number | undefined
}

type Read<E> = (since: number) => Effect.Effect<Page, E, Client.Client>

/** Follows `next` to the end. Each page with events must move it. */
const readAll = Effect.fnUntraced(function* <E>(read: Read<E>) {
  const numbers: Array<number> = []
  for (let since = 0; ;) {
    const page = yield* read(since)
    numbers.push(...page.numbers)
    if (page.next === undefined || page.numbers.length === 0) return numbers
    assert.isAbove(page.next, since, "next moves")
    since = page.next
  }
})

const pageOf = (data: unknown): Page => {
  if (!Predicate.isReadonlyObject(data) || !Array.isArray(data["events"])) return assert.fail("no page of events")
  const events: ReadonlyArray<unknown> = data["events"]
  return {
    numbers: events.map((one) => (Predicate.isReadonlyObject(one) ? Number(one["seq"]) : 0)),
    next: Number(data["next"])
  }
}

const json =
  (directory: string, options: ReadonlyArray<string>): Read<never> =>
  (since) =>
    Effect.map(cli(["events", "--json", ...options, "--since", String(since)], directory), (text) => {
      const document: unknown = JSON.parse(text)
      return pageOf(Predicate.isReadonlyObject(document) ? document["data"] : undefined)
    })

/** A page of text that is cut ends with the command that shows the rest. */
const text =
  (directory: string, options: ReadonlyArray<string>): Read<never> =>
  (since) =>
    Effect.map(cli(["events", ...options, "--since", String(since)], directory), (shown) => {
      const rest = /… .*sigtrap events .*--since (\d+)/.exec(shown)?.[1]
      const numbers = [...shown.matchAll(/^ *(\d+) +\d\d:/gm)].map(([, seq]) => Number(seq))
      return { numbers, next: rest === undefined ? undefined : Number(rest) }
    })

const Written = Schema.Array(
  Schema.Union([
    Schema.Literals(["line\n", "x".repeat(90)]),
    Schema.Tuple([Schema.Literal("error\n"), Schema.Literal("stderr")])
  ])
).check(Schema.isMaxLength(40))
const Limit = Schema.Literals([1, 3, 100, 10_000])
const Budget = Schema.Literals([0, 1, 700, 2000, 16_384])

/** All events, read at once. */
const whole = (directory: string) =>
  Effect.map(json(directory, ["--limit", "10000", "--budget", "0"])(0), ({ numbers }) => numbers)

const options = { arbitrary: { runs: 15 } }

describe("pages of events", () => {
  // Text with a budget that is too small for one event has the command that shows all.
  it.effect.prop(
    "in JSON and as text show each event once",
    [Written, Limit, Budget],
    ([written, limit, budget]) =>
      withOutput(written, (directory) =>
        Effect.gen(function* () {
          const size = ["--limit", String(limit), "--budget", String(budget)]
          const large = ["--limit", String(limit), "--budget", String(budget === 1 ? 0 : budget)]
          const expected = yield* whole(directory)
          assert.deepStrictEqual(yield* readAll(json(directory, size)), expected)
          assert.deepStrictEqual(yield* readAll(text(directory, large)), expected)
        })
      ),
    options
  )

  it.effect("over MCP show each event once, also if a result is cut", () =>
    withOutput(
      Array.from({ length: 900 }, (_, index) => (index % 2 === 0 ? "out\n" : (["error\n", "stderr"] as const))),
      (directory) =>
        Effect.gen(function* () {
          const client = yield* McpTest.makeClient(
            ToolCalls.layer({
              caller: { directory: "/src", environment: {} },
              profile: "full",
              allow: [],
              structured: true,
              notifies: false
            }),
            { protocols: Server.protocols }
          ).pipe(Effect.orDie)
          const cuts: Array<boolean> = []
          const read: Read<never> = (since) =>
            client.callTool({ name: "events", arguments: { since, limit: 10_000 } }).pipe(
              Effect.orDie,
              Effect.map(({ structuredContent: result }) => {
                cuts.push(Predicate.isReadonlyObject(result) && result["truncated"] !== undefined)
                return pageOf(Predicate.isReadonlyObject(result) ? result["data"] : undefined)
              })
            )
          assert.deepStrictEqual(yield* readAll(read), yield* whole(directory))
          assert.include(cuts, true)
        })
    )
  )
})
