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

/** Four threads that pass a place 200 times each. */
const threads = `#include <pthread.h>
static int shared;
static int work(int who, int i)
{
  int sum = who * 1000 + i; /* here */
  __atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
  return sum;
}
static void *run(void *arg)
{
  long total = 0;
  for (int i = 0; i < 200; i++) total += work((int)(long)arg, i);
  return (void *)total;
}
int main(void)
{
  pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return shared != 800;
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
          assert.deepInclude(data.trace, { hits: 1101, dropped: 101, by: "rsp" })
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

  it.effect("records each pass of several threads without a debugger, and says what it cannot read", () =>
    debugging(({ call, temporary }) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${temporary}/threads.c`, threads)
        yield* compile(`${temporary}/threads.c`, `${temporary}/threads`)
        const at = threads.split("\n").findIndex((text) => text.includes("here")) + 1
        const traced = (values: string) =>
          Effect.map(
            call("run", {
              program: `${temporary}/threads`,
              environment: { ...environment, TMPDIR: temporary },
              backend: "dap",
              until_failure: 2,
              trace: [`threads.c:${at} :: ${values}`]
            }),
            ({ data }) => data.trace
          )
        const trace = yield* traced("{who} {i} {shared}")
        assert.deepInclude(trace, { hits: 800, dropped: 0, by: "rsp" })
        const seen = trace?.rows.map(({ values }) => Number(values["shared"])) ?? []
        assert.deepStrictEqual(
          seen.toSorted((one, other) => one - other),
          seen
        )
        assert.deepInclude(yield* traced("{who} {i + 1}"), {
          hits: 800,
          by: "script",
          reason: "{i + 1} cannot be read without a debugger"
        })
      })
    )
  )
})
