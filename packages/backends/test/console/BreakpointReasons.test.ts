import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BreakpointReasons from "../../src/console/lldb/breakpoints/BreakpointReasons.ts"

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

  it.effect("names the next line with code, if LLDB does not move the breakpoint there", () =>
    Effect.gen(function* () {
      const text = [
        "2 matches found in /src/counter.c:40 in /src/a.out:",
        "        Address: a.out[0x0000000000001290] (a.out.PT_LOAD[1]..text + 480)",
        "        Summary: a.out`twice(int) + 8 at counter.c:44:33",
        "        Address: a.out[0x0000000000001288] (a.out.PT_LOAD[1]..text + 472)",
        "        Summary: a.out`twice(int) at counter.c:43:30"
      ].join("\n")
      const lldb = { major: 19, command: () => Effect.succeed(text) }
      const reason = yield* BreakpointReasons.whyNoLine(lldb, "/src/counter.c", 40)
      assert.strictEqual(reason, "no code at line 40; the next line with code is 43, in twice(int)")
    })
  )

  it.effect("says that no debug information names the file", () =>
    Effect.gen(function* () {
      const reason = yield* BreakpointReasons.whyNoLine(withCode(9), "/src/other.c", 9)
      assert.strictEqual(reason, "no debug information names such a file")
    })
  )
})
