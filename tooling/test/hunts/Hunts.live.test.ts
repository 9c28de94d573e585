/** `run` until a failure: what is found and held, and programs that must behave as without a debugger. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, environment, platform, type Debugging } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "60 seconds" })

/** Counts its runs in a file of its directory. Its argument says how it fails. */
const flaky = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int count(void)
{
  int number = 0;
  FILE *file = fopen("count", "r");
  if (file) { fscanf(file, "%d", &number); fclose(file); }
  file = fopen("count", "w");
  fprintf(file, "%d", number + 1);
  fclose(file);
  return number + 1;
}
static int twice(int number, int *place)
{
  int doubled = number * 2;
  *place = doubled;
  return doubled;
}
static int thrice(int number, int *place)
{
  int tripled = number * 3;
  *place = tripled;
  return tripled;
}
int main(int argc, char **argv)
{
  int place = 0, number = count();
  if (!strcmp(argv[1], "crash") && number == 3) twice(number, NULL);
  if (!strcmp(argv[1], "two") && number == 2) twice(number, NULL);
  if (!strcmp(argv[1], "two") && number == 3) thrice(number, NULL);
  if (!strcmp(argv[1], "lines") && number % 2 == 0) number /= place;
  if (!strcmp(argv[1], "lines") && number == 3) number %= place;
  if (!strcmp(argv[1], "exit") && number == 2) exit(9);
  return twice(number, &place) == 0;
}
`

/** Exits with 0 only if its children and signals are as without a debugger. */
const careful = `#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static sigjmp_buf place;
static volatile int seen;
static void fault(int signal) { (void)signal; siglongjmp(place, 1); }
static void note(int signal) { (void)signal; seen++; }
int main(int argc, char **argv)
{
  pid_t child;
  int status = 0;
  if (!strcmp(argv[1], "vfork")) {
    if ((child = vfork()) == 0) { execl("/nonexistent", "x", (char *)0); _exit(127); }
    waitpid(child, &status, 0);
    return status != 127 << 8;
  }
  if (!strcmp(argv[1], "fork")) {
    if ((child = fork()) == 0) exit(3);
    waitpid(child, &status, 0);
    return status != 3 << 8;
  }
  if (!strcmp(argv[1], "spawn")) {
    char *words[] = { "true", 0 };
    if (posix_spawnp(&child, "true", 0, 0, words, environ)) return 2;
    waitpid(child, &status, 0);
    return status;
  }
  if (!strcmp(argv[1], "signals")) {
    signal(SIGSEGV, fault);
    signal(SIGUSR1, note);
    for (int turn = 0; turn < 3; turn++) if (!sigsetjmp(place, 1)) *(volatile int *)0 = 1;
    for (int turn = 0; turn < 20; turn++) raise(SIGUSR1);
    return seen != 20;
  }
  for (int line = 0; line < 16384; line++) printf("%063d\\n", line);
  return 0;
}
`

/** Compiles a program in a directory of its own. */
const built = Effect.fnUntraced(function* (text: string) {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
  yield* fs.writeFileString(`${directory}/program.c`, text)
  yield* compile(`${directory}/program.c`, `${directory}/program`)
  return directory
})

const hunt = (
  { call, temporary }: Debugging,
  directory: string,
  mode: string,
  input: { all?: boolean; same_signature?: string } = {}
) =>
  call("run", {
    program: `${directory}/program`,
    args: [mode],
    cwd: directory,
    until_failure: 5,
    environment: { ...environment, LC_MARK: temporary },
    ...input
  })

suite("run until a failure", (it) => {
  it.effect("holds the process that crashed, with its values, and stop ends it", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const { data } = yield* hunt(own, yield* built(flaky), "crash")
        assert.deepInclude(data.run, { runs: 3, failures: 1, outcome: "failed", session: "failed" })
        assert.deepInclude(data, { event: "stopped", reason: "signal" })
        assert.include(own.alive(), data.run?.pid ?? 0)
        const value = yield* own.call("print", { expressions: ["doubled"] })
        assert.include(JSON.stringify(value.data), '"6"')
        const next = yield* own.call("continue", {})
        assert.include(["exited", "stopped"], next.data.event)
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("finds an exit code, and the process continues to its end", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const { data } = yield* hunt(own, yield* built(flaky), "exit")
        assert.deepInclude(data.run, { runs: 2, failures: 1, session: "failed" })
        const next = yield* own.call("continue", {})
        assert.deepInclude(next.data, { event: "exited", exit_code: 9 })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("tells two crashes apart", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const { data } = yield* hunt(own, yield* built(flaky), "two", { all: true })
        assert.deepInclude(data.run, { runs: 5, failures: 2 })
        const [, second] = data.run?.signatures ?? []
        yield* own.call("stop", { all: true })
        assert.deepInclude(second, { frames: ["thrice", "main"], first: 3 })
        const found = yield* hunt(own, yield* built(flaky), "two", { same_signature: second?.id ?? "" })
        assert.deepInclude(found.data.run, { runs: 3, failures: 2, signature: second?.id ?? "", session: "failed" })
        assert.strictEqual(found.data.location?.function, "thrice")
        yield* own.call("stop", { all: true })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("tells two crashes on two lines of a function apart", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const { data } = yield* hunt(own, yield* built(flaky), "lines", { all: true })
        const signatures = data.run?.signatures ?? []
        assert.deepStrictEqual(
          signatures.map(({ count, first, frames }) => ({ count, first, frames })),
          [
            { count: 2, first: 2, frames: ["main"] },
            { count: 1, first: 3, frames: ["main"] }
          ]
        )
        const [one, other] = signatures
        assert.strictEqual((other?.line ?? 0) - (one?.line ?? 0), 1)
        yield* own.call("stop", { all: true })
        const wanted = `SIGFPE main:${other?.line ?? 0}`
        const found = yield* hunt(own, yield* built(flaky), "lines", { same_signature: wanted })
        assert.deepInclude(found.data.run, { runs: 3, failures: 2, signature: other?.id ?? "" })
        assert.strictEqual(found.data.location?.line, other?.line)
        yield* own.call("stop", { all: true })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("keeps the failures of two searches at the same time, although both have the same name", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const places = [yield* built(flaky), yield* built(flaky)]
        const found = yield* Effect.all(
          places.map((place) => hunt(own, place, "crash")),
          { concurrency: "unbounded" }
        )
        const kept = found.map(({ data }) => data.run?.session)
        assert.sameMembers(kept, ["failed", "failed-3"])
        const alive = own.alive()
        for (const { data } of found) assert.include(alive, data.run?.pid ?? 0)
        yield* own.call("stop", { all: true })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("disturbs no program: children, handled signals and much output are not failures", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const directory = yield* built(careful)
        for (const mode of ["vfork", "fork", "spawn", "signals", "output"]) {
          const { data } = yield* hunt(own, directory, mode)
          assert.deepInclude(data.run, { runs: 5, failures: 0, outcome: "passed" }, mode)
          assert.notProperty(data.run, "session")
        }
      })
    ).pipe(Effect.scoped)
  )

  it.effect("writes no file outside of the roots of the policy", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const directory = yield* built(flaky)
        const elsewhere = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
        const run = (file: string) =>
          own.call("run", {
            program: `${directory}/program`,
            args: ["crash"],
            cwd: directory,
            until_failure: 2,
            report: file,
            settings: { "policy.roots": [directory] },
            environment: { ...environment, LC_MARK: own.temporary }
          })
        for (const file of [`${elsewhere}/report`, `${directory}/none/report`]) {
          const refused = yield* Effect.flip(run(file))
          assert.include(["Policy", "FileNotWritten"], refused._tag, refused.message)
          assert.isFalse(yield* fs.exists(`${directory}/count`), "the program has run")
        }
        assert.isFalse(yield* fs.exists(`${elsewhere}/report`))
        const { data } = yield* run(`${directory}/report`)
        assert.notInclude(JSON.stringify(data), "handover", "the failed process is kept")
        assert.include(yield* fs.readFileString(`${directory}/report`), '"type":"report"')
      })
    ).pipe(Effect.scoped)
  )
})
