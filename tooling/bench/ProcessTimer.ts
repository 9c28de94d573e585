// Times whole processes from outside Node: a C program, compiled at run time, forks, executes, waits, and reports the wall
// time, the CPU time and the largest resident memory (wait4(2)). Node's own spawn takes milliseconds that vary.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { ratiosTo, type Row, rowOf } from "./Harness.ts"

const source = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
int main(int argc, char **argv) {
  int times = atoi(argv[1]);
  for (int i = 0; i < times; i++) {
    double start = now();
    pid_t pid = vfork();
    if (pid == 0) {
      int null = open("/dev/null", O_RDWR);
      dup2(null, 0);
      dup2(null, 1);
      dup2(null, 2);
      execve(argv[2], argv + 2, environ);
      _exit(127);
    }
    int status;
    struct rusage used;
    wait4(pid, &status, 0, &used);
    double wall = now() - start;
    double cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    printf("%.1f %.1f %ld %d\\n", wall, cpu, used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return 0;
}
`

/** One run of a program: microseconds of wall and CPU time, and the largest resident memory in MB. */
export interface Run {
  readonly wall: number
  readonly cpu: number
  readonly memory: number
}

/** A program with its arguments; the program is an absolute path. */
export interface Command {
  readonly name: string
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** The exit code of success; 0 by default. */
  readonly exit?: number
  /** Runs before each run, untimed. */
  readonly before?: () => void
  readonly floor?: string
  readonly beside?: string
  readonly target?: number
}

/** Times commands. */
export interface Timer {
  /** Runs a command once; throws if it ends with another exit code. */
  readonly once: (command: Command) => Run
  readonly close: () => void
}

/** Compiles the timer. */
export const make = (): Timer => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-timer-"))
  const program = join(folder, "timer")
  writeFileSync(join(folder, "timer.c"), source)
  const { status, stderr } = spawnSync("cc", ["-O2", join(folder, "timer.c"), "-o", program], { encoding: "utf8" })
  if (status !== 0) throw new Error(`a C compiler is needed for this bench: ${stderr}`)
  return {
    once: ({ argv, cwd, env = process.env, exit = 0, name }) => {
      const ran = spawnSync(program, ["1", ...argv], { cwd, env, encoding: "utf8", timeout: 120_000 })
      const [wall = Number.NaN, cpu = Number.NaN, kib = Number.NaN, code] = ran.stdout.trim().split(" ").map(Number)
      if (code !== exit) throw new Error(`${name} ended with ${code ?? ran.error?.message ?? "nothing"}`)
      return { wall, cpu, memory: kib / 1024 }
    },
    close: () => rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs commands interleaved; returns their wall times, with the CPU time and memory of each as notes. */
export const measure = (
  timer: Timer,
  title: string,
  commands: ReadonlyArray<Command>,
  { rounds = 30, warmup = 3 }: { readonly rounds?: number; readonly warmup?: number } = {}
) => {
  const runs = new Map<string, Array<Run>>(commands.map(({ name }) => [name, []]))
  const begun = performance.now()
  for (let round = -warmup; round < rounds; round++) {
    for (const command of round % 2 === 0 ? commands : commands.toReversed()) {
      command.before?.()
      const run = timer.once(command)
      if (round >= 0) runs.get(command.name)?.push(run)
    }
  }
  const rows = commands.map(({ name }) =>
    rowOf(
      name,
      (runs.get(name) ?? []).map(({ wall }) => wall)
    )
  )
  const middle = (name: string, field: keyof Run) =>
    rowOf(
      name,
      (runs.get(name) ?? []).map((run) => run[field])
    ).median
  return {
    title,
    rounds,
    rows: commands.map((command, index): Row => {
      const { beside, floor = beside, name, target } = command
      const row = rows[index] ?? rowOf(name, [])
      const base = floor === undefined ? undefined : rows.find((one) => one.name === floor)
      return {
        ...row,
        ...ratiosTo(row, base),
        ...(target === undefined ? {} : { target })
      }
    }),
    notes: [
      `CPU time and peak memory: ${commands
        .map(
          ({ name }) => `${name} ${(middle(name, "cpu") / 1000).toFixed(0)} ms, ${middle(name, "memory").toFixed(0)} MB`
        )
        .join("; ")}. Measured in ${((performance.now() - begun) / 1000).toFixed(0)} s.`
    ]
  }
}
