/** The objects of C++20 for which threads wait, as members of one static object, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

/** LLDB 19 ends by a signal when it copies an object of this type into the result of an expression. */
const pool = `#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
struct Pool {
  std::latch ready{3};
  std::counting_semaphore<8> slots{0};
  std::barrier<> round{4};
  std::atomic<int> flag{0};
  std::atomic<long> epoch{0};
  std::shared_timed_mutex guard;
  std::promise<int> result;
  std::once_flag once;
  std::recursive_timed_mutex again;
};
static Pool pool;
static struct { int count, word; } event;
int main() {
  std::vector<std::thread> all;
  pool.guard.lock_shared();
  pool.again.lock();
  all.emplace_back([] { pool.ready.wait(); });
  all.emplace_back([] { pool.slots.acquire(); });
  all.emplace_back([] { pool.round.arrive_and_wait(); });
  all.emplace_back([] { pool.flag.wait(0); });
  all.emplace_back([] { pool.epoch.wait(0); });
  all.emplace_back([] { std::lock_guard own(pool.guard); });
  all.emplace_back([] { pool.result.get_future().get(); });
  all.emplace_back([] { std::call_once(pool.once, [] { pool.slots.acquire(); }); });
  all.emplace_back([] { std::lock_guard own(pool.again); });
  all.emplace_back([] { syscall(SYS_futex, &event.word, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); });
  sleep(2);
  all.emplace_back([] { std::call_once(pool.once, [] {}); });
  sleep(1);
  abort();
}
`

/** Threads that wait for futures whose promises come first on the line. */
const futures = `#include <chrono>
#include <future>
#include <thread>
#include <vector>
#include <cstdlib>
#include <unistd.h>
struct Worker { std::promise<int> result; int number = 0; };
int main() {
  std::vector<std::thread> all;
  all.emplace_back([] { std::promise<int> promise; std::future<int> answer = promise.get_future(); answer.get(); });
  all.emplace_back([] { Worker worker; auto part = worker.result.get_future(); part.wait(); });
  all.emplace_back([] { std::packaged_task<int()> task([] { return 1; }); auto done = task.get_future(); done.get(); });
  all.emplace_back([] { std::promise<int> alone; alone.get_future().get(); });
  all.emplace_back([] { std::promise<int> slow; auto late = slow.get_future(); late.wait_for(std::chrono::minutes(9)); });
  sleep(2);
  abort();
}
`

/** Objects of C++20 on the stack. */
const own = `#include <atomic>
#include <barrier>
#include <thread>
#include <cstdlib>
#include <unistd.h>
int main() {
  std::barrier<> round(3);
  std::atomic<long> turn{7};
  std::thread([&] { round.arrive_and_wait(); }).detach();
  std::thread([&] { round.arrive_and_wait(); }).detach();
  std::thread([&] { turn.wait(7); }).detach();
  sleep(2);
  abort();
}
`

const waits = [
  "barrier pool.round",
  "futex event.word",
  "futex pool.epoch",
  "futex pool.flag",
  "future ",
  "latch pool.ready",
  "mutex pool.again",
  "once pool.once",
  "rwlock pool.guard",
  "semaphore pool.slots",
  "semaphore pool.slots"
]

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`names the members that threads of C++20 wait for, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const folder = yield* compiled({ "pool.cpp": pool }, [
            "g++",
            "-std=c++20",
            "-pthread",
            "pool.cpp",
            "-o",
            "pool"
          ])
          yield* call("start", { program: `${folder}/pool`, backend, environment })
          const { data } = yield* call("explain", { what: "hang", all: true })
          const found = data.waits.filter(({ kind }) => kind !== "unknown")
          assert.deepStrictEqual(found.map(({ kind, symbol = "" }) => `${kind} ${symbol}`).toSorted(), waits)
          const [read] = (yield* call("print", { expressions: ["&pool"], thread: 2 })).data.values
          assert.match(read?.value ?? "", /^0x[0-9a-f]+/)
          assert.strictEqual((yield* call("status", {})).state, "stopped")
        })
      ).pipe(Effect.scoped)
    )
    it.effect(`names local atomics and barriers, whose threads are one group, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const command = ["g++", "-std=c++20", "-pthread", "own.cpp", "-o", "own"] as const
          const folder = yield* compiled({ "own.cpp": own }, command)
          yield* call("start", { program: `${folder}/own`, backend, environment })
          const { data } = yield* call("explain", { what: "hang" })
          const found = data.waits.filter(({ kind }) => kind !== "unknown")
          assert.deepStrictEqual(
            found.map(({ count, expression, kind }) => `${count} ${kind} ${expression}`).toSorted(),
            ["1 barrier round", "1 barrier round", "1 futex turn"]
          )
        })
      ).pipe(Effect.scoped)
    )
    it.effect(`names futures, and promises only where the line has no future, under ${backend}`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const folder = yield* compiled({ "futures.cpp": futures }, [
            "g++",
            "-std=c++20",
            "-pthread",
            "futures.cpp",
            "-o",
            "futures"
          ])
          yield* call("start", { program: `${folder}/futures`, backend, environment })
          const { data } = yield* call("explain", { what: "hang", all: true })
          const found = data.waits.filter(({ kind }) => kind === "future").map(({ text }) => text)
          assert.deepStrictEqual(found.toSorted(), [
            "waits for the future answer",
            "waits for the future done",
            "waits for the future late, with a time limit",
            "waits for the future of alone",
            "waits for the future part"
          ])
        })
      ).pipe(Effect.scoped)
    )
  }
})
