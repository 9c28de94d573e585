/** Enumerators of C and C++ in expressions, conditions, messages and assignments. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
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

suite("enumerators", (it) => {
  const built = Effect.fnUntraced(function* (name: string, text: string, compiler: string) {
    const fs = yield* FileSystem.FileSystem
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const cwd = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-enumerators-" })
    yield* fs.writeFileString(`${cwd}/${name}`, text)
    const compile = ChildProcess.make(compiler, ["-g", "-O0", "-o", "program", name], { cwd })
    assert.strictEqual(yield* spawner.exitCode(compile), 0)
    return { program: `${cwd}/program` }
  })

  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`are known in C (${backend})`, () =>
      debugging(({ call, environment }) =>
        Effect.gen(function* () {
          const { program } = yield* built("lamps.c", c, "gcc")
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
          assert.match(unknown.message, /undeclared identifier 'NONE'/)
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
          const { program } = yield* built("job.cpp", cpp, "g++")
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
  }
})
