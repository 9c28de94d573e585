import type { Lookup, Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as EntryRule from "../../src/console/lldb/EntryRule.ts"
import type { FunctionEntry } from "../../src/console/lldb/FunctionEntries.ts"

const module = "/app"

/** `int square(int n) { return n * n; }` of gcc -O0: the row at 0x1004 begins after the argument is stored. */
const oneLine: FunctionEntry = {
  ranges: [{ start: 0x1000n, end: 0x1020n }],
  entry: 0x1000n,
  body: 0x1004n,
  firstLine: 2,
  openingLine: 2,
  file: "/app.c",
  hasParameters: true,
  unset: ["n"]
}

const location = (address: bigint, line = 2): Parse.BreakpointLocation => ({
  number: "1.1",
  file: "/app.c",
  line,
  module,
  address,
  loaded: true
})

/** Decides about one location of a function; `bodyLine` is the line of the row at its body. */
const decide = (
  wanted: Omit<Backend.BreakpointRequest, "id">,
  found: FunctionEntry,
  at: Parse.BreakpointLocation,
  bodyLine = found.firstLine
) => {
  const code: Lookup.Code = {
    fileAddress: 0x1004n,
    ranges: found.ranges,
    parameters: [],
    inlined: false,
    row: { start: 0x1004n, end: 0x1010n, file: "/app.c", line: bodyLine },
    variables: []
  }
  const rule = EntryRule.make({ codeAt: () => Effect.succeed(code), functionAt: () => Effect.succeed(found) })
  return rule({ id: 1, ...wanted }, at, [at])
}

describe("a breakpoint at the beginning of a function", () => {
  it.effect("moves to the body if the arguments are stored after its address", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* decide({ line: 2 }, oneLine, location(0x1000n)), 0x1004n)
      assert.strictEqual(yield* decide({ function: "square" }, oneLine, location(0x1000n)), 0x1004n)
      assert.strictEqual(yield* decide({ function: "square" }, oneLine, location(0x1000n), 3), 0x1004n)
    })
  )

  it.effect("keeps an address before the body if no argument is stored there", () =>
    Effect.gen(function* () {
      const plain = { ...oneLine, hasParameters: false, unset: [] }
      assert.strictEqual(yield* decide({ function: "zero" }, plain, location(0x1000n)), "keep")
      assert.strictEqual(yield* decide({ line: 2 }, plain, location(0x1000n)), "keep")
    })
  )

  it.effect(
    "moves back to the body from a later statement of the same line, and not from the end of the prologue",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* decide({ function: "square" }, oneLine, location(0x1010n)), 0x1004n)
        assert.strictEqual(yield* decide({ function: "square" }, oneLine, location(0x1010n), 3), "keep")
      })
  )

  it.effect("stays at the body, at a line below the opening line, and at an address that was asked for", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* decide({ function: "square" }, oneLine, location(0x1004n)), "keep")
      assert.strictEqual(yield* decide({ line: 3 }, oneLine, location(0x1000n, 3)), "keep")
      const at = { kind: "address", expression: "0x1000" } as const
      assert.strictEqual(yield* decide({ at }, oneLine, location(0x1000n)), "keep")
    })
  )
})
