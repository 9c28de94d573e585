// What is done about the locations of breakpoints. LLDB is a function that records its commands.
import { assert, describe, it } from "@effect/vitest"
import { Parse } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Effect } from "effect"
import { BreakpointIds } from "../../src/console/BreakpointIds.ts"
import * as EntryBreakpoints from "../../src/console/lldb/breakpoints/EntryBreakpoints.ts"
import type { FunctionEntries, FunctionEntry } from "../../src/console/lldb/breakpoints/FunctionEntries.ts"

const module = "/app/cold"

const list = `7: file = 'cold.c', line = 19, exact_match = 0, locations = 1, resolved = 1, hit count = 0
    7.1:
      module = ${module}
      function = parse
      location = /app/cold.c:19:33
      address = 0x000055555555520d
      resolved = true
`

/** Facts of a program whose functions are as a test needs them. */
const facts = (some: Partial<FunctionEntries>): FunctionEntries => ({
  codeAt: () => Effect.undefined,
  functionAt: () => Effect.undefined,
  knownAt: () => undefined,
  unsetAt: () => Effect.undefined,
  rowsAt: () => Effect.succeed([]),
  inSplitFrame: () => Effect.succeed([]),
  together: (_, effect) => effect,
  tagged: () => Effect.succeed([]),
  remember: () => {},
  knows: () => false,
  located: () => undefined,
  forget: () => {},
  ...some
})

const connection = (some: Partial<FunctionEntries>) => {
  const sent: Array<string> = []
  const command = (line: string) => {
    sent.push(line)
    return Effect.succeed(line.startsWith("breakpoint set") ? "Breakpoint 9: address = 0x1234\n" : "")
  }
  const entries = EntryBreakpoints.make({ command, functions: facts(some), ids: new BreakpointIds(), major: 19 })
  return { entries, sent }
}

describe("a condition", () => {
  it.effect("that reads the frame of a split function is refused, and LLDB does not stop", () =>
    Effect.gen(function* () {
      const { entries, sent } = connection({ inSplitFrame: () => Effect.succeed(["buffer"]) })
      const wanted = { id: 1, line: 19, condition: "buffer[0] == '2'" }
      assert.include(
        (yield* entries.bind({ wanted, debuggerId: 7, listed: Parse.breakpointLocations(list) })).refused ?? "",
        "a false value of buffer"
      )
      assert.include(sent, "breakpoint disable 7")
      assert.isUndefined(
        (yield* entries.bind({
          wanted: { ...wanted, condition: "sum > 5" },
          debuggerId: 7,
          listed: Parse.breakpointLocations(list)
        })).refused
      )
      assert.include(sent, "breakpoint enable 7")
    })
  )

  it.effect("that reads other variables stays", () =>
    Effect.gen(function* () {
      const { entries, sent } = connection({ inSplitFrame: () => Effect.succeed(["buffer"]) })
      const binding = yield* entries.bind({
        wanted: { id: 1, line: 19, condition: "sum > 5" },
        debuggerId: 7,
        listed: Parse.breakpointLocations(list)
      })
      assert.isUndefined(binding.refused)
      assert.notInclude(sent, "breakpoint disable 7")
    })
  )
})

