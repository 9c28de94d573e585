import { assert, describe, it } from "@effect/vitest"
import type { EventLine, PastStop } from "../../../src/connection/Answers.ts"
import {
  chipOf,
  endingOf,
  endOf,
  ordinal,
  placeOf,
  ranBefore,
  reasonInThreads,
  reasonWithHits,
  resumedBy,
  secondsOf,
  foldedWords,
  shortFunction,
  stoppedWords,
  unreadableWords
} from "../../../src/session/words/StopWords.ts"

it("the time that the program ran before a stop is that since its latest resume", () => {
  const line = (seq: number, stop: number, time: number, event: EventLine["event"]): EventLine => ({
    type: "event",
    session: "app",
    seq,
    stop,
    time,
    event
  })
  const stopped: EventLine["event"] = {
    _tag: "Stopped",
    reason: "step",
    raw_reason: "step",
    breakpoints: [],
    focus: true
  }
  const events = [
    line(1, 0, 1000, { _tag: "Starting", program: "app" }),
    line(2, 1, 1057.4, stopped),
    line(3, 1, 2000, { _tag: "Resumed", command: "next" }),
    line(4, 1, 5000, { _tag: "Resumed", command: "continue" }),
    line(5, 2, 17_100, stopped)
  ]
  assert.deepStrictEqual(
    [1, 2, 3].map((stop) => ranBefore(events, stop)),
    ["57 ms", "12 s", undefined]
  )
})

describe("words", () => {
  it("of numbers", () => {
    assert.deepStrictEqual([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal), [
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "13th",
      "21st",
      "102nd",
      "111th"
    ])
    assert.deepStrictEqual([0, 12_400, 119_000, 180_000, 7_200_000].map(secondsOf), [
      "0 s",
      "12 s",
      "119 s",
      "3 min",
      "2 h"
    ])
  })

  it("of stops", () => {
    assert.strictEqual(
      reasonWithHits({ reason: "breakpoint", raw_reason: "breakpoint", breakpoints: [1], hit_counts: [3] }),
      "breakpoint 1, 3rd hit"
    )
    assert.strictEqual(reasonWithHits({ reason: "step", raw_reason: "step", hit_counts: [3] }), "step")
    const hit = { reason: "breakpoint", raw_reason: "breakpoint", breakpoints: [1], hit_counts: [3] } as const
    assert.strictEqual(reasonInThreads(hit, 1), "breakpoint 1, 3rd hit")
    assert.strictEqual(reasonInThreads(hit, 4), "breakpoint 1 in 4 threads")
    // The other threads reached a breakpoint.
    assert.strictEqual(reasonInThreads({ reason: "step", raw_reason: "step" }, 4), "step")
    const finished = { reason: "finish", raw_reason: "step", return_value: { name: "", value: "30.5" } } as const
    assert.strictEqual(reasonWithHits(finished), "finish, returned 30.5")
    assert.strictEqual(reasonWithHits({ reason: "signal", raw_reason: "SIGSEGV" }), "signal SIGSEGV")
    // The type of an exception is not taken from the debugger's words.
    const raised = { reason: "exception", raw_reason: "exception", description: "ValueError: bad" } as const
    assert.strictEqual(reasonWithHits(raised), "exception")
    assert.strictEqual(reasonWithHits({ ...raised, exception_type: "KeyError" }), "exception KeyError")
    assert.strictEqual(reasonWithHits({ ...raised, exception: { type: "shop::Empty" } }), "exception shop::Empty")
    assert.strictEqual(placeOf({ file: "/a/b.c", line: 3 }), "b.c:3")
    assert.isUndefined(placeOf({ line: 3 }))
  })

  it("of a stop in a sentence", () => {
    const words = (reason: PastStop["reason"], more: Partial<PastStop> = {}) =>
      stoppedWords({ reason, raw_reason: reason, ...more })
    assert.strictEqual(words("breakpoint", { breakpoints: [1] }), "Stopped at breakpoint 1")
    assert.strictEqual(words("step"), "Stopped after a step")
    assert.strictEqual(words("until"), "Stopped after “until”")
    assert.strictEqual(words("pause"), "Paused")
    assert.strictEqual(words("entry"), "Stopped at its entry")
    assert.strictEqual(words("other", { description: "shared library" }), "Stopped: shared library")
  })

  it("of states", () => {
    const view = { connected: true, past: false, silent: false }
    const base = { stop: 1, resumes: 1 }
    const stopped = (reason: "breakpoint" | "signal") => ({
      reason,
      raw_reason: reason,
      breakpoints: [],
      threads: [],
      focused: true
    })
    assert.strictEqual(chipOf({ ...base, state: "stopped", stopped: stopped("breakpoint") }, view), "Stopped")
    assert.strictEqual(chipOf({ ...base, state: "stopped", stopped: stopped("signal") }, view), "Crashed")
    // Programs handle some signals.
    for (const [signal, chip] of [
      ["SIGSEGV", "Crashed"],
      ["SIGUSR1", "Stopped"],
      ["SIGINT", "Stopped"]
    ] as const)
      assert.strictEqual(chipOf({ ...base, state: "stopped", stopped: { ...stopped("signal"), signal } }, view), chip)
    assert.strictEqual(chipOf({ ...base, state: "running" }, { ...view, past: true }), "Past stop")
    assert.strictEqual(chipOf({ ...base, state: "running" }, { ...view, connected: false }), "Not connected")
    assert.strictEqual(endOf({ ...base, state: "exited", exit_code: 3 }), "exit code 3")
    assert.strictEqual(endOf({ ...base, state: "exited", signal: "SIGKILL" }), "by SIGKILL")
  })
})

