/**
 * `last-write` of programs whose way depends on what the system gives each run: by files that are named another way, by open files
 * without a path, by the processor; and of a program of Rust, whose formatters apply to registers too.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const text = `#define _GNU_SOURCE
#include <cpuid.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int chosen;
void even(void) { chosen = 7; }
void odd(void) { chosen = 7; }
static int first(FILE *file) {
  int number = 0;
  return file != NULL && fscanf(file, "%d", &number) == 1 ? number : 0;
}
int number(int way) {
  int ends[2];
  unsigned a, b, c, d;
  struct stat found;
  siginfo_t sender;
  sigset_t signals;
  switch (way) {
  case '1': return first(fopen("//proc/self/stat", "r"));
  case '2': return first(fopen("/usr/../proc/self/stat", "r"));
  case '3': return chdir("/proc/self") == 0 ? first(fopen("stat", "r")) : 0;
  case '4': return first(fdopen(openat(open("/proc", O_RDONLY | O_DIRECTORY), "self/stat", O_RDONLY), "r"));
  case '5': return pipe(ends) == 0 && fstat(ends[0], &found) == 0 ? (int)found.st_ino : 0;
  case '6':
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    raise(SIGUSR1);
    return sigwaitinfo(&signals, &sender) > 0 ? sender.si_pid : 0;
  case '7':
    __cpuid(1, a, b, c, d);
    return b >> 24;
  default: return way;
  }
}
int main(int count, char **words) {
  int way = words[1][0];
  if (number(way) % 3 == 1)
    odd();
  else
    even(); // chosen
  return chosen; // stop
}
`

const lineOf = (part: string) => text.split("\n").findIndex((line) => line.includes(part)) + 1

const reasons: ReadonlyArray<readonly [string, RegExp]> = [
  ["1", /reads \/\/proc\/self\/stat \(a call of fopen\)/],
  ["2", /reads \/usr\/\.\.\/proc\/self\/stat/],
  ["3", /reads stat \(a call of fopen\)/],
  ["4", /reads self\/stat \(a call of openat/],
  ["5", /reads the number of a file without a path \(a call of fstat/],
  ["6", /reads who sent a signal \(a call of sigwaitinfo\)/],
  ["7", /reads the processor that it runs on \(the instruction cpuid\)/]
]

/** The file gives the bytes that the program wrote before, by two calls of read. */
const rust = `use std::io::Read;
static mut COUNT: i32 = 0;
static mut BYTES: [u8; 2] = [0, 0];
fn main() {
    let count = std::env::args().count();
    let mut file = std::fs::File::open("/etc/passwd").unwrap();
    let mut zeros = std::fs::File::open("/dev/zero").unwrap();
    unsafe {
        let bytes = &mut *std::ptr::addr_of_mut!(BYTES);
        bytes[0] = b'r'; zeros.read(bytes).unwrap(); file.read(bytes).unwrap(); COUNT = if count > 0 { 7 } else { 8 };
        println!("{}", *std::ptr::addr_of!(COUNT));
    }
}
`

if (process.arch === "x64" && process.platform === "linux") {
  suite("a program whose next run may differ", (it) => {
    const watching = it.effect.runIf(Tools.hasWatchpoints())
    for (const backend of ["dap", "lldb-cli"] as const) {
      watching(
        `has no certain last write (${backend})`,
        () =>
          debugging(({ call, environment }) =>
            Effect.gen(function* () {
              const cwd = yield* compiled({ "ways.c": text }, ["gcc", "-g", "-o", "ways", "ways.c"])
              const start = (way: string) =>
                call("start", {
                  program: `${cwd}/ways`,
                  args: [way],
                  backend,
                  environment,
                  replace: true,
                  break: [`ways.c:${lineOf("// stop")}`]
                })
              for (const [way, reason] of reasons) {
                yield* start(way)
                const failed = yield* Effect.flip(call("last-write", { expression: "chosen", session: "default" }))
                assert.strictEqual(failed._tag, "NotReproduced", way)
                assert.match(failed.message, reason)
              }
              yield* start("8")
              const written = yield* call("last-write", { expression: "chosen", session: "default" })
              assert.strictEqual(written.data.watch?.written_at?.line, lineOf("void even"))
            })
          ).pipe(Effect.scoped),
        150_000
      )
      watching(
        `has a last write in Rust (${backend})`,
        () =>
          debugging(({ call, environment }) =>
            Effect.gen(function* () {
              if (!Tools.isPresent("rustc", environment)) return
              const fs = yield* FileSystem.FileSystem
              const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
              const cwd = yield* fs.realPath(yield* fs.makeTempDirectoryScoped())
              yield* fs.writeFileString(`${cwd}/counts.rs`, rust)
              const words = ["-g", "counts.rs", "-o", "counts"]
              const built = yield* spawner.exitCode(ChildProcess.make("rustc", words, { cwd, env: environment }))
              assert.strictEqual(Number(built), 0)
              yield* call("start", { program: `${cwd}/counts`, backend, environment, break: ["counts.rs:11"] })
              const { data } = yield* call("last-write", { expression: "counts::COUNT", session: "default" })
              assert.deepInclude(data.write, { old: "0", new: "7" })
              assert.strictEqual(data.watch?.written_at?.line, 10)
              assert.match(data.location?.function ?? "", /^counts::main/)
              const kernel = yield* Effect.flip(
                call("last-write", { expression: "counts::BYTES[0]", session: "default" })
              )
              assert.strictEqual(kernel._tag, "WatchUnavailable")
              assert.match(kernel.message, /the kernel did, in a call of read /)
            })
          ).pipe(Effect.scoped),
        150_000
      )
    }
  })
}
