// A function has at most 150 lines, so that each of its phases has a name.
import { assert, describe, it } from "@effect/vitest"
import { functions } from "./syntax.ts"
import { none, read, sources } from "./sources.ts"

const longest = 150

describe("functions", () => {
  it(`have at most ${longest} lines`, () => {
    const modules = sources
      .filter((path) => /^(?:packages|apps)\/\w+\/src\//.test(path))
      .filter((path) => read(path).split("\n").length > longest)
    none(
      modules.flatMap((path) =>
        functions(read(path))
          .filter(({ lines }) => lines > longest)
          .map(({ line, lines, name }) => `${path}:${line} ${name}: ${lines} lines`)
      )
    )
  })

  it("are found with their names and lengths", () => {
    const text = "const outer = () => {\n  const inner = function* () {\n  }\n}\nclass A {\n  method() {}\n}\n"
    assert.deepStrictEqual(functions(text), [
      { name: "outer", line: 1, lines: 4 },
      { name: "inner", line: 2, lines: 2 },
      { name: "method", line: 6, lines: 1 }
    ])
  })
})
