/**
 * The variables of callers that LLDB 19 does not find, because gcc split their functions, on both LLDB backends. Their values are those of
 * the program's source; GDB shows the same.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, compileWith, starting } from "../support/builtPrograms.ts"

const source = readFileSync(new URL("../../fixtures/cpp/split_callers.cpp", import.meta.url), "utf8")

/** Without this order gcc may put the functions where LLDB finds the callers. */
const flags = ["-O2", "-fno-toplevel-reorder"]

/** A function that calls itself. */
const descent = `
#include <cstdlib>
#include <string>
__attribute__((noinline)) void keep(const void *p) { asm volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) int down(int n) {
  std::string label = std::to_string(n);
  keep(&label);
  if (__builtin_expect(n > 100, 0)) { keep("deep"); std::abort(); }
  int rest = n > 0 ? down(n - 1) : 0;
  keep(&label);
  return rest + n;
}
int main(int argc, char **) { return down(argc + 3) == 0; }
`

/** The main thread, whose stack is above that of the other, returns from the same functions meanwhile. */
const threads = `
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <unistd.h>
__attribute__((noinline)) void keep(const void *p) { asm volatile("" : : "r"(p) : "memory"); }
__attribute__((noinline)) void tick(int n) {
  usleep(n == 5 ? 300000 : 1000);
}
__attribute__((noinline)) int split(int n) {
  std::string label = std::to_string(n);
  keep(&label), keep(&n);
  if (__builtin_expect(n > 100000, 0)) { keep("x"); std::abort(); }
  {
    int n = 7;
    keep(&n);
    tick(*label.c_str() - '0');
    keep(&n);
  }
  keep(&label), keep(&n);
  return n;
}
__attribute__((noinline)) void *work(void *n) { split(*(int *)n); return nullptr; }
int main() {
  pthread_t thread;
  int five = 5, four = 4;
  pthread_create(&thread, nullptr, work, &five);
  for (int i = 0; i < 500; i++) work(&four);
  pthread_join(thread, nullptr);
}
`

