/** Variables in registers have no address. LLDB returns the address of a copy in memory of its own. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <stdlib.h>
struct point { int x; int y; };
static struct point places[2] = {{1, 2}, {3, 4}};
static void fail(int code) {
  register int held = code;
  if (held > 100)
    exit(held);
  abort();
}
static int next(void) {
  int plain = 3;
  return plain;
}
int main(void) {
  register int number = 5;
  register struct point *place = places;
  int inMemory = 7;
  place++;
  fail(number + place->y + inMemory);
  return next();
}
`

suite("a variable in a register", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has no address and cannot be watched (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          if (process.platform !== "linux" || process.arch !== "x64") return
          const cwd = yield* compiled({ "registers.c": text }, ["gcc", "-o", "registers", "registers.c"])
          const line = text.split("\n").indexOf("  fail(number + place->y + inMemory);") + 1
          yield* call("start", { program: `${cwd}/registers`, backend, environment, break: [`registers.c:${line}`] })
          for (const expression of ["&number", "*&number", "&(place)", "number + (long)&number"]) {
            const error = yield* Effect.flip(call("eval", { expression }))
            assert.match(error.message, /(?:number|place) has no address: it is in the register r\w+/)
          }
          const read = ["number", "*(&place->y)", "place[0].x", "*&inMemory", "number & inMemory"] as const
          const { data } = yield* call("print", { expressions: read })
          assert.deepStrictEqual(
            data.values.map(({ value }) => value),
            ["5", "4", "3", "7", "5"]
          )
          const watch = yield* Effect.flip(call("watch", { expression: "number" }))
          assert.match(watch.message, /'number' is not a variable in memory, so it cannot be watched/)
          const { data: watched } = yield* call("watch", { expression: "place->y" })
          assert.strictEqual(watched.size, 4)
          yield* call("breakpoint.remove", { all: true })
          // The code after the call of abort() belongs to the next function.
          const crashed = yield* call("continue", {})
          assert.strictEqual(crashed.data.signal, "SIGABRT")
          const held = yield* Effect.flip(call("eval", { expression: "&held" }))
          assert.match(held.message, /held has no address: it is in the register r\w+/)
        })
      )
    )
  }
})
