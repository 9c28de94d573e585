/**
 * Steps that a breakpoint of another thread interrupts, on both LLDB backends. `continue` ends such a step, as in GDB. LLDB alone
 * continues it, and stops where it ends.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const source = `#include <pthread.h>
#include <sched.h>
static volatile int begun, written;
static void *work(void *at) {
  while (!begun) sched_yield();
  written = 1;
  return at;
}
static void await_other(void) {
  begun = 1;
  while (!written) sched_yield();
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  await_other();
  int sum = written + 1;
  sum += 2;
  pthread_join(other, 0);
  return sum - 4;
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("a step that another thread interrupts", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    const interrupted = (
      test: (client: Parameters<Parameters<typeof debugging>[0]>[0]) => Effect.Effect<void, unknown>
    ) =>
      debugging((client) =>
        Effect.gen(function* () {
          const built = yield* build("interrupted.c", source, "gcc", ["-O0", "-pthread"])
          yield* starting(client, built, backend, { break: ["interrupted.c:16", "interrupted.c:6"] })
          const { data } = yield* client.call("next", {})
          assert.deepInclude(data, { reason: "breakpoint", breakpoints: [2] })
          yield* test(client)
        })
      )

    it.effect(`is over when the program continues, under ${backend}`, () =>
      interrupted(({ call }) =>
        Effect.gen(function* () {
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        })
      )
    )

    it.effect(`is over when the other thread is stepped, under ${backend}`, () =>
      interrupted(({ call }) =>
        Effect.gen(function* () {
          const { data } = yield* call("next", {})
          assert.deepInclude(data, { reason: "step" })
          assert.strictEqual(data.location?.line, 7)
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        })
      )
    )
  }
})
