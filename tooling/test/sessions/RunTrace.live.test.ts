/** `run --trace`: values that one run, or each run until a failure, has recorded. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, environment, platform, Programs } from "../support/fixturePrograms.ts"

/** Counts its runs in a file of its directory, and crashes in the third one. */
const flaky = `#include <stdio.h>
static int step(int number, int i, int *place)
{
  return *place + number * i; /* here */
}
int main(void)
{
  int number = 0, value = 1, total = 0;
  FILE *file = fopen("count", "r");
  if (file) { fscanf(file, "%d", &number); fclose(file); }
  number++;
  file = fopen("count", "w");
  fprintf(file, "%d", number);
  fclose(file);
  for (int i = 0; i < 1200; i++) total += step(number, i, number == 3 && i == 1100 ? NULL : &value);
  return total == 0;
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("run --trace", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`records the values of a run, under ${backend}`, () =>
      debugging(({ call, temporary }) =>
        Effect.gen(function* () {
          const { directory, line } = yield* Programs
          const body = line("counted.c", "body")
          const started = {
            program: `${directory}/counted`,
            backend,
            environment: { ...environment, TMPDIR: temporary }
          }
          const { data } = yield* call("run", {
            ...started,
            trace: [`counted.c:${body} if i > 3 :: {i} {total}`]
          })
          assert.strictEqual(data.run?.outcome, "passed")
          assert.deepInclude(data.trace, { hits: 6, dropped: 0, by: "script" })
          assert.deepStrictEqual(
            data.trace?.points.map(({ hits }) => hits),
            [6]
          )
          assert.deepStrictEqual(
            data.trace?.rows.map(({ values }) => values),
            [4, 5, 6, 7, 8, 9].map((i) => ({ i: `${i}`, total: `${(i * (i - 1)) / 2}` }))
          )
          const refused = yield* Effect.flip(call("run", { ...started, trace: [`counted.c:${body}`] }))
          assert.strictEqual(refused._tag, "Usage")
          const absent = yield* Effect.flip(call("run", { ...started, trace: ["nowhere :: {i}"] }))
          assert.strictEqual(absent._tag, "BreakpointUnresolved")
          assert.deepStrictEqual((yield* call("sessions", {})).data.sessions, [])
        })
      )
    )

    it.effect(`keeps the newest records of the run that failed, under ${backend}`, () =>
      debugging(({ call, temporary }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          yield* fs.writeFileString(`${temporary}/flaky.c`, flaky)
          yield* compile(`${temporary}/flaky.c`, `${temporary}/flaky`)
          const at = flaky.split("\n").findIndex((text) => text.includes("here")) + 1
          const { data } = yield* call("run", {
            program: `${temporary}/flaky`,
            cwd: temporary,
            environment: { ...environment, TMPDIR: temporary },
            backend,
            until_failure: 5,
            trace: [`flaky.c:${at} :: {number} {i}`],
            report: `${temporary}/report.jsonl`
          })
          assert.deepInclude(data.run, { outcome: "failed", runs: 3, failures: 1 })
          assert.deepInclude(data.trace, { hits: 1101, dropped: 101, by: "script" })
          assert.deepStrictEqual(data.trace?.rows.at(-1)?.values, { number: "3", i: "1100" })
          const session = data.run?.session
          assert.isDefined(session)
          const { rows, total } = (yield* call("hits.list", { session, last: 2 })).data
          assert.strictEqual(total, 1101)
          assert.deepStrictEqual(
            rows.map(({ values }) => values["i"]),
            ["1099", "1100"]
          )
          const report = yield* fs.readFileString(`${temporary}/report.jsonl`)
          const last: unknown = JSON.parse(report.trim().split("\n").at(-1) ?? "")
          assert.nestedPropertyVal(last, "trace.hits", 1101)
          assert.deepStrictEqual((yield* call("breakpoint.list", { session })).data.breakpoints, [])
          yield* call("stop", { session })
        })
      )
    )
  }
})
