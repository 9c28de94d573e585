/** `diverge` of a program for which its time does not suffice. The source of the program is the second source. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <stdio.h>
#include <string.h>
static int sum;
static void step(int i) { sum += i; }
static void good(void) { puts("good"); }
static void bad(void) { puts("bad"); }
int main(int argc, char **argv) {
  for (int i = 0; i < 2500; i++) step(i);
  if (argc > 1 && !strcmp(argv[1], "bad"))
    bad();
  else
    good();
  return 0;
}
`

const timeouts = ["12s", "40s"]

layer(platform, { excludeTestServices: true, timeout: "180 seconds" })("diverge with little time", (it) => {
  it.effect(
    "answers what it has compared, and claims nothing else",
    () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          const program = `${directory}/many`
          yield* fs.writeFileString(`${program}.c`, source)
          const built = ChildProcess.make("gcc", ["-g", "-O0", `${program}.c`, "-o", program])
          assert.strictEqual(Number(yield* spawner.exitCode(built)), 0)
          for (const timeout of timeouts) {
            const { data } = yield* call("diverge", {
              good: `${program} good`,
              bad: `${program} bad`,
              keep: false,
              environment,
              timeout
            })
            assert.isAtMost(data.entries, 2501)
            if (data.divergence === undefined) assert.include(data.left_out.join("; "), "the time was up")
            else assert.include([8, 9], data.divergence.after.line)
          }
        })
      ).pipe(Effect.scoped),
    150_000
  )
})
