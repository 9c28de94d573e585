/** Tests of breakpoints and steps at the beginning of functions, for each LLDB backend: where they stop, and which arguments are shown. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { debugging, environment, platform } from "../support/fixturePrograms.ts"
import { runs } from "../../tools.mjs"
import { recorded } from "../support/tools.ts"
import { type Backend, build, compileWith, starting, values } from "../support/builtPrograms.ts"

const options = { excludeTestServices: true, timeout: "120 seconds" } as const

/** gcc and, where it is installed, clang. */
const compilers = [
  { name: "gcc", commands: ["gcc"] },
  { name: "clang", commands: ["clang", "clang-19", "clang-18", "clang-16", "clang-14"] }
].flatMap(({ commands, name }) => {
  const command = commands.find((one) => runs(one, environment))
  return recorded(name, command !== undefined) && command !== undefined ? [{ name, command }] : []
})

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`

/** Functions whose bodies share a line with their beginning. */
export const oneLine = lines(
  "#include <stdio.h>",
  "static __attribute__((noinline)) int sq(int side) { return side * side; }",
  "static __attribute__((noinline)) int late(int a, int b) { a += b;",
  "  return a * 3; }",
  "static __attribute__((noinline)) int eight(int a, int b, int c, int d, int e, int f, int g, int h) { return a - h + c * g; }",
  "int main(int argc, char **argv) {",
  "  int s = argc;",
  "  for (int i = 1; i <= 5; i++)",
  "    s += sq(i);",
  "  s += late(3, 4) + late(5, 6);",
  "  s += eight(1, 2, 3, 4, 5, 6, 7, 8) + eight(11, 12, 13, 14, 15, 16, 17, 18);",
  '  printf("%d\\n", s);',
  "  return 0;",
  "}"
)

const flagSets: ReadonlyArray<ReadonlyArray<string>> = [
  ["-O0"],
  ["-O0", "-gno-column-info"],
  ["-O0", "-fomit-frame-pointer"],
  ["-O0", "-fstack-protector-all", "-fcf-protection"],
  ["-O1"],
  ["-O2"]
]

/** Defines the tests of one backend. */
export const functionEntryTests = (backend: Backend): void => {
  layer(platform, options)(`the beginning of a function, under ${backend}`, (it) => {
    for (const { command, name } of compilers) {
      for (const flags of flagSets) {
        it.effect(`has its arguments at a breakpoint: ${name} ${flags.join(" ")}`, () =>
          debugging((client) =>
            Effect.gen(function* () {
              const { call } = client
              const built = yield* build("one.c", oneLine, command, flags)
              const at = yield* starting(client, built, backend, { break: ["sq if side == 4"] })
              assert.deepInclude(at.data, { event: "stopped", reason: "breakpoint", breakpoints: [1] })
              assert.deepInclude(at.data.location, { function: "sq", line: 2 })
              assert.deepInclude(values(at.data.locals), { side: "4" })
              assert.lengthOf((yield* call("breakpoint.list", {})).data.breakpoints[0]?.locations ?? [], 1)
              const stack = yield* call("backtrace", { all_frames: true })
              assert.isUndefined(stack.data.stack_cut)
              const up = yield* call("up", {})
              assert.strictEqual(up.data.frame.line, 9)
              yield* call("break", { at: "one.c:3" })
              yield* call("break", { at: "/^eight$/" })
              const late = yield* call("continue", {})
              assert.deepInclude(late.data, { breakpoints: [2] })
              if (flags[0] === "-O0") {
                assert.deepInclude(late.data.location, { function: "late", line: 3 })
                assert.deepInclude(values(late.data.locals), { a: "3", b: "4" })
              }
              assert.deepInclude((yield* call("continue", {})).data, { breakpoints: [2] })
              for (const first of [1, 11]) {
                const eight = yield* call("continue", {})
                assert.deepInclude(eight.data, { breakpoints: [3] })
                if (flags[0] === "-O0") {
                  const expected = [..."abcdefgh"].map((letter, index) => [letter, `${first + index}`])
                  assert.deepInclude(values(eight.data.locals), Object.fromEntries(expected))
                }
              }
              assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
            })
          )
        )
      }
    }

    it.effect(`has them at each of several conditions of one place`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("one.c", oneLine, "gcc", ["-O0"])
          const places = ["sq if side == 2", "sq if side == 4", "one.c:2 if side == 3", "one.c:2 if side == 5"]
          const first = yield* starting(client, built, backend, { break: places })
          const stops = [first, ...(yield* Effect.replicateEffect(call("continue", {}), 3))]
          assert.deepStrictEqual(
            stops.map(({ data }) => [data.breakpoints, values(data.locals)["side"]]),
            [
              [[1], "2"],
              [[3], "3"],
              [[2], "4"],
              [[4], "5"]
            ]
          )
          const { breakpoints } = (yield* call("breakpoint.list", {})).data
          assert.strictEqual(
            new Set(breakpoints.flatMap(({ locations }) => locations.map(({ address }) => address))).size,
            1
          )
          yield* call("breakpoint.remove", { ids: [1, 3] })
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited" })
        })
      )
    )

    it.effect(`counts hits, stops once and writes messages there`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("one.c", oneLine, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["main"] })
          yield* call("break", { at: "sq", hits: "3" })
          const third = yield* call("continue", {})
          assert.deepInclude(values(third.data.locals), { side: "3" })
          yield* call("breakpoint.edit", { id: 2, condition: "side == 5", hits: "1" })
          assert.deepInclude(values((yield* call("continue", {})).data.locals), { side: "5" })
          yield* call("breakpoint.remove", { ids: [2] })
          yield* call("logpoint", { at: "late", message: "a={a} b={b}" })
          yield* call("break", { at: "eight", temporary: true })
          assert.deepInclude((yield* call("continue", {})).data, { reason: "breakpoint" })
          assert.include((yield* call("output", { channel: ["log"] })).data.text, "a=3 b=4\na=5 b=6\n")
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited" })
        })
      )
    )

    it.effect(`is where a step into a function and "until" end`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("one.c", oneLine, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["one.c:9 if i == 2"] })
          const step = yield* call("step", {})
          assert.deepInclude(step.data, { reason: "step" })
          assert.deepInclude(values(step.data.locals), { side: "2" })
          yield* call("finish", {})
          yield* call("breakpoint.remove", { all: true })
          const until = yield* call("until", { at: "eight" })
          assert.deepInclude(until.data, { reason: "until", reached: true })
          assert.deepInclude(values(until.data.locals), { a: "1", h: "8" })
        })
      )
    )

    it.effect(`shows no value of an argument before it is set up`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("one.c", oneLine, "gcc", ["-O0"])
          yield* starting(client, built, backend, { break: ["one.c:9 if i == 4"] })
          yield* call("break", { at: "*sq" })
          const entry = yield* call("continue", {})
          assert.deepInclude(
            entry.data.locals?.find((one) => one.name === "side"),
            { value: "not set up yet", attributes: ["uninitialized"] }
          )
          const printed = yield* Effect.flip(call("print", { expressions: ["side + 1"] }))
          assert.include(printed.message, "side is not set up yet")
          const refused = yield* Effect.flip(call("break", { at: "*(char *)sq + 1", condition: "side == 4" }))
          assert.include(refused.message, "not set up yet")
          // push %rbp; mov %rsp,%rbp; mov %edi,-0x14(%rbp)
          for (const _ of [1, 2, 3]) yield* call("stepi", {})
          assert.deepInclude(values((yield* call("locals", {})).data.variables), { side: "4" })
        })
      )
    )

    it.effect(`is right in a library that is loaded later`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const library = lines(
            "int libsq(int side) { return side * side; }",
            "int liblate(int a, int b) { a += b;",
            "  return a * 3; }"
          )
          const loader = lines(
            "#include <dlfcn.h>",
            "int main(int argc, char **argv) {",
            "  int s = 0;",
            "  void *h = dlopen(argv[1], RTLD_NOW);",
            '  int (*f)(int) = (int (*)(int))dlsym(h, "libsq");',
            '  int (*g)(int, int) = (int (*)(int, int))dlsym(h, "liblate");',
            "  for (int i = 1; i <= 5; i++) s += f(i);",
            "  s += g(3, 4);",
            "  dlclose(h);",
            "  h = dlopen(argv[1], RTLD_NOW);",
            '  g = (int (*)(int, int))dlsym(h, "liblate");',
            "  s += g(1, 1);",
            "  return s == 82 ? 0 : 1;",
            "}"
          )
          const built = yield* build("loader.c", loader, "gcc", ["-O0"])
          writeFileSync(`${built.folder}/library.c`, library)
          const shared = `${built.folder}/library.so`
          yield* compileWith("gcc", ["-g", "-shared", "-fPIC", `${built.folder}/library.c`, "-o", shared])
          const at = yield* starting(client, built, backend, {
            args: [shared],
            break: ["libsq if side == 3", "library.c:2"],
            pending: true
          })
          assert.deepInclude(at.data, { reason: "breakpoint", breakpoints: [1] })
          assert.deepInclude(values(at.data.locals), { side: "3" })
          const late = yield* call("continue", {})
          assert.deepInclude(late.data, { breakpoints: [2] })
          assert.deepInclude(values(late.data.locals), { a: "3", b: "4" })
          // The library is unloaded and loaded again at the same address.
          const again = yield* call("continue", {})
          assert.deepInclude(again.data, { breakpoints: [2], hit_counts: [2] })
          assert.deepInclude(values(again.data.locals), { a: "1", b: "1" })
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
          // A step over the call that loads the library is one step.
          yield* starting(client, built, backend, {
            replace: true,
            args: [shared],
            break: ["loader.c:4", "libsq"],
            pending: true
          })
          assert.deepInclude((yield* call("next", {})).data.location, { line: 5 })
          const first = yield* call("continue", {})
          assert.deepInclude(values(first.data.locals), { side: "1" })
        })
      )
    )

    it.effect(`is that of a split function, not of its cold part`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const split = lines(
            "#include <stdio.h>",
            "#include <stdlib.h>",
            "volatile int sink;",
            '__attribute__((noinline, cold)) void oops(int a) { printf("oops %d\\n", a); }',
            "__attribute__((noinline)) int hot(int a, int b) {",
            "  if (__builtin_expect(a > 100, 0)) {",
            "    oops(a); sink = b; oops(b); abort();",
            "  }",
            "  sink = a;",
            "  int s = 0;",
            "  for (int i = 0; i < b; i++) s += sink * i;",
            "  return s;",
            "}",
            "int main(int argc, char **argv) {",
            "  int t = 0;",
            "  for (int i = 0; i < 2; i++) t += hot(i, i + 1);",
            '  printf("%d\\n", t);',
            "  return 0;",
            "}"
          )
          const built = yield* build("split.c", split, "gcc", ["-O2"])
          for (const place of ["hot", "split.c:5"]) {
            const at = yield* starting(client, built, backend, { replace: true, break: [place] })
            assert.deepInclude(at.data, { reason: "breakpoint", breakpoints: [1] })
            assert.deepInclude(values(at.data.locals), { a: "0", b: "1" })
            // LLDB 19 does not find the caller of such a function; newer versions do.
            const stack = yield* call("backtrace", { all_frames: true })
            const last = stack.data.frames.at(-1)
            assert.strictEqual(
              stack.data.stack_cut,
              last?.function === "_start" ? undefined : true,
              JSON.stringify(last)
            )
            assert.strictEqual(at.data.stack_cut, stack.data.stack_cut)
            assert.deepInclude(values((yield* call("continue", {})).data.locals), { a: "1", b: "2" })
            assert.deepInclude((yield* call("continue", {})).data, { event: "exited" })
          }
        })
      )
    )

    it.effect(`has arguments of every kind of type, in each of several threads`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const source = lines(
            "#include <pthread.h>",
            "#include <vector>",
            "#include <memory>",
            "struct S { int a; int b; }; enum E { X, Y }; long g; pthread_barrier_t all;",
            "long whole(long a, unsigned long b, short c, unsigned d) { return a + b + c + d; }",
            "long record(S s, E e, const S &r) { return s.a + s.b + e + r.a; }",
            "long library(std::vector<int> v, std::unique_ptr<S> p) { return v.size() + p->b; }",
            "long unnamed(int, long b) { return b; }",
            "void worker(long id) { g += id; }",
            "void *run(void *p) { pthread_barrier_wait(&all); worker((long)p); return 0; }",
            "int main() { S s{1, 2};",
            "  g = whole(9, 9, 9, 9) + record({7, 7}, X, s) + library({1}, std::make_unique<S>(s)) + unnamed(9, 9);",
            "  g += whole(1, 2, 3, 4) + record(s, Y, s) + library({4, 5}, std::make_unique<S>(s)) + unnamed(5, 6);",
            "  pthread_t t[6]; pthread_barrier_init(&all, 0, 6);",
            "  for (long i = 0; i < 6; i++) pthread_create(&t[i], 0, run, (void *)i);",
            "  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);",
            "  return 0; }"
          )
          const built = yield* build("types.cpp", source, "g++", ["-O0", "-pthread"])
          const at = yield* starting(client, built, backend, {
            break: [
              "whole if d == 4",
              "record if e == Y",
              "library if v.size() == 2",
              "unnamed if b == 6",
              "worker if id == 4"
            ]
          })
          assert.deepInclude(values(at.data.locals), { a: "1", b: "2", c: "3", d: "4" })
          yield* call("continue", {})
          const print = (first: string, ...others: ReadonlyArray<string>) =>
            Effect.map(call("print", { expressions: [first, ...others] }), ({ data }) =>
              data.values.map(({ value }) => value)
            )
          assert.deepStrictEqual(yield* print("s.b", "r.a"), ["2", "1"])
          yield* call("continue", {})
          assert.deepStrictEqual(yield* print("v.size()", "p->b"), ["2", "2"])
          yield* call("continue", {})
          assert.deepStrictEqual(yield* print("b"), ["6"])
          assert.deepStrictEqual(
            (yield* call("locals", {})).data.variables.map(({ name }) => name),
            ["b"]
          )
          const stopped = yield* call("continue", {})
          assert.deepInclude(values(stopped.data.locals), { id: "4" })
          assert.isUndefined(stopped.data.other_threads)
        })
      )
    )

    it.effect(`has this and its members in C++`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const source = lines(
            "struct Square { int side; Square(int s) : side(s) {} virtual int area() const { return side * side; } };",
            "template <typename T> T twice(T x) { return x + x; }",
            "int main() { int s = 0;",
            "  for (int i = 2; i < 5; i++) { Square q(i); s += q.area(); }",
            "  s += twice(4);",
            "  s += twice(2.5);",
            "  auto add = [&](int k) { return k + s; };",
            "  return add(3) == 0; }"
          )
          const built = yield* build("shapes.cpp", source, "g++", ["-O0"])
          const at = yield* starting(client, built, backend, {
            break: ["Square::area if side == 3", "twice", "shapes.cpp:7 if k == 3"]
          })
          assert.deepInclude(at.data.location, { line: 1 })
          assert.deepStrictEqual((yield* call("print", { expressions: ["this->side"] })).data.values[0]?.value, "3")
          for (const x of ["4", "2.5"]) {
            const twice = yield* call("continue", {})
            assert.deepInclude(twice.data, { breakpoints: [2] })
            assert.deepInclude(values(twice.data.locals), { x })
          }
        })
      )
    )
  })
}
