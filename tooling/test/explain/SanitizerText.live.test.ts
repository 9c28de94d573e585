/**
 * What a sanitizer writes and LLDB does not know: the memory that an error concerns, both locks of a wrong order, the thread that was not
 * joined, and the end of a program by LeakSanitizer, which works under no debugger. On both LLDB backends.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const memory = `#include <cstdlib>
#include <cstring>
int ledger[4];
int *volatile kept;
__attribute__((noinline)) void keep(int *p) { kept = p; }
__attribute__((noinline)) void inner() { int local[3] = {1, 2, 3}; keep(local); }
int main(int count, char **words) {
  switch (count > 1 ? words[1][0] : 'l') {
  case 'g': return ledger[count + 3];
  case 'm': { char *text = (char *)malloc(10); keep((int *)text); delete[] (char *)kept; return 0; }
  case 'f': { int *block = (int *)malloc(40); keep(block); free(kept + 2); return 0; }
  case 'r': inner(); return kept[1];
  default: keep(new int[4]); kept = nullptr; return 0;
  }
}
`

const threads = `#include <pthread.h>
pthread_mutex_t east = PTHREAD_MUTEX_INITIALIZER, west = PTHREAD_MUTEX_INITIALIZER;
void *ahead(void *) { pthread_mutex_lock(&east); pthread_mutex_lock(&west); pthread_mutex_unlock(&west); pthread_mutex_unlock(&east); return 0; }
void *back(void *) { pthread_mutex_lock(&west); pthread_mutex_lock(&east); pthread_mutex_unlock(&east); pthread_mutex_unlock(&west); return 0; }
int main() {
  pthread_t one, other;
  pthread_create(&one, 0, ahead, 0); pthread_join(one, 0);
  pthread_create(&other, 0, back, 0); pthread_join(other, 0);
}
`

/** Sanitizers of a compiler whose libraries are installed. */
const available = Effect.fnUntraced(function* (compiler: string, option: string) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const line = `echo 'int main() {}' | ${compiler} -x c++ -fsanitize=${option} - -o /dev/null`
  return (yield* spawner.exitCode(ChildProcess.make("sh", ["-c", line], { stderr: "ignore" }))) === 0
})

const cases = {
  global: [/^global-buffer-overflow reading 4 bytes, 4 bytes after global 'ledger' of 16 bytes$/, 9],
  mismatch: [
    /^alloc-dealloc-mismatch \(malloc vs operator delete \[\]\), the beginning of a heap block of 10 bytes, allocated in main$/,
    10
  ],
  freed: [/^bad-free, 8 bytes inside a heap block of 40 bytes, allocated in main$/, 11],
  returned: [/^stack-use-after-return reading 4 bytes, inside 'local' of inner(?:\(\))?(?:, line 6)?$/, 12]
} as const

if (process.platform === "linux") {
  layer(platform, { excludeTestServices: true, timeout: "240 seconds" })("a sanitizer's own text", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`names the memory, and says why LeakSanitizer ended the program (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            for (const compiler of ["g++", "clang++"]) {
              if (!(yield* available(compiler, "address"))) continue
              const command = [compiler, "-fsanitize=address", "-o", "memory", "memory.cpp"] as const
              const program = `${yield* compiled({ "memory.cpp": memory }, command)}/memory`
              const options = {
                program,
                backend,
                environment: { ...environment, ASAN_OPTIONS: "detect_stack_use_after_return=1" }
              }
              for (const [name, [text, line]] of Object.entries(cases)) {
                const { data } = yield* call("start", { ...options, args: [name], replace: true })
                assert.match(data.explain ?? "", text, `${compiler} ${name}`)
                const found = (yield* call("explain", {})).data
                assert.strictEqual(found.user_frame?.line, line, `${compiler} ${name}`)
                if (name === "mismatch" || name === "freed") {
                  assert.match(found.sanitizer?.address ?? "", /^0x6/)
                  assert.strictEqual(found.sanitizer?.allocated?.frames[0]?.line, line)
                }
              }
              const { data } = yield* call("run", { program, backend, environment })
              assert.deepInclude(data, { event: "exited", exit_code: 1 })
              assert.match(data.explain ?? "", /^LeakSanitizer ended the program; with ASAN_OPTIONS=detect_leaks=0/)
            }
          })
        )
      )

      it.effect(`names both locks of a wrong order (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            for (const compiler of ["g++", "clang++"]) {
              if (!(yield* available(compiler, "thread"))) continue
              const command = [compiler, "-fsanitize=thread", "-o", "threads", "threads.cpp", "-pthread"] as const
              const program = `${yield* compiled({ "threads.cpp": threads }, command)}/threads`
              yield* call("start", { program, backend, environment, replace: true })
              const { facts, sanitizer } = (yield* call("explain", {})).data
              assert.deepInclude(sanitizer, { kind: "lock-order-inversion (potential deadlock)" })
              assert.deepStrictEqual(
                facts.slice(1).map(({ text }) => text),
                [
                  "thread T1 locked west while it held east in ahead threads.cpp:3",
                  "thread T2 locked east while it held west in back threads.cpp:4"
                ],
                compiler
              )
            }
          })
        )
      )
    }
  })
}
