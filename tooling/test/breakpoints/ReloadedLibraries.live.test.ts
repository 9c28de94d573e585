/** A program that unloads a library and loads another one, which the kernel maps at the same address. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const library = `int lib_value = VALUE;
int lib_work(int n) {
  lib_value += n * VALUE;
  return lib_value;
}
`

const program = `#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  int sum = 0;
  for (int n = 1; n <= 4; n++) {
    void *handle = dlopen(n % 2 ? "./first.so" : "./second.so", RTLD_NOW);
    int (*work)(int) = (int (*)(int))dlsym(handle, "lib_work");
    sum += work(n);
    dlclose(handle);
  }
  printf("%d\\n", sum);
  return 0;
}
`

suite("a library that is loaded where another one was", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`stops at its breakpoints (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const cwd = yield* compiled(
            { "library.c": library, "program.c": program },
            ["gcc", "-shared", "-fPIC", "-DVALUE=10", "-o", "first.so", "library.c"],
            ["gcc", "-shared", "-fPIC", "-DVALUE=1000", "-o", "second.so", "library.c"],
            ["gcc", "-o", "program", "program.c", "-ldl"]
          )

          yield* call("start", {
            program: `${cwd}/program`,
            cwd,
            backend,
            environment,
            pending: true,
            break: ["lib_work"]
          })
          for (const [n, value] of [
            ["1", "10"],
            ["2", "1000"],
            ["3", "10"],
            ["4", "1000"]
          ]) {
            const { data } = yield* call("print", { expressions: ["n", "lib_value"] })
            assert.deepStrictEqual(
              data.values.map((one) => one.value),
              [n, value]
            )
            yield* call("continue", {})
          }
          assert.strictEqual((yield* call("output", {})).data.text, "8060\n")
        })
      ).pipe(Effect.scoped)
    )
  }
})
