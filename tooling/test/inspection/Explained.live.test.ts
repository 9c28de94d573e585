/** `explain` where a simple reading of the stack or of a system call would name the wrong thing. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Schedule } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const recursive = `static int pong(int n);
static int ping(int n) { volatile char block[100]; block[0] = (char)n; return pong(n + 1) + block[0]; }
static int pong(int n) { volatile char block[100]; block[0] = (char)n; return ping(n + 1) + block[0]; }
int main(void) { return ping(0); }
`

/** The kernel refuses the second lock of the main thread, and the C library delays it on a word of its stack. */
const refused = `#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t first, second;
static pthread_barrier_t both;
static void *other(void *unused) {
  pthread_mutex_lock(&second);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&first);
  return unused;
}
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&first, &attributes);
  pthread_mutex_init(&second, &attributes);
  pthread_barrier_init(&both, NULL, 2);
  pthread_t thread;
  pthread_mutex_lock(&first);
  pthread_create(&thread, NULL, other, NULL);
  pthread_barrier_wait(&both);
  sleep(1);
  pthread_mutex_lock(&second);
}
`

/** Builds a program of C; undefined without a compiler. */
const built = Effect.fnUntraced(function* (source: string) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const directory = yield* fs.makeTempDirectoryScoped()
  const program = `${directory}/program`
  yield* fs.writeFileString(`${program}.c`, source)
  const made = ChildProcess.make("gcc", ["-g", "-O0", `${program}.c`, "-o", program, "-pthread"])
  return Number(yield* spawner.exitCode(made)) === 0 ? program : undefined
})

suite("explain", (it) => {
  for (const adapter of ["lldb-dap", "lldb"]) {
    it.effect(`names both functions that call each other (${adapter})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = yield* built(recursive)
          if (program === undefined) return
          const started = yield* call("start", { program, adapter, environment })
          assert.match(started.data.explain ?? "", /^stack overflow: p[io]ng and p[io]ng call each other$/)
          const { data } = yield* call("explain", {})
          const recursion = data.facts.find(({ kind }) => kind === "recursion")?.text ?? ""
          assert.match(recursion, /^p[io]ng and p[io]ng call each other: p[io]ng is on the stack \d+ times/)
          const names = [data.user_frame, ...(data.callers ?? [])].map((frame) => frame?.function)
          assert.strictEqual(new Set(names.slice(0, 2)).size, 2)
          assert.strictEqual(names[2], names[0])
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`names no mutex that the C library only delays on (${adapter})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = yield* built(refused)
          if (program === undefined || process.platform !== "linux") return
          yield* call("start", { program, adapter, environment, wait: false })
          const { data, main } = yield* call("explain", {}).pipe(
            Effect.map(({ data }) => ({
              data,
              main: data.waits.find(({ kind, stack }) => kind === "mutex" && stack[0]?.function === "main")
            })),
            Effect.repeat({ until: ({ main }) => main !== undefined, schedule: Schedule.spaced("50 millis") }),
            Effect.timeout("20 seconds")
          )
          assert.isUndefined(main?.object)
          assert.isUndefined(main?.owner)
          assert.strictEqual(main?.text, "waits for mutex")
          assert.include(
            data.waits.find(({ stack }) => stack[0]?.function === "other")?.text ?? "",
            "mutex first, held by"
          )
        })
      ).pipe(Effect.scoped)
    )
  }
})
