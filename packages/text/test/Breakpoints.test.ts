// Watchpoints, logpoints, filters and lines as they are read.
import { assert, describe, it } from "@effect/vitest"
import type { Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import { directory, envelope, report } from "./samples.ts"

const shown = <T extends Operations.Tag>(tag: T, answer: Operations.Answer<T>): string =>
  Doc.render(Render.render(tag, answer, { directory })).trimEnd()

const watch = {
  id: 4,
  kind: "watch",
  requested: { text: "counter" },
  locations: [{ address: "0x4c010" }],
  resolved: true,
  moved: false,
  enabled: true,
  hit_count: 1,
  temporary: false,
  by: "debugger-command",
  access: "write",
  size: 4,
  address: "0x4c010"
} as const

describe("a watchpoint", () => {
  it("shows the memory it watches", () => {
    assert.strictEqual(shown("watch", envelope(watch)), "watchpoint 4 on counter (4 bytes at 0x4c010, write)")
    assert.strictEqual(
      shown("breakpoint.list", envelope({ breakpoints: [watch] })),
      "4 on      watch counter       hits 1  write"
    )
  })

  it("shows the old and the new value at a stop", () => {
    const change = { id: 4, expression: "counter", old: "10", new: "11", address: "0x4c010" }
    const stop = shown("continue", envelope({ ...report, reason: "watchpoint", breakpoints: [4], watch: change }))
    assert.strictEqual(stop.split("\n")[0], 'stopped #12 watchpoint 4: counter 10 -> 11 · thread 1 "app"')
    const written_at = { file: "/src/demo/app.c", line: 13 }
    const known = { ...report, reason: "watchpoint", breakpoints: [4], watch: { ...change, written_at } } as const
    assert.include(shown("continue", envelope(known)), "counter 10 -> 11 · written by app.c:13 · thread")
    const both = { ...known, breakpoints: [2, 4, 7] }
    assert.include(shown("continue", envelope(both)), "written by app.c:13 · breakpoints 2, 7 · thread")
  })
})

describe("a logpoint", () => {
  it("shows its message", () => {
    const place = { file: "/src/demo/app.c", line: 14, function: "sum_scores" }
    const { access: _, address: __, size: ___, ...plain } = watch
    const logpoint = {
      ...plain,
      kind: "line",
      requested: { text: "app.c:14", file: place.file, line: 14 },
      locations: [place],
      log: "i={i}",
      hits_wanted: "%3",
      by: "manager"
    } as const
    assert.strictEqual(
      shown("logpoint", envelope(logpoint)),
      'logpoint 4 at app.c:14 in sum_scores hits %3 log "i={i}"'
    )
    assert.strictEqual(
      shown("breakpoint.info", envelope({ ...logpoint, history: [{ hit: 1, time: 0, stop: 7 }] })),
      'logpoint 4 at app.c:14 in sum_scores hits %3 log "i={i}"\nenabled, hits 1, kept by the manager, after each hit\n  app.c:14  sum_scores\n  hit 1 at stop #7'
    )
  })
})

describe("exception filters", () => {
  it("are listed with their evaluator", () => {
    const filters = [
      { id: 2, filter: "cpp_throw", label: "C++ Throw", on: true, by: "adapter" },
      { filter: "cpp_catch", label: "C++ Catch", on: false, by: "adapter" }
    ] as const
    assert.strictEqual(
      shown("catch.list", envelope({ filters })),
      "on   cpp_throw  C++ Throw  (catchpoint 2, adapter)\noff  cpp_catch  C++ Catch  (adapter)"
    )
  })

  it("show what was thrown and where", () => {
    const frames = [{ index: 0, ref: "@f0", function: "__cxa_throw" }]
    const thrown_at = { function: "risky", file: "/src/demo/app.cpp", line: 3 }
    const text = shown(
      "exception",
      envelope({ id: "cpp_throw", type: "Failure", message: "C++ Throw", thrown_at, frames })
    )
    assert.match(text, /^exception cpp_throw Failure: C\+\+ Throw\nthrown at risky app\.cpp:3\n/)
  })

  it("show the exceptions that were raised before, and those in a group", () => {
    const members = [
      { text: "ValueError: no", raised_at: { function: "parse", file: "/src/demo/job.py", line: 7 } },
      { text: "KeyError: 'x'" }
    ]
    const causes = ["OSError: late"]
    const caused_by = [{ text: "Error: no file", raised_at: { function: "load", file: "/src/demo/job.js", line: 3 } }]
    const data = { id: "ExceptionGroup", message: "two", causes, caused_by, members, frames: [] }
    const text = shown("exception", envelope(data))
    assert.strictEqual(
      text,
      "exception ExceptionGroup two\nraised before: OSError: late\ncaused by Error: no file, in load job.js:3\ncontains ValueError: no, in parse job.py:7\ncontains KeyError: 'x'"
    )
  })

  it("name a signal once", () => {
    assert.strictEqual(
      shown("exception", envelope({ id: "signal", message: "signal SIGSEGV: invalid address", frames: [] })),
      "exception signal SIGSEGV: invalid address"
    )
  })
})

describe("lines and files of breakpoints", () => {
  it("are short", () => {
    const lines = [
      { line: 9, text: "int a;" },
      { line: 14, text: "a++;" }
    ]
    assert.strictEqual(
      shown("breakpoint.lines", envelope({ file: "/src/demo/app.c", lines })),
      "app.c\n 9  int a;\n14  a++;"
    )
    assert.strictEqual(
      shown("breakpoint.save", envelope({ file: "/src/demo/kept.json", breakpoints: [] })),
      "saved 0 breakpoints in kept.json"
    )
    assert.strictEqual(
      shown("breakpoint.save", envelope({ file: "/other/kept.json", breakpoints: [] })),
      "saved 0 breakpoints in /other/kept.json"
    )
    const failed = [{ at: "app.c:9", reason: "no line reads like this" }]
    assert.strictEqual(
      shown("breakpoint.load", envelope({ file: "/src/demo/kept.json", breakpoints: [], failed })),
      "not set: app.c:9: no line reads like this"
    )
  })
})
