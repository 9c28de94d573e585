/** `run` until a failure: each way in which a program ends is held while its stack is there, and no child is disturbed. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compile, debugging, environment, platform, type Debugging } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** Ends in the way that its first argument says; the second one is its exit code after a child has ended. */
const endings = `#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static int leave(int code) { _exit(code); }
int main(int argc, char **argv)
{
  const char *mode = argv[1];
  int code = argc > 2 ? atoi(argv[2]) : 0, status = 0;
  char *words[] = { "none", 0 };
  pid_t child = 0;
  if (!strcmp(mode, "direct")) return leave(4);
  if (!strcmp(mode, "quick")) quick_exit(4);
  if (!strcmp(mode, "spawn")) { if (posix_spawn(&child, "/nonexistent", 0, 0, words, environ)) return code; }
  else if (!strcmp(mode, "path")) { if (posix_spawnp(&child, "nonexistent-program", 0, 0, words, environ)) return code; }
  else if (!strcmp(mode, "vfork")) { if ((child = vfork()) == 0) { execl("/nonexistent", "x", (char *)0); _exit(127); } }
  else if (!strcmp(mode, "system")) return system("/nonexistent 2>/dev/null") == 127 << 8 && system("exit 3") == 3 << 8 ? code : 9;
  else if (!strcmp(mode, "popen")) return pclose(popen("exit 127", "r")) == 127 << 8 ? code : 9;
  waitpid(child, &status, 0);
  return status == 127 << 8 ? code : 9;
}
`

const address = `#include <stdlib.h>
static int use(int *place) { return place[0]; }
int main(int argc, char **argv)
{
  (void)argv;
  int *place = malloc(4 * sizeof(int)), *leaked = malloc(8);
  if (argc > 1) free(place);
  int found = use(place) * 0;
  leaked = 0;
  return found + (leaked != 0);
}
`

const race = `#include <pthread.h>
#include <stdio.h>
static int shared;
static void *bump(void *unused)
{
  for (int count = 0; count < 1000; count++) shared++;
  return unused;
}
int main(void)
{
  pthread_t one, two;
  pthread_create(&one, 0, bump, 0);
  pthread_create(&two, 0, bump, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return printf("%d\\n", shared) < 0;
}
`

const uninitialized = `#include <stdlib.h>
static int use(const int *place)
{
  if (place[1]) return 1;
  return 0;
}
int main(void)
{
  int *place = malloc(4 * sizeof(int));
  place[0] = 1;
  return use(place) * 0;
}
`

const panics = `fn fail(number: usize, values: &[u32]) -> u32 {
    values[number]
}
fn main() {
    let values = vec![1, 2, 3];
    if std::env::args().nth(1).as_deref() == Some("thread") {
        let _ = std::thread::spawn(move || fail(7, &values)).join();
        return;
    }
    println!("{}", fail(7, &values));
}
`

/** Kills its debug server: once if its argument is `once`, else in every run after the first one. */
const hostile = `#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  int first = open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0;
  if (argc > 2 && !strcmp(argv[2], "once") ? first : !first) { kill(getppid(), SIGKILL); pause(); }
  return 0;
}
`

const directory = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
})

const hunt = (
  { call, temporary }: Debugging,
  program: string,
  args: ReadonlyArray<string>,
  options: {
    readonly fail_if?: ReadonlyArray<string>
    readonly catch?: ReadonlyArray<string>
    readonly native_first?: boolean
    readonly env?: ReadonlyArray<string>
  } = {}
) =>
  call("run", {
    program,
    args: [...args],
    until_failure: 3,
    ...options,
    environment: { ...environment, LC_MARK: temporary }
  })

/** Runs a compiler. */
const built = Effect.fnUntraced(function* (compiler: string, ...words: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const code = yield* spawner.exitCode(ChildProcess.make(compiler, words, { env: environment }))
  assert.strictEqual(Number(code), 0, `${compiler} ${words.join(" ")}`)
})

