import { assert, it } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"

const envelope = { session: "default", state: "stopped", stop: 3, warnings: [], truncated: [] } as const
const view = { directory: "/src" }

const person = { id: "cli:pts/3", kind: "cli", role: "person", name: "pts/3" } as const
const agent = { id: "mcp:claude-code", kind: "mcp", role: "agent", name: "claude-code" } as const

const at = (line: number) => ({ file: "/src/app.c", line, function: "sum_scores" })

it("stops are a table of number, time, reason, place, command, client and changes", () => {
  const stops: Operations.Data<"stops">["stops"] = [
    {
      stop: 1,
      time: 37_862_000,
      reason: "breakpoint",
      raw_reason: "breakpoint",
      location: at(8),
      breakpoints: [1],
      hit_counts: [2],
      actor: person,
      command: "start ./app --break app.c:8",
      changed: []
    },
    {
      stop: 2,
      time: 37_869_000,
      reason: "step",
      raw_reason: "step",
      location: at(7),
      breakpoints: [],
      hit_counts: [],
      actor: agent,
      command: "next",
      changed: [{ name: "total", old: "0", new: "10" }]
    }
  ]
  const text = Doc.render(Render.render("stops", { ...envelope, data: { stops, dropped: 1 } }, view))
  assert.strictEqual(
    text,
    `… 1 older stop is no longer kept
#1  10:31:02  breakpoint 1 (hit 2)  sum_scores app.c:8  start  cli:pts/3
#2  10:31:09  step                  sum_scores app.c:7  next   mcp:claude-code  total 0 -> 10
`
  )
  assert.strictEqual(
    Doc.render(Render.render("stops", { ...envelope, data: { stops: [], dropped: 0 } }, view)),
    "no stops yet\n"
  )
})

it("a history names the client where the value changed, and the stops where it was not read", () => {
  const values: Operations.Data<"history">["values"] = [
    { stop: 1, value: "0", actor: person, command: "start ./app" },
    { stop: 2, value: "10", actor: agent, command: "next" },
    { stop: 3, actor: agent, command: "next" },
    { stop: 4, dropped: true },
    { stop: 5, value: "10", function: "main" }
  ]
  assert.strictEqual(
    Doc.render(Render.render("history", { ...envelope, data: { path: "total", values, dropped: 0 } }, view)),
    "#1 0   #2 10 (next, mcp:claude-code)   #3 not read   #4 no longer kept   #5 10 in main\n"
  )
})

it("a past stop says which one it is, where the session is now, and what was not read", () => {
  const data: Operations.Data<"context"> = {
    past: true,
    now: 3,
    event: "stopped",
    reason: "step",
    raw_reason: "step",
    location: at(7),
    frames: [
      { index: 0, ref: "@f1", ...at(7) },
      { index: 1, ref: "@f2", file: "/src/app.c", line: 20, function: "main" }
    ],
    locals: [{ name: "total", value: "10", changed: true, old: "0" }],
    recent_output: [],
    not_read: ["registers", "frames[1].locals"]
  }
  const text = Doc.render(Render.render("context", { ...envelope, stop: 2, data }, view))
  assert.include(text, "past stop #2 (now at #3) step\nsum_scores app.c:7\n")
  assert.include(text, "registers: not read at this stop\nlocals of frame 1: not read at this stop\n")
  const dropped = Doc.render(Render.render("context", { ...envelope, stop: 2, data: { ...data, dropped: 4 } }, view))
  assert.include(dropped, "4 values and frames that were read there are no longer kept\n")
})

it("a report is its Markdown, or the file that has it", () => {
  const markdown = "# Stop #2: step\n\n- Place: `main`\n"
  assert.strictEqual(Doc.render(Render.render("report", { ...envelope, data: { markdown, stop: 2 } }, view)), markdown)
  const written = { markdown, stop: 2, file: "/src/stop.md" }
  assert.strictEqual(
    Doc.render(Render.render("report", { ...envelope, data: written }, view)),
    "wrote stop #2 to stop.md\n"
  )
})
