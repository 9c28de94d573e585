// The text of every operation's answer, as it is read.
import { assert, describe, it } from "@effect/vitest"
import { type Answer, Hint, type Operations } from "@sigtrap/protocol"
import * as Doc from "../src/Doc.ts"
import * as Render from "../src/Render.ts"
import type * as View from "../src/View.ts"
import { breakpoint, directory, envelope, frames, items, locals, report } from "./samples.ts"
import { write } from "./written.ts"

const shown = <T extends Operations.Tag>(tag: T, answer: Operations.Answer<T>, view: View.View = {}): string =>
  Doc.render(Render.render(tag, answer, { directory, write, ...view })).trimEnd()

const lines = (...expected: ReadonlyArray<string>) => expected.join("\n")

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