suite("the end of a program in runs until a failure", (it) => {
  it.effect("is held at a direct call of _exit, in the function that calls it", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${place}/ends.c`, endings)
        yield* compile(`${place}/ends.c`, `${place}/ends`)
        const direct = yield* hunt(own, `${place}/ends`, ["direct"])
        assert.deepInclude(direct.data.run, { runs: 1, failures: 1, session: "failed" })
        assert.deepInclude(direct.data.location, { function: "leave" })
        assert.isUndefined(direct.data.explain)
        assert.deepInclude((yield* own.call("continue", {})).data, { event: "exited", exit_code: 4 })
        const quick = yield* hunt(own, `${place}/ends`, ["quick"])
        assert.deepInclude(quick.data.location, { function: "main" })
        yield* own.call("stop", {})

        for (const mode of ["spawn", "path", "vfork", "system", "popen"]) {
          const passed = yield* hunt(own, `${place}/ends`, [mode])
          assert.deepInclude(passed.data.run, { runs: 3, failures: 0, outcome: "passed" }, mode)
          const failed = yield* hunt(own, `${place}/ends`, [mode, "5"])
          assert.deepInclude(failed.data.run, { runs: 1, failures: 1, session: "failed" }, mode)
          assert.strictEqual(failed.data.explain, "main has returned", mode)
          assert.deepInclude((yield* own.call("continue", {})).data, { event: "exited", exit_code: 5 }, mode)
        }
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is awaited in another run if the debug server was killed", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${place}/hostile.c`, hostile)
        yield* compile(`${place}/hostile.c`, `${place}/hostile`)
        const passed = yield* hunt(own, `${place}/hostile`, [`${place}/one`, "once"])
        assert.deepInclude(passed.data.run, { runs: 3, failures: 0, outcome: "passed" })
        const lost = yield* Effect.flip(hunt(own, `${place}/hostile`, [`${place}/other`]))
        assert.strictEqual(lost._tag, "AdapterError")
        assert.match(lost.message, /; runs that had ended before: 1, failures among them: 0/)
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect(
    "is held at the report of a sanitizer; leaks, which no debugger can find, are found by a run without one",
    () =>
      debugging((own) =>
        Effect.gen(function* () {
          const place = yield* directory
          const fs = yield* FileSystem.FileSystem
          yield* fs.writeFileString(`${place}/use.c`, address)
          yield* built("cc", "-g", "-O0", "-fsanitize=address", `${place}/use.c`, "-o", `${place}/use`)
          const passed = yield* hunt(own, `${place}/use`, [])
          assert.deepInclude(passed.data.run, {
            runs: 3,
            failures: 0,
            outcome: "failed",
            native: { runs: 1, failures: 1, rate: 1 }
          })
          assert.match(
            passed.warnings[0]?.message ?? "",
            /without one: AddressSanitizer: \d+ byte\(s\) leaked in \d+ allocation/
          )
          const off = { env: ["LSAN_OPTIONS=detect_leaks=0"] }
          const unchecked = yield* hunt(own, `${place}/use`, [], off)
          assert.deepInclude(unchecked.data.run, { runs: 3, failures: 0, outcome: "passed" })
          const { data } = yield* hunt(own, `${place}/use`, ["free"])
          assert.deepInclude(data.run, { runs: 1, failures: 1, session: "failed" })
          assert.strictEqual(data.reason, "sanitizer")
          assert.strictEqual(data.location?.function, "use")
          const frames = data.run?.signatures.map((one) => [one.reason, ...one.frames])
          assert.deepStrictEqual(frames, [["sanitizer", "use", "main"]])
        })
      ).pipe(Effect.scoped)
  )

  it.effect("is held at the first report of ThreadSanitizer and MemorySanitizer, in the function of the error", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("clang", environment)) return
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        for (const [option, text, frame] of [
          ["thread", race, "bump"],
          ["memory", uninitialized, "use"]
        ] as const) {
          yield* fs.writeFileString(`${place}/${option}.c`, text)
          const words = [
            "-g",
            "-O0",
            "-pthread",
            `-fsanitize=${option}`,
            `${place}/${option}.c`,
            "-o",
            `${place}/${option}`
          ]
          // Not every installation has the libraries of every sanitizer.
          if (Number(yield* spawner.exitCode(ChildProcess.make("clang", words, { env: environment }))) !== 0) continue
          const { data } = yield* hunt(own, `${place}/${option}`, [])
          assert.deepInclude(data.run, { runs: 1, failures: 1, session: "failed" }, option)
          assert.strictEqual(data.reason, "sanitizer", option)
          assert.strictEqual(data.location?.function, frame, option)
          yield* own.call("stop", {})
        }
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is held at the first report of UndefinedBehaviorSanitizer, after which the program would continue", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        yield* fs.writeFileString(
          `${place}/shift.c`,
          "static int shifted(int bits) { return 1 << bits; }\nint main(int count, char **words) {\n  return words[0] == 0 || shifted(count + 31) == 9;\n}\n"
        )
        const words = ["-g", "-O0", "-fsanitize=undefined", `${place}/shift.c`, "-o", `${place}/shift`]
        // Not every installation has the library of the sanitizer.
        if (Number(yield* spawner.exitCode(ChildProcess.make("cc", words, { env: environment }))) !== 0) return
        const { data } = yield* hunt(own, `${place}/shift`, [], { native_first: true })
        assert.deepInclude(data.run, {
          runs: 1,
          failures: 1,
          session: "failed",
          native: { runs: 3, failures: 3, rate: 1 }
        })
        assert.strictEqual(data.reason, "sanitizer")
        assert.strictEqual(data.location?.function, "shifted")
        const { summary } = (yield* own.call("explain", {})).data
        assert.match(summary, /^UndefinedBehaviorSanitizer: shift exponent 32 is too large/)
        yield* own.call("stop", {})
        const exits = yield* hunt(own, `${place}/shift`, [], {
          fail_if: ["exit"],
          env: ["UBSAN_OPTIONS=halt_on_error=0"]
        })
        assert.deepInclude(exits.data.run, { runs: 3, failures: 0, outcome: "passed" })
      })
    ).pipe(Effect.scoped)
  )

  it.effect("does not continue after the first report of ThreadSanitizer", () =>
    debugging((own) =>
      Effect.gen(function* () {
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
        yield* fs.writeFileString(`${place}/race.c`, race)
        const words = ["-g", "-O0", "-pthread", "-fsanitize=thread", `${place}/race.c`, "-o", `${place}/race`]
        // Not every installation has the library of the sanitizer.
        if (Number(yield* spawner.exitCode(ChildProcess.make("cc", words, { env: environment }))) !== 0) return
        const { data } = yield* hunt(own, `${place}/race`, [])
        assert.deepInclude(data.run, { runs: 1, failures: 1, session: "failed" })
        // The program writes its result after the race.
        const { text } = (yield* own.call("output", { channel: ["stdout"] })).data
        assert.strictEqual(text, "")
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )

  it.effect("is held at a panic of Rust's main thread with its stack; another thread may panic", () =>
    debugging((own) =>
      Effect.gen(function* () {
        if (!Tools.isPresent("rustc", environment)) return
        const place = yield* directory
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${place}/panics.rs`, panics)
        yield* built("rustc", "-g", `${place}/panics.rs`, "-o", `${place}/panics`)
        const { data } = yield* hunt(own, `${place}/panics`, ["main"])
        assert.deepInclude(data.run, { runs: 1, failures: 1, session: "failed" })
        assert.deepInclude(data, { event: "stopped", reason: "panic" })
        assert.include(data.description, "index out of bounds")
        assert.strictEqual(data.location?.line, 2)
        const values = yield* own.call("print", { expressions: ["number"] })
        assert.include(JSON.stringify(values.data), '"7"')
        assert.deepInclude((yield* own.call("continue", {})).data, { event: "exited", exit_code: 101 })

        const other = yield* hunt(own, `${place}/panics`, ["thread"])
        assert.deepInclude(other.data.run, { runs: 3, failures: 0, outcome: "passed" })
        const late = yield* hunt(own, `${place}/panics`, ["main"], { fail_if: ["exit"] })
        assert.strictEqual(late.data.description, "exits with code 101")
        yield* own.call("stop", {})
        // As with a test of cargo, which has a thread of its own.
        const caught = yield* hunt(own, `${place}/panics`, ["thread"], { catch: ["panic"] })
        assert.deepInclude(caught.data.run, { runs: 1, failures: 1, by: "lldb-server" })
        assert.strictEqual(caught.data.location?.line, 2)
        yield* own.call("stop", {})
        assert.deepStrictEqual(own.alive(), [])
      })
    ).pipe(Effect.scoped)
  )
})
