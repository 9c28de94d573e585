/** Objects of a line of Rust that may be waited for, and how a debugger that reads Rust as C++ reads them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RustObjects from "../../../src/operations/waits/RustObjects.ts"

it("finds the objects before methods that wait", () => {
  const rows: ReadonlyArray<readonly [line: string, ...expected: ReadonlyArray<string>]> = [
    ["    let stock = self.shop.stock.lock().unwrap();", "self.shop.stock"],
    ["    open = pair.1.wait(open).unwrap();", "pair.1"],
    ["    transfer(a.lock().unwrap(), b.lock().unwrap()); // c.lock()", "a", "b"],
    ["    file.read_to_end(&mut buffer)?;"],
    ["    handle.join().unwrap();"]
  ]
  for (const [line, ...expected] of rows) assert.deepStrictEqual(RustObjects.candidates(line), expected, line)
})

it.effect("reads members behind references and shared pointers, and only an object with the address", () =>
  Effect.gen(function* () {
    const known: { readonly [expression: string]: bigint } = {
      "&((*self).shop)": 0x1000n,
      "&((*self).shop.ptr.pointer->data.stock)": 0x2000n,
      "sizeof((*self).shop.ptr.pointer->data.stock)": 16n
    }
    const read = (expression: string) => Effect.succeed(known[expression])
    assert.strictEqual(yield* RustObjects.startOf(read, "self.shop.stock", 0x2008n), 0x2000n)
    assert.isUndefined(yield* RustObjects.startOf(read, "self.shop.stock", 0x2010n))
    assert.isUndefined(yield* RustObjects.startOf(read, "self.shop.other", 0x2008n))
  })
)
