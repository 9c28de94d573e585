/** Debugs a program of many thousands of lines with deep stacks, big structures and long lists of variables, under the real lldb-dap. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { compile, debugging, platform, Programs } from "../support/fixturePrograms.ts"

const functions = 8_000
const locals = 500
const depth = 3_000

/** Its text. Every function has the same five lines, so that line numbers can be computed. */
const text = [
  "#include <stdio.h>",
  "struct part { int numbers[64]; struct part *next; const char *name; };",
  `struct whole { ${Array.from({ length: 300 }, (_, n) => `struct part part_${n};`).join(" ")} };`,
  "static struct whole whole;",
  ...Array.from({ length: functions }, (_, n) => [
    `int generated_${n}(int x) {`,
    `  int y = x + ${n};`,
    "  y *= 3;",
    "  return y;",
    "}"
  ]).flat(),
  "int crowded(int x) {",
  ...Array.from({ length: locals }, (_, n) => `  int variable_${n} = x + ${n};`),
  `  return variable_0 + variable_${locals - 1};`,
  "}",
  "int deep(int n) { return n == 0 ? crowded(1) : 1 + deep(n - 1); }",
  `int main(void) { whole.part_7.numbers[3] = 4711; printf("%d %d\\n", deep(${depth}), generated_${functions - 1}(1)); return 0; }`,
  ""
].join("\n")

/** The line of `int y = …` of a function. */
const lineOf = (n: number) => 4 + n * 5 + 2

const built = Effect.fnUntraced(function* () {
  const fs = yield* FileSystem.FileSystem
  const { directory } = yield* Programs
  const program = `${directory}/large`
  if (!(yield* fs.exists(program))) {
    yield* fs.writeFileString(`${directory}/large.c`, text)
    yield* compile(`${directory}/large.c`, program)
  }
  return `${directory}/large.c`
})

layer(platform, { excludeTestServices: true, timeout: "120 seconds" })("a large program", (it) => {
  it.effect("shows its source, its files and its deep stack by pages", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        const file = yield* built()
        const last = `  return variable_0 + variable_${locals - 1};`
        const report = (yield* start("large", { break: [`large.c:${text.split("\n").indexOf(last) + 1}`] })).data
        assert.include(report.source?.lines ?? [], last)
        // After values were shown, which is when a dump of the debug information would end lldb-dap.
        yield* call("locals", {})
        assert.include((yield* call("files", { match: "large" })).data.files, file)
        const top = (yield* call("backtrace", {})).data
        assert.deepStrictEqual([top.frames.length, top.frames[1]?.function], [20, "deep"])
        const end = (yield* call("backtrace", { start: depth, limit: 5 })).data.frames
        assert.includeMembers(
          end.map((frame) => frame.function),
          ["deep", "main"]
        )
      })
    )
  )

  it.effect("shows hundreds of variables of a frame by pages, with the number of the others", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* built()
        yield* start("large", { break: ["crowded"] })
        const page = yield* call("locals", {})
        assert.strictEqual(page.data.total, locals + 1)
        assert.isBelow(page.data.variables.length, locals)
        assert.deepNestedInclude(page.truncated[0], {
          "hints[0].operation": "locals",
          "hints[0].input.start": page.data.variables.length
        })
        const rest = yield* call("locals", { start: locals - 1, count: 10 })
        assert.deepStrictEqual(
          rest.data.variables.map(({ name }) => name),
          [`variable_${locals - 2}`, `variable_${locals - 1}`]
        )
        const part = (yield* call("print", { expressions: ["whole.part_7.numbers[3]"] })).data.values[0]
        assert.strictEqual(part?.value, "4711")
        const fields = (yield* call("expand", { target: "whole", start: 290, count: 20 })).data
        assert.deepStrictEqual([fields.total, fields.children.length, fields.children[9]?.name], [300, 10, "part_299"])
      })
    )
  )

  it.effect("takes hundreds of breakpoints in one file, and says at once where none can be", () =>
    debugging(({ call, start }) =>
      Effect.gen(function* () {
        yield* built()
        yield* start("large", {
          break: ["main", ...Array.from({ length: 300 }, (_, n) => `large.c:${lineOf(n * 20)}`)]
        })
        const set = (yield* call("breakpoint.list", {})).data.breakpoints
        assert.strictEqual(set.filter(({ resolved, moved }) => resolved && !moved).length, 301)
        const beyond = yield* Effect.flip(call("break", { at: "large.c:100000" }))
        assert.deepInclude(beyond, { _tag: "BreakpointUnresolved" })
        assert.match(beyond.message, /no code at line 100000 or right after it/)
      })
    )
  )
})
