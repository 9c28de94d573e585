/** Tests of `last-write` for memory that had another owner before, with a real debugger; shared by the live and the long ones. */
import { assert } from "@effect/vitest"
import { WriteRuns } from "@sigtrap/manager"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, Programs, type Debugging } from "../support/fixturePrograms.ts"

type Backend = "dap" | "lldb-cli"

/** How long LLDB counts: all writes, or none, so that a debug server does where it can. */
type DebuggerTimeout = "120 seconds" | "1 millis"

const searching =
  ({ call, start }: Debugging, backend: Backend, timeout: DebuggerTimeout) =>
  (args: string, expression: string, nth = 1) =>
    Effect.gen(function* () {
      yield* start("reused", { backend, args: args.split(" "), replace: true })
      return yield* call("last-write", { expression, nth, session: "default", timeout: "120s" })
    }).pipe(Effect.provideService(WriteRuns.DebuggerTimeout, timeout))

/** A block that was freed and allocated again is not the object of the last write to its address. */
export const namesNoEarlierBlock = (backend: Backend, timeout: DebuggerTimeout) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, timeout)
      const freed = yield* Effect.flip(search("freed 40", "second->value"))
      assert.strictEqual(freed._tag, "NeverWritten")
      assert.match(freed.message, new RegExp(`malloc in make reused\\.c:${mark("malloc")} allocated its memory`))
      assert.match(freed.message, new RegExp(`the last write to the address was in set reused\\.c:${mark("set")}$`))
      // The third block at the address was written itself.
      const written = yield* search("written 40", "first->value")
      assert.deepInclude(written.data.write, { new: "39", hit: 120, of: 120, object: "same" })
      assert.strictEqual(written.data.watch?.written_at?.line, mark("set"))
      const earlier = yield* Effect.flip(search("written 4", "first->value", 5))
      assert.match(earlier.message, /was written fewer than 5 times before the stop; malloc in make/)
    })
  )

/** A write that leaves the bytes of an earlier call or block as they are gives the value. */
export const namesAWriteOfTheSameBytes = (backend: Backend, timeout: DebuggerTimeout) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const search = searching(live, backend, timeout)
      const same = { old: "7", new: "7", object: "same" } as const
      const local = yield* search("kept", "kept")
      assert.deepInclude(local.data.write, same)
      assert.strictEqual(local.data.watch?.written_at?.line, line("reused.c", "kept"))
      const block = yield* search("again", "second->value")
      assert.deepInclude(block.data.write, { ...same, hit: 2, of: 2 })
      assert.strictEqual(block.data.watch?.written_at?.line, line("reused.c", "set"))
    })
  )

/** A block that `calloc` fills, and blocks that `realloc` keeps and makes larger. */
export const knowsWhatAllocationsWrite = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, "120 seconds")
      const zeroed = yield* search("zeroed", "second->value")
      assert.deepInclude(zeroed.data.write, { new: "0", object: "allocation" })
      assert.strictEqual(zeroed.data.location?.line, mark("calloc"))
      const kept = yield* search("grown", "numbers[3]")
      assert.deepInclude(kept.data.write, { new: "9", object: "same" })
      assert.strictEqual(kept.data.watch?.written_at?.line, mark("put"))
      const beyond = yield* Effect.flip(search("beyond", "numbers[20]"))
      assert.match(beyond.message, new RegExp(`realloc in main reused\\.c:${mark("realloc")} allocated its memory`))
    })
  )

/** Memory of the stack that a pointer names: of a call that has written nothing, of a call that has ended, and a return address. */
export const knowsTheOwnerOnTheStack = (backend: Backend) =>
  debugging((live) =>
    Effect.gen(function* () {
      const { line } = yield* Programs
      const mark = (name: string) => line("reused.c", name)
      const search = searching(live, backend, "120 seconds")
      const stack = yield* Effect.flip(search("stack", "*place"))
      assert.strictEqual(stack._tag, "NeverWritten")
      assert.match(stack.message, /the last write to its address was in write_below .*before this call of read_below/)
      const ended = yield* search("ended", "*place")
      assert.deepInclude(ended.data.write, { new: "77", object: "unknown" })
      const called = yield* search("call", "*place")
      assert.strictEqual(called.data.watch?.written_by, "main")
      assert.strictEqual(called.data.watch?.written_at?.line, mark("pushes"))
    })
  )

