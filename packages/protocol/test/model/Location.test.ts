import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Location } from "../../src/index.ts"

const problem = (text: string) => Result.match(Location.parse(text), { onFailure: (why) => why, onSuccess: () => "" })

describe("a location", () => {
  const rows: ReadonlyArray<readonly [text: string, location: Location.Location]> = [
    ["app.c:14", { kind: "line", file: "app.c", line: 14 }],
    ["src/app.c:14:5", { kind: "line", file: "src/app.c", line: 14, column: 5 }],
    ["/abs/with blank.c:3", { kind: "line", file: "/abs/with blank.c", line: 3 }],
    ["C:\\work\\app.c:7", { kind: "line", file: "C:\\work\\app.c", line: 7 }],
    ["C:\\work\\app.c:7:2", { kind: "line", file: "C:\\work\\app.c", line: 7, column: 2 }],
    ["a:b.c:1", { kind: "line", file: "a:b.c", line: 1 }],
    ["  app.c:14  ", { kind: "line", file: "app.c", line: 14 }],
    ["14", { kind: "here", line: 14 }],
    ["+3", { kind: "offset", lines: 3 }],
    ["-12", { kind: "offset", lines: -12 }],
    ["main", { kind: "function", name: "main" }],
    ["ns::Type::method", { kind: "function", name: "ns::Type::method" }],
    ["operator+", { kind: "function", name: "operator+" }],
    ["-[Type sel:with:]", { kind: "function", name: "-[Type sel:with:]" }],
    ["app.c:main", { kind: "function", name: "main", file: "app.c" }],
    ["libm.so`cos", { kind: "function", name: "cos", module: "libm.so" }],
    ["*0x1000", { kind: "address", expression: "0x1000" }],
    ["* fn + 4", { kind: "address", expression: "fn + 4" }],
    ["/^test_/", { kind: "regex", pattern: "^test_", ignoreCase: false }],
    ["/a|b/i", { kind: "regex", pattern: "a|b", ignoreCase: true }],
    ["/usr/src/app.c:9", { kind: "line", file: "/usr/src/app.c", line: 9 }]
  ]
  for (const [text, location] of rows) {
    it(JSON.stringify(text), () => assert.deepStrictEqual(Result.getOrThrow(Location.parse(text)), location))
  }

  const mistakes: ReadonlyArray<readonly [text: string, says: string]> = [
    ["", "it is empty"],
    ["   ", "it is empty"],
    ["0", "lines are numbers from 1 to 999999999"],
    ["app.c:0", "lines are numbers from 1 to 999999999"],
    ["app.c:-1", "lines are numbers from 1 to 999999999"],
    [":6", "the file before the colon is missing"],
    ["app.c:1:0", "columns count from 1"],
    ["9999999999", "lines are numbers from 1 to 999999999"],
    ["app.c:", "follows the colon"],
    ["ns::", "follows the colon"],
    ["*", "follows *"],
    ["app.c:1\nquit", "control characters"],
    ["main\u0000", "control characters"]
  ]
  for (const [text, says] of mistakes) {
    it(`${JSON.stringify(text)} is none`, () => assert.include(problem(text), says))
  }

  it.prop("of any text is parsed or refused with a message, and never throws", [Schema.String], ([text]) =>
    Result.match(Location.parse(text), { onFailure: (why) => why.length > 0, onSuccess: ({ kind }) => kind.length > 0 })
  )

  const File = Schema.String.check(Schema.isPattern(/^[a-z/._ -]{1,20}[a-z]$/u))
  const Line = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999_999 }))
  it.prop("of file, line and column is parsed into the same parts", [File, Line, Line], (parts) => {
    const [file, line, column] = parts
    const read = Result.getOrThrow(Location.parse(`${file}:${line}:${column}`))
    assert.deepStrictEqual(read, { kind: "line", file: file.trim(), line, column })
  })

  it.prop("that holds a control character never gets through", [Schema.String, Schema.String], ([before, after]) =>
    Result.isFailure(Location.parse(`x${before}\u001b${after}x`))
  )
})

describe("a breakpoint spec", () => {
  const rows: ReadonlyArray<readonly [text: string, spec: Omit<Location.Spec, "location">]> = [
    ["app.c:14", { text: "app.c:14" }],
    ["app.c:14 if n > 2", { text: "app.c:14", condition: "n > 2" }],
    ["main if a if b", { text: "main", condition: "a if b" }],
    ["main hits >=3", { text: "main", hits: ">=3" }],
    ["main if n == 2 hits 5", { text: "main", condition: "n == 2", hits: "5" }],
    ["notify", { text: "notify" }],
    ["file with if.c:3", { text: "file with if.c:3" }]
  ]
  for (const [text, spec] of rows) {
    it(JSON.stringify(text), () => {
      const { location: _location, ...rest } = Result.getOrThrow(Location.parseSpec(text))
      assert.deepStrictEqual(rest, spec)
    })
  }

  it("without an expression after if is refused", () => {
    assert.strictEqual(
      Result.match(Location.parseSpec("main if "), { onFailure: (why) => why, onSuccess: () => "" }),
      "an expression follows if"
    )
  })

  const Condition = Schema.String.check(Schema.isPattern(/^[a-z0-9()=<>+*"'[\]-]{1,30}$/u))
  it.prop("keeps its condition as it was written", [Condition], ([condition]) => {
    assert.strictEqual(Result.getOrThrow(Location.parseSpec(`main if ${condition}`)).condition, condition)
  })
})
