/** Waits in a program's own classes for locks: the explanation shows their callers and what these call the objects, on both LLDB backends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const locks = `#include <condition_variable>
#include <mutex>
struct Mutex {
  void Lock() { own.lock(); }
  void Unlock() { own.unlock(); }
  std::mutex own;
};
struct Guard {
  explicit Guard(Mutex *mutex) : mutex(mutex) { mutex->Lock(); }
  ~Guard() { mutex->Unlock(); }
  Mutex *mutex;
};
struct Condition {
  void Wait() {
    std::unique_lock<std::mutex> held(mutex->own, std::adopt_lock);
    own.wait(held);
    held.release();
  }
  std::condition_variable own;
  Mutex *mutex;
};
`

/** The two consumers wait on different words of the condition: the one that was woken waits again beside the other one. */
const source = `#include "locks.h"
#include <thread>
#include <unistd.h>
struct Store {
  Mutex guard;
  Condition filled{{}, &guard};
  int waits = 0;
};
static void consume(Store *store) {
  Guard held(&store->guard);
  for (;;) {
    store->waits++;
    store->filled.Wait();
  }
}
static int waits(Store *store) {
  Guard held(&store->guard);
  return store->waits;
}
static void move(Store *from, Store *to) {
  Guard first(&from->guard);
  from->waits = 1;
  while (*(volatile int *)&to->waits == 0) usleep(1000);
  Guard second(&to->guard);
}
int main() {
  Store *one = new Store, *left = new Store, *right = new Store;
  std::thread(consume, one).detach();
  std::thread(consume, one).detach();
  while (waits(one) < 2) usleep(1000);
  one->filled.own.notify_one();
  while (waits(one) < 3) usleep(1000);
  std::thread(move, left, right).detach();
  std::thread(move, right, left).detach();
  pause();
}
`

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("explain", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`shows the callers of a program's own locks, and one condition as one (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const command = ["g++", "-std=c++17", "-pthread", "-o", "store", "store.cpp"] as const
            const folder = yield* compiled({ "locks.h": locks, "store.cpp": source }, command)
            yield* call("start", { program: `${folder}/store`, backend, environment, wait: false })
            const { cycles, waits } = yield* call("explain", {}).pipe(
              Effect.map(({ data }) => data),
              Effect.repeat({ until: (found) => found.cycles.length > 0 })
            )
            const shown = waits.map(({ caller, count, kind, expression = "", stack }) =>
              [count, kind, expression, stack[0]?.function, caller?.line ?? ""].join(" ")
            )
            assert.deepStrictEqual(shown, [
              "1 mutex to->guard Mutex::Lock() 24",
              "1 mutex to->guard Mutex::Lock() 24",
              "2 condition store->filled Condition::Wait() 13",
              "1 signal  main "
            ])
            assert.deepStrictEqual(
              cycles.flat().map((edge) => edge.waits_for),
              ["mutex to->guard", "mutex to->guard"]
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