describe("a line of a function that is known", () => {
  const known: FunctionEntry = {
    ranges: [{ start: 0x555555555200n, end: 0x555555555300n }],
    entry: 0x555555555200n,
    body: 0x555555555208n,
    firstLine: 17,
    openingLine: 17,
    file: "/app/cold.c",
    hasParameters: true,
    usesFrame: true,
    unset: []
  }

  /** Binds a breakpoint; counts how often the facts of its function are read. */
  const reads = Effect.fnUntraced(function* (found: FunctionEntry, wanted: Omit<Backend.BreakpointRequest, "id">) {
    let count = 0
    const { entries } = connection({
      knownAt: () => found,
      functionAt: () =>
        Effect.sync(() => {
          count += 1
          return found
        })
    })
    const listed = Parse.breakpointLocations(list)
    // The first one examines the target.
    yield* entries.bind({ wanted: { id: 1, line: 19 }, debuggerId: 6, listed })
    const before = count
    const { locations } = yield* entries.bind({ wanted: { id: 2, ...wanted }, debuggerId: 7, listed })
    assert.deepInclude(locations[0], { address: "0x55555555520d", line: 19 })
    return count - before
  })

  it.effect("stays at its location", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reads(known, { line: 19 }), 0)
    })
  )

  it.effect("is examined at the beginning, with a condition and in optimized code", () =>
    Effect.gen(function* () {
      assert.isAbove(yield* reads({ ...known, openingLine: 19 }, { line: 19 }), 0)
      assert.isAbove(yield* reads(known, { line: 19, condition: "sum > 5" }), 0)
      assert.isAbove(yield* reads({ ...known, usesFrame: false }, { line: 19 }), 0)
    })
  )

  it.effect("is examined when it gets a condition", () =>
    Effect.gen(function* () {
      const { entries } = connection({
        knownAt: () => known,
        functionAt: () => Effect.succeed(known),
        inSplitFrame: () => Effect.succeed(["sum"])
      })
      const listed = Parse.breakpointLocations(list)
      yield* entries.bind({ wanted: { id: 1, line: 19 }, debuggerId: 6, listed })
      yield* entries.bind({ wanted: { id: 2, line: 19 }, debuggerId: 7, listed })
      const binding = yield* entries.bind({ wanted: { id: 2, line: 19, condition: "sum > 5" }, debuggerId: 7 })
      assert.include(binding.refused ?? "", "a false value of sum")
    })
  )
})

describe("a library", () => {
  it.effect("that is loaded again gets its traps again", () =>
    Effect.gen(function* () {
      let listed = list
      const sent: Array<string> = []
      const command = (line: string) => {
        sent.push(line)
        return Effect.succeed(line === "breakpoint list -v" ? listed : "")
      }
      const entries = EntryBreakpoints.make({ command, functions: facts({}), ids: new BreakpointIds(), major: 19 })
      yield* entries.bind({ wanted: { id: 1, line: 19 }, debuggerId: 7, listed: Parse.breakpointLocations(list) })
      listed = list.replace("resolved = true", "resolved = false")
      assert.deepInclude((yield* entries.refresh)[0], { id: 1, resolved: false })
      assert.notInclude(sent, "breakpoint disable 7")
      listed = list
      assert.deepInclude((yield* entries.refresh)[0], { id: 1, resolved: true })
      assert.deepStrictEqual(
        sent.filter((line) => line.endsWith("able 7")),
        ["breakpoint disable 7", "breakpoint enable 7"]
      )
    })
  )
})

describe("a function with a tag in its name", () => {
  it.effect("gets a breakpoint at its address", () =>
    Effect.gen(function* () {
      const place = {
        number: "tagged 4660",
        address: 0x555555555234n,
        loaded: true,
        module,
        function: "greet[abi:cxx11]"
      }
      const { entries, sent } = connection({
        tagged: (name) => Effect.succeed(name === "greet" ? [place] : []),
        codeAt: () => Effect.succeed({ fileAddress: 0x1234n, ranges: [], parameters: [], variables: [] })
      })
      const { locations } = yield* entries.bind({ wanted: { id: 1, function: "greet" }, debuggerId: 7, listed: [] })
      assert.deepStrictEqual(locations, [{ module, function: "greet[abi:cxx11]", address: "0x555555555234" }])
      assert.isTrue(sent.some((line) => line.startsWith("breakpoint set") && line.includes("0x1234")))
      const other = yield* entries.bind({ wanted: { id: 2, function: "other" }, debuggerId: 8, listed: [] })
      assert.deepStrictEqual(other.locations, [])
    })
  )
})
