// How much LLDB is asked about many breakpoints. LLDB is a function that answers like version 19 about functions on one line.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { BreakpointIds } from "../../src/console/BreakpointIds.ts"
import * as EntryBreakpoints from "../../src/console/lldb/breakpoints/EntryBreakpoints.ts"
import * as FunctionEntries from "../../src/console/lldb/breakpoints/FunctionEntries.ts"

const module = "/app/many"
const hex = (address: number) => `0x${address.toString(16)}`

/** The functions are `size` bytes long. Each begins with a row that stores the arguments. */
const size = 0x100
const stores = 0x11

/** Breakpoints with the numbers 1 to `count`, four in each function, the first one at its beginning. */
const addressOf = (number: number) => (Math.floor((number - 1) / 4) + 1) * size + ((number - 1) % 4) * 0x40

const lineOf = (address: number) => Math.floor(address / 0x40)

const listed = (number: number) => {
  const address = addressOf(number)
  return `${number}: file = '/app/many.c', line = ${lineOf(address)}, exact_match = 0, locations = 1, resolved = 1, hit count = 0
    ${number}.1:
      module = ${module}
      function = f${Math.floor(address / size)}
      location = /app/many.c:${lineOf(address)}:3
      address = ${hex(address)}
      resolved = true
`
}

const lookup = (address: number) => {
  const start = address - (address % size)
  const inStores = address < start + stores
  const [from, to] = inStores ? [start, start + stores] : [address, start + size]
  const range = `range = [${hex(start)}-${hex(start + size)})`
  return `      Address: many[${hex(address)}] (many.PT_LOAD[1]..text + 256)
       Module: file = "${module}", arch = "x86_64"
     Function: id = {0x00002efb}, name = "f${start / size}", ${range}
     FuncType: id = {0x00002efb}, byte-size = 0, decl = many.c:${lineOf(start)}:5, compiler_type = "int (int)"
       Blocks: id = {0x00002efb}, ${range}
    LineEntry: [${hex(from)}-${hex(to)}): /app/many.c:${lineOf(address)}:5
       Symbol: id = {0x000000d2}, ${range}, name="f${start / size}"
     Variable: id = {0x00002f19}, name = "a", type = "int", valid ranges = <block>, location = DW_OP_fbreg -20, decl = many.c:3:13
`
}

it.effect("many breakpoints are read by one command, and the facts of a function once", () =>
  Effect.gen(function* () {
    const count = 80
    const numbers = Array.from({ length: count }, (_, index) => index + 1)
    const sent: Array<string> = []
    const command = Effect.fnUntraced(function* (line: string) {
      sent.push(line)
      yield* Effect.yieldNow
      if (line === "breakpoint list -v") return numbers.map(listed).join("")
      const address = Number(/^image lookup -v -a (0x[0-9a-f]+)/.exec(line)?.[1])
      if (!Number.isNaN(address)) return lookup(address)
      return line.startsWith("breakpoint set") ? `Breakpoint ${count + sent.length}: address = 0x1\n` : ""
    })
    const sentLike = (start: string) => sent.filter((line) => line.startsWith(start)).length
    const functions = FunctionEntries.make({ command, major: 19 })
    const entries = EntryBreakpoints.make({ command, functions, ids: new BreakpointIds(), major: 19 })
    const requests = numbers.map((number) => ({
      wanted: { id: 1000 + number, line: lineOf(addressOf(number)), condition: "a == 1" },
      debuggerId: number
    }))

    const bindings = yield* entries.bindAll(requests)
    const addresses = bindings.map(({ locations }) => locations.map(({ address }) => address))
    const expected = numbers.map((number) => addressOf(number) + ((number - 1) % 4 === 0 ? stores : 0))
    assert.deepStrictEqual(
      addresses,
      expected.map((address) => [hex(address)])
    )
    assert.strictEqual(sentLike("breakpoint list"), 1)
    assert.strictEqual(sentLike("breakpoint set"), count / 4)
    assert.strictEqual(sentLike("breakpoint disable"), count / 4)

    // Nothing is asked about breakpoints that have not changed, and one command lists a single one that has.
    sent.length = 0
    yield* entries.bindAll(requests)
    assert.deepStrictEqual(sent, [])
    yield* entries.bindAll(requests.map((one, index) => ({ ...one, changed: index === 4 })))
    assert.deepStrictEqual(sentLike("breakpoint list"), 1)
    assert.include(sent, "breakpoint list -v 5")

    // Without conditions no other fact of a location is read.
    sent.length = 0
    const others = EntryBreakpoints.make({
      command,
      functions: FunctionEntries.make({ command, major: 19 }),
      ids: new BreakpointIds(),
      major: 19
    })
    const plain = requests
      .filter((_, index) => index % 4 !== 0)
      .map(({ debuggerId, wanted: { id, line } }) => ({
        debuggerId,
        wanted: { id, line }
      }))
    yield* others.bindAll(plain)
    assert.strictEqual(sentLike("breakpoint list"), 1)
    assert.isAtMost(sentLike("image lookup"), 2 * (count / 4))
  })
)

