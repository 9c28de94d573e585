import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Breakpoint } from "../src/index.ts"

const line = (built: Result.Result<string, unknown>) => (Result.isSuccess(built) ? built.success : undefined)

describe("the commands of breakpoints", () => {
  it("quote their arguments", () => {
    assert.strictEqual(
      line(Breakpoint.set({ kind: "function", name: 'f"', file: "a b.c" }, { condition: "n == 1", hits: 3 }, 19)),
      'breakpoint set -n "f\\"" -f "a b.c" -c "n == 1" -i 2'
    )
    assert.strictEqual(
      line(Breakpoint.set({ kind: "address", expression: "main+4" }, {}, 19)),
      'breakpoint set -a "main+4"'
    )
    assert.strictEqual(
      line(Breakpoint.set({ kind: "line", file: "/a.h", line: 3, modules: ["/b c", "/d"] }, {}, 19)),
      'breakpoint set -l 3 -f "/a.h" -s "/b c" -s "/d"'
    )
    assert.isUndefined(line(Breakpoint.set({ kind: "address", expression: "1\nquit" }, {}, 19)))
    assert.strictEqual(line(Breakpoint.modify(4, {}, 19)), 'breakpoint modify -c "" -i 0 4')
  })

  it("write a case-insensitive pattern with letters of both cases", () => {
    assert.strictEqual(
      line(Breakpoint.set({ kind: "regex", pattern: "^a\\.[bc]", ignoreCase: true }, {}, 19)),
      'breakpoint set -r "^[aA]\\\\.[bc]"'
    )
  })

  it("watch addresses only", () => {
    assert.strictEqual(
      line(Breakpoint.watch({ address: "0x4c010", size: 4, access: "access" }, 19)),
      "watchpoint set expression -w read_write -s 4 -l objective-c -- 0x4c010"
    )
    assert.isUndefined(line(Breakpoint.watch({ address: "&x; quit", size: 4, access: "write" }, 19)))
  })

  it("watch an address by Python, which evaluates no expression in the program", () => {
    const built = line(Breakpoint.watchAddress({ address: "0x4c010", size: 4, access: "write" }, 19))
    assert.match(built ?? "", /^script e = .*WatchpointCreateByAddress\(0x4c010, 4, o, e\)/)
    const old = line(Breakpoint.watchAddress({ address: "0x4c010", size: 4, access: "write" }, 16))
    assert.match(old ?? "", /WatchAddress\(0x4c010, 4, False, True, e\)/)
    assert.isUndefined(line(Breakpoint.watchAddress({ address: "0); quit(", size: 4, access: "write" }, 19)))
    assert.isUndefined(line(Breakpoint.watchAddress({ address: "0x4c010", size: 4, access: "read" }, 19)))
  })

  it("skip the hits of a watchpoint, and stop at the first instruction of functions", () => {
    assert.strictEqual(Breakpoint.ignoreWatch(3, 8), "watchpoint ignore -i 7 3")
    assert.strictEqual(Breakpoint.ignoreWatch(3, 0), "watchpoint ignore -i 0 3")
    assert.strictEqual(
      line(Breakpoint.atEntries(["time", "std::random_device::_M_getval"], 19)),
      'breakpoint set -K false -n "time" -n "std::random_device::_M_getval"'
    )
  })
})

// Printed by LLDB 19.
describe("the output of breakpoint commands", () => {
  it("has the hit count of a watchpoint", () => {
    const output =
      "Watchpoint 1: addr = 0x55 size = 4 state = enabled type = w\n    hit_count = 3     ignore_count = 9\n"
    assert.strictEqual(Breakpoint.watchHits(output), 3)
    assert.isUndefined(Breakpoint.watchHits("error: invalid watchpoint"))
  })

  for (const [output, place] of [
    [
      "Breakpoint 4: where = many`work20 + 13 at many.c:464:16, address = 0x00005555555573b0\n",
      { module: "many", function: "work20", address: 0x5555555573b0n, line: 464, column: 16 }
    ],
    [
      "Breakpoint 5: where = app`ns::Box<int>::put(int) + 4 at box.cpp:9, address = 0x1\n",
      { module: "app", function: "ns::Box<int>::put(int)", address: 1n, line: 9 }
    ],
    ["Breakpoint 6: where = many`work + 13 [inlined] half at many.c:4:16, address = 0x1\n", undefined],
    ["Breakpoint 6: where = many`work + 13 at many.c:4:16 [inlined] half, address = 0x1\n", undefined],
    ["Breakpoint 7: where = many`work + 13, address = 0x1\n", undefined],
    ["Breakpoint 8: 2 locations.\n", undefined],
    ["Breakpoint 9: no locations (pending).\n", undefined]
  ] as const) {
    it(`has the one location of a new breakpoint: ${output.trim()}`, () =>
      assert.deepStrictEqual(Breakpoint.createdAt(output), place))
  }

  it("names the new breakpoint", () => {
    assert.deepStrictEqual(Breakpoint.created("Breakpoint 4: where = a`bump + 7 at a.c:4:11, address = 0x1\n"), {
      id: 4,
      pending: false
    })
    assert.deepStrictEqual(
      Breakpoint.created(
        "Breakpoint 9: no locations (pending).\nWARNING:  Unable to resolve breakpoint to any actual locations.\n"
      ),
      { id: 9, pending: true }
    )
    assert.isUndefined(Breakpoint.created('error: address expression "nosuch" evaluation failed\n'))
    assert.strictEqual(
      Breakpoint.watchCreated(
        "Watchpoint created: Watchpoint 2: addr = 0x7fffffffe43c size = 4 state = enabled type = w\n"
      ),
      2
    )
    assert.isUndefined(Breakpoint.watchCreated("error: Watchpoint creation failed (addr=0x1003, size=3).\n"))
    assert.strictEqual(Breakpoint.watchSlots("Number of supported hardware watchpoints: 4\nNo watchpoints"), 4)
  })

  it("lists the lines that have code", () => {
    assert.deepStrictEqual(
      Breakpoint.lineTable(
        "Line table for /tmp/a.c in `a\n0x0000555555555139: /tmp/a.c:3:25\n0x0000555555555140: /tmp/a.c:0\n"
      ),
      [{ address: "0x0000555555555139", file: "/tmp/a.c", line: 3, column: 25 }]
    )
  })

  it("has the reason why a condition fails to evaluate", () => {
    const text =
      "error: stopped due to an error evaluating condition of breakpoint 2.1: \"nope == 2\"\nCouldn't parse conditional expression:\nerror: <user expression 2>:1:1: use of undeclared identifier 'nope'\n"
    assert.deepStrictEqual(Breakpoint.conditionError(text), {
      id: 2,
      problem: "error: <user expression 2>:1:1: use of undeclared identifier 'nope'\n"
    })
    assert.isUndefined(Breakpoint.conditionError("Process 1 stopped"))
  })
})
