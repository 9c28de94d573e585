/** Registers, type layouts, moved source files and the size of answers, in both backends. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

const members = Array.from({ length: 60 }, (_, n) => `  int member_${n};`)

const text = [
  "struct many {",
  ...members,
  "  int (*call)(int, char *);",
  "  unsigned first : 3, second : 5;",
  "  double last;",
  "};",
  "static struct many many;",
  "int main(void) {",
  "  many.last = 1;",
  "  return 0;",
  "}",
  ""
].join("\n")

const built = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  yield* fs.makeDirectory(`${directory}/elsewhere`, { recursive: true })
  yield* fs.writeFileString(`${directory}/details.c`, text)
  yield* fs.writeFileString(`${directory}/elsewhere/details.c`, text)
  yield* compile(`${directory}/details.c`, `${directory}/details`)
  return directory
})

for (const backend of ["dap", "lldb-cli"] as const) {
  layer(platform, { excludeTestServices: true, timeout: "120 seconds" })(`details under ${backend}`, (it) => {
    it.effect("shows the layout of a structure, with pointers to functions and bit fields", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* built
          yield* start("details", { break: ["main"], backend })
          const { fields = [] } = (yield* call("type", { name: "many", layout: true })).data
          const told = (name: string) => {
            const found = fields.find((field) => field.name === name)
            return [found?.type, found?.offset, found?.size]
          }
          assert.deepStrictEqual(told("member_59"), ["int", 236, 4])
          assert.deepStrictEqual(told("call"), ["int (*)(int, char *)", 240, 8])
          assert.deepStrictEqual(told("second"), ["unsigned int : 5", undefined, undefined])
          assert.deepStrictEqual(told("last"), ["double", 256, 8])
        })
      )
    )

    it.effect("reads registers by the names that every machine has", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          yield* built
          yield* start("details", { break: ["main"], backend })
          const { groups, not_found } = (yield* call("registers", { names: ["pc", "sp", "$fp", "flags"] })).data
          assert.deepStrictEqual(not_found, [])
          const values = groups.flatMap(({ registers }) => registers.map(({ value }) => value))
          assert.lengthOf(values, 4)
          for (const value of values) assert.match(value, /^0x[0-9a-f]{16}/)
        })
      )
    )

    it.effect("names the file of the debug information when a breakpoint is on a copy of it", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const directory = yield* built
          const begun = yield* start("details", { break: ["details.c:70"], backend })
          assert.isAtMost(JSON.stringify(begun.data).length, 1400, "the answer repeats the path of the file")
          const error = yield* Effect.flip(call("break", { at: `${directory}/elsewhere/details.c:70` }))
          assert.include(error.message, `names ${directory}/details.c, not this file`)
        })
      )
    )
  })
}
