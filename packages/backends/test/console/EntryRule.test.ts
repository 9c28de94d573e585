import { LineTable, type Lookup, type Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as EntryRule from "../../src/console/lldb/breakpoints/EntryRule.ts"
import type { FunctionEntry } from "../../src/console/lldb/breakpoints/FunctionEntries.ts"

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
  usesFrame: false,
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
  bodyLine = found.firstLine,
  inlined?: string
) => {
  const code: Lookup.Code = {
    ...(inlined === undefined ? {} : { function: "math::square(int)", inlined }),
    fileAddress: 0x1004n,
    ranges: found.ranges,
    parameters: [],
    row: { start: 0x1004n, end: 0x1010n, file: "/app.c", line: bodyLine },
    variables: []
  }
  const rule = EntryRule.make({
    codeAt: () => Effect.succeed(code),
    functionAt: () => Effect.succeed(found),
    rowsAt: () => Effect.succeed([])
  })
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

  it.effect("moves to the body from another function that was inlined, and not from the one that was asked for", () =>
    Effect.gen(function* () {
      const inlinedAt = (name: string, inlined: string) =>
        decide({ function: name }, oneLine, location(0x1010n, 1), 2, inlined)
      assert.strictEqual(yield* inlinedAt("square", "times(int, int)"), 0x1004n)
      assert.strictEqual(yield* inlinedAt("math::square", "times(int, int)"), 0x1004n)
      assert.strictEqual(yield* inlinedAt("times", "times(int, int)"), "keep")
      // The function that was asked for is inlined, and has another one inside.
      assert.strictEqual(yield* inlinedAt("times", "add(int, int)"), "keep")
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

describe("a breakpoint at a line of optimized code", () => {
  const loop: FunctionEntry = { ...oneLine, openingLine: 9, ranges: [{ start: 0x1070n, end: 0x1280n }] }

  /** From gcc -O2: the row at 0x120d is an instruction that was moved before a loop. */
  const table = [
    "0x000000000000120d: /app.c:19:33",
    "0x0000000000001220: /app.c:18:20, is_prologue_end = TRUE",
    "0x0000000000001229: /app.c:19:33, is_prologue_end = TRUE",
    "0x000000000000122c: /app.c:19:20",
    "0x0000000000001257: /app.c:119:20, is_start_of_statement = TRUE"
  ].join("\n")

  const decideAt = (
    address: bigint,
    {
      all = [],
      code = {},
      text = table
    }: {
      readonly all?: ReadonlyArray<Parse.BreakpointLocation>
      readonly code?: Partial<Lookup.Code>
      readonly text?: string
    } = {}
  ) => {
    const optimized: Lookup.Code = {
      fileAddress: address,
      ranges: loop.ranges,
      parameters: [],
      variables: [{ name: "sum", type: "int", location: "[0x120d, 0x1229) -> DW_OP_reg0 RAX" }],
      ...code
    }
    const rule = EntryRule.make({
      codeAt: () => Effect.succeed(optimized),
      functionAt: () => Effect.succeed(loop),
      rowsAt: (_, line) => Effect.succeed(LineTable.rowsOf(text, line))
    })
    const at = location(address, 19)
    return rule({ id: 1, line: 19 }, at, [at, ...all])
  }

  it.effect("moves to the first instruction where a statement begins, as in GDB", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* decideAt(0x120dn), 0x1229n)
      assert.strictEqual(yield* decideAt(0x1229n), "keep")
      assert.strictEqual(yield* decideAt(0x120dn, { all: [location(0x1229n, 19)] }), "drop")
    })
  )

  it.effect("stays where no statement of the line is known, in inlined code and in code without optimization", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* decideAt(0x120dn, { text: "0x120d: /app.c:19:33\n0x2000: /app.c:19:3, is_start_of_statement = TRUE" }),
        "keep"
      )
      assert.strictEqual(yield* decideAt(0x120dn, { text: "" }), "keep")
      assert.strictEqual(yield* decideAt(0x120dn, { code: { inlined: "put" } }), "keep")
      const variables = [{ name: "sum", type: "int", location: "DW_OP_fbreg -20" }]
      assert.strictEqual(yield* decideAt(0x120dn, { code: { variables } }), "keep")
    })
  )
})
