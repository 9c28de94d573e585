// One answer for each kind of thing that is rendered, small enough to read in a test.
import type { Breakpoint, Frame, Stop, Variable } from "@sigtrap/protocol"

/** The directory of the caller. */
export const directory = "/src/demo"

/** Makes an answer with some data. */
export const envelope = <Data>(data: Data) => ({
  session: "default",
  state: "stopped" as const,
  stop: 12,
  data,
  warnings: [],
  truncated: []
})

/** Frames of a stack. */
export const frames: ReadonlyArray<Frame.Frame> = [
  { index: 0, ref: "@f0", function: "sum_scores", file: "/src/demo/app.c", line: 14, module: "/src/demo/app" },
  { index: 1, ref: "@f1", function: "main", file: "/src/demo/app.c", line: 26 }
]

/** A value with members. */
export const items: Variable.Variable = {
  name: "items",
  value: "0x7ffe10",
  type: "item *",
  ref: "@v2",
  children: [
    { name: "id", value: "1" },
    { name: "name", value: '"alpha"' },
    { name: "score", value: "10.5" }
  ]
}

/** Locals of a frame. */
export const locals: ReadonlyArray<Variable.Variable> = [
  { name: "total", value: "10", type: "int", changed: true },
  { name: "i", value: "1", type: "int", changed: true },
  { name: "n", value: "3", type: "int" },
  items
]

/** The report of a stop. */
export const report: Stop.StopReport = {
  event: "stopped",
  reason: "breakpoint",
  raw_reason: "breakpoint",
  description: "breakpoint 1.1",
  breakpoints: [1],
  hit_counts: [2],
  thread: { id: 1, os_id: 4711, name: "app" },
  location: { file: "/src/demo/app.c", line: 14, column: 5, function: "sum_scores" },
  frames,
  source: {
    first: 13,
    lines: ["  for (int i = 0; i < n; i++) {", "    total += (int)items[i].score;", "  }"]
  },
  locals,
  output: { bytes: 24, tail: "hello from app, argc=1\n", next: 31 },
  elapsed_ms: 9
}

/** A breakpoint on a line. */
export const breakpoint: Breakpoint.Breakpoint = {
  id: 1,
  kind: "line",
  requested: { text: "app.c:13", file: "app.c", line: 13 },
  locations: [{ file: "/src/demo/app.c", line: 13, function: "sum_scores" }],
  resolved: true,
  moved: false,
  enabled: true,
  hit_count: 0,
  temporary: false,
  by: "adapter"
}
