import { assert, describe, it } from "@effect/vitest"
import { Doc, Render } from "../src/index.ts"
import { directory, envelope, frames, items } from "./samples.ts"

const view = { directory, input: {} }
const text = (doc: Doc.Doc) => Doc.render(doc)

const thread = (id: number, current: boolean) => ({
  id,
  os_id: id,
  name: current ? "app" : "worker",
  label: `Thread ${id}`,
  state: "stopped" as const,
  current,
  ...(current
    ? { stop_reason: "breakpoint 1", location: { file: "/src/demo/app.c", line: 14, function: "sum_scores" } }
    : { location: { function: "futex_wait", module: "/lib/libc.so.6", address: "0x10" } })
})

describe("what was looked at", () => {
  it("shows threads in columns", () => {
    const answer = envelope({ threads: [thread(1, true), thread(2, false)], total: 2 })
    assert.strictEqual(
      text(Render.render("threads", answer, view)),
      "* Thread 1 (app)     stopped  app.c:14 sum_scores  breakpoint 1\n  Thread 2 (worker)  stopped  futex_wait\n"
    )
  })

  it("shows the selected frame with its source", () => {
    const [, main] = frames
    assert.isDefined(main)
    const answer = envelope({
      frame: main ?? { index: 0, ref: "@f0", function: "" },
      thread: 1,
      source: { first: 26, lines: ["  sum();"] }
    })
    assert.strictEqual(text(Render.render("up", answer, view)), "*1 main app.c:26\n > 26   sum();\n")
  })

  it("shows a label between asynchronous callers as a line of its own", () => {
    const stack = [
      { index: 0, ref: "@f1", function: "read", file: "/src/demo/app.js", line: 3 },
      { index: 1, ref: "@f2", function: "await", label: true, hidden: true },
      { index: 2, ref: "@f3", function: "main", file: "/src/demo/app.js", line: 9 }
    ]
    const answer = envelope({ thread: { id: 1 }, frames: stack, total: 3, hidden: 0 })
    assert.strictEqual(
      text(Render.render("backtrace", answer, view)),
      "*0 read app.js:3\n   -- await --\n 2 main app.js:9\n"
    )
  })

  it("marks the current line and breakpoints of a source", () => {
    const answer = envelope({
      file: "/src/demo/app.c",
      first: 9,
      lines: ["a", "b", "c"],
      current: 10,
      total: 20,
      breakpoints: [
        { id: 1, line: 10, state: "on" as const, kind: "line" as const },
        { id: 2, line: 11, state: "off" as const, kind: "line" as const }
      ],
      origin: "disk" as const,
      stale: true
    })
    assert.strictEqual(text(Render.render("source", answer, view)), "app.c\n    9 a\nb> 10 b\nb  11 c\n")
  })

  it("shows memory as bytes and characters, with ?? for unreadable bytes", () => {
    const answer = envelope({
      address: "0xff0",
      count: 20,
      data: "QUJDREVGR0hJSktMTU5PUAAAAAA=",
      unreadable: [[16, 20] as const],
      by: "lldb" as const
    })
    assert.strictEqual(
      text(Render.render("memory.read", answer, view)),
      "0xff0  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\n0x1000  ?? ?? ?? ??\n"
    )
  })

  it("shows registers with their names aligned", () => {
    const registers = [
      { name: "rip", value: "0x10 sum+4" },
      { name: "r8", value: "0x1", changed: true }
    ]
    const answer = envelope({ groups: [{ name: "General", registers }], not_found: ["rx"] })
    assert.strictEqual(text(Render.render("registers", answer, view)), "rip = 0x10 sum+4\nr8  = 0x1*\nnot found: rx\n")
  })

  it("marks the current instruction", () => {
    const answer = envelope({
      function: "sum",
      instructions: [
        { address: "0x10", text: "mov eax, 1", offset: 0 },
        { address: "0x15", text: "ret", offset: 5, current: true }
      ],
      by: "lldb" as const
    })
    assert.strictEqual(
      text(Render.render("disassemble", answer, view)),
      "sum:\n  0x10 <+0>  mov    eax, 1\n> 0x15 <+5>  ret\n"
    )
  })

  it("shows what an assignment or a step changed", () => {
    const set = envelope({ name: "counter", old: "10", new: { name: "counter", value: "100", type: "int" } })
    assert.strictEqual(text(Render.render("set", set, view)), "counter: 10 -> 100 (int)\n")
    const changed = envelope({
      from: 11,
      to: 12,
      vars: [
        { name: "total", old: "10", new: "30" },
        { name: "i", old: "1", new: "2" }
      ],
      frame: { index: 0, ref: "@f0", function: "sum" },
      entered: false,
      output_bytes: 0
    })
    assert.strictEqual(
      text(Render.render("changed", changed, view)),
      "#11 -> #12  total 10 -> 30  i 1 -> 2  output +0 B\n"
    )
  })

  it("shows the members of variables where a depth is asked for", () => {
    const member = { name: "m", value: "{in:{...}}", ref: "@v3", children: [{ name: "x", value: "1" }] }
    const outer = { name: "o", value: "{m:{...}}", ref: "@v1", children: [member] }
    const answer = envelope({
      frame: { index: 0, ref: "@f0", function: "f" },
      variables: [outer],
      total: 1,
      not_found: []
    })
    const deep = { ...view, input: { depth: 2 } }
    const members = "o = {m:{...}}  @v1\n  m = {in:{...}}  @v3\n    x = 1\n"
    assert.strictEqual(text(Render.render("locals", answer, deep)), members)
    assert.strictEqual(text(Render.render("vars", answer, deep)), members)
    assert.strictEqual(text(Render.render("locals", answer, view)), "o = {m:{...}}  @v1\n")
  })

  it("shows one child per line, with its children below", () => {
    const answer = envelope({
      parent: items,
      children: [
        { ...items, name: "[0]", value: "{...}" },
        { name: "[1]", value: "7" }
      ]
    })
    assert.strictEqual(
      text(Render.render("expand", answer, view)),
      '[0] = {id:1 name:"alpha" score:10.5}  @v2\n[1] = 7\n'
    )
  })

  it("shows a type by its definition, or by the layout of its members", () => {
    const definition = "struct item {\n    int id;\n}"
    const plain = envelope({ type: "item", definition, size: 4, fields: [{ name: "id", type: "int" }] })
    assert.strictEqual(text(Render.render("type", plain, view)), `item  4 bytes\n${definition}\n`)
    const layout = envelope({
      type: "item",
      definition,
      size: 4,
      fields: [{ name: "id", type: "int", offset: 0, size: 4 }]
    })
    assert.strictEqual(
      text(Render.render("type", layout, view)),
      "item  4 bytes\noffset  size  member\n0       4     int id\n"
    )
    const bits = envelope({
      type: "item",
      definition,
      size: 4,
      fields: [
        { name: "id", type: "char", offset: 0, size: 1 },
        { name: "ready", type: "unsigned int : 1" }
      ]
    })
    assert.strictEqual(
      text(Render.render("type", bits, view)),
      "item  4 bytes\noffset  size  member\n0       1     char id\n              unsigned int ready : 1\n"
    )
    const shown = (size: number, ...fields: ReadonlyArray<readonly [offset: number | undefined, size: number]>) => {
      const listed = fields.map(([offset, bytes]) => ({
        name: "m",
        type: "t",
        size: bytes,
        ...(offset === undefined ? {} : { offset })
      }))
      const rendered = text(Render.render("type", envelope({ type: "s", size, fields: listed }), view))
      return [...rendered.matchAll(/^(\d+) +(\d+) +\(padding\)$/gm)].map(([, start, bytes]) => `${start}+${bytes}`)
    }
    assert.deepStrictEqual(shown(24, [0, 1], [8, 8], [16, 1]), ["1+7", "17+7"])
    // A union, a base class that is listed before it lies, and a bit field without an offset.
    assert.deepStrictEqual(shown(8, [0, 8], [0, 4]), [])
    assert.deepStrictEqual(shown(32, [24, 8], [0, 16], [16, 8]), [])
    assert.deepStrictEqual(shown(16, [0, 1], [undefined, 1], [8, 8]), [])
  })
})
