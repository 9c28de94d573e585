/** Two clients that resume one real program at the same moment, two hundred times for each pair of surfaces. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { builtSigtrap, record } from "../support/builtSigtrap.ts"
import { platform, Programs } from "../support/fixturePrograms.ts"
import * as McpServers from "./mcpServers.ts"

/** Crossings of one pair. */
const crossings = 200

const pairs = [
  ["cli", "http"],
  ["mcp", "http"],
  ["cli", "mcp"],
  ["cli", "cli"],
  ["http", "http"],
  ["mcp", "mcp"]
] as const

/** What a surface answered. */
interface Outcome {
  readonly moved: boolean
  readonly stop: unknown
  readonly data: unknown
  readonly code: unknown
}

layer(platform, { excludeTestServices: true, timeout: "900 seconds" })("a resume with at_stop", (it) => {
  it.effect(
    "moves the program once, whichever surfaces it comes from, and each answer is true",
    () =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const { directory, environment, must, run, serve } = yield* builtSigtrap
        const breakpoint = `counted.c:${line("counted.c", "body")}`
        const started = yield* must("start", `${directory}/counted`, "--break", breakpoint)
        const { post } = yield* serve
        const agent = yield* McpServers.stdio({ directory, args: ["--structured"], environment, name: "agent" })
        const surfaces = {
          cli: (stop: number): Effect.Effect<Outcome> =>
            Effect.map(run("stepi", "--at-stop", String(stop)), (answer) => ({
              moved: answer.code === 0,
              stop: answer.stop,
              data: answer.data,
              code: answer.error["code"]
            })),
          http: (stop: number): Effect.Effect<Outcome> =>
            Effect.map(post("/v1/stepi", JSON.stringify({ at_stop: stop })), ({ body, status }) => ({
              moved: status === 200,
              stop: body["stop"],
              data: body["data"],
              code: record(body["error"])["code"]
            })),
          mcp: (stop: number): Effect.Effect<Outcome> =>
            Effect.map(
              agent.call("operate", { operation: "stepi", input: { at_stop: stop } }),
              ({ data, failed, structure }) => ({
                moved: !failed,
                stop: structure["stop"],
                data,
                code: record(structure["error"])["code"]
              })
            )
        }
        const address = (data: unknown) => record(record(data)["location"])["address"]
        let stop = Number(started.stop)
        for (const [one, other] of pairs) {
          const winners = new Set<string>()
          for (let crossing = 0; crossing < crossings; crossing++) {
            const where = `${one} and ${other}, crossing ${crossing}`
            const answers = yield* Effect.all([surfaces[one](stop), surfaces[other](stop)], {
              concurrency: "unbounded"
            })
            const moved = answers.filter((answer) => answer.moved)
            assert.deepStrictEqual(
              moved.map((answer) => answer.stop),
              [stop + 1],
              `${where}: ${JSON.stringify(answers)}`
            )
            for (const answer of answers) if (!answer.moved) assert.strictEqual(answer.code, "STALE_STOP", where)
            stop += 1
            winners.add(answers[0]?.moved === true ? one : other)
            const now = yield* post("/v1/status", "{}")
            assert.strictEqual(now.body["stop"], stop)
            assert.strictEqual(address(moved[0]?.data), address(now.body["data"]), where)
          }
          assert.isNotEmpty(winners)
        }
      }).pipe(Effect.scoped),
    900_000
  )
})
