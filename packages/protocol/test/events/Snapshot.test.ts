import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, type Session, Snapshot } from "../../src/index.ts"

type State = Session.SessionState
type Tag = Event.Event["_tag"]

const run = (...events: ReadonlyArray<Event.Event>) => events.reduce(Snapshot.fold, Snapshot.initial)

const breakpoint = {
  id: 1,
  kind: "line",
  requested: { text: "app.c:14" },
  locations: [],
  resolved: false,
  moved: false,
  enabled: true,
  hit_count: 0,
  temporary: false,
  by: "adapter"
} as const

const sample: { readonly [T in Tag]: Event.Event & { readonly _tag: T } } = {
  Starting: { _tag: "Starting", program: "/app" },
  Process: { _tag: "Process", pid: 4711, name: "app" },
  Forked: { _tag: "Forked", pid: 4712, followed: true },
  Resumed: { _tag: "Resumed", command: "continue" },
  ResumeRefused: { _tag: "ResumeRefused", command: "continue" },
  Continued: { _tag: "Continued" },
  Stopped: {
    _tag: "Stopped",
    reason: "breakpoint",
    raw_reason: "breakpoint",
    thread: 1,
    breakpoints: [1],
    focus: true
  },
  Located: { _tag: "Located", stop: 1, location: { file: "/app.c", line: 3, function: "main" } },
  Exited: { _tag: "Exited", exit_code: 3 },
  Terminated: { _tag: "Terminated" },
  Detached: { _tag: "Detached" },
  Lost: { _tag: "Lost", reason: "killed" },
  Output: { _tag: "Output", channel: "stdout", text: "hello\n" },
  BreakpointChanged: { _tag: "BreakpointChanged", change: "set", breakpoint },
  LeaseChanged: { _tag: "LeaseChanged", reason: "released" },
  Unanswered: { _tag: "Unanswered", request: "threads", millis: 5000 },
  Answered: { _tag: "Answered" },
  Progress: { _tag: "Progress", title: "Parsing symbol table: app" },
  Acted: { _tag: "Acted", tier: "control", operation: "next", command: "next", ok: true },
  Gap: { _tag: "Gap", count: 3, bytes: 100 }
}

const { Starting, Resumed, Continued, ResumeRefused, Stopped, Exited, Terminated, Detached, Lost } = sample

/** A way into each state. */
const into: { readonly [S in State]: ReadonlyArray<Event.Event> } = {
  none: [],
  starting: [Starting],
  running: [Starting, Resumed],
  stopped: [Starting, Stopped],
  exited: [Starting, Exited],
  terminated: [Starting, Terminated],
  detached: [Starting, Detached],
  lost: [Starting, Lost]
}

/** The state after an event, where it is not the state before. */
const changes: { readonly [T in Tag]: { readonly [S in State]?: State } } = {
  Starting: {
    none: "starting",
    running: "starting",
    stopped: "starting",
    exited: "starting",
    terminated: "starting",
    detached: "starting",
    lost: "starting"
  },
  Process: {},
  Forked: {},
  Resumed: { starting: "running", stopped: "running" },
  Continued: { starting: "running", stopped: "running" },
  ResumeRefused: {},
  Stopped: { none: "stopped", starting: "stopped", running: "stopped" },
  Exited: { none: "exited", starting: "exited", running: "exited", stopped: "exited", terminated: "exited" },
  Terminated: { none: "terminated", starting: "terminated", running: "terminated", stopped: "terminated" },
  Detached: { none: "detached", starting: "detached", running: "detached", stopped: "detached" },
  Lost: { none: "lost", starting: "lost", running: "lost", stopped: "lost" },
  Located: {},
  Output: {},
  BreakpointChanged: {},
  Acted: {},
  LeaseChanged: {},
  Unanswered: {},
  Answered: {},
  Progress: {},
  Gap: {}
}

const states = Object.entries(into)

describe("an event in a state", () => {
  for (const [tag, event] of Object.entries(sample)) {
    it(tag, () => {
      for (const [state, way] of states) {
        const before = run(...way)
        assert.strictEqual(before.state, state)
        const expected: { readonly [state: string]: State } = changes[event._tag]
        assert.strictEqual(Snapshot.fold(before, event).state, expected[state] ?? before.state, `${tag} when ${state}`)
      }
    })
  }
})

describe("a debugger that does not answer", () => {
  const silent = [Starting, Stopped, sample.Unanswered]
  it("is noted until it answers or is gone", () => {
    assert.deepStrictEqual(run(...silent).unanswered, { request: "threads", millis: 5000 })
    assert.deepStrictEqual(run(...silent, Resumed).unanswered, { request: "threads", millis: 5000 })
    assert.isUndefined(run(...silent, sample.Answered).unanswered)
    for (const end of [Exited, Terminated, Detached, Lost]) assert.isUndefined(run(...silent, end).unanswered)
  })
})

