import { assert, it } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"

const envelope = { session: "default", state: "stopped", stop: 2, warnings: [], truncated: [] } as const

const text = (doc: Doc.Doc) => Doc.render(doc)

it("events are a table of number, time, stop, kind and text", () => {
  const events = [
    { seq: 1, time: 0, stop: 0, kind: "starting", text: "/src/app" },
    { seq: 12, time: 61_001, stop: 2, kind: "stopped", text: "step\u001b[31m" }
  ] as const
  const shown = text(Render.render("events", { ...envelope, data: { events, next: 13, dropped: 3 } }))
  assert.include(shown, "… 3 older events were dropped\n")
  assert.match(shown, /^1 +00:00:00\.000 +starting +\/src\/app$/m)
  assert.match(shown, /^12 +00:01:01\.001 +#2 +stopped +step/m)
  assert.notInclude(shown, "\u001b")
})

it("an empty history has a message", () => {
  assert.strictEqual(
    text(Render.render("events", { ...envelope, data: { events: [], next: 1, dropped: 0 } })),
    "no events yet\n"
  )
})

it("input shows the size sent, and whether the program has not read it yet", () => {
  const shown = (data: { readonly bytes: number; readonly eof: boolean; readonly pending: boolean }) =>
    text(Render.render("input", { ...envelope, data }))
  assert.strictEqual(shown({ bytes: 3, eof: true, pending: false }), "sent 3 bytes, end of input\n")
  assert.strictEqual(shown({ bytes: 1, eof: false, pending: false }), "sent 1 byte\n")
  assert.include(shown({ bytes: 3, eof: false, pending: true }), "waiting until the program reads")
})

it("a page of output names the call for what lies before it, or after it", () => {
  const entries = [{ seq: 7, channel: "stdout" as const, text: "a\nb\n", time: 0, stop: 1 }]
  const page = { entries, text: "a\nb\n", next: 8, dropped: 0 }
  const shown = (data: Operations.Data<"output">) => text(Render.render("output", { ...envelope, data }))
  assert.strictEqual(shown(page), "a\nb\n")
  assert.strictEqual(
    shown({ ...page, previous: 7, previous_offset: 20, earlier: 2_100_000, truncated: true }),
    '… 2.1 MB before this · output {"before":"7+20"}\na\nb\n'
  )
  assert.strictEqual(
    shown({ ...page, next: 7, next_offset: 4, truncated: true }),
    'a\nb\n… more · output {"since":"7+4"}\n'
  )
  // A terminal ends lines with CR LF; in a pipe they are the program's own characters.
  const typed = { ...page, entries: [{ seq: 7, channel: "stdout" as const, text: "a\r\nb\rc\r\n", time: 0, stop: 1 }] }
  assert.strictEqual(shown({ ...typed, channels: "merged" }), "a\nb\\rc\n")
  assert.strictEqual(shown(typed), "a\\r\nb\\rc\\r\n")
  // `tail` leaves out what was not asked for.
  assert.strictEqual(shown({ ...page, previous: 7, earlier: 5 }), "a\nb\n")
})
