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
  "static unsigned char byte = 131;",
  "static signed char low = -5;",
  "static char letter = 'A';",
  'static const char *name = "text";',
  "struct deep { int id; struct { int a; const char *label; } in; };",
  'static struct deep deep[2] = { { 1, { 2, "one" } }, { 3, { 4, "two" } } };',
  "static struct deep *first = deep;",
  "int main(void) {",
  "  many.last = byte + low + letter + name[0] + first->id;",
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

const derived = `struct Base { int a; double b; virtual ~Base() {} };
struct Mid { short s; };
class Derived : public Base, private Mid { public: char c; };
struct Virtual : virtual Mid { int x; };
int main() {
  Derived d; d.c = 1; Virtual v; v.x = 2;
  return d.c + v.x;
}
`

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

    it.effect("shows base classes in a layout where they are, virtual ones of an object", () =>
      debugging(({ call, start }) =>
        Effect.gen(function* () {
          const fs = yield* FileSystem.FileSystem
          const { directory } = yield* Programs
          yield* fs.writeFileString(`${directory}/bases.cpp`, derived)
          yield* compile(`${directory}/bases.cpp`, `${directory}/bases`)
          yield* start("bases", { break: ["bases.cpp:7"], backend })
          const layout = (name: string) =>
            Effect.map(call("type", { name, layout: true }), ({ data }) =>
              data.fields?.map(({ base, offset, size, type }) => [type, offset, size, base])
            )
          // As `p (long)(Mid *)&d - (long)&d` of GDB.
          const expected = [
            ["public Base", 0, 24, true],
            ["private Mid", 24, 2, true],
            ["char", 26, 1, undefined]
          ]
          assert.deepStrictEqual(yield* layout("Derived"), expected)
          assert.deepStrictEqual(yield* layout("d"), expected)
          const [virtual] = (yield* layout("v")) ?? []
          assert.match(String(virtual?.[0]), /virtual.* Mid$/)
          assert.deepStrictEqual(virtual?.slice(1), [12, 2, true])
        })
      )
    )

    it.effect(
      "reads characters with their number, elements with their members, and registers without their parts",
      () =>
        debugging(({ call, start }) =>
          Effect.gen(function* () {
            yield* built
            yield* start("details", { break: ["main"], backend })
            const numbered = yield* call("print", { expressions: ["byte", "low", "nosuch", "letter", "name"] })
            assert.deepStrictEqual(
              numbered.data.values.map(({ error, value }) => error?.code ?? value?.replace(/^0x[0-9a-f]+/, "0x")),
              ["131 '\\x83'", "-5 '\\xfb'", "VARIABLE_NOT_FOUND", "65 'A'", '0x "text"']
            )
            assert.deepInclude(numbered.warnings[0], { code: "PARTIAL", message: "1 of 5 expressions failed" })
            const array = (yield* call("print", { expressions: ["first"], array: 2, depth: 3 })).data.values[0]
            const inside = array?.children?.[1]?.children?.find(({ name }) => name === "in")?.children ?? []
            assert.deepStrictEqual(
              inside.map(({ children, name, value }) => [name, value.replace(/^0x[0-9a-f]+/, "0x"), children]),
              [
                ["a", "4", undefined],
                ["label", '0x "two"', undefined]
              ]
            )
            const general = (yield* call("registers", {})).data.groups[0]?.registers.map(({ name }) => name) ?? []
            const all =
              (yield* call("registers", { all: true })).data.groups[0]?.registers.map(({ name }) => name) ?? []
            assert.isTrue(general.every((name) => all.includes(name)) && general.length < all.length)
            // x86-64 has 26 general registers with the segments, AArch64 has 34.
            assert.isAtMost(general.length, 34)

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
          const begun = yield* start("details", { break: ["details.c:77"], backend })
          assert.isAtMost(JSON.stringify(begun.data).length, 1400, "the answer repeats the path of the file")
          const error = yield* Effect.flip(call("break", { at: `${directory}/elsewhere/details.c:77` }))
          assert.include(error.message, `names ${directory}/details.c, not this file`)
        })
      )
    )
  })
}
