import { assert, describe, it } from "@effect/vitest"
import * as Glob from "../../src/model/Glob.ts"
import * as StopDifference from "../../src/model/StopDifference.ts"

type Node = StopDifference.Node

const leaf = (name: string, value: string): Node => ({ name, value })
const open = (name: string, value: string, ...members: ReadonlyArray<Node>): Node => ({ name, value, members })
const frame = (name: string, ...values: ReadonlyArray<Node>): StopDifference.FrameNode => ({ function: name, values })

/** Compares two lists of variables of one function; the differences as `path old -> new`. */
const changes = (
  a: ReadonlyArray<Node>,
  b: ReadonlyArray<Node>,
  ignore: ReadonlyArray<string> = [],
  sameProcess = false
): ReadonlyArray<string> =>
  StopDifference.compare([frame("f", ...a)], [frame("f", ...b)], { ignore, sameProcess }).frames.flatMap(({ vars }) =>
    vars.map(({ new: now, old, path }) => `${path} ${old} -> ${now}`)
  )

const node = (name: string, address: string, value: string, next: Node) =>
  open(name, `${address} {value:${value}, next:…}`, leaf("value", value), next)

describe("the difference of two stops", () => {
  it("has values that differ, by the path of the value", () => {
    assert.deepStrictEqual(changes([leaf("n", "1"), leaf("s", '"a"')], [leaf("n", "2"), leaf("s", '"a"')]), [
      "n 1 -> 2"
    ])
    assert.deepStrictEqual(changes([open("p", "{x:1}", leaf("x", "1"))], [open("p", "{x:2}", leaf("x", "2"))]), [
      "p.x 1 -> 2"
    ])
    assert.deepStrictEqual(changes([open("v", "1 {1}", leaf("[0]", "1"))], [open("v", "1 {3}", leaf("[0]", "3"))]), [
      "v[0] 1 -> 3"
    ])
    assert.deepStrictEqual(changes([leaf("a", "1")], [leaf("b", "1")]), ["a 1 -> undefined", "b undefined -> 1"])
  })

  it("has pointers to other objects that are equal, in two stops of one process only", () => {
    const [a, b] = [leaf("p", "0x7fffe010"), leaf("p", "0x7fffe014")]
    assert.deepStrictEqual(changes([a], [b]), [])
    assert.deepStrictEqual(changes([a], [b], [], true), ["p an object -> another object with equal values"])
    assert.deepStrictEqual(changes([a], [a], [], true), [])
    const more: Node = { ...b, more: true }
    assert.deepStrictEqual(changes([a], [more], [], true), ["p an object -> another object"])
    const at = (address: string) => open("n", address, leaf("value", "1"))
    assert.deepStrictEqual(changes([at("0x55550010")], [at("0x55550030")], [], true), [
      "n an object -> another object with equal values"
    ])
    // The second pointer follows the first one.
    assert.deepStrictEqual(changes([a, leaf("q", "0x7fffe010")], [b, leaf("q", "0x7fffe014")], [], true), [
      "p an object -> another object with equal values"
    ])
    const python = (address: string) => leaf("o", `<Account object at ${address}>`)
    assert.deepStrictEqual(changes([python("0x7f0010")], [python("0x7f0020")], [], true), [])
  })

  it("has no previews that differ by where they are cut", () => {
    const previews = (one: string, other: string) =>
      StopDifference.compare([frame("f", leaf("p", one))], [frame("f", leaf("p", other))])
    const same = previews('{owner:"a", ...}', '{owner:"a", sums:2 {1,2}, ...}')
    assert.deepStrictEqual([same.frames, same.cut], [[], 1])
    assert.strictEqual(previews('{owner:"a", ...}', '{owner:"b", ...}').frames.length, 1)
    assert.strictEqual(previews("2 {1,2}", "3 {1,2,...}").frames.length, 1)
  })

  it("has no owners of locks of the C library, which are thread ids", () => {
    const lock = (owner: string, count: string) => {
      const bytes = `"\\x01\\0\\0\\0\\x${owner}\\0"`
      return open(
        "m",
        `{_M_mutex:{__data:{__lock:1, __owner:${owner}, ...}, __size:${bytes}}}`,
        open(
          "_M_mutex",
          `{__data:{...}, __size:${bytes}, __align:${owner}}`,
          open("__data", `{__lock:1, __owner:${owner}, ...}`, leaf("__count", count), leaf("__owner", owner)),
          leaf("__size", bytes),
          leaf("__align", owner)
        )
      )
    }
    assert.deepStrictEqual(changes([lock("41", "0")], [lock("42", "0")]), [])
    assert.deepStrictEqual(changes([lock("41", "0")], [lock("42", "1")]), ["m._M_mutex.__data.__count 0 -> 1"])
    // A variable of the program may have the name of a part of a lock.
    assert.deepStrictEqual(changes([leaf("__size", "1")], [leaf("__size", "2")]), ["__size 1 -> 2"])
  })

  it("has no addresses, and no pointers to equal objects", () => {
    const at = (one: string, two: string) => [
      node("head", one, "1", leaf("next", two)),
      leaf("tail", two),
      leaf("text", `${one} "abc"`)
    ]
    assert.deepStrictEqual(changes(at("0x55550010", "0x55550020"), at("0x7fff0010", "0x7fff0440")), [])
  })

  it("has no addresses of objects of Python, also where they are cut", () => {
    const at = (one: string, tail: string) => [
      open("all", `[<app.Account ob...${tail}>]`, leaf("0", `<app.Account object at ${one}>`)),
      leaf("one", `<app.Account object at ${one}>`)
    ]
    assert.deepStrictEqual(changes(at("0x7f948d5ca950", "48d5ca950"), at("0x7f1111111110", "111111110")), [])
  })

  it("has pointers to another object of the same stop, and to none", () => {
    const at = (one: string, two: string, which: string) => [leaf("a", one), leaf("b", two), leaf("p", which)]
    const [one, two, three, four] = ["0x55550010", "0x55550020", "0x66660010", "0x66660020"]
    assert.deepStrictEqual(changes(at(one, two, two), at(three, four, three)), ["p the object of b -> the object of a"])
    assert.deepStrictEqual(changes(at(one, two, two), at(three, four, "0x0")), ["p the object of b -> NULL"])
    assert.deepStrictEqual(changes(at(one, two, two), at(three, four, "0x77770010")), [
      "p the object of b -> an object"
    ])
    // An address that no object has is shown as it is.
    assert.deepStrictEqual(changes([leaf("p", "0x10")], [leaf("p", "0x26fc")]), ["p 0x10 -> 0x26fc"])
  })

  it("tells apart two addresses in the text of one value", () => {
    const at = (one: string, two: string, which: string) => [leaf("pair", `{${one}, ${two}}`), leaf("p", which)]
    assert.deepStrictEqual(
      changes(at("0x55550010", "0x55550020", "0x55550010"), at("0x66660010", "0x66660020", "0x66660020")),
      ["p the object of pair -> the object of pair<1>"]
    )
  })

  it("names the member of a preview that has an object", () => {
    const list = (first: string, next: string) => leaf("list", `${first} {name:"a:{", next:${next}}`)
    assert.deepStrictEqual(
      changes(
        [list("0x55550010", "0x55550020"), leaf("p", "0x55550010")],
        [list("0x66660010", "0x66660020"), leaf("p", "0x66660020")]
      ),
      ["p the object of list -> the object of list.next"]
    )
    // The object of an inner member has no path here.
    const inner = (which: string) => [leaf("pair", "{a:{p:0x55550010}, b:0x55550020}"), leaf("p", which)]
    assert.deepStrictEqual(changes(inner("0x55550010"), inner("0x55550020")), [
      "p the object of pair -> the object of pair<1>"
    ])
  })

  it("does not hide what the members of a value do not show", () => {
    const text = (value: string) => [open("s", value, leaf("size", "3"))]
    assert.deepStrictEqual(changes(text('"abc"'), text('"abd"')), ['s "abc" -> "abd"'])
    assert.deepStrictEqual(changes(text("<abc>"), text("<abd>")), ["s <abc> -> <abd>"])
    assert.deepStrictEqual(changes([open("s", '"abc"')], [open("s", '"abd"')]), ['s "abc" -> "abd"'])
  })

  it("compares no value that the debugger cannot read, and says how many", () => {
    const unread: Node = { name: "a", value: "7", attributes: ["optimized-out"] }
    const found = StopDifference.compare(
      [frame("f", unread, leaf("b", "<unreadable>"), leaf("c", "1"))],
      [frame("f", leaf("a", "1"), leaf("b", "1"), leaf("c", "1"))]
    )
    assert.deepStrictEqual(found.frames, [])
    assert.strictEqual(found.unknown, 2)
  })

  it("says how many values are equal only as far as they were read", () => {
    const found = StopDifference.compare(
      [frame("f", leaf("a", "{1, 2, …}"), { ...open("v", "9", leaf("[0]", "1")), more: true })],
      [frame("f", leaf("a", "{1, 2, …}"), open("v", "9", leaf("[0]", "1"), leaf("[1]", "2")))]
    )
    assert.deepStrictEqual([found.frames, found.cut], [[], 2])
  })

  it("says of secret values, and of members that were not read, that they were not compared", () => {
    const at = (node: Node) => [frame("f", node)]
    const masked: Node = { name: "key", value: "<masked>", attributes: ["masked"] }
    assert.deepInclude(StopDifference.compare(at(masked), at(masked)), { frames: [], unknown: 1 })
    const preview = leaf("user", "{id:1, key:<masked>}")
    assert.deepInclude(StopDifference.compare(at(preview), at(preview)), { frames: [], unknown: 1 })
    assert.lengthOf(StopDifference.compare(at(preview), at(leaf("user", "{id:2, key:<masked>}"))).frames, 1)
    const closed: Node = { name: "p", value: "0x55550010", more: true }
    assert.deepInclude(StopDifference.compare(at(closed), at(closed)), { frames: [], cut: 1 })
    const text: Node = { name: "s", value: '"abc"', more: true }
    assert.deepInclude(StopDifference.compare(at(text), at(text)), { frames: [], cut: 0 })
  })

  it("pairs frames by the order of calls, with lines that differ and frames that one stack lacks", () => {
    const at = (name: string, line: number) => ({ ...frame(name), line })
    const found = StopDifference.compare(
      [at("leaf", 9), at("eval", 5), at("main", 2)],
      [at("eval", 5), at("eval", 7), at("main", 2)]
    )
    assert.deepStrictEqual(found.frames, [
      { function: "eval", only: "b", vars: [] },
      { function: "leaf", only: "a", vars: [] },
      { function: "eval", lines: [5, 7], vars: [] }
    ])
    const unread = StopDifference.compare([{ function: "main" }], [frame("main", leaf("n", "1"))])
    assert.deepStrictEqual([unread.notRead, unread.compared, unread.values], [["main"], 0, 0])
  })

  it("compares the variables of each call of a recursive function", () => {
    const call = (address: string, value: string) => frame("walk", open("n", address, leaf("value", value)))
    const compare = (...[a, b]: ReadonlyArray<ReadonlyArray<StopDifference.FrameNode>>) =>
      StopDifference.compare(a ?? [], b ?? []).frames.map(({ function: name, vars }) => [
        name,
        ...vars.map(({ new: now, old, path }) => `${path} ${old} -> ${now}`)
      ])
    const main = frame("main")
    const good = [call("0x55550030", "3"), call("0x55550020", "2"), call("0x55550010", "1"), main]
    const bad = [call("0x66660030", "4"), call("0x66660020", "2"), call("0x66660010", "1"), main]
    assert.deepStrictEqual(compare(good, bad), [["walk", "n.value 3 -> 4"]])

    const cycle = [call("0x66660020", "2"), call("0x66660020", "2"), call("0x66660010", "1"), main]
    assert.deepStrictEqual(compare(good, cycle), [["walk", "n an object -> the object of walk#2: n", "n.value 3 -> 2"]])
  })

  it("leaves out names and paths that a pattern matches", () => {
    const at = (value: string) => [open("s", "{…}", leaf("count", value), leaf("id", value)), leaf("n_x", value)]
    assert.deepStrictEqual(changes(at("1"), at("2"), ["n_*", "s.i?"]), ["s.count 1 -> 2"])
    assert.isTrue(Glob.matches("*a*b", "xxaxxb") && Glob.matches("", "") && Glob.matches("**", "x"))
    assert.isFalse(Glob.matches("a?", "a") || Glob.matches("a", "ab") || Glob.matches("*c", "ab"))
  })

  it("are different objects if their classes are, also with equal members", () => {
    const derived = (type: string) => ({
      name: "shape",
      type,
      value: "0x0000555555572fb0 {size:1}",
      members: [{ name: "size", type: "int", value: "1" }]
    })
    const [a, b] = [[frame("f", derived("Square *"))], [frame("f", derived("Circle *"))]]
    const [found] = StopDifference.compare(a, b).frames
    assert.deepStrictEqual(found?.vars, [{ path: "shape", old: "Square *", new: "Circle *" }])
    assert.deepStrictEqual(StopDifference.compare(a, a).frames, [])
    assert.deepStrictEqual(StopDifference.compare(a, b, { types: false }).frames, [])
  })
})
