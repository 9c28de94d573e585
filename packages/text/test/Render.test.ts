// The text of every operation's answer, as it is read.
import { assert, describe, it } from "@effect/vitest"
import { type Answer, Hint } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import { breakpoint, directory, envelope, locals, report } from "./samples.ts"
import { lines, shown } from "./shown.ts"
import { write } from "./written.ts"

const stop = lines(
  'stopped #12 breakpoint 1 (hit 2) · thread 1 "app"',
  "sum_scores app.c:14  [sum_scores < main]",
  "   13   for (int i = 0; i < n; i++) {",
  " > 14     total += (int)items[i].score;",
  "   15   }",
  'total=10* i=1* n=3 items=0x7ffe10 {id:1 name:"alpha" score:10.5}@v2',
  '+24 B output: "hello from app, argc=1"'
)

describe("a stop report", () => {
  it("has reason, location, source, locals and output in at most 500 bytes", () => {
    for (const tag of ["continue", "next", "step", "finish", "pause", "wait"] as const) {
      assert.strictEqual(shown(tag, envelope(report)), stop)
    }
    assert.isAtMost(new TextEncoder().encode(stop).length, 500)
  })

  it("has messages and output without their colours", () => {
    const coloured = (text: string) => `\u001b[1m\u001b[38;5;1m${text}\u001b[39m\u001b[0m`
    const { breakpoints: _, ...rest } = report
    const text = shown(
      "continue",
      envelope({
        ...rest,
        reason: "exception",
        description: `AssertionError: ${coloured("1 is not 2")}`,
        output: { bytes: 40, next: 9, tail: `${coloured("RUN")} v5` }
      })
    )
    assert.include(text, "exception: AssertionError: 1 is not 2")
    assert.include(text, '+40 B output: "RUN v5"')
    assert.notInclude(text, "x1b")
  })

  it("lists every frame and variable with detail full", () => {
    assert.strictEqual(
      shown("next", envelope({ ...report, hidden_frames: 4 }), { detail: "full" }),
      lines(
        'stopped #12 breakpoint 1 (hit 2) · thread 1 "app"',
        "sum_scores app.c:14",
        "   13   for (int i = 0; i < n; i++) {",
        " > 14     total += (int)items[i].score;",
        "   15   }",
        "locals",
        "  total = 10*",
        "  i     = 1*",
        "  n     = 3",
        '  items = 0x7ffe10 -> {id:1 name:"alpha" score:10.5}  @v2',
        "stack (+4 hidden)",
        "  *0 sum_scores app.c:14",
        "   1 main app.c:26",
        '+24 B output: "hello from app, argc=1"'
      )
    )
  })

  it.each([
    [
      { event: "exited", exit_code: 3, output: { bytes: 9, tail: "total=60\n", next: 40 } },
      'exited 3\noutput +9 B: "total=60"'
    ],
    [{ event: "exited", signal: "SIGKILL" }, "ended by SIGKILL"],
    [
      {
        event: "exited",
        exit_code: 0,
        never_hit: [
          { id: 1, at: "work" },
          { id: 2, at: "app.c:14", condition: "n > 9" },
          { id: 3, at: "app.c:8", condition: "n == 9", passed: 3 },
          { id: 4, at: "app.c:8", hits: "20", passed: 1 },
          { id: 5, at: "total", watch: true }
        ]
      },
      lines(
        "exited 0",
        "breakpoint 1 (work) never hit: this process did not reach the place after it was set",
        "breakpoint 2 (app.c:14 if n > 9) never hit: its condition never held, or this process did not reach the place after it was set",
        "breakpoint 3 (app.c:8 if n == 9) never hit: passed 3 times, its condition never held",
        "breakpoint 4 (app.c:8) never hit: passed once, it waits for hit 20",
        "watchpoint 5 (total) never hit: the debugger reported no access after it was set"
      )
    ],
    [
      {
        event: "exited",
        exit_code: 0,
        never_hit: [
          { id: 6, at: "plugin.c:3", unresolved: "no debug information names such a file" },
          { id: 7, at: "app.py:3", missed: true }
        ]
      },
      lines(
        "exited 0",
        "breakpoint 6 (plugin.c:3) never hit: it stayed pending (no debug information names such a file)",
        "breakpoint 7 (app.py:3) never hit: this process did not reach the place after it was set, or the debugger no longer traced its thread"
      )
    ],
    [
      {
        event: "stopped",
        reason: "step",
        missed_writes: [{ id: 2, expression: "number", old: "0", new: "41", address: "0x4010" }]
      },
      lines(
        "stopped #12 step",
        "watchpoint 2 reported no write, but number changed: 0 -> 41 (the kernel or another process wrote it, or this machine reports no writes)"
      )
    ],
    [
      {
        event: "stopped",
        reason: "assert",
        description: "items != NULL",
        signal: "SIGABRT",
        location: { function: "sum(int)", file: "/src/demo/app.c", line: 7 },
        stopped_in: { function: "raise", module: "libc.so.6" },
        frames: [
          { index: 5, ref: "@f1", function: "sum(int)", repeat: 3 },
          { index: 8, ref: "@f2", function: "main" }
        ],
        hidden_frames: 8,
        left_out: [{ what: "libc", count: 8 }]
      },
      lines(
        "stopped #12 assert: items != NULL · SIGABRT",
        "sum app.c:7 in raise (libc.so.6), called from here  [sum ×3 < main] (+8 libc hidden)"
      )
    ],
    [{ event: "terminated" }, "terminated"],
    [{ event: "detached" }, "detached"],
    [{ event: "running" }, "running · sigtrap wait or sigtrap pause"],
    [
      { event: "stopped", reason: "signal", description: "signal SIGSEGV: invalid address" },
      "stopped #12 signal SIGSEGV: invalid address"
    ],
    [{ event: "stopped", reason: "panic", breakpoints: [1], hit_counts: [1] }, "stopped #12 panic"],
    [
      { event: "stopped", reason: "exception", description: "std::logic_error" },
      "stopped #12 exception: std::logic_error"
    ],
    [{ event: "stopped", reason: "other", raw_reason: "data breakpoint" }, "stopped #12 data breakpoint"],
    [
      {
        event: "stopped",
        reason: "step",
        location: { function: "raise", module: "/lib/libc.so.6", address: "0x7f01" }
      },
      "stopped #12 step\nraise libc.so.6 0x7f01"
    ],
    [
      {
        event: "stopped",
        reason: "breakpoint",
        breakpoints: [1, 4],
        hit_counts: [1, 3]
      },
      "stopped #12 breakpoints 1, 4 (hit 3)"
    ],
    [
      { event: "stopped", reason: "pause", thread: { id: 1 }, other_threads: [{ id: 2 }, { id: 3 }] },
      "stopped #12 pause · thread 1 (also 2, 3)"
    ]
  ] as const)("is short where there is little to say: %j", (data, expected) => {
    assert.strictEqual(shown("wait", envelope(data)), expected)
  })

  it("puts unreliable values last and counts those it leaves out", () => {
    const many = Array.from({ length: 10 }, (_, index) => ({ name: `v${index}`, value: "1" }))
    const doubtful = { name: "x", value: "21845", attributes: ["uninitialized"] } as const
    assert.strictEqual(
      shown("next", envelope({ event: "stopped", reason: "step", locals: [doubtful, ...many] })),
      "stopped #12 step\nv0=1 v1=1 v2=1 v3=1 v4=1 v5=1 v6=1 v7=1 … 3 more"
    )
    assert.include(
      shown("next", envelope({ event: "stopped", reason: "step", locals: [doubtful, ...locals] })),
      "@v2 x=21845"
    )
  })
})

