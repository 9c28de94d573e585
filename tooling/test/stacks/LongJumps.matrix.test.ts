/** Steps that `longjmp` ends. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
static jmp_buf env;
static sigjmp_buf after_fault;
static int *volatile null;
static void fail(int n) {
  if (n > 2)
    longjmp(env, n);
  printf("ok %d\\n", n);
}
static int work(int n) {
  fail(n);
  return n;
}
static int inner(int n) {
  jmp_buf saved;
  memcpy(saved, env, sizeof env);
  if (setjmp(env) == 0)
    fail(n);
  memcpy(env, saved, sizeof env);
  return n;
}
static void handler(int number) {
  siglongjmp(after_fault, number);
}
int main(void) {
  signal(SIGSEGV, handler);
  int v = setjmp(env);
  if (v == 0) {
    work(1);
    inner(7);
    work(3);
  }
  if (v == 3)
    work(4);
  if (sigsetjmp(after_fault, 1) == 0)
    *null = 1;
  printf("end %d\\n", v);
  return 0;
}
`

const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1

suite("a step that longjmp ends", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    for (const options of [["-O0"], ["-static"], ["-O1", "-D_FORTIFY_SOURCE=2", "-fno-inline"]]) {
      it.effect(`stops where the program continues (${backend}, ${options.join(" ")})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            if (process.platform !== "linux" || process.arch !== "x64") return
            const cwd = yield* compiled({ "jumps.c": text }, ["gcc", ...options, "-o", "jumps", "jumps.c"])
            const program = `${cwd}/jumps`
            yield* call("start", { program, backend, environment, break: [`jumps.c:${lineOf("inner(7)")}`] })
            const next = Effect.map(call("next", {}), ({ data }) => data)
            assert.strictEqual((yield* next).location?.line, lineOf("work(3)"))
            const jumped = yield* next
            assert.deepStrictEqual([jumped.raw_reason, jumped.location?.line], ["longjmp", lineOf("int v = setjmp")])
            yield* call("break", { at: "fail if n == 4" })
            assert.strictEqual((yield* call("continue", {})).data.location?.function, "fail")
            const finished = yield* call("finish", {})
            assert.deepStrictEqual(
              [finished.data.raw_reason, finished.data.location?.line],
              ["longjmp", lineOf("int v = setjmp")]
            )
            assert.strictEqual((yield* call("continue", {})).data.reason, "signal")
            const handled = yield* next
            assert.deepStrictEqual([handled.raw_reason, handled.location?.line], ["longjmp", lineOf("sigsetjmp(after")])
            yield* call("continue", {})
            assert.strictEqual((yield* call("output", {})).data.text, "ok 1\nend 4\n")

            yield* call("start", { program, backend, environment, replace: true, break: ["inner"] })
            const returned = yield* call("finish", {})
            assert.strictEqual(returned.data.reason, "finish")
            assert.deepInclude(returned.data.location, { function: "main", line: lineOf("work(3)") })
          })
        ).pipe(Effect.scoped)
      )
    }
  }
})