describe("any sequence of events", () => {
  /** The same in other words: one look at the table, and counting what it did. */
  const model = (events: ReadonlyArray<Event.Event>) => {
    const seen: { state: State; stop: number; resumes: number; stopped: boolean } = { ...nothing }
    for (const event of events) {
      const refused = event._tag === "ResumeRefused" && seen.state === "running" && seen.stopped
      const next = refused ? "stopped" : (changes[event._tag][seen.state] ?? seen.state)
      if (event._tag === "Stopped" && next !== seen.state) seen.stop += 1
      if (next === "running" && seen.state !== "running") seen.resumes += 1
      if (event._tag === "Stopped" && next === "stopped") seen.stopped = true
      if (event._tag === "Starting") seen.stopped = false
      seen.state = next
    }
    const { state, stop, resumes } = seen
    return { state, stop, resumes }
  }
  const nothing = { state: "none", stop: 0, resumes: 0, stopped: false } as const

  it.prop(
    "leaves the state that the table says",
    [Schema.Array(Event.Event)],
    ([events]) => {
      const { state, stop, resumes } = run(...events)
      assert.deepStrictEqual({ state, stop, resumes }, model(events))
    },
    { arbitrary: { runs: 1000 } }
  )

  it.prop(
    "never takes a number back, and never names a stop that was not seen",
    [Schema.Array(Event.Event)],
    ([events]) => {
      let before = Snapshot.initial
      for (const event of events) {
        const after = Snapshot.fold(before, event)
        assert.isTrue(after.stop >= before.stop && after.stop <= before.stop + 1)
        assert.isTrue(after.resumes >= before.resumes && after.resumes <= before.resumes + 1)
        if (after.state === "stopped") assert.isDefined(after.stopped)
        before = after
      }
    }
  )

  it.prop("is folded by events as they come over the wire", [Schema.Array(Event.Event)], ([events]) => {
    const codec = Schema.Array(Event.Event)
    const wire = JSON.parse(JSON.stringify(Schema.encodeSync(codec)(events)))
    const plain = (snapshot: Snapshot.Snapshot): unknown => JSON.parse(JSON.stringify(snapshot))
    assert.deepStrictEqual(plain(run(...Schema.decodeUnknownSync(codec)(wire))), plain(run(...events)))
  })
})

describe("a stop", () => {
  const at = (thread: number, focus: boolean, breakpoints: ReadonlyArray<number> = []): Event.Event => ({
    ...Stopped,
    thread,
    focus,
    breakpoints
  })

  it("of several threads is one stop with all threads and breakpoints", () => {
    const { stop, stopped } = run(Starting, at(1, false, [1]), at(2, false, [2]), at(1, false, [1]))
    assert.strictEqual(stop, 1)
    assert.deepInclude(stopped, { thread: 1, threads: [1, 2], breakpoints: [1, 2], focused: false })
  })

  it("shows the thread that the debugger chose, also if a later event names it", () => {
    assert.strictEqual(run(Starting, at(1, false), at(2, true), at(3, false)).stopped?.thread, 2)
    assert.strictEqual(run(Starting, at(1, true), at(2, true)).stopped?.thread, 1)
  })

  it("keeps its cause if a launch made it", () => {
    const launched = { ...at(1, true), cause: "launch-signal" } as const
    assert.strictEqual(run(Starting, launched).stopped?.cause, "launch-signal")
    assert.notProperty(run(Starting, at(1, true)).stopped, "cause")
  })

  it("is current again, with its number, after a refused resume", () => {
    const before = run(Starting, Stopped)
    const after = [Resumed, ResumeRefused].reduce(Snapshot.fold, before)
    assert.strictEqual(after.state, "stopped")
    assert.strictEqual(after.stop, before.stop)
    assert.deepStrictEqual(after.stopped, before.stopped)
  })

  it("after a resume has the next number, whatever the order of the adapter's events", () => {
    assert.strictEqual(run(Starting, Stopped, Resumed, Continued, Stopped).stop, 2)
    assert.strictEqual(run(Starting, Stopped, Continued, Stopped).stop, 2)
    assert.strictEqual(run(Starting, Stopped, Resumed, Continued, Stopped).resumes, 1)
  })

  it("after the end is ignored", () => {
    assert.deepStrictEqual(run(Starting, Exited, Stopped), run(Starting, Exited))
  })
})

describe("an end", () => {
  it("keeps the exit code if terminated arrives before or after exited", () => {
    for (const events of [
      [Terminated, Exited],
      [Exited, Terminated]
    ]) {
      assert.deepInclude(run(Starting, ...events), { state: "exited", exit_code: 3 })
    }
  })

  it("by a signal has no exit code", () => {
    const { signal, exit_code } = run(Starting, { _tag: "Exited", signal: "SIGSEGV" })
    assert.deepStrictEqual({ signal, exit_code }, { signal: "SIGSEGV", exit_code: undefined })
  })

  it("is cleared by a new start, and numbers continue", () => {
    const again = run(Starting, Stopped, Resumed, Exited, Starting)
    assert.deepStrictEqual(again, { state: "starting", stop: 1, resumes: 1, program: "/app" })
  })
})
