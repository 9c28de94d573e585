/**
 * Static variables of functions in `globals` of a file, on both LLDB backends: LLDB lists those of the frame's function only with the
 * frame, and not with the file.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { debugging, platform } from "../support/fixturePrograms.ts"
import { build, starting } from "../support/builtPrograms.ts"

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`

const header = lines(
  "static int once(int n) {",
  "  static int uses = 70;",
  "  uses += n;",
  "  return uses;",
  "}",
  "static int plainly(int n) {",
  "  return n + 1;",
  "}"
)

const program = lines(
  '#include "once.h"',
  "static int counter = 5;",
  "int shared = 6;",
  "static int tick(int n) {",
  "  static int calls = 7;",
  "  calls += n;",
  "  return calls;",
  "}",
  "static int tock(int n) {",
  "  static int calls = 40;",
  "  return calls + n;",
  "}",
  "int main(void) {",
  "  return tick(1) + tock(2) + once(3) + plainly(4) + counter + shared;",
  "}"
)

const shelfHeader = lines(
  "#include <algorithm>",
  "#include <memory>",
  "struct Shelf { static int count; static const int most = 9; };",
  "static const int most = 4;"
)

/** A member that a header declares, and a constant of the file itself, belong to the file. */
const shelf = lines(
  '#include "shelf.h"',
  "int Shelf::count = 7;",
  "static const int limit = 2;",
  "static int used = 1;",
  "int main() {",
  "  auto owned = std::make_shared<int>(used);",
  "  return *owned + Shelf::count + Shelf::most + most + limit + used;",
  "}"
)

layer(platform, { excludeTestServices: true, timeout: "60 seconds" })("the variables of a file", (it) => {
  for (const backend of ["dap", "lldb-cli"] as const) {
    it.effect(`have the static ones of the frame's function (${backend})`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("program.c", program, "true", [])
          writeFileSync(`${built.folder}/once.h`, header)
          execFileSync("cc", ["-g", "-O0", "program.c", "-o", built.program], { cwd: built.folder })
          const of = (file: string) =>
            Effect.map(call("globals", { file }), ({ data }) =>
              data.variables.map(({ name, value }) => `${name} ${value}`).toSorted()
            )
          yield* starting(client, built, backend, {
            break: ["program.c:6", "program.c:11", "once.h:3", "once.h:7"]
          })
          const path = `${built.folder}/program.c`
          for (const file of ["program.c", path])
            assert.deepStrictEqual(yield* of(file), ["calls 7", "counter 5", "shared 6"], file)
          yield* call("continue", {})
          assert.deepStrictEqual(yield* of("program.c"), ["calls 40", "counter 5", "shared 6"])
          // A file that another one includes has none of those of that one.
          yield* call("continue", {})
          assert.deepStrictEqual(yield* of("once.h"), ["uses 70"])
          assert.deepStrictEqual(yield* of("program.c"), ["counter 5", "shared 6"])
          yield* call("continue", {})
          assert.deepStrictEqual(yield* of("once.h"), [])
          assert.strictEqual((yield* call("globals", { file: "program.c" })).data.total, 2)
        })
      )
    )

    it.effect(`have no constants of included files (${backend})`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const built = yield* build("shelf.cpp", shelf, "true", [])
          writeFileSync(`${built.folder}/shelf.h`, shelfHeader)
          execFileSync("cc", ["-std=c++20", "-g", "-O0", "shelf.cpp", "-lstdc++", "-o", built.program], {
            cwd: built.folder
          })
          yield* starting(client, built, backend, { break: ["main"] })
          const { data } = yield* call("globals", { file: "shelf.cpp" })
          const plain = data.variables
            .map(({ name }) => name.replace(/^::/, ""))
            .filter((name) => !name.startsWith("std::__"))
          assert.deepStrictEqual(plain.toSorted(), ["Shelf::count", "limit", "used"])
        })
      )
    )

    it.effect(`have the names of their source (${backend})`, () =>
      debugging((client) =>
        Effect.gen(function* () {
          const { call } = client
          const text = lines(
            "#include <string>",
            'std::string motto = "buy low";',
            "int main() {",
            '  static std::string sign = "open";',
            "  return motto.size() + sign.size();",
            "}"
          )
          const built = yield* build("motto.cpp", text, "true", [])
          execFileSync("cc", ["-g", "-O0", "motto.cpp", "-lstdc++", "-o", built.program], { cwd: built.folder })
          yield* starting(client, built, backend, { break: ["motto.cpp:5"] })
          for (const input of [{ names: ["motto"] }, { file: "motto.cpp", names: ["motto"] }]) {
            const { data } = yield* call("globals", input)
            assert.deepStrictEqual([data.variables.map(({ name }) => name), data.not_found], [["motto"], []])
          }
          const { data } = yield* call("globals", { file: "motto.cpp" })
          assert.notMatch(JSON.stringify(data), /\[abi:/)
          const { data: printed } = yield* call("print", { expressions: ["motto", "sign"] })
          assert.deepStrictEqual(
            printed.values.map(({ value }) => value),
            ['"buy low"', '"open"']
          )
        })
      )
    )
  }
})
