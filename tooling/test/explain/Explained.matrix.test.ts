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

const throughLibrary = `#include <functional>
static std::function<int(int)> again;
static int walk(int n) { return again(n + 1) + 1; }
int main() { again = walk; return walk(0); }
`

/** The kernel refuses one of the threads its second lock, and the C library delays the thread on a word of its stack. */
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

/** Two threads that take two locks in turn: one behind a shared pointer, and an element of an array. A future is the end of a thread. */
const shelf = `#include <array>
#include <barrier>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
struct Store { int size = 0; std::shared_mutex lock; };
struct Shelf { std::array<std::mutex, 4> slots; std::shared_ptr<Store> store = std::make_shared<Store>(); };
static Shelf shelf;
static std::barrier<> both(2);
static void put() { std::unique_lock own(shelf.store->lock); both.arrive_and_wait(); shelf.slots[2].lock(); }
static void take() { std::lock_guard own(shelf.slots[2]); both.arrive_and_wait(); std::shared_lock other(shelf.store->lock); }
static int work() { std::lock_guard own(shelf.slots[1]); return 1; }
int main(int, char **words) {
  if (words[1] == std::string("future")) {
    std::lock_guard own(shelf.slots[1]);
    auto result = std::async(std::launch::async, work);
    return result.get();
  }
  std::thread one(put), other(take);
  one.join();
  other.join();
}
`

/** Builds a program; undefined without a compiler. */
const built = Effect.fnUntraced(function* (source: string, compiler: ReadonlyArray<string> = ["gcc"]) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const directory = yield* fs.makeTempDirectoryScoped()
  const program = `${directory}/program`
  const [command = "", ...options] = compiler
  const file = `${program}.${command === "gcc" ? "c" : "cpp"}`
  yield* fs.writeFileString(file, source)
  const made = ChildProcess.make(command, [...options, "-g", "-O0", file, "-o", program, "-pthread"])
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

    it.effect(`names a function of C++ that calls itself through a library (${adapter})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = yield* built(throughLibrary, ["g++"])
          if (program === undefined) return
          const started = yield* call("start", { program, adapter, environment })
          assert.strictEqual(started.data.explain, "stack overflow: walk calls itself")
          const { data } = yield* call("explain", {})
          assert.match(
            data.facts.find(({ kind }) => kind === "recursion")?.text ?? "",
            /^walk is on the stack \d+ times/
          )
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`names no word that the C library only delays on (${adapter})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = yield* built(refused)
          if (program === undefined || process.platform !== "linux") return
          yield* call("start", { program, adapter, environment, wait: false })
          // The kernel refuses the lock to the thread that closes the cycle. A pause can change which one that is.
          const texts = yield* call("explain", {}).pipe(
            Effect.map(({ data }) => data.waits.filter(({ kind }) => kind === "mutex").map(({ text }) => text)),
            Effect.repeat({ until: (waits) => waits.length === 2, schedule: Schedule.spaced("50 millis") }),
            Effect.timeout("20 seconds")
          )
          // Only the registers have the mutex of a refused lock.
          const named = texts.filter((text) => /^waits for mutex (?:first|second), held by thread \d/.test(text))
          assert.lengthOf(named, process.arch === "x64" ? 2 : 1)
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`names locks in arrays and behind smart pointers, with their owners (${adapter})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = yield* built(shelf, ["g++", "-std=c++20"])
          if (program === undefined || process.platform !== "linux") return
          const cycleOf = Effect.fnUntraced(function* (how: string) {
            yield* call("start", { program, args: [how], adapter, environment, wait: false, replace: true })
            return yield* call("explain", {}).pipe(
              Effect.map(({ data }) => data),
              Effect.repeat({ until: ({ cycles }) => cycles.length > 0, schedule: Schedule.spaced("50 millis") }),
              Effect.timeout("20 seconds")
            )
          })
          const texts = (yield* cycleOf("locks")).waits.map(({ text }) => text).join("\n")
          assert.match(texts, /mutex shelf\.slots\[2\], held by thread \d/)
          assert.match(texts, /read-write lock shelf\.store->lock \(0x[0-9a-f]+\), held by thread \d/)
          const { cycles } = yield* cycleOf("future")
          assert.deepStrictEqual(cycles[0]?.map(({ waits_for }) => waits_for.replace(/ thread.*/, "")).toSorted(), [
            "mutex shelf.slots[1]",
            "the end of"
          ])
        })
      ).pipe(Effect.scoped)
    )
  }
})
