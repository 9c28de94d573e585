import { assert, it } from "@effect/vitest"
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
  assert.include(shown({ bytes: 3, eof: false, pending: true }), "waiting until the program reads")
})

it("the last lines of output are shown without entries", () => {
  const data = { entries: [], text: "a\nb\n", next: 3, dropped: 0 }
  assert.strictEqual(text(Render.render("output", { ...envelope, data })), "a\nb\n")
})
