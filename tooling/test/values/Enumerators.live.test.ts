/** Enumerators of C and C++ in expressions, conditions, messages and assignments. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { compiled } from "../support/compiled.ts"
import { debugging, platform } from "../support/fixturePrograms.ts"

const suite = layer(platform, { excludeTestServices: true, timeout: "120 seconds" })

const c = `#include <stdio.h>
enum color { RED, GREEN = 5, BLUE };
typedef enum { OFF, ON = -3 } power_t;
enum { LIMIT = 40, OTHER };
struct lamp { enum color color; power_t power; int level; };
static int use(const struct lamp *lamp, int OTHER) {
  return lamp->color + lamp->power + lamp->level + OTHER;
}
int main(void) {
  struct lamp lamps[3] = { { RED, OFF, 1 }, { GREEN, ON, LIMIT }, { BLUE, ON, 3 } };
  for (int i = 0; i < 3; i++) printf("%d\\n", use(&lamps[i], 100));
  printf("%d %d\\n", lamps[2].color, lamps[2].power);
  return 0;
}
`

const cpp = `#include <cstdio>
enum class Scoped : unsigned char { none, full = 200 };
namespace shop { enum State { open_, closed = -4 }; }
struct Job { enum Kind { read_, write_ } kind; enum { most = 11 }; int n; };
int main() {
  Job job{Job::write_, Job::most};
  Scoped scoped = Scoped::full;
  shop::State state = shop::closed;
  std::printf("%d %d %d\\n", job.kind, static_cast<int>(scoped), state);
  return 0;
}
`

const shadowed = `#include <cstdio>
enum color { RED, GREEN = 5, BLUE };
enum { CAP = 9 };
namespace shop {
enum kind { limit = 3, most = 8 };
int CAP = 77;
int inside(int a) { return a + CAP + most; }
struct Box {
  static int most;
  int v;
  int get() { return most + v + limit; }
};
int Box::most = 50;
}
struct Base { enum { level = 12 }; };
struct Derived : Base { int use(int RED) { return RED + level; } };
namespace one { enum { twice = 1 }; }
namespace two { enum { twice = 2 }; int second() { return twice; } }
extern int limit;
struct Lamp {
  int GREEN;
  int use(Lamp *p) { return GREEN + p->GREEN + RED + CAP + limit; }
};
int local(int GREEN) {
  static int RED = 900;
  return RED + GREEN + limit;
}
int main() {
  Lamp lamp{70};
  shop::Box box{2};
  int sum = lamp.use(&lamp) + local(3) + shop::inside(1) + box.get() + Derived().use(4) + two::second();
  std::printf("%d %d\\n", sum, CAP + one::twice);
  return 0;
}
`
/** A second file with variables of the same names. */
const others =
  "int limit = 700; static int CAP = 4242; int *used = &CAP; int BLUE = 31; static int twice = 6; int *second = &twice;\n"

/** The values that a compiler computes in each function, and what a function cannot decide. */
const meanings: ReadonlyArray<readonly [string, Record<string, string>]> = [
  [
    "Lamp::use",
    {
      "GREEN + 1": "71",
      "::GREEN + 1": "6",
      "p-> GREEN + 1": "71",
      "RED + 1": "1",
      "CAP + 1": "10",
      "limit + 1": "701",
      "shop::limit + 1": "4",
      "level + 1": "13"
    }
  ],
  ["local", { "RED + 1": "901", "GREEN + 1": "4", "::GREEN + 1": "6", "limit + 1": "701" }],
  ["shop::inside", { "CAP + 1": "78", "::CAP + 1": "10", "most + 1": "9", "limit + 1": "4" }],
  ["shop::Box::get", { "most + 1": "51", "shop::most + 1": "9", "limit + v": "5" }],
  ["Derived::use", { "RED + 1": "5", "::RED + 1": "1", "level + 1": "13", "Base::level + 1": "13" }],
  ["two::second", { "twice + 1": "3", "one::twice + 1": "2" }]
]

