/**
 * Breakpoints in a source file that a library has too, which the program loads after they were set: LLDB searches for them in the
 * modules that have code of the file when they are set.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { writeFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`

/** The file that program and library share. Each function has 10 lines of code. */
const shared = lines(
  ...["first", "second"].flatMap((name) => [
    `static __attribute__((noinline)) int ${name}(int n) {`,
    ...Array.from({ length: 10 }, (_, index) => `  n += ${index + 1};`),
    "  return n;",
    "}"
  ])
)

/** Lines of the functions. */
const inFirst = Array.from({ length: 10 }, (_, index) => 2 + index)
const inSecond = inFirst.map((line) => line + 13)

const program = lines(
  "#include <dlfcn.h>",
  '#include "shared.h"',
  "int main(int argc, char **argv) {",
  "  int s = first(argc) + second(argc);",
  "  void *h = dlopen(argv[1], RTLD_NOW);",
  '  int (*f)(int) = (int (*)(int))dlsym(h, "entry");',
  "  s += f(s);",
  "  return s > 0 ? 0 : 1;",
  "}"
)

const library = lines('#include "shared.h"', "int entry(int n) { return first(n) + second(n); }")

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a source file of two modules", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`has its breakpoints in a library that is loaded after they were set, with ${backend}`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
          const built = yield* build("program.c", program, "true", [])
          writeFileSync(`${built.folder}/shared.h`, shared)
          writeFileSync(`${built.folder}/library.c`, library)
          const object = `${built.folder}/library.so`
          const compiled = (args: ReadonlyArray<string>) =>
            Effect.map(spawner.exitCode(ChildProcess.make("gcc", ["-g", "-O0", ...args])), (code) =>
              assert.strictEqual(code, 0)
            )
          yield* compiled([`${built.folder}/program.c`, "-o", built.program, "-ldl"])
          yield* compiled(["-shared", "-fPIC", `${built.folder}/library.c`, "-o", object])

          yield* starting(client, built, backend, { args: [object], break: ["program.c:4"] })
          const file = `${built.folder}/shared.h`
          // The first ones by themselves, the others at the same time.
          for (const line of inFirst.slice(0, 4)) yield* call("break", { at: `${file}:${line}` })
          const all = yield* Effect.forEach(
            [...inFirst.slice(4), ...inSecond],
            (line) => call("break", { at: `${file}:${line}` }),
            { concurrency: "unbounded" }
          )
          for (const { data } of all) assert.deepInclude(data, { resolved: true, moved: false })
          const before = (yield* call("raw", { command: "breakpoint list" })).data.output
          assert.isAtLeast(before.match(/module = program/g)?.length ?? 0, 10)
          // One gets a condition afterwards, and one a count.
          const list = (yield* call("breakpoint.list", {})).data.breakpoints
          const at = (line: number) => list.find((one) => one.locations[0]?.line === line && one.id > 1)?.id ?? 0
          yield* call("breakpoint.edit", { id: `${at(8)}`, condition: "n > 100000" })
          yield* call("breakpoint.edit", { id: `${at(9)}`, hits: "2" })

          const seen: Array<number> = []
          const stops = Effect.fnUntraced(function* (expected: ReadonlyArray<number>) {
            for (const line of expected) {
              const { location } = (yield* call("continue", {})).data
              assert.deepInclude(location, { line }, `after ${seen.join()}`)
              seen.push(line)
            }
          })
          yield* stops([...inFirst, ...inSecond].filter((line) => line !== 8 && line !== 9))
          // The code of the same lines in the library. The count is that of both.
          yield* stops([...inFirst, ...inSecond].filter((line) => line !== 8))
          const placed = (yield* call("breakpoint.list", {})).data.breakpoints.filter(({ id }) => id > 1)
          assert.deepStrictEqual(
            placed.filter(({ locations }) => locations.length !== 2).map(({ id }) => id),
            []
          )
          assert.deepInclude((yield* call("continue", {})).data, { event: "exited", exit_code: 0 })
        })
      )
    )
  }
})