describe("sessions", () => {
  const started = {
    ...report,
    session: "default",
    pid: 4711,
    adapter: { name: "lldb-dap", version: "19.1", backend: "dap" },
    program: "/src/demo/app",
    args: [],
    set_breakpoints: [breakpoint]
  } as const

  it("names the session and the program, then the stop", () => {
    assert.strictEqual(shown("start", envelope(started)), `session default: app (pid 4711) lldb-dap 19.1\n${stop}`)
  })

  it("shows which breakpoints moved or are pending", () => {
    const moved = {
      ...breakpoint,
      moved: true,
      locations: [{ file: "/src/demo/app.c", line: 14, function: "sum_scores" }]
    }
    const answer = envelope({ ...started, event: "exited" as const, set_breakpoints: [moved] })
    assert.strictEqual(
      shown("start", answer).split("\n")[1],
      "breakpoint 1 at app.c:14 (moved from line 13) in sum_scores"
    )
  })

  it("are listed in columns", () => {
    const sessions = [
      { name: "default", state: "stopped", program: "/src/demo/app", pid: 4711, age_s: 130, idle_s: 3, current: true },
      { name: "web", state: "running", program: "/src/server", pid: 5120, age_s: 2400, idle_s: 720, current: false }
    ] as const
    assert.strictEqual(
      shown("sessions", { state: "none", data: { sessions }, warnings: [], truncated: [] }),
      lines("* default  stopped  app     4711  2m", "  web      running  server  5120  40m  idle 12m")
    )
    assert.strictEqual(shown("sessions", envelope({ sessions: [] })), "no sessions")
  })

  const base = {
    session: "default",
    program: "/src/demo/app",
    pid: 4711,
    adapter: started.adapter,
    uptime_s: 125
  }
  it.each([
    [
      { ...base, state: "stopped", stop: 12, reason: "breakpoint", breakpoints_hit: [1] },
      "default  stopped #12 breakpoint 1  app pid 4711  lldb-dap 19.1  up 2m"
    ],
    [{ ...base, state: "running" }, "default  running  app pid 4711  lldb-dap 19.1  up 2m"],
    [{ ...base, state: "exited", exit_code: 3 }, "default  exited 3  app  lldb-dap 19.1  up 2m"],
    [{ session: "default", state: "exited", signal: "SIGKILL" }, "default  ended by SIGKILL"],
    [
      { session: "default", state: "exited", exit_code: 3, outlived_by: [{ pid: 4712, name: "server" }] },
      "default  exited 3\nstill running: server pid 4712"
    ],
    [
      { session: "default", state: "lost", lost: "the daemon was restarted" },
      "default  lost: the daemon was restarted"
    ],
    [{ state: "none" }, "no session"]
  ] as const)("are one line: %j", (data, expected) => {
    assert.strictEqual(shown("status", envelope(data)), expected)
  })

  it.each([
    [
      { name: "default", program: "/src/demo/app", how: "already-ended", state: "exited", exit_code: 3 },
      "stopped default (app, exit 3 earlier)"
    ],
    [
      { name: "default", program: "/src/demo/app", how: "already-ended", state: "exited", signal: "SIGSEGV" },
      "stopped default (app, ended by SIGSEGV earlier)"
    ],
    [
      { name: "default", program: "/src/demo/app", how: "already-ended", state: "detached" },
      "stopped default (app, detached earlier)"
    ],
    [
      { name: "default", program: "/src/demo/app", how: "already-ended", state: "terminated" },
      "stopped default (app, ended earlier)"
    ],
    [{ name: "default", program: "/src/demo/app", how: "killed", state: "stopped" }, "stopped default (app, killed)"],
    [{ name: "web", program: "server", how: "detached", state: "running" }, "stopped web (server, detached)"]
  ] as const)("say how they ended: %j", (session, expected) => {
    assert.strictEqual(shown("stop", envelope({ sessions: [session], leftovers: [] })), expected)
  })

  it("say that none is removed, which does not mean that there is none", () => {
    assert.strictEqual(shown("session.prune", envelope({ sessions: [], leftovers: [] })), "no session to remove")
  })

  it("name remaining processes first", () => {
    assert.strictEqual(
      shown("stop", envelope({ sessions: [], leftovers: [{ pid: 77, name: "lldb-dap" }] })),
      "warning: still there: lldb-dap (pid 77)\nno session"
    )
  })
})

