/** A signal that a program handles or ignores does not fail its run. LLDB stops at it in any case. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, environment, platform } from "../support/fixturePrograms.ts"

const source = `#include <signal.h>
#include <string.h>
static volatile sig_atomic_t seen;
static void on(int number) { seen = number; }
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "handled") == 0) signal(SIGUSR1, on);
  if (strcmp(how, "ignored") == 0) signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  raise(SIGUSR1);
  return seen == SIGUSR1 ? 3 : 0;
}
`

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })(
  "a run of a program that sends itself SIGUSR1",
  (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`continues if the program handles or ignores the signal (${backend})`, () =>
        debugging(({ call }) =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
            yield* fs.writeFileString(`${directory}/signals.c`, source)
            const program = `${directory}/signals`
            yield* compile(`${program}.c`, program)
            const run = (how: string) =>
              Effect.map(
                call("run", { environment, program, backend, args: [how], fail_if: ["crash"] }),
                ({ data }) => data
              )
            const handled = yield* run("handled")
            assert.deepInclude(handled, { event: "exited", exit_code: 3 })
            assert.deepInclude(handled.run, { outcome: "passed" })
            assert.deepInclude((yield* run("ignored")).run, { outcome: "passed" })
            const fatal = yield* run("fatal")
            assert.deepInclude(fatal, { event: "stopped", reason: "signal", signal: "SIGUSR1" })
            assert.deepInclude(fatal.run, { outcome: "failed" })
          })
        ).pipe(Effect.scoped)
      )
    }
  }
)
