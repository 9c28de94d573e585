// A regular expression that a caller writes is run by packages/protocol/src/text/Pattern.ts, in linear time. JavaScript's engine
// backtracks, so one pattern could hold every session.
import { assert, describe, it } from "@effect/vitest"
import { constructions } from "./syntax.ts"
import { inBrowser, none, read, sources } from "./sources.ts"

/** Modules that compose a pattern of constants of their own, and of which. */
const composed = new Map([
  ["packages/backends/src/adapters/ProgramKind.ts", "the interpreter that an adapter's file names"],
  ["packages/host/src/config/TomlText.ts", "the grammar of a TOML key"],
  ["packages/host/src/process/ProcessDescription.ts", "the name of a field of /proc/PID/status"],
  ["packages/lldb/src/Notice.ts", "the record of a stop"],
  ["packages/lldb/src/internal/StreamSplitter.ts", "the random prompt"],
  ["packages/protocol/src/text/Expression.ts", "the members of containers"],
  ["packages/protocol/src/text/ExpressionPatterns.ts", "the grammar of a cast"],
  ["packages/protocol/src/text/SecretShapes.ts", "the shapes of secrets"],
  ["packages/protocol/src/settings/Settings.ts", "the name of a setting"],
  ["packages/simctl/src/Failure.ts", "the states of a device"],
  ["packages/protocol/src/grammar/Aliases.ts", "the format letters of GDB"]
])

/** Returns the places where a module compiles a value that may come from outside. */
const compiles = (text: string): ReadonlyArray<number> =>
  constructions(text, "RegExp")
    .filter(({ args }) => !/^(?:"[^"]*"|'[^']*'|`[^`$]*`|String\.raw`[^`$]*`)\s*(?:,|$)/.test(args))
    .map(({ line }) => line)

describe("regular expressions of callers", () => {
  it("are compiled by Pattern only", () => {
    none(
      sources
        .filter(
          (path) => /^(?:packages|apps)\/\w+\/src\//.test(path) && !path.includes("/src/testing/") && !inBrowser(path)
        )
        .flatMap((path) => {
          const text = read(path)
          const lines = text.includes("RegExp") ? compiles(text) : []
          if (composed.has(path))
            return lines.length === 0 ? [`${path}: composes no pattern; remove it from the list`] : []
          return lines.map((line) => `${path}:${line} compiles a pattern; use Pattern.compile of @sigtrap/protocol`)
        })
    )
  })

  it("are found in each form", () => {
    for (const line of ["new RegExp(text)", "RegExp(text, 'u')", "new RegExp(`^${text}$`)", "new RegExp('^' + text)"]) {
      assert.deepStrictEqual(compiles(`const a = ${line}`), [1], line)
    }
    for (const line of ["new RegExp('a+', 'u')", "/a/u", "new RegExp(`a`)", "x instanceof RegExp"]) {
      assert.deepStrictEqual(compiles(`const a = ${line}`), [], line)
    }
  })
})
