import { breakpointPlace } from "../../../src/session/breakpoints/BreakpointWords.ts"
import { assert, describe, it } from "@effect/vitest"
import type { Actor, EventLine, PastStop } from "../../../src/connection/Answers.ts"
import { activityRows } from "../../../src/session/activity/ActivityRows.ts"
import { textOf } from "../../../src/session/activity/ReadSubjects.ts"

const agent: Actor = { id: "mcp:claude", kind: "mcp", role: "agent", name: "claude" }
const person: Actor = { id: "page:g1", kind: "page", role: "person", name: "g1" }

const line = (seq: number, stop: number, event: EventLine["event"], actor?: Actor): EventLine => ({
  type: "event",
  session: "app",
  seq,
  time: 0,
  stop,
  event,
  ...(actor === undefined ? {} : { actor })
})

const stopped: EventLine["event"] = {
  _tag: "Stopped",
  reason: "breakpoint",
  raw_reason: "breakpoint",
  breakpoints: [1],
  focus: true
}

const stopOf = (stop: number): PastStop => ({
  stop,
  time: 0,
  reason: "breakpoint",
  raw_reason: "breakpoint",
  breakpoints: [1],
  hit_counts: [stop],
  changed: [{ name: "i", old: "0", new: "1" }]
})

const rows = (events: ReadonlyArray<EventLine>, stops: ReadonlyArray<PastStop> = []) =>
  activityRows(events, [], new Map(stops.map((stop) => [stop.stop, stop])), person.id).map(
    ({ actor, code = "", seq, subjects = [], text }) =>
      [`${seq} ${actor}:`, code, text, subjects.map(textOf).join(", ")]
        .filter((part) => part !== "")
        .join(" ")
        .replace("  ", " ")
  )

