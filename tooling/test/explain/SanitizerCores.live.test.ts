/**
 * Core files of programs that a sanitizer or a thread ended: the tool, the error and the thread, under both LLDB backends and GDB. What a
 * sanitizer wrote before is the second source.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, environment as tools, platform } from "../support/fixturePrograms.ts"
import * as Tools from "../support/tools.ts"

const memory = `#include <stdlib.h>
static void *make(int size) { return malloc(size); }
static void drop(void *block) { free(block); }
int main(int count, char **words) {
  if (words[1][0] == 'd') {
    void *block = make(24);
    drop(block);
    drop(block);
  }
  return make(7) == 0;
}
`

const read = `#include <stdio.h>
#include <stdlib.h>
int main(void) { int *all = malloc(8); if (all[1] > 3) puts("large"); return 0; }
`

const threads = `#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *unused) { pause(); return unused; }
static void *writes(void *place) { usleep(20000); *(int *)place = 1; return place; }
int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, sleeps, 0);
  pthread_create(&two, 0, writes, (void *)64);
  pthread_join(one, 0);
}
`

/** True if the libraries of a sanitizer are installed for a compiler. */
const isAvailable = Effect.fnUntraced(function* (compiler: string, option: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const line = `echo 'int main() {}' | ${compiler} -x c -fsanitize=${option} - -o /dev/null`
  return Number(yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stderr: "ignore" }))) === 0
})

/** Runs a program until its end and returns its core file; undefined where the system writes none beside it. */
const coreOf = Effect.fnUntraced(function* (cwd: string, program: string, word: string) {
  const fs = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const place = `${cwd}/${program} ${word}`
  yield* fs.makeDirectory(place)
  const options = "abort_on_error=1:disable_coredump=0:unmap_shadow_on_exit=1"
  const variables = ["ASAN", "MSAN", "TSAN"].map((tool) => `${tool}_OPTIONS=${options}`).join(" ")
  const line = `ulimit -c unlimited; cd "${place}" && ${variables} ../${program} ${word} 2>/dev/null`
  yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stdout: "ignore" })).pipe(Effect.ignore)
  const name = (yield* fs.readDirectory(place)).find((one) => one.startsWith("core"))
  return name === undefined ? undefined : `${place}/${name}`
})

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const debuggers = [{ backend: "dap" }, { backend: "lldb-cli" }, { adapter: "gdb" }] as const

suite("explain of a core file", (it) => {
  for (const debugger_ of debuggers) {
    const isGdb = "adapter" in debugger_
    if (isGdb && !Tools.recorded("gdb 14", Tools.gdbVersion(tools) >= 14)) continue
    it.effect(`names the sanitizer and its error, or the thread that crashed (${JSON.stringify(debugger_)})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          if ((yield* fs.readFileString("/proc/sys/kernel/core_pattern")).startsWith("|")) return
          const explained = Effect.fnUntraced(function* (
            source: string,
            command: readonly [compiler: string, ...args: ReadonlyArray<string>],
            program: string,
            word: string
          ) {
            const cwd = yield* compiled({ "app.c": source }, [...command, "app.c", "-o", program])
            const file = yield* coreOf(cwd, program, word)
            if (file === undefined) return undefined
            yield* call("core", { file, program: `${cwd}/${program}`, replace: true, environment, ...debugger_ })
            return (yield* call("explain", {})).data
          })
          const sanitized = ["gcc", "-w", "-fsanitize=address"] as const
          const freed = yield* explained(memory, sanitized, "memory", "double")
          if (freed === undefined) return
          assert.match(freed.summary, /^AddressSanitizer: double-free at 0x[0-9a-f]+$/)
          assert.deepInclude(freed.user_frame, { function: "drop", line: 3 })
          assert.deepInclude(freed.sanitizer?.freed?.frames[0], { function: "drop", line: 3 })
          assert.deepInclude(freed.sanitizer?.allocated?.frames[0], { function: "make", line: 2 })

          const leaks = yield* explained(memory, sanitized, "leaks", "leak")
          assert.strictEqual(leaks?.what, "sanitizer")
          assert.strictEqual(leaks?.summary, "LeakSanitizer: detected memory leaks (7 bytes leaked in 1 allocation)")
          assert.deepInclude(leaks?.sanitizer?.allocated?.frames[0], { function: "make", line: 2 })

          if (yield* isAvailable("clang", "memory")) {
            const unset = yield* explained(read, ["clang", "-w", "-fsanitize=memory"], "unset", "read")
            assert.strictEqual(unset?.summary, "MemorySanitizer: use-of-uninitialized-value")
            assert.deepInclude(unset?.user_frame, { function: "main", line: 3 })
          }

          // Where the addresses of the system do not suit ThreadSanitizer, the program leaves no core file.
          const handled = (yield* isAvailable("gcc", "thread"))
            ? yield* explained(threads, ["gcc", "-pthread", "-fsanitize=thread"], "handled", "write")
            : undefined
          if (handled !== undefined) {
            assert.strictEqual(handled.summary, "deadly signal")
            assert.deepInclude(handled.user_frame, { function: "writes", line: 4 })
          }

          // GDB lists the threads of a core file from the last to the first.
          const crashed = yield* explained(threads, ["gcc", "-pthread"], "threads", "write")
          assert.match(crashed?.summary ?? "", /^SIGSEGV/)
          assert.deepInclude(crashed?.user_frame, { function: "writes", line: 4 })
        })
      ).pipe(Effect.scoped)
    )
  }
})
