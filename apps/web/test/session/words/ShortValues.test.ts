import { assert, it } from "@effect/vitest"
import { oldBeside, shortened, withoutAddress } from "../../../src/session/words/ShortValues.ts"

it("a long value is cut after 40 characters", () => {
  assert.strictEqual(shortened("x".repeat(100)).length, 40)
  assert.strictEqual(shortened(`"${"x".repeat(37)}…${"x".repeat(50)}"`), `"${"x".repeat(37)}…`)
})

it("a pointer is shown by what it points to, if that was read", () => {
  assert.strictEqual(withoutAddress("0x7fffffffe650 {n:46, peak:82}"), "→ {n:46, peak:82}")
  assert.strictEqual(withoutAddress('0x555555556010 "zero"'), '→ "zero"')
  assert.strictEqual(withoutAddress("0x7fffffffe650"), "0x7fffffffe650")
  assert.strictEqual(withoutAddress("0x55555555517d (app`mul at app.c:47)"), "0x55555555517d (app`mul at app.c:47)")
})

it("an object of Python is its class and the end of its address", () => {
  for (const [value, shown] of [
    ["<__main__.Item object at 0x7f7fc8f8a8d0>", "<Item …a8d0>"],
    ["[<a.b.Item object at 0x7f7fc8f8a8d0>, <Other object at 0x12>]", "[<Item …a8d0>, <Other …12>]"],
    ["'<a.Item object at 0x7f7fc8f8a8d0>'", "'<a.Item object at 0x7f7fc8f8a8d0>'"]
  ] as const)
    assert.strictEqual(shortened(value), shown)
})

it("an old value has the address of a pointer only where nothing else tells it from the new one", () => {
  for (const [value, old, shown] of [
    ["0x555555570ed8 {n:2}", "0x555555570eb0 {n:1}", "→ {n:1}"],
    ["0x555555570eb0 {n:2}", "0x555555570eb0 {n:1}", "{n:1}"],
    ["0x555555570ed8 {n:1}", "0x555555570eb0 {n:1}", "0x555555570eb0 {n:1}"],
    ["0x555555570ed8", "0x555555570eb0", "0x555555570eb0"],
    ["{...}", "{n:1}", "{n:1}"],
    ['""', "<unreadable>", "unreadable"],
    ["7", "<optimized out>", "optimized out"],
    ["0x0", "<cannot access memory at 0x10>", "unreadable"],
    ["{n:1}", "{...}", undefined],
    ["0x555555570eb0 {a:1, ...}", "0x555555570eb0 {a:1, ...}", undefined]
  ] as const)
    assert.strictEqual(oldBeside(value, old), shown)
})

it("a value of Go has no type before it", () => {
  for (const [value, type, shown] of [
    ['*main.Item {Name: "desk"}', "*main.Item", '→ {Name: "desk"}'],
    ['map[string]int ["desk": 1]', "map[string]int", '["desk": 1]'],
    ["[]main.Item len: 3, cap: 3, [...]", "[]main.Item", "len: 3, cap: 3, [...]"],
    ["Cart {owner: 'Ada'}", "Cart", "Cart {owner: 'Ada'}"],
    ["unsigned long", "unsigned", "unsigned long"]
  ] as const)
    assert.strictEqual(withoutAddress(value, type), shown)
})
