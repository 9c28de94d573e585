// The text of the answers of inspection: values, frames, memory, sources.
import { assert, describe, it } from "@effect/vitest"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import { directory, envelope, frames, items, locals, report } from "./samples.ts"
import { lines, shown } from "./shown.ts"
import { write } from "./written.ts"

describe("inspection", () => {
  it("shows the full context with its output", () => {
    const recent_output = [
      { seq: 1, channel: "stdout", text: "hello\nwor", time: 0, stop: 0 },
      { seq: 2, channel: "stdout", text: "ld\n", time: 0, stop: 0 },
      { seq: 3, channel: "stderr", text: "careful\n", time: 0, stop: 0 }
    ] as const
    const text = shown("context", envelope({ ...report, recent_output }))
    assert.strictEqual(
      text.split("\n").slice(-4).join("\n"),
      lines("output (+24 B)", "  hello", "  world", "  ! careful")
    )
    assert.strictEqual(shown("context", envelope({ event: "running", recent_output: [] }), { quiet: true }), "running")
  })

  it("names commands for the rest of a context on the same session", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `v${index}`, value: "1" }))
    const answer = envelope({ ...report, locals: many, recent_output: [] })
    const view = { directory, input: { session: "web" }, write }
    const text = Doc.render(Doc.fit(Render.render("context", answer, view), 600))
    const shownLocals = text.split("\n").filter((line) => /^ {2}v\d/.test(line)).length
    assert.include(text, `… ${300 - shownLocals} more · sigtrap locals --start ${shownLocals} --session web`)
  })

  it("counts the rest of a page that is cut with the pages after it, and names one command", () => {
    const [frame] = frames
    assert.isDefined(frame)
    const many = Array.from({ length: 50 }, (_, index) => ({ name: `v${index}`, value: "1" }))
    const hints = [{ operation: "locals", input: { session: "web", start: 60 } }]
    const truncated = [{ path: "data.variables", shown: 50, total: 78, hints }]
    const answer = { ...envelope({ frame, variables: many, total: 78, not_found: [] }), truncated }
    const doc = Render.render("locals", answer, { directory, input: { session: "web", start: 10 }, write })
    const endOf = (budget: number) => Doc.render(Doc.fit(doc, budget)).trimEnd().split("\n")
    assert.strictEqual(endOf(0).at(-1), "… 50 of 78 · sigtrap locals --session web --start 60")
    const cut = endOf(400)
    const shownLocals = cut.filter((line) => /^v\d/.test(line)).length
    assert.isBelow(shownLocals, 50)
    assert.strictEqual(cut.at(-1), `… ${68 - shownLocals} more · locals {"start":${10 + shownLocals}}`)
    assert.lengthOf(cut, shownLocals + 1)
  })

  it("shows the stack with the selected frame and the hidden ones", () => {
    const thread = { id: 1, os_id: 4711, name: "app" }
    const data = { thread, frames, hidden: 4, left_out: [{ what: "libc", count: 4 }] }
    assert.strictEqual(
      shown("backtrace", envelope(data)),
      lines("*0 sum_scores app.c:14", " 1 main app.c:26", " (4 libc frames hidden: --all-frames)")
    )
    assert.strictEqual(
      shown("backtrace", envelope(data), { verbose: true }).split("\n").slice(0, 2).join("\n"),
      lines('thread 1 "app" (4711)', "*0 sum_scores app.c:14 (app)  @f0")
    )
  })

  it("says that the stack may be cut", () => {
    const thread = { id: 1, os_id: 4711, name: "app" }
    const folded = { hidden: 1, left_out: [{ what: "libc", count: 1 }], stack_cut: true }
    assert.strictEqual(
      shown("backtrace", envelope({ thread, frames, ...folded })),
      lines(
        "*0 sum_scores app.c:14",
        " 1 main app.c:26",
        " (the stack may be cut)",
        " (1 libc frame hidden: --all-frames)"
      )
    )
    const brief = shown("next", envelope({ ...report, stack_cut: true, hidden_frames: 4 }))
    assert.include(brief, "[sum_scores < main] (the stack may be cut) (+4 hidden)\n")
    const one = shown("next", envelope({ ...report, frames: frames.slice(0, 1), stack_cut: true }))
    assert.include(one, "sum_scores app.c:14  (the stack may be cut)\n")
    const full = shown("next", envelope({ ...report, stack_cut: true, hidden_frames: 4 }), { detail: "full" })
    assert.include(full, "\nstack (the stack may be cut) (+4 hidden)\n")
  })

  it("shows the members that the text of a value leaves out in locals --full", () => {
    const inside = [
      { name: "[0]", value: "{x:1}" },
      { name: "[1]", value: "{x:2}" }
    ]
    const points = { name: "points", value: "{{x:1}, …}", type: "Point[2]", children: inside }
    const whole = { name: "n", value: "{x:3}", type: "Point", children: [{ name: "x", value: "3" }] }
    const [frame] = frames
    assert.isDefined(frame)
    const answer = envelope({ frame, variables: [points, whole], total: 2, not_found: [] })
    assert.strictEqual(
      shown("locals", answer, { input: { full: true } }),
      "points = {{x:1}, …}\n  [0] = {x:1}\n  [1] = {x:2}\nn      = {x:3}"
    )
    assert.strictEqual(shown("locals", answer), "points = {{x:1}, …}\nn      = {x:3}")
  })

  it("shows locals with their names aligned", () => {
    const [frame] = frames
    assert.isDefined(frame)
    assert.strictEqual(
      shown("locals", envelope({ frame, variables: locals, total: 4, not_found: ["x"] })),
      lines(
        "total = 10*",
        "i     = 1*",
        "n     = 3",
        'items = 0x7ffe10 -> {id:1 name:"alpha" score:10.5}  @v2',
        "not found: x"
      )
    )
    assert.strictEqual(
      shown("locals", envelope({ frame, variables: [], total: 0, not_found: [] })),
      "no local variables"
    )
    const message = "no local variable 'x'; nearest: i"
    const missing = {
      ...envelope({ frame, variables: [], total: 0, not_found: ["x"] }),
      warnings: [{ code: "NOT_FOUND", message }]
    }
    assert.strictEqual(shown("locals", missing), `warning: ${message}`)
    assert.strictEqual(shown("locals", missing, { quiet: true }), "not found: x")
  })

  it("shows values on one line, and members below if they do not fit", () => {
    const item = {
      name: "items[1]",
      value: "{...}",
      ref: "@v4",
      children: [
        { name: "id", value: "2" },
        { name: "name", value: '"beta"' },
        { name: "score", value: "20.25" }
      ]
    }
    assert.strictEqual(
      shown("print", envelope({ values: [{ name: "n", value: "3" }, item] })),
      lines("n = 3", 'items[1] = {id:2 name:"beta" score:20.25}  @v4')
    )
    const long = { ...item, children: [...item.children, { name: "text", value: `"${"x".repeat(60)}"`, ref: "@v5" }] }
    assert.strictEqual(
      shown("eval", envelope({ value: long })),
      lines(
        'items[1] = {id:2 name:"beta" score:20.25 …}  @v4',
        "  id    = 2",
        '  name  = "beta"',
        "  score = 20.25",
        `  text  = "${"x".repeat(60)}"  @v5`
      )
    )
  })

  it("leaves room for the other values below one with many members", () => {
    const members = Array.from({ length: 20 }, (_, index) => ({ name: `member${index}`, value: "x".repeat(80) }))
    const large = { name: "this", value: "global", ref: "@v1", children: members }
    const text = shown("print", envelope({ values: [large, { name: "n", value: "3" }] }))
    assert.strictEqual(text.split("\n").length, 10)
    assert.include(text, "\n  member6  = ")
    assert.match(text, /\n  … 13 more lines · sigtrap print .*this.*\nn = 3/)
  })

  it("shows the error of an expression in its place among the values", () => {
    const error = { code: "VARIABLE_NOT_FOUND", message: "no variable 'nosuch' in this frame" }
    const readings = [
      { name: "n", value: "3" },
      { name: "nosuch", expression: "nosuch", error }
    ]
    const answer = envelope({ values: readings })
    const warned = { ...answer, warnings: [{ code: "PARTIAL", message: "1 of 2 expressions failed" }] }
    assert.strictEqual(
      shown("print", warned),
      lines("n = 3", "nosuch: no variable 'nosuch' in this frame [VARIABLE_NOT_FOUND]")
    )
  })

  it("shows the members that were read of a value whose own text leaves some out, and elements behind a pointer", () => {
    const inner = { name: "'b'", value: "{'c': [...]}", children: [{ name: "'c'", value: "[1, 2, 3]" }] }
    const nested = { name: "d", value: "{'b': {'c': [...]}}", children: [inner] }
    assert.strictEqual(
      shown("print", envelope({ values: [nested] })),
      lines("d = {'b': {'c': [...]}}", "  'b' = {'c': [...]}", "    'c' = [1, 2, 3]")
    )
    const list = { name: "p", value: "0x10 {id:1, x:2}", children: [{ name: "[0]", value: "{id:1, x:2}" }] }
    assert.strictEqual(
      shown("print", envelope({ values: [list] })),
      lines("p = 0x10 -> {id:1, x:2}", "  [0] = {id:1, x:2}")
    )
  })

  it("shows the members of a value whose own text is cut, or has addresses where Delve read no further", () => {
    const long = `main.T {${Array.from({ length: 20 }, (_, index) => `F${index}: ${index}`).join(", ")}}`
    const cut = { name: "t", value: long, children: [{ name: "F0", value: "0" }] }
    assert.deepEqual(
      shown("print", envelope({ values: [cut] }))
        .trimEnd()
        .split("\n")
        .slice(1),
      ["  F0 = 0"]
    )
    const value = 'interface {}(map[string]interface {}) ["k": *(*interface {})(0xc00008e360)]'
    const unread = { name: "a", value, children: [{ name: "data", value: '["k": 1]' }] }
    assert.strictEqual(shown("print", envelope({ values: [unread] })), lines(`a = ${value}`, '  data = ["k": 1]'))
  })

  it("gives the values of a report the room of their line, the first ones first", () => {
    const local = (name: string) => ({
      name,
      value: "{...}",
      children: ["first", "second", "third"].map((member, index) => ({ name: member, value: String(index) }))
    })
    const brief = (...names: ReadonlyArray<string>) =>
      shown("next", envelope({ ...report, locals: names.map(local) }))
        .split("\n")
        .at(-2)
    assert.strictEqual(brief("a"), "a={first:0 second:1 third:2}")
    assert.strictEqual(
      brief("a", "b", "c", "d", "e"),
      ["a", "b", "c", "d", "e"].map((name) => `${name}={first:0 second:1 third:2}`).join(" ")
    )
    assert.strictEqual(
      brief("a", "b", "c", "d", "e", "f", "g", "h"),
      [
        ...["a", "b", "c", "d", "e"].map((name) => `${name}={first:0 second:1 third:2}`),
        "f={first:0 …} g={first:0 …} h={first:0 …}"
      ].join(" ")
    )
    for (const count of [1, 2, 3, 4, 5, 6, 7, 8, 9, 20]) {
      const written = brief(...Array.from({ length: count }, (_, index) => `name_${index}`)) ?? ""
      assert.isAtMost(written.length, 212)
    }
  })

  it("cuts long strings at 120 characters and long aggregates at 80", () => {
    const width = (value: string) => shown("eval", envelope({ value: { name: "s", value } })).length - "s = ".length
    assert.deepStrictEqual([width("x".repeat(500)), width(`{${"x".repeat(500)}}`)], [120, 80])
    assert.include(shown("eval", envelope({ value: { ...items, truncated: true } }), { verbose: true }), "(item *)")
  })

  it("shows output unchanged, and marks stderr if both streams are shown", () => {
    const entry = (seq: number, channel: "stdout" | "stderr", text: string) => ({
      seq,
      channel,
      text,
      time: 0,
      stop: 1
    })
    const output = (entries: ReadonlyArray<ReturnType<typeof entry>>, dropped = 0) =>
      shown("output", envelope({ entries, text: "", next: 9, dropped }))
    assert.strictEqual(output([entry(1, "stdout", "a\tb\n"), entry(2, "stderr", "c\n")]), "a\tb\n! c")
    assert.strictEqual(output([entry(2, "stderr", "\u001b[31mred\u001b[0m\r\n")]), String.raw`\x1b[31mred\x1b[0m\r`)
    assert.strictEqual(output([entry(7, "stdout", "a\n")], 6), "… 6 older entries were dropped\na")
  })

  it("shows the output of a debugger command, and a change of state", () => {
    assert.strictEqual(shown("raw", envelope({ output: "one\n\ntwo\n", state_changed: false })), "one\n\ntwo")
    assert.strictEqual(
      shown("raw", { ...envelope({ output: "", state_changed: true }), state: "running" }),
      "the program is now running"
    )
  })
})
