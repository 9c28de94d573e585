/** What counts as a failure in runs until a failure: compared with programs that end in a known way. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, environment, platform, type Debugging } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** Ends in the way that its argument says. */
const endings = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void check(int number) { assert(number == 3); }
static void store(int *place) { *place = 1; }
static void other(int *place) { *place = 2; }
static int count(void)
{
  int number = 0;
  FILE *file = fopen("count", "r");
  if (file) { if (fscanf(file, "%d", &number) != 1) number = 0; fclose(file); }
  file = fopen("count", "w");
  fprintf(file, "%d", number + 1);
  fclose(file);
  return number;
}
static void *spin(void *unused) { for (volatile long turn = 0;; turn++) (void)unused; return 0; }
int main(int argc, char **argv)
{
  const char *mode = argv[1];
  char line[80];
  int lines = 0;
  if (!strcmp(mode, "assert")) check(argc);
  if (!strcmp(mode, "abort")) abort();
  if (!strcmp(mode, "crash")) store(0);
  if (!strcmp(mode, "exit")) exit(3);
  if (!strcmp(mode, "output")) printf("bad result\\n");
  if (!strcmp(mode, "hang")) pause();
  if (!strcmp(mode, "two")) { if (count() % 2) other(0); else store(0); }
  if (!strcmp(mode, "threads")) {
    pthread_t thread;
    for (int number = 0; number < 8; number++) pthread_create(&thread, 0, spin, 0);
    usleep(2000);
    exit(0);
  }
  if (!strcmp(mode, "input")) { while (fgets(line, sizeof line, stdin)) lines++; return lines; }
  return 0;
}
`

/** Compiles the program in a directory of its own. */
const built = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  yield* fs.writeFileString(`${directory}/program.c`, endings)
  yield* compile(`${directory}/program.c`, `${directory}/program`)
  return directory
})

type Input = {
  readonly fail_if?: ReadonlyArray<string>
  readonly all?: boolean
  readonly until_failure?: number
  readonly break?: ReadonlyArray<string>
}

const hunt = ({ call, temporary }: Debugging, directory: string, mode: string, input: Input = {}) =>
  call("run", {
    program: `${directory}/program`,
    args: [mode],
    cwd: directory,
    until_failure: 2,
    environment: { ...environment, LC_MARK: temporary },
    ...input
  })

/** Each rule, the way in which the program ends, and whether that is a failure by the rule. */
const rows = [
  ["crash", "crash", true],
  ["crash", "abort", true],
  ["crash", "assert", false],
  ["crash", "exit", false],
  ["assert", "assert", true],
  ["assert", "abort", false],
  ["assert", "crash", false],
  ["exit", "exit", true],
  ["exit", "crash", false],
  ["exit", "threads", false],
  ["output:/bad/", "output", true],
  ["output:/bad/", "exit", false],
  ["hang:500ms", "hang", true],
  ["hang:20s", "threads", false]
] as const

suite("rules of a failure", (it) => {
  it.effect("say of each end whether it is one", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const directory = yield* built
        for (const [rule, mode, fails] of rows) {
          const { data } = yield* hunt(own, directory, mode, { fail_if: [rule] })
          assert.strictEqual(data.run?.outcome, fails ? "failed" : "passed", `${rule} of ${mode}`)
          assert.strictEqual(data.run?.session, fails ? "failed" : undefined, `${rule} of ${mode}`)
          if (fails) yield* own.call("stop", {})
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("without a rule: an exit with threads that run and the end of the input are none", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const directory = yield* built
        for (const mode of ["threads", "input"]) {
          const { data } = yield* hunt(own, directory, mode, { until_failure: 20 })
          assert.deepInclude(data.run, { runs: 20, failures: 0, outcome: "passed" }, mode)
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("hold for a single run, and for runs with a breakpoint", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const directory = yield* built
        const run = (mode: string, input: { fail_if?: ReadonlyArray<string>; break?: ReadonlyArray<string> }) =>
          own.call("run", {
            program: `${directory}/program`,
            args: [mode],
            cwd: directory,
            environment: { ...environment, LC_MARK: own.temporary },
            ...input
          })
        for (const [rule, mode, fails] of rows) {
          const { data } = yield* run(mode, { fail_if: [rule] })
          assert.strictEqual(data.run?.outcome, fails ? "failed" : "passed", `${rule} of ${mode}`)
          assert.notProperty(data.run, "session")
        }
        const { data } = yield* hunt(own, directory, "two", { until_failure: 3, break: ["count"] })
        assert.deepInclude(data.run, { runs: 1, failures: 1, outcome: "failed", session: "failed" })
        assert.include(data.run?.by, "started anew")
        assert.strictEqual(data.location?.function, "store")
        yield* own.call("stop", {})
      })
    ).pipe(Effect.scoped)
  )

  it.effect("each failure of all runs has its frames", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const { data } = yield* hunt(own, yield* built, "two", { all: true, until_failure: 4 })
        const signatures = (data.run?.signatures ?? []).map(({ count, frames, reason }) => ({ count, frames, reason }))
        assert.sameDeepMembers(signatures, [
          { count: 2, frames: ["store", "main"], reason: "SIGSEGV" },
          { count: 2, frames: ["other", "main"], reason: "SIGSEGV" }
        ])
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )
})