it("a long name of a function begins with the last of its namespaces that fit", () => {
  for (const [name, most, words] of [
    ["Cart::total(int)", 40, "Cart::total"],
    ["a_long_name::of_namespaces::and_more::Cart::total(int)", 40, "…::of_namespaces::and_more::Cart::total"],
    ["a_long_name::of_namespaces::and_more::Cart::total(int)", 20, "…::Cart::total"],
    ["a_long_name::Map<a_long_name::Key, int>::insert(int)", 40, "a_long_name::Map<…>::insert"],
    ["a_long_name::Map<a_long_name::Key, int>::insert(int)", 20, "…::Map<…>::insert"],
    ["Map<Key, int>::insert(int)", 40, "Map<Key, int>::insert"],
    ["void apply_to_each<std::vector<int, std::allocator<int>>, Visitor>(Visitor)", 30, "apply_to_each<…>"],
    [
      "a_name_without_namespaces_that_is_longer_than_most(int)",
      20,
      "a_name_without_namespaces_that_is_longer_than_most"
    ],
    ["namespace_one::namespace_two::operator<<(int, int)", 20, "…::operator<<"],
    ["namespace_one::Matrix<double, 3, 4>::operator()(int) const", 30, "…::Matrix<…>::operator()"],
    ["namespace_one::operators_of_a_long_name::sum(int)", 30, "…::sum"],
    ["<app::Dog as app::Speak>::speak_loudly", 20, "<app::Dog as app::Speak>::speak_loudly"]
  ] as const)
    assert.strictEqual(shortFunction(name, most), words)
})

it("values can be read of a stopped program only", () => {
  const words = (["stopped", "running", "starting", "exited"] as const).map((state) =>
    unreadableWords({ state, stop: 1, resumes: 1 })
  )
  assert.deepStrictEqual(words, [
    undefined,
    "Pause to read values.",
    "The program is starting.",
    "The program has ended. Nothing can be read."
  ])
})

describe("what resumed the program", () => {
  const line = (seq: number, event: EventLine["event"]): EventLine => ({
    type: "event",
    session: "app",
    seq,
    time: 0,
    stop: 1,
    event
  })
  const stopped = line(2, { _tag: "Stopped", reason: "step", raw_reason: "step", breakpoints: [], focus: true })

  it("is the command after the last stop, and not the one before it", () => {
    const before = line(1, { _tag: "Resumed", command: "start" })
    assert.isUndefined(resumedBy([before, stopped]))
    assert.strictEqual(resumedBy([before, stopped, line(3, { _tag: "Resumed", command: "next" })])?.command, "next")
  })

  it("is what starts the program again, and not the command of the run before", () => {
    const before = line(1, { _tag: "Resumed", command: "continue" })
    const actor = { id: "page:g1", kind: "page", role: "person", name: "g1" } as const
    const starting = { ...line(2, { _tag: "Starting", program: "/app", operation: "restart" }), actor }
    assert.deepStrictEqual(resumedBy([before, starting]), { command: "restart", time: 0, actor })
    // A new daemon knows the session from its record.
    assert.isUndefined(resumedBy([before, line(2, { _tag: "Starting", program: "/app" })]))
  })
})

it("a run is ended by its first end, not by the removal of its session or by the end of an earlier run", () => {
  const line = (seq: number, event: EventLine["event"]): EventLine => ({
    type: "event",
    session: "app",
    seq,
    stop: 0,
    time: seq,
    event
  })
  const first = [
    line(1, { _tag: "Starting", program: "app" }),
    line(2, { _tag: "Exited", exit_code: 0 }),
    line(3, { _tag: "Terminated" })
  ]
  const again = [...first, line(4, { _tag: "Starting", program: "app" })]
  assert.deepStrictEqual(
    [first, again, [...again, line(5, { _tag: "Detached" })], []].map((events) => endingOf(events)?.seq),
    [2, undefined, 5, undefined]
  )
})

it("folded frames are of a library, by its name or in words", () => {
  const words = (what: string) => foldedWords({ left_out: [{ count: 2, what }], hidden_frames: 2 })
  assert.strictEqual(words("libc"), "2 frames of the C library")
  assert.strictEqual(words("Go runtime"), "2 frames of the Go runtime")
  assert.strictEqual(words("Catch2"), "2 frames of Catch2")
})

it("a stop at a watchpoint tells it from the breakpoints at its place", () => {
  const stop = { raw_reason: "breakpoint", reason: "watchpoint" } as const
  assert.strictEqual(
    reasonInThreads({ ...stop, breakpoints: [1, 2], watch: { id: 2 } }, 1),
    "watchpoint 2, breakpoint 1"
  )
  const watch = { id: 2, expression: "total", new: "30" }
  assert.strictEqual(reasonInThreads({ ...stop, breakpoints: [2], watch }, 1), "watchpoint 2, total = 30")
  const change = { ...watch, old: "10" }
  assert.strictEqual(reasonInThreads({ ...stop, breakpoints: [2], watch: change }, 1), "watchpoint 2, total 10 → 30")
  // The stop in the list has its watchpoint first.
  assert.strictEqual(reasonInThreads({ ...stop, breakpoints: [2, 1] }, 1), "watchpoint 2, breakpoint 1")
  assert.strictEqual(reasonInThreads({ ...stop, breakpoints: [2] }, 1), "watchpoint 2")
})
