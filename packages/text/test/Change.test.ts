// A change of a value on one line.
import { assert, it } from "@effect/vitest"
import * as Change from "../src/Change.ts"

it("shows both values whole if they fit", () => {
  assert.strictEqual(Change.text("10", "11", 30), "10 -> 11")
  assert.strictEqual(Change.text("0x00005555 {a:1}", "0x00005555 {a:2}", 30), "0x5555 {a:1} -> 0x5555 {a:2}")
})

it("shows the member that differs of values that begin alike", () => {
  const item = (weight: number) => `0x00005555555592a0 {id:1, name:"it0", w:${weight}}`
  assert.strictEqual(Change.text(item(0), item(15), 30), "…w:0} -> …w:15}")
  for (let length = 20; length < 40; length++) {
    const near = (end: string) => `"${"x".repeat(length)}${end}y"`
    const shown = Change.text(near("a"), near("b"), 30)
    assert.match(shown, /a[^>]*-> .*b/, shown)
  }
  const long = (end: string) => `"${"x".repeat(60)}${end}"`
  assert.strictEqual(Change.text(long("a"), long("b"), 30), '…xxxxxxxxa" -> …xxxxxxxxb"')
})

it("cuts values that begin differently at their ends", () => {
  assert.strictEqual(Change.text("x".repeat(50), "y".repeat(50), 10), "xxxxxxxxx… -> yyyyyyyyy…")
})
