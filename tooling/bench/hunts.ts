// One run of repeated runs that look for a failure: beside the program alone, and beside `restart`. Each command does a number of
// runs; the times are those of one.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import { ratiosTo, rowOf, type Table } from "./Harness.ts"
import * as ProcessTimer from "./ProcessTimer.ts"

const command = fileURLToPath(new URL("../../apps/cli/dist/sigtrap.js", import.meta.url))

/** A program that works for some milliseconds and passes. */
const source = `#include <stdio.h>
int main(void) {
  volatile long sum = 0;
  for (long i = 0; i < 3000000; i++)
    sum += i;
  printf("%ld\\n", sum); /* done */
  return 0;
}
`

/** Runs of one command. */
const times = { native: 20, hunt: 20, restart: 4 }

const rounds = 7

/** The aim: at most this multiple of the program alone, and these microseconds. */
const aim = { multiple: 2.5, micros: 80_000 }

/** Times the runs, interleaved. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    writeFileSync(join(root, "sum.c"), source)
    RealDaemon.compile(root, join(root, "sum.c"))
    yield* RealDaemon.start(root, "sum.c:6")
    const timer = yield* Effect.acquireRelease(
      Effect.sync(() => ProcessTimer.make()),
      (one) => Effect.sync(() => one.close())
    )
    const env = { ...process.env, SIGTRAP_RUNTIME_DIR: join(root, "run") }
    const own = { cwd: root, env }
    const restarts = Array.from({ length: times.restart }, () => "restart --session work").join("; ")
    const until = `--until-failure=${times.hunt}`
    const commands = {
      native: {
        name: "the program alone",
        argv: ["/bin/sh", "-c", `for run in $(seq ${times.native}); do ./app; done`],
        cwd: root
      },
      hunt: { name: "run --until-failure", argv: [process.execPath, command, "run", "./app", until], ...own },
      restart: { name: "restart", argv: [process.execPath, command, "do", restarts], ...own }
    } as const
    const samples = { native: Array<number>(), hunt: Array<number>(), restart: Array<number>() }
    for (let round = -1; round < rounds; round++) {
      for (const name of ["native", "hunt", "restart"] as const) {
        const { wall } = timer.once(commands[name])
        if (round >= 0) samples[name].push(wall / times[name])
      }
    }
    const native = rowOf(commands.native.name, samples.native)
    const restart = rowOf(commands.restart.name, samples.restart)
    const hunt = rowOf(commands.hunt.name, samples.hunt)
    const rows = [
      native,
      restart,
      { ...hunt, ...ratiosTo(hunt, restart), target: 0.2, limit: aim.multiple * native.median + aim.micros }
    ]
    const notes = ["The ratio is to `restart`; the aim in time is 2.5 × the program alone and 80 ms."]
    return [{ title: "One run of a program that passes", rounds, rows, notes }]
  }).pipe(Effect.scoped, Effect.runPromise)
