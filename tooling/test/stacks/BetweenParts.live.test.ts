/**
 * Names in stacks through functions without debug information that lie between the two parts of a function that gcc split, on both LLDB
 * backends. LLDB 19 gives them the name of the split function. A static executable has no table of its call frame information.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { starting } from "../support/builtPrograms.ts"
import { compiled } from "../support/compiled.ts"

const plain = `
#include <stdlib.h>
__attribute__((noinline)) void settle(int k) { if (k > 1) abort(); }
int fold(int k, int (*f)(int)) { settle(k); return f(k) + 1; }
`

const own = `
#include <cstdio>
#include <cstdlib>
#include <string>
extern "C" int fold(int k, int (*f)(int));
extern "C" __attribute__((noinline)) int twice(int k) {
  if (k > 500) { std::string s = "rare"; puts((s + std::to_string(k)).c_str()); abort(); }
  return 2 * k;
}
__attribute__((noinline)) int books(int k) {
  std::string s = std::to_string(k);
  if (k < -5) { puts(s.c_str()); abort(); }
  return fold(k, twice) + (int)s.size();
}
int main(int c, char **) { std::string t = std::to_string(c); return books(c + 1) + (int)t.size(); }
`

/** The program, with the functions without debug information at the end and at the beginning of the code, and linked statically. */
const programs = { behind: ["own.o", "plain.o"], before: ["plain.o", "own.o"], whole: ["-static", "own.o", "plain.o"] }

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(
  "a function between the parts of another",
  (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`has its own name and its callers, under ${backend}`, () =>
        debugging((client) =>
          Effect.gen(function* () {
            const cwd = yield* compiled(
              { "plain.c": plain, "own.cpp": own },
              ["gcc", "-g0", "-O2", "-c", "plain.c", "-o", "plain.o"],
              ["g++", "-O2", "-c", "own.cpp", "-o", "own.o"],
              ...Object.entries(programs).map(([name, parts]) => ["g++", ...parts, "-o", name] as const)
            )
            for (const name of Object.keys(programs)) {
              const stop = (yield* starting(client, { program: `${cwd}/${name}`, folder: cwd }, backend, {
                replace: true
              })).data
              assert.deepInclude(stop, { event: "stopped", signal: "SIGABRT" })
              const { frames } = (yield* client.call("backtrace", { all_frames: true })).data
              const names = frames.map((frame) => frame.function.replace(/\(.*|\.cold$/, ""))
              assert.deepStrictEqual(
                names.slice(names.indexOf("abort"), names.indexOf("main") + 1),
                ["abort", "settle", "fold", "books", "main"],
                name
              )
              assert.strictEqual(names.at(-1), "_start")
            }
          })
        )
      )
    }
  }
)
