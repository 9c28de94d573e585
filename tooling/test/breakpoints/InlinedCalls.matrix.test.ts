/**
 * A breakpoint on a function that is written on one line and calls an inlined function: it stops once for each call, as GDB does. LLDB
 * takes the first address of another line, which is the one of the inlined function in a loop.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const text = `static int calls;
static inline __attribute__((always_inline)) int square(int n) { calls++; return n * n; }
__attribute__((noinline)) int sum(int n) { int all = 0; for (int i = 0; i < n; i++) all += square(i); return all; }
int main(void) {
  int all = 0;
  for (int i = 1; i < 4; i++) all += sum(i);
  return all > 100;
}
`

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a function on one line", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has one stop for each call, and the inlined one too (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled({ "sums.c": text }, ["gcc", "-o", "sums", "sums.c"])
          const stops = Effect.fnUntraced(function* (at: string) {
            const found: Array<string> = []
            const started = yield* call("start", {
              program: `${cwd}/sums`,
              backend,
              environment,
              replace: true,
              break: [at]
            })
            let place = started.data.location
            while (place !== undefined) {
              found.push(`${place.function} ${place.line}`)
              place = (yield* call("continue", {})).data.location
            }
            return found
          })
          assert.deepStrictEqual(yield* stops("sum"), ["sum 3", "sum 3", "sum 3"])
          assert.strictEqual((yield* stops("square")).length, 6)
        })
      ).pipe(Effect.scoped)
    )
  }
})