const short = (value: string) => value.replace(/^0x0*/, "0x")

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a caller that LLDB does not find", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has its variables, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("split_callers.cpp", source, "g++", flags)
          yield* starting(client, built, backend, { break: ["tick"] })
          const { frames } = (yield* call("backtrace", {})).data
          assert.deepStrictEqual(
            frames.map((frame) => [frame.function.replace(/\(.*/, ""), frame.unlisted === true]),
            [
              ["tick", false],
              ["Shop::sell", true],
              ["main", true]
            ]
          )
          const { variables } = (yield* call("locals", { frame: 1 })).data
          const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
          assert.deepInclude(values, {
            count: "3",
            label: '"sold first"',
            where: "{x:3, y:-4}",
            kind: "rare"
          })
          assert.match(values["this"] ?? "", /^0x[\da-f]+ \{open:7, stock:2 \{"nails":30,"screws":12\}\}$/)
          assert.match(values["copy"] ?? "", /^\{id:1, name:"first", parts:3 \{4,5,6\}, next:0x[\da-f]+\}$/)
          assert.match(values["order"] ?? "", /^0x[\da-f]+ \{id:1, name:"first", /)
          const args = (yield* call("args", { frame: 1 })).data.variables
          assert.deepStrictEqual(
            args.map(({ name }) => name),
            ["this", "order", "count"]
          )
          const outer = (yield* call("locals", { frame: 2, names: ["title", "last"] })).data.variables
          assert.deepStrictEqual(
            outer.map(({ name, value }) => [name, value]),
            [
              ["last", '{id:2, name:"last", parts:1 {8}, next:0x0}'],
              ["title", '"shop"']
            ]
          )
          const where = variables.find(({ name }) => name === "where")
          const members = (yield* call("expand", { target: where?.ref ?? "" })).data.children
          assert.deepStrictEqual(
            members.map(({ expression, name, value }) => [name, value, expression]),
            [
              ["x", "3", "where.x"],
              ["y", "-4", "where.y"]
            ]
          )
        })
      )
    )

    it.effect(`is found where the symbols are in a file of their own, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const built = yield* build("split_callers.cpp", source, "g++", flags)
          const { program } = built
          yield* compileWith("objcopy", ["--only-keep-debug", program, `${program}.debug`])
          yield* compileWith("strip", [program])
          yield* compileWith("objcopy", [`--add-gnu-debuglink=${program}.debug`, program])
          yield* starting(client, built, backend, { break: ["tick"] })
          const { frames } = (yield* client.call("backtrace", {})).data
          assert.deepStrictEqual(
            frames.map((frame) => frame.function.replace(/\(.*/, "")),
            ["tick", "Shop::sell", "main"]
          )
        })
      )
    )

    it.effect(`is only read, and never another frame's, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("split_callers.cpp", source, "g++", flags)
          yield* starting(client, built, backend, { break: ["tick"] })
          const print = (expression: string, frame = 1) =>
            Effect.map(call("print", { expressions: [expression], frame }), ({ data }) => data.values[0]?.value)
          const read = {
            "copy.next->name": '"last"',
            open: "7",
            "this->stock": '2 {"nails":30,"screws":12}',
            "count + where.x": "6",
            "order.next == copy.next": "true",
            // Variables of the file; a member of the object hides one.
            "origin.y": "9",
            "origin.x + count": "11"
          }
          for (const [expression, value] of Object.entries(read)) {
            assert.strictEqual(yield* print(expression), value, expression)
          }
          assert.strictEqual(short((yield* print("copy.next")) ?? ""), short((yield* print("&last", 2)) ?? ""))
          assert.strictEqual(yield* print("open", 2), "70")
          assert.isUndefined(yield* print("hidden").pipe(Effect.orElseSucceed(() => undefined)))
          // `n` is a variable of the innermost frame.
          const refused = { n: "no member named 'n'", "&count": "address", "label.size()": "can only be read" }
          for (const [expression, words] of Object.entries(refused)) {
            assert.include(JSON.stringify(yield* Effect.flip(print(expression))), words, expression)
          }
          assert.include(JSON.stringify(yield* Effect.flip(print("n", 2))), "this frame has no variable n,")
          const assigned = yield* Effect.flip(call("set", { target: "where.x", value: "9", frame: 1 }))
          assert.include(JSON.stringify(assigned), "can only be read")
          assert.strictEqual(yield* print("where"), "{x:3, y:-4}")
        })
      )
    )

    it.effect(`is where finish ends, past deeper calls from the same place, under ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("descent.cpp", descent, "g++", flags)
          yield* starting(client, built, backend, { break: ["down"] })
          // Two calls deep, the deeper calls return to the address of this caller too.
          yield* call("continue", { count: 2 })
          const depth = Effect.map(call("backtrace", {}), ({ data }) => data.frames.length)
          assert.strictEqual(yield* depth, 4)
          assert.isTrue((yield* call("backtrace", {})).data.frames[1]?.unlisted)
          yield* call("breakpoint.remove", { all: true })
          const finished = (yield* call("finish", {})).data
          assert.deepInclude(finished, { event: "stopped", reason: "step" })
          assert.match(finished.returned_from ?? "", /^down\b/)
          assert.match(finished.location?.function ?? "", /^down\b/)
          assert.strictEqual(yield* depth, 3)
          assert.deepStrictEqual((yield* call("breakpoint.list", {})).data.breakpoints, [])
        })
      )
    )

    it.effect(
      `names its variables of one name by their lines, and finish waits for its own thread, under ${backend}`,
      () =>
        debugging((client) =>
          Effect.gen(function* () {
            const { call } = client
            const built = yield* build("threads.cpp", threads, "g++", [...flags, "-pthread"])
            yield* starting(client, built, backend, { break: ["tick if n == 5"] })
            const { frames } = (yield* call("backtrace", {})).data
            const index = frames.findIndex((frame) => frame.function.startsWith("split"))
            const { variables } = (yield* call("locals", { frame: index })).data
            assert.deepStrictEqual(variables.map(({ name, value }) => `${name} = ${value}`).toSorted(), [
              'label = "5"',
              "n @ threads.cpp:10 = <optimized out>",
              "n @ threads.cpp:15 = 7"
            ])
            const entered = yield* starting(client, built, backend, { break: ["split if n == 5"], replace: true })
            yield* call("breakpoint.remove", { all: true })
            assert.isTrue((yield* call("backtrace", {})).data.frames[1]?.unlisted)
            const { data } = yield* call("finish", {})
            assert.match(data.returned_from ?? "", /^split\b/)
            assert.strictEqual(data.thread?.id, entered.data.thread?.id)
          })
        )
    )
  }
})
