/**
 * Waits of libc++, on both LLDB backends. For atomics it waits at most 2 s for a word of its own, again and again: the program's wait has no
 * time limit, and the word is not its object. Other objects wait by a condition of their own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <atomic>
#include <latch>
std::latch gate(1);
int main(int count, char **words) {
  std::atomic<long> turn{0};
  if (count > 1) turn.wait(0);
  gate.wait();
}
`

/** Each object is what one thread waits for; the type of `turn` and `again` is in the library only. */
const objects = `#include <barrier>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <unistd.h>
struct Shop {
  std::shared_mutex table;
  std::timed_mutex turn;
  std::once_flag once;
  std::recursive_timed_mutex again;
};
static Shop shop;
int main() {
  shop.table.lock();
  shop.turn.lock();
  shop.again.lock();
  std::promise<int> promise;
  auto answer = promise.get_future();
  std::barrier<> round(9);
  std::thread([&] { answer.get(); }).detach();
  std::thread([&] { round.arrive_and_wait(); }).detach();
  std::thread([] { shop.table.lock_shared(); }).detach();
  std::thread([] { shop.turn.lock(); }).detach();
  std::thread([] { shop.again.lock(); }).detach();
  std::thread([] { std::call_once(shop.once, [] { pause(); }); }).detach();
  sleep(1);
  std::thread([] { std::call_once(shop.once, [] {}); }).detach();
  pause();
}
`

const flags = ["-std=c++20", "-stdlib=libc++"]

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a wait of libc++", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`for an atomic has no time limit and no other object (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const line = `echo '#include <latch>' | clang++ -x c++ ${flags.join(" ")} -fsyntax-only -`
            // Not every installation has libc++.
            if ((yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stderr: "ignore" }))) !== 0) return
            const folder = yield* compiled({ "gate.cpp": source }, ["clang++", ...flags, "-o", "gate", "gate.cpp"])
            const expected = [
              [[], "latch", "waits for latch gate", 7],
              [["atomic"], "futex", "waits for futex turn", 6]
            ] as const
            for (const [args, kind, text, number] of expected) {
              const start = { program: `${folder}/gate`, args, backend, environment, replace: true }
              yield* call("start", { ...start, break: ["main"] })
              yield* call("continue", { wait: false })
              const { data } = yield* Effect.repeat(call("explain", {}), {
                until: ({ data: { waits } }) => waits[0]?.kind === kind
              })
              const [wait] = data.waits
              assert.strictEqual(wait?.text.replace(/ \(0x[\da-f]+\)$/, ""), text)
              assert.isUndefined(wait?.limited)
              assert.strictEqual(wait?.stack[0]?.line, number)
            }
          })
        )
      )
      it.effect(`for other objects names them (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const line = `echo '#include <barrier>' | clang++ -x c++ ${flags.join(" ")} -fsyntax-only -`
            if ((yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stderr: "ignore" }))) !== 0) return
            const command = ["clang++", ...flags, "-pthread", "-o", "shop", "shop.cpp"] as const
            const folder = yield* compiled({ "shop.cpp": objects }, command)
            yield* call("start", { program: `${folder}/shop`, backend, environment, wait: false })
            const { waits } = yield* call("explain", { all: true }).pipe(
              Effect.map(({ data }) => data),
              Effect.repeat({ until: (found) => found.waits.some(({ kind }) => kind === "once") })
            )
            assert.deepStrictEqual(
              waits
                .map(({ owner, text }) =>
                  text.replace(/ \(0x[\da-f]+\)/, "").replace(/ \d+ \(shop\)/, owner ? "" : "$&")
                )
                .toSorted(),
              [
                "waits for a signal",
                "waits for a signal",
                "waits for barrier round",
                "waits for mutex shop.again",
                "waits for mutex shop.turn",
                "waits for one-time initialization shop.once, run by thread",
                "waits for read-write lock shop.table",
                "waits for the future answer"
              ]
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
