/** A command line and an HTTP client that resume one real program at the same moment, two hundred times. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { builtSigtrap, record } from "../support/builtSigtrap.ts"
import { platform, Programs } from "../support/fixturePrograms.ts"

/** Pairs of resumes. */
const pairs = 200

layer(platform, { excludeTestServices: true, timeout: "600 seconds" })("a resume with at_stop", (it) => {
  it.effect(
    "moves the program once, whichever surface it comes from, and each answer is true",
    () =>
      Effect.gen(function* () {
        const { line } = yield* Programs
        const { directory, must, run, serve } = yield* builtSigtrap
        const started = yield* must(
          "start",
          `${directory}/counted`,
          "--break",
          `counted.c:${line("counted.c", "body")}`
        )
        const { post } = yield* serve
        let stop = Number(started.stop)
        const winners = new Set<string>()
        for (let pair = 0; pair < pairs; pair++) {
          const [shell, http] = yield* Effect.all(
            [run("stepi", "--at-stop", String(stop)), post("/v1/stepi", JSON.stringify({ at_stop: stop }))],
            { concurrency: "unbounded" }
          )
          const answers = [
            { name: "shell", moved: shell.code === 0, stop: shell.stop, data: shell.data, error: shell.error },
            {
              name: "http",
              moved: http.status === 200,
              stop: http.body["stop"],
              data: record(http.body["data"]),
              error: record(http.body["error"])
            }
          ]
          const moved = answers.filter((one) => one.moved)
          assert.deepStrictEqual(
            moved.map((one) => one.stop),
            [stop + 1],
            `pair ${pair}`
          )
          for (const { error, moved: isMoved } of answers) if (!isMoved) assert.strictEqual(error["code"], "STALE_STOP")
          stop += 1
          winners.add(moved[0]?.name ?? "")
          const now = yield* post("/v1/status", "{}")
          const address = (data: unknown) => record(record(data)["location"])["address"]
          assert.strictEqual(now.body["stop"], stop)
          assert.strictEqual(address(moved[0]?.data), address(now.body["data"]), `pair ${pair}`)
        }
      }).pipe(Effect.scoped),
    600_000
  )
})