describe("breakpoints", () => {
  it.each([
    [breakpoint, "breakpoint 1 at app.c:13 in sum_scores"],
    [{ ...breakpoint, existing: true }, "breakpoint 1 at app.c:13 in sum_scores (existing)"],
    [{ ...breakpoint, condition: "n == 3" }, "breakpoint 1 at app.c:13 in sum_scores if n == 3"],
    [
      { ...breakpoint, id: 2, moved: true, locations: [{ file: "/src/demo/app.c", line: 14, function: "sum_scores" }] },
      "breakpoint 2 at app.c:14 (moved from line 13) in sum_scores"
    ],
    [
      {
        ...breakpoint,
        id: 3,
        kind: "function",
        requested: { text: "main", function: "main" },
        locations: [
          { file: "/src/demo/app.c", line: 20 },
          { file: "/src/demo/lib.c", line: 7 }
        ]
      },
      "breakpoint 3 at main (2 places: app.c:20, lib.c:7)"
    ],
    [
      {
        ...breakpoint,
        id: 4,
        requested: { text: "plugin.c:3", file: "plugin.c", line: 3 },
        locations: [],
        resolved: false
      },
      "breakpoint 4 pending: plugin.c:3"
    ]
  ] as const)("say where they really are: %j", (data, expected) => {
    assert.strictEqual(shown("break", envelope(data)), expected)
  })

  it("are listed in columns", () => {
    const breakpoints = [
      { ...breakpoint, locations: [{ file: "/src/demo/app.c", line: 14 }], hit_count: 2, condition: "i > 0" },
      { ...breakpoint, id: 2, kind: "function", requested: { text: "main", function: "main" }, enabled: false },
      { ...breakpoint, id: 3, requested: { text: "plugin.c:3" }, locations: [], resolved: false }
    ] as const
    assert.strictEqual(
      shown("breakpoint.list", envelope({ breakpoints })),
      lines(
        "1 on      app.c:14            hits 2  if i > 0",
        "2 off     main                hits 0",
        "3 pending plugin.c:3"
      )
    )
    assert.strictEqual(shown("breakpoint.list", envelope({ breakpoints: [] })), "no breakpoints")
  })

  it("say which were removed", () => {
    const removed = (...ids: ReadonlyArray<number>) => shown("breakpoint.remove", envelope({ ids, breakpoints: [] }))
    assert.deepStrictEqual(
      [removed(2), removed(1, 2), removed()],
      ["removed breakpoint 2", "removed breakpoints 1, 2", "no breakpoints"]
    )
  })
})

describe("around every answer", () => {
  const answer = {
    ...envelope({ ids: [2], breakpoints: [] }),
    warnings: [{ code: "MOVED", message: "breakpoint 2 moved" }],
    truncated: [{ path: "data.ids", shown: 1, total: 3, hints: [Hint.call("breakpoint.list", {})] }]
  }

  it("shows warnings before it and truncations after it", () => {
    assert.strictEqual(
      shown("breakpoint.remove", answer),
      lines("warning: breakpoint 2 moved", "removed breakpoint 2", "… 1 of 3 · sigtrap breakpoint list")
    )
  })

  it("shows no warnings if quiet", () => {
    assert.notInclude(shown("breakpoint.remove", answer, { quiet: true }), "warning")
  })

  it("is the same text if only the tag is known", () => {
    const erased: Answer.Answer<unknown> = answer
    assert.strictEqual(
      Doc.render(Render.renderAny("breakpoint.remove", erased, { directory, write })).trimEnd(),
      shown("breakpoint.remove", answer)
    )
    assert.strictEqual(
      Doc.render(Render.renderAny("breakpoint.remove", { ...answer, warnings: [], truncated: [], data: { odd: 1 } })),
      '{"odd":1}\n'
    )
  })
})
