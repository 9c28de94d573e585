// One question to a program, from a shell: stop at a line, show the locals, end. The batch modes of the debuggers are the floor:
// whole processes, timed from outside Node.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import type { Table } from "./Harness.ts"
import * as ProcessTimer from "./ProcessTimer.ts"

const command = fileURLToPath(new URL("../../apps/cli/dist/sigtrap.js", import.meta.url))

/** A C program that reads one element too many. */
export const overrun = `#include <stdio.h>
static int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i <= count; i++)
    total += values[i];
  return total;
}
int main(void) {
  int values[] = {1, 2, 3, 4};
  printf("%d\\n", sum(values, 4));
  return 0;
}
`

/** Returns the absolute path of a program; undefined if it does not run. */
export const find = (program: string): string | undefined => {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" })
  return status === 0 && spawnSync(program, ["--version"]).status === 0 ? stdout.trim() : undefined
}

/** Times the debuggers and sigtrap, interleaved. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    writeFileSync(join(root, "sum.c"), overrun)
    RealDaemon.compile(root, join(root, "sum.c"))
    yield* RealDaemon.start(root, "main")
    const timer = yield* Effect.acquireRelease(
      Effect.sync(() => ProcessTimer.make()),
      (one) => Effect.sync(() => one.close())
    )
    const env = { ...process.env, SIGTRAP_RUNTIME_DIR: join(root, "run") }
    const sigtrap = (...words: ReadonlyArray<string>) => [process.execPath, command, ...words].join(" ")
    const calls = [
      sigtrap("start", "./app", "--break", "sum.c:5", "--session", "shot"),
      sigtrap("locals", "--session", "shot"),
      sigtrap("stop", "--session", "shot")
    ].join(" && ")
    const gdb = find("gdb")
    const lldb = find("lldb") ?? find("lldb-19")
    const commands: ReadonlyArray<ProcessTimer.Command> = [
      ...(gdb === undefined
        ? []
        : [
            {
              name: "gdb -batch",
              argv: [gdb, "-nx", "-batch", "-ex", "break sum.c:5", "-ex", "run", "-ex", "info locals", "./app"] as const
            }
          ]),
      ...(lldb === undefined
        ? []
        : [
            {
              name: "lldb -b",
              argv: [lldb, "-x", "-b", "-o", "b sum.c:5", "-o", "run", "-o", "frame variable", "./app"] as const,
              ...(gdb === undefined ? {} : { beside: "gdb -batch" })
            }
          ]),
      {
        name: "sigtrap run",
        argv: [process.execPath, command, "run", "./app", "--break", "sum.c:5", "--locals"] as const,
        env,
        ...(lldb === undefined ? {} : { floor: "lldb -b", target: 1 })
      },
      {
        name: "sigtrap start, locals, stop",
        argv: ["/bin/sh", "-c", calls] as const,
        env,
        ...(lldb === undefined ? {} : { floor: "lldb -b" })
      }
    ].map((one) => ({ cwd: root, ...one }))
    return [ProcessTimer.measure(timer, "Stop at a line, show the locals, end", commands, { rounds: 15, warmup: 2 })]
  }).pipe(Effect.scoped, Effect.runPromise)
