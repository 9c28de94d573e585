import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BreakpointReasons from "../../src/console/lldb/BreakpointReasons.ts"

/** An LLDB whose program has code on these lines of /src/counter.c. */
const withCode = (...lines: ReadonlyArray<number>) => ({
  major: 19,
  command: (text: string) => {
    const [, from = "", file = ""] = /-l (\d+) -f "?([^"]+?)"?$/.exec(text) ?? []
    const isFound = lines.some((line) => line >= Number(from)) && ["counter.c", "/src/counter.c"].includes(file)
    return Effect.succeed(isFound ? `1 match found in ${file}:${from} in /src/a.out:` : "")
  }
})

describe("the reason for a line without a breakpoint", () => {
  it.effect("denies code at a line only if LLDB finds none", () =>
    Effect.gen(function* () {
      const after = yield* BreakpointReasons.whyNoLine(withCode(9, 10), "/src/counter.c", 900)
      assert.strictEqual(after, "no code at line 900 or right after it")
      const unset = yield* BreakpointReasons.whyNoLine(withCode(9, 10), "/src/counter.c", 10)
      assert.strictEqual(unset, "LLDB did not set it, although it finds code there")
    })
  )

  it.effect("says that no debug information names the file", () =>
    Effect.gen(function* () {
      const reason = yield* BreakpointReasons.whyNoLine(withCode(9), "/src/other.c", 9)
      assert.strictEqual(reason, "no debug information names such a file")
    })
  )
})