describe("activity", () => {
  it("joins a resume with its stop", () => {
    assert.deepStrictEqual(
      rows(
        [
          line(1, 1, { _tag: "Resumed", command: "continue" }, agent),
          line(2, 1, { _tag: "Continued" }),
          line(3, 2, stopped)
        ],
        [stopOf(2)]
      ),
      ["3 agent: continue → stop 2 · breakpoint 1 · i 1"]
    )
  })

  it("names the operation that was asked for, and tells its breakpoint with it", () => {
    const breakpoint = {
      id: 2,
      kind: "line",
      requested: { text: "app.c:16" },
      resolved: true,
      locations: [],
      enabled: true,
      hit_count: 0,
      temporary: true,
      moved: false,
      by: "manager"
    } as const
    const until = { _tag: "BreakpointChanged", change: "set", breakpoint, operation: "until" } as const
    const events = [
      line(1, 1, until, agent),
      line(2, 1, { _tag: "Resumed", command: "continue", operation: "until" }, agent),
      line(3, 2, stopped),
      line(4, 2, { ...until, change: "removed" }, agent)
    ]
    assert.deepStrictEqual(rows(events, [stopOf(2)]), ["3 agent: until → stop 2 · breakpoint 1 · i 1"])
    assert.deepStrictEqual(rows([line(1, 0, { _tag: "Resumed", command: "start", operation: "run" }, agent)]), [
      "1 agent: run"
    ])
  })

  it("names when a breakpoint stops the program", () => {
    const breakpoint = {
      id: 2,
      kind: "line",
      requested: { text: "app.c:16" },
      resolved: true,
      locations: [],
      enabled: true,
      hit_count: 0,
      temporary: false,
      moved: false,
      by: "manager"
    } as const
    const set = (more: { readonly condition?: string; readonly hits_wanted?: string }) =>
      activityRows(
        [line(1, 1, { _tag: "BreakpointChanged", change: "set", breakpoint: { ...breakpoint, ...more } }, agent)],
        [],
        new Map(),
        person.id
      ).map(({ code, rest, text }) => [text, code, rest].filter((part) => part !== undefined).join(" "))
    assert.deepStrictEqual(set({}), ["set breakpoint 2 at app.c:16"])
    assert.deepStrictEqual(set({ condition: "n > 2" }), ["set breakpoint 2 at app.c:16 when n > 2"])
    assert.deepStrictEqual(set({ hits_wanted: "==2" }), ["set breakpoint 2 at app.c:16, at hit 2"])
    assert.deepStrictEqual(set({ condition: "n > 2", hits_wanted: "==2" }), [
      "set breakpoint 2 at app.c:16 when n > 2 · at hit 2"
    ])
    const changed = { _tag: "BreakpointChanged", change: "set", breakpoint } as const
    const off = { ...changed, breakpoint: { ...breakpoint, enabled: false } }
    assert.deepStrictEqual(
      rows([line(1, 1, changed, agent), line(2, 1, off, agent), line(3, 1, off, agent), line(4, 1, changed, agent)]),
      [
        "1 agent: set breakpoint 2 at app.c:16",
        "2 agent: turned off breakpoint 2 at app.c:16",
        "3 agent: set breakpoint 2 at app.c:16",
        "4 agent: turned on breakpoint 2 at app.c:16"
      ]
    )
    // A catchpoint is named after what it waits for, not after the line of the library where that happens.
    const place = { file: "/rustc/library/std/src/panicking.rs", line: 886, function: "rust_panic" }
    const caught = { ...breakpoint, kind: "catch", requested: { text: "panic" }, locations: [place] } as const
    assert.deepStrictEqual(rows([line(1, 1, { ...changed, breakpoint: caught }, agent)]), [
      "1 agent: set catchpoint 2, panic"
    ])
    assert.strictEqual(breakpointPlace(caught), "catch panic")
    assert.strictEqual(breakpointPlace(breakpoint), "app.c:16")
  })

  it("tells a restart as one row, and an attach as such", () => {
    const starting = { _tag: "Starting", program: "/src/app" } as const
    assert.deepStrictEqual(
      rows([
        line(1, 1, { _tag: "Terminated" }, agent),
        line(2, 1, { ...starting, operation: "restart" }, agent),
        line(3, 1, { _tag: "Resumed", command: "start", operation: "restart" }, agent)
      ]),
      ["2 agent: app restarted"]
    )
    assert.deepStrictEqual(rows([line(1, 0, { ...starting, operation: "attach" }, person)]), ["1 you: app attached to"])
  })

  it("names the call that paused the program", () => {
    const paused = { ...stopped, reason: "pause", raw_reason: "pause", breakpoints: [] } as const
    const { breakpoints: _, ...known } = stopOf(2)
    const by = (command: string) =>
      rows([line(1, 2, paused)], [{ ...known, breakpoints: [], reason: "pause", actor: agent, command }])
    assert.deepStrictEqual(by("explain"), ["1 agent: explain → stop 2 · no source"])
    assert.deepStrictEqual(by("pause"), ["1 agent: pause → stop 2 · no source"])
    assert.deepStrictEqual(by("continue"), ["1 debugger: stopped 2 · pause · i 1"])
    // The row stays one of its own until that is known.
    const resumed = line(1, 1, { _tag: "Resumed", command: "continue" }, person)
    const noted = { ...known, breakpoints: [], reason: "pause", changed: [] } as const
    assert.deepStrictEqual(rows([resumed, line(2, 2, paused)], [noted]), [
      "1 you: continue",
      "2 debugger: stopped 2 · pause"
    ])
  })

  it("joins a resume with its stop over what the program wrote between them", () => {
    const output = { type: "output", session: "app", seq: 2, time: 0, channel: "stdout", text: "total=60\n" } as const
    const found = activityRows(
      [line(1, 1, { _tag: "Resumed", command: "next" }, agent), line(3, 2, stopped)],
      [output],
      new Map(),
      person.id
    )
    assert.deepStrictEqual(
      found.map(({ code, seq, text }) => `${seq} ${code} ${text}`),
      ["3 next → stop 2", "2 total=60 wrote"]
    )
  })

  it("says that a core file was opened", () => {
    const starting = { _tag: "Starting", program: "/src/app" } as const
    assert.deepStrictEqual(rows([line(1, 0, { ...starting, core: true }, agent)], []), [
      "1 agent: app opened a core file of"
    ])
    assert.deepStrictEqual(rows([line(1, 0, starting, agent)], []), ["1 agent: app started"])
  })

  it("says who ended a session", () => {
    assert.deepStrictEqual(
      rows([line(1, 1, { _tag: "Terminated" }, agent), line(2, 1, { _tag: "Detached" }, person)]),
      ["1 agent: ended the session", "2 you: detached"]
    )
  })

  it("names no value of a stop at which a client changed one", () => {
    const set: EventLine["event"] = { _tag: "Acted", tier: "write", operation: "set", command: "set i 9", ok: true }
    const resumed = line(1, 1, { _tag: "Resumed", command: "continue" }, agent)
    assert.deepStrictEqual(rows([resumed, line(2, 2, stopped), line(3, 2, set, person)], [stopOf(2)]), [
      "2 agent: continue → stop 2 · breakpoint 1",
      "3 you: set i 9"
    ])
  })

  it("joins equal resumes that follow each other, of one actor", () => {
    const events = [1, 2, 3].flatMap((stop) => [
      line(stop * 2, stop, { _tag: "Resumed", command: "next" }, agent),
      line(stop * 2 + 1, stop + 1, stopped)
    ])
    assert.deepStrictEqual(rows(events), ["7 agent: next 3 times → stop 4"])
    assert.deepStrictEqual(
      rows([...events, line(8, 4, { _tag: "Resumed", command: "next" }, person), line(9, 5, stopped)]),
      ["7 agent: next 3 times → stop 4", "9 you: next → stop 5"]
    )
  })

  it("joins the reads of a stop, and leaves out what pages read", () => {
    const read = (command: string, expressions?: ReadonlyArray<string>): EventLine["event"] => ({
      _tag: "Acted",
      tier: "observe",
      operation: "read",
      command,
      ok: true,
      ...(expressions === undefined ? {} : { expressions })
    })
    assert.deepStrictEqual(
      rows([
        line(1, 1, read("print 'items[1].score' total", ["items[1].score", "total"]), agent),
        line(2, 1, read("print i --depth 2", ["i"]), agent),
        line(3, 1, read("context --lines 0"), person),
        line(3, 1, read("context --lines 0"), { ...person, id: "page:bob", name: "bob" }),
        line(4, 1, read("backtrace --all-threads"), agent)
      ]),
      ["4 agent: read items[1].score, total, i, all stacks"]
    )
    // What was read is said in words; another command is shown as it is.
    assert.deepStrictEqual(
      rows([
        line(1, 1, read("locals --frame 1"), agent),
        line(2, 1, read("print node --frame 2", ["node"]), agent),
        line(3, 1, read("locals --frame 2 --depth 3"), agent)
      ]),
      ["3 agent: read variables of frame 1, node in frame 2, locals --frame 2 --depth 3"]
    )
    assert.deepStrictEqual(rows([line(1, 1, read("print a --frame 1; print b", ["a", "b"]), agent)]), [
      "1 agent: read a, b"
    ])
  })

  it("says that a line was written to the input, and not which", () => {
    const input: EventLine["event"] = {
      _tag: "Acted",
      tier: "control",
      operation: "input",
      command: "input '<masked>'",
      ok: true
    }
    assert.deepStrictEqual(rows([line(1, 1, input, agent)]), ["1 agent: wrote to the input of the program"])
  })

  it("shows the values that were read", () => {
    const read = (total: string): EventLine["event"] => ({
      _tag: "Acted",
      tier: "observe",
      operation: "read",
      command: "print point total",
      ok: true,
      expressions: ["point", "nosuch"],
      values: [{ expression: "point", value: `{x:1, y:${total}}`, type: "point" }]
    })
    const eval_: EventLine["event"] = {
      _tag: "Acted",
      tier: "evaluate",
      operation: "eval",
      command: "eval 'f()'",
      ok: true,
      expressions: ["f()"],
      values: [{ expression: "f()", value: "x".repeat(60) }]
    }
    const assigned: EventLine["event"] = {
      ...eval_,
      command: "eval 'n = 7'",
      expressions: ["n = 7", "n == 7"],
      values: [
        { expression: "n = 7", value: "7" },
        { expression: "n == 7", value: "true" }
      ]
    }
    assert.deepStrictEqual(
      rows([
        line(1, 1, read("2"), agent),
        line(2, 1, read("2"), agent),
        line(3, 1, eval_, agent),
        line(4, 1, assigned, agent)
      ]),
      [
        "1 agent: read point = {x:1, y:2}, nosuch",
        `3 agent: evaluated f() = ${"x".repeat(39)}…`,
        "4 agent: evaluated n = 7 → 7, n == 7 = true"
      ]
    )
  })

  it("calls no wait failed after which the program runs", () => {
    const waited = {
      _tag: "Acted",
      tier: "control",
      ok: false,
      code: "WAIT_TIMEOUT",
      message: "running (waited 1 s)"
    } as const
    assert.deepStrictEqual(
      rows([
        line(1, 1, { ...waited, operation: "start", command: "start ./app --timeout 1s" }, agent),
        line(2, 1, { ...waited, operation: "wait", command: "wait --timeout 1s" }, agent)
      ]),
      ["2 agent: wait --timeout 1s running (waited 1 s)"]
    )
  })

  it("says why a call failed, and no code", () => {
    const failed = { _tag: "Acted", tier: "write", operation: "set", command: "set total nosuch", ok: false } as const
    const message = "cannot evaluate 'nosuch': no variable of this name here"
    assert.deepStrictEqual(
      rows([
        line(1, 1, { ...failed, code: "EVALUATION_FAILED", message }, agent),
        line(2, 1, { ...failed, code: "EVALUATION_FAILED" }, person)
      ]),
      [`1 agent: set total nosuch failed: ${message}`, "2 you: set total nosuch failed"]
    )
  })

  it("tells a call that was meant for an earlier stop without its number", () => {
    const stale = { _tag: "Acted", tier: "control", operation: "next", command: "next --at-stop 1", ok: false } as const
    assert.deepStrictEqual(rows([line(1, 1, { ...stale, code: "STALE_STOP", message: "page:root" }, person)]), [
      "1 you: next refused · the program had been resumed"
    ])
  })

  it("tells refusals and who has control", () => {
    const taken = { _tag: "LeaseChanged", reason: "taken", lease: { holder: person, since: 0 } } as const
    const next = { _tag: "Acted", tier: "control", operation: "next", command: "next", ok: false } as const
    const refused = { ...next, code: "LEASE_HELD" }
    const first = [line(1, 1, taken, person), line(2, 1, refused, agent)]
    assert.deepStrictEqual(rows(first), ["1 you: took control", "2 agent: next refused · you drive"])
    assert.deepStrictEqual(rows([...first, line(3, 1, refused, agent)]), [
      "1 you: took control",
      "3 agent: next refused 2 times · you drive"
    ])
  })
})