it.effect("functions that are read at once are all kept", () =>
  Effect.gen(function* () {
    let asked = 0
    const command = (line: string) =>
      Effect.suspend(() => {
        asked++
        return Effect.as(Effect.yieldNow, lookup(Number(/-a (0x[0-9a-f]+)/.exec(line)?.[1])))
      })
    const { functionAt } = FunctionEntries.make({ command, major: 19 })
    const starts = [1, 2, 3, 4].map((number) => BigInt(number * size))
    yield* Effect.forEach(starts, (start) => functionAt(start, module), { concurrency: 4 })
    assert.strictEqual(asked, starts.length)
    yield* Effect.forEach(starts, (start) => functionAt(start + 0x40n, module))
    assert.strictEqual(asked, starts.length)
  })
)

it.effect("functions of many breakpoints are looked up with few requests, and with the same places", () =>
  Effect.gen(function* () {
    const numbers = Array.from({ length: 80 }, (_, index) => index + 1)
    const answer = (line: string) => {
      const address = Number(/^image lookup -v -a (0x[0-9a-f]+)/.exec(line)?.[1])
      const [, number] = /^breakpoint list -v (\d+)/.exec(line) ?? []
      return Number.isNaN(address) ? (number === undefined ? "" : listed(Number(number))) : lookup(address)
    }
    const placed = Effect.fnUntraced(function* (hasPython: boolean) {
      const sent: Array<string> = []
      const command = (line: string) =>
        Effect.sync(() => {
          sent.push(line)
          const list = /^sigtrap-batch (.*)$/.exec(line)?.[1]
          if (list === undefined) return line === "breakpoint list -v" ? numbers.map(listed).join("") : answer(line)
          const lines: ReadonlyArray<string> = JSON.parse(list)
          return hasPython ? JSON.stringify(lines.map(answer)) : ""
        })
      const functions = FunctionEntries.make({ command, major: 19 })
      const entries = EntryBreakpoints.make({ command, functions, ids: new BreakpointIds(), major: 19 })
      const wanted = numbers.filter((number) => (number - 1) % 4 !== 0)
      const bindings = yield* entries.bindAll(
        wanted.map((number) => ({ wanted: { id: 1000 + number, line: lineOf(addressOf(number)) }, debuggerId: number }))
      )
      return { bindings, lookups: sent.filter((line) => line.includes("image lookup")) }
    })
    const together = yield* placed(true)
    const alone = yield* placed(false)
    assert.deepStrictEqual(together.bindings, alone.bindings)
    // One request has the addresses of the breakpoints, one the starts of their functions.
    assert.lengthOf(together.lookups, 2)
    assert.isAbove(alone.lookups.length, 30)
  })
)
