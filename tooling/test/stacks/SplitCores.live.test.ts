/**
 * Core files of programs whose functions gcc splits, on both LLDB backends. LLDB 19 gives an object that is named in a core file an
 * address of its own, so the pointers of callers that it does not find had that address. The program writes the true ones.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { build } from "../support/builtPrograms.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const source = `#include <cstdio>
#include <cstdlib>
#include <string>
struct Node { int id; Node *next; };
__attribute__((noinline)) void keep(const void *p) { asm volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) int fail(int *at) { return *at; }
__attribute__((noinline)) int walk(Node *from, int *at) {
  std::string label = std::to_string(from->id), more = label + " of a node";
  Node *next = from->next;
  keep(&more), keep(&next);
  if (__builtin_expect(from->id > 100, 0)) { keep("many"); std::abort(); }
  int read = fail(at);
  keep(&more), keep(&next), keep(from);
  return read + next->id;
}
int main(int argc, char **) {
  Node *last = new Node{7, nullptr}, *first = new Node{argc, last};
  std::fprintf(stderr, "%p\\n", static_cast<void *>(last));
  return walk(first, argc > 5 ? &argc : nullptr) + first->id;
}
`

if (process.platform === "linux" && process.arch === "x64") {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a core file of a split function", (it) => {
    for (const backend of ["dap", "lldb-cli"] as const) {
      it.effect(`has the pointers of the callers that LLDB does not find (${backend})`, () =>
        debugging(({ call, environment }) =>
          Effect.gen(function* () {
            const fs = yield* FileSystem.FileSystem
            if ((yield* fs.readFileString("/proc/sys/kernel/core_pattern")).startsWith("|")) return
            const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
            const { folder, program } = yield* build("nodes.cpp", source, "g++", ["-O2", "-fno-toplevel-reorder"])
            const words = `ulimit -c unlimited; cd "${folder}" && ./program 2>&1`
            const address = (yield* spawner.string(ChildProcess.make("sh", ["-c", words]))).split("\n")[0]
            const [core = ""] = (yield* fs.readDirectory(folder)).filter((name) => name.startsWith("core"))
            yield* call("core", { file: `${folder}/${core}`, program, backend, environment, sources: [folder] })
            const { frames } = (yield* call("backtrace", {})).data
            const walk = frames.find(({ function: name }) => name.startsWith("walk"))
            assert.isTrue(walk?.unlisted)
            const frame = walk?.index ?? 0
            const { values } = (yield* call("print", { expressions: ["next", "next->id"], frame })).data
            assert.deepStrictEqual(
              values.map(({ value = "" }) => value.replace(/^0x0*([\da-f]+).*/, "0x$1")),
              [address, "7"]
            )
          })
        ).pipe(Effect.scoped)
      )
    }
  })
}
