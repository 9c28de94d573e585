/**
 * Instructions that optimized code shares between lines: their line is 0. A crash or a write there is one of the function with the
 * instruction, not of its caller, on both LLDB backends.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { hasWatchpoints } from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

/** clang loads the weight once for both branches, by an instruction that belongs to neither line. The store is right before it. */
const source = `#include <stdlib.h>
struct cell { int kind, weight; };
int seen;
__attribute__((noinline)) int weigh(struct cell *cell, int is_heavy) {
  int weight;
  seen = is_heavy + 5;
  if (is_heavy)
    weight = cell->weight * 3;
  else
    weight = cell->weight + 7;
  return weight;
}
__attribute__((noinline)) int visit(struct cell *cell, int is_heavy) {
  int weight = weigh(cell, is_heavy);
  return weight + 1;
}
int main(int count, char **words) {
  struct cell first = {1, 2};
  int sum = visit(&first, count);
  sum += visit(NULL, count - 1);
  return sum;
}
`

if (process.arch === "x64" && process.platform === "linux") {
  suite("an instruction without a line", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`belongs to its function (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const program = `${yield* compiled({ "cells.c": source }, ["clang", "-O2", "-o", "cells", "cells.c"])}/cells`
            const started = yield* call("start", { program, backend, environment })
            assert.deepInclude(started.data.location, { function: "weigh" })
            assert.match(started.data.location?.file ?? "", /cells\.c$/)
            assert.notProperty(started.data.location, "line")
            const { data } = yield* call("explain", {})
            assert.deepInclude(data.user_frame, { function: "weigh" })
            assert.deepStrictEqual(
              data.callers?.map((frame) => [frame.function, frame.line]),
              [
                ["visit", 14],
                ["main", 20]
              ]
            )
            if (!hasWatchpoints()) return
            const { data: write } = yield* call("last-write", { expression: "seen" })
            assert.deepInclude(write.location, { function: "weigh" })
            assert.deepInclude(write.watch, { written_at: { file: write.location?.file ?? "", line: 6 } })
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