suite("enumerators", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are known in C (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = `${yield* compiled({ "lamps.c": c }, ["gcc", "-o", "lamps", "lamps.c"])}/lamps`
          const stop = yield* call("start", {
            program,
            backend,
            environment,
            break: ["use if lamp->color == GREEN && lamp->level == LIMIT"],
            logpoint: ["lamps.c:7 :: on {lamp->power == ON}"]
          })
          assert.strictEqual(stop.data.locals?.find(({ name }) => name === "OTHER")?.value, "100")
          const expressions: [string, ...Array<string>] = [
            "GREEN + 1",
            "lamp->power == ON",
            "LIMIT",
            "OTHER",
            "BLUE",
            "lamp->color"
          ]
          const { data } = yield* call("print", { expressions })
          assert.deepStrictEqual(
            data.values.map(({ value }) => value),
            ["6", "true", "40", "100", "BLUE", "GREEN"]
          )
          const unknown = yield* Effect.flip(call("print", { expressions: ["lamp->color == NONE"] }))
          assert.match(unknown.message, /no variable 'NONE' in this frame/)
          yield* call("breakpoint.remove", { all: true })
          yield* call("break", { at: "lamps.c:12" })
          yield* call("continue", {})
          const color = yield* call("set", { target: "lamps[2].color", value: "GREEN" })
          assert.deepStrictEqual([color.data.old, color.data.new.value], ["BLUE", "GREEN"])
          yield* call("set", { target: "lamps[2].color", value: "6" })
          yield* call("set", { target: "lamps[2].power", value: "OFF" })
          yield* call("continue", {})
          const { text } = (yield* call("output", {})).data
          assert.deepStrictEqual(
            text.split("\n").filter((line) => /^[-\d]/.test(line)),
            ["101", "142", "106", "6 0"]
          )
          assert.include(text, "on false")
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`are known in C++ (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const program = `${yield* compiled({ "job.cpp": cpp }, ["g++", "-o", "job", "job.cpp"])}/job`
          yield* call("start", { program, backend, environment, break: ["job.cpp:9 if job.kind == Job::write_"] })
          const expressions: [string, ...Array<string>] = [
            "job.kind == write_",
            "job.n == Job::most",
            "scoped == Scoped::full",
            "state == shop::closed",
            "state == closed"
          ]
          const { data } = yield* call("print", { expressions })
          assert.deepStrictEqual(
            data.values.map(({ value }) => value),
            expressions.map(() => "true")
          )
          yield* call("set", { target: "job.kind", value: "Job::read_" })
          yield* call("set", { target: "scoped", value: "Scoped::none" })
          yield* call("set", { target: "state", value: "shop::open_" })
          yield* call("continue", {})
          assert.strictEqual((yield* call("output", {})).data.text, "0 0 0\n")
        })
      ).pipe(Effect.scoped)
    )

    it.effect(`do not hide variables, members and each other (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const sources = { "shadowed.cpp": shadowed, "others.cpp": others }
          const cwd = yield* compiled(sources, ["g++", "-o", "shadowed", "shadowed.cpp", "others.cpp"])
          const names = meanings.map(([name]) => name)
          yield* call("start", { program: `${cwd}/shadowed`, backend, environment, break: names })
          for (const [name, values] of meanings) {
            const found: Record<string, string | undefined> = {}
            for (const expression of Object.keys(values)) {
              const { data } = yield* call("print", { expressions: [expression] })
              found[expression] = data.values[0]?.value
            }
            assert.deepStrictEqual(found, values, name)
            if (name === "Lamp::use") {
              const error = yield* Effect.flip(call("print", { expressions: ["BLUE + 1"] }))
              assert.include(error.message, "BLUE is an enumerator and a variable of the program")
            }
            yield* call("continue", {})
          }
        })
      ).pipe(Effect.scoped)
    )
  }
})
