/** A hundred failed runs that a debugger takes over: each process is alive in its session, and executes what it is asked to. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { readFileSync } from "node:fs"
import { compile, debugging, environment, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "600 seconds" })

/** Fails in the way that its argument says, with threads that run. */
const source = `#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile long turns;
static void *spin(void *unused) { for (;;) { turns++; usleep(100); } return unused; }
static int store(int *place, int number) { *place = number; return 0; }
int main(int argc, char **argv)
{
  pthread_t thread;
  int number = argc;
  for (int one = 0; one < 4; one++) pthread_create(&thread, 0, spin, 0);
  if (!strcmp(argv[1], "crash")) return store(0, number);
  if (!strcmp(argv[1], "exit")) exit(9);
  printf("lost item\\n");
  fflush(stdout);
  for (;;) {
    number++;
    number--;
  }
}
`

/** The state of a process: `t` if it is stopped by a tracer; undefined if it is gone. */
const stateOf = (pid: number): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  } catch {
    return undefined
  }
}

const total = 100

/** Failures that must be alive in their sessions. */
const least = 99

suite("failed runs that a debugger takes over", (it) => {
  it.effect(
    `are alive, ${least} of ${total}`,
    () =>
      debugging((own) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const directory = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
          yield* fs.writeFileString(`${directory}/fails.c`, source)
          yield* compile(`${directory}/fails.c`, `${directory}/fails`)

          /** Fails with the first thing of a held failure that is not as it must be. */
          const attempt = Effect.fnUntraced(function* (mode: "crash" | "exit" | "output") {
            const { data } = yield* own.call("run", {
              program: `${directory}/fails`,
              args: [mode],
              until_failure: 1,
              replace: true,
              ...(mode === "output" ? { fail_if: ["output:/lost item/"] } : {}),
              environment: { ...environment, LC_MARK: own.temporary }
            })
            const { pid = 0, session } = data.run ?? {}
            if (session !== "failed" || data.event !== "stopped") return `${mode}: ${data.run?.handover ?? data.event}`
            if (stateOf(pid) !== "t") return `${mode}: the process is ${stateOf(pid) ?? "gone"}`
            if (mode !== "crash") {
              const after = yield* own.call(mode === "exit" ? "stepi" : "next", {})
              return after.data.event === "stopped" && stateOf(pid) === "t" ? undefined : `${mode}: ${after.data.event}`
            }
            const { values } = (yield* own.call("print", { expressions: ["number"] })).data
            return values[0]?.value === "2" ? undefined : `crash: number is ${values[0]?.value ?? "not shown"}`
          })

          const problems: Array<string> = []
          for (let number = 0; number < total; number++) {
            const problem = yield* attempt((["crash", "exit", "output"] as const)[number % 3] ?? "crash").pipe(
              Effect.catch((error) => Effect.succeed(error.message))
            )
            if (problem !== undefined) problems.push(`${number}: ${problem}`)
          }
          assert.isAtLeast(total - problems.length, least, problems.join("\n"))
          yield* own.call("stop", { all: true })
          assert.deepStrictEqual(own.alive(), [])
        })
      ).pipe(Effect.scoped),
    600_000
  )
})