const frames = `#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, long g, long h) {
  if (h != 1) abort();
  return a + b + c + d + e + f + g + h;
}
__attribute__((noinline)) static long pass(int n) {
  long x = n * 3;
  return many(1, 2, 3, 4, 5, 6, x, n + 7);
}
__attribute__((noinline)) static void check(long *p) { if (*p != 77) abort(); }
__attribute__((noinline)) static long reserve(void) {
  long words[2048];
  check(words);
  return words[1];
}
__attribute__((noinline)) static void fill(void) {
  char bytes[30000];
  memset(bytes, 5, sizeof bytes);
  __asm__ volatile("" ::"r"(bytes) : "memory");
}
int main(int argc, char **argv) {
  fill();
  return argc > 1 ? reserve() : pass(argc);
}
`

/** An argument on the stack is written by the caller. What sets up the frame of a function writes no variable. */
export const knowsArgumentsAndFrames = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const optimized = ["gcc", "-O1", "-fstack-clash-protection", "frames.c", "-o", "frames"] as const
      const directory = yield* compiled({ "frames.c": frames }, optimized, ["gcc", "frames.c", "-o", "plain"])
      const search = (expression: string) => call("last-write", { expression, session: "default", timeout: "120s" })
      for (const [program, expressions] of [
        // At -O1 gcc pushes the arguments.
        ["frames", ["g", "h"]],
        ["plain", ["g", "h"]]
      ] as const) {
        yield* start(`${directory}/${program}`, { backend, replace: true })
        for (const expression of expressions) {
          const { location, watch, write } = (yield* search(expression)).data
          assert.deepInclude(write, { new: expression === "g" ? "3" : "8", object: "same" })
          assert.deepInclude(watch?.written_at, { line: 9 })
          assert.strictEqual(location?.function, "pass")
        }
      }
      yield* start(`${directory}/frames`, { backend, replace: true, args: ["1"] })
      yield* call("up", { session: "default" })
      // gcc touches each page: the word at its lowest address is the second of 512 words.
      const touched = yield* Effect.flip(search("words[513]"))
      assert.strictEqual(touched._tag, "NeverWritten")
      assert.match(touched.message, /by 'orq \$0x0, \(%rsp\)' in reserve frames\.c:12, which stores no variable$/)
      const untouched = yield* Effect.flip(search("words[514]"))
      assert.match(untouched.message, /was in fill frames\.c:19, before this call of reserve began$/)
    })
  )

const templates = `#include <cstdlib>
#include <optional>
#include <utility>
template <class T> struct Box { T held; int tag; };
Box<std::pair<int, int>> box{{1, 2}, 3};
std::optional<int> maybe;
__attribute__((noinline)) void change() {
  box.held.second = 9;
  maybe = 12;
}
int main() {
  change();
  std::abort();
}
`

/** The new value of a type that no expression can name is shown as `print` shows it. */
export const showsValuesOfTemplates = (backend: Backend) =>
  debugging(({ call, start }) =>
    Effect.gen(function* () {
      const directory = yield* compiled({ "boxes.cpp": templates }, ["g++", "-std=c++17", "boxes.cpp", "-o", "boxes"])
      yield* start(`${directory}/boxes`, { backend })
      for (const [expression, shown, line] of [
        ["box", "{held:{1:9}, tag:3}", 8],
        ["box.held", "{1:9}", 8],
        ["maybe", "12", 9]
      ] as const) {
        const { watch, write } = (yield* call("last-write", { expression, session: "default", timeout: "120s" })).data
        assert.deepInclude(write, { new: shown })
        assert.deepInclude(watch?.written_at, { line })
      }
    })
  )
