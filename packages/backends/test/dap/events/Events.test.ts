import { assert, describe, it } from "@effect/vitest"
import { BreakpointIds } from "../../../src/console/BreakpointIds.ts"
import * as DapEvents from "../../../src/dap/events/Events.ts"
import * as Debugpy from "../../../src/adapters/Debugpy.ts"
import type { Quirks } from "../../../src/adapters/Quirks.ts"
import type { Backend } from "@sigtrap/manager"
import { LldbDap } from "../../../src/index.ts"
import { briefly, listening } from "../../support.ts"

interface Given {
  readonly repeats?: boolean
  readonly major?: number
  readonly entry?: boolean
  readonly resumed?: Backend.Resume
  readonly pausing?: boolean
  readonly drained?: string
  readonly quirks?: Quirks
}

const translation = ({ drained, entry, major, pausing, quirks, repeats, resumed }: Given = {}) => {
  const heard = listening()
  const ids = new BreakpointIds()
  let terminated = 0
  const translator = new DapEvents.Translator({
    listener: heard.listener,
    drain: () => {
      if (drained !== undefined) heard.listener.emit({ _tag: "Output", channel: "stdout", text: drained })
    },
    quirks: () => quirks ?? LldbDap.quirks(major ?? 19),
    ids,
    stopOnEntry: entry ?? false,
    mayRepeatStop: repeats ?? false,
    onTerminated: () => terminated++
  })
  if (resumed !== undefined) translator.resume(resumed)
  if (pausing === true) translator.pause()
  const event = (name: string, body?: unknown) => translator.handle({ type: "event", event: name, body })
  return { ...heard, ids, event, terminations: () => terminated }
}

describe("the first stop of a program that existed before", () => {
  it("is reported once, if the adapter repeats it", () => {
    const { event, events } = translation({ repeats: true })
    event("stopped", { reason: "breakpoint", threadId: 5 })
    event("stopped", { reason: "exception", description: "signal SIGTRAP", threadId: 5 })
    event("stopped", { reason: "breakpoint", threadId: 6 })
    event("stopped", { reason: "exception", description: "signal SIGTRAP", threadId: 5 })
    assert.deepStrictEqual(events.map(briefly), ["breakpoint", "breakpoint"])
  })

  it("is followed by one of its thread if the program has run meanwhile", () => {
    const { event, events } = translation({ repeats: true })
    event("stopped", { reason: "breakpoint", threadId: 5 })
    event("continued", { threadId: 5 })
    event("stopped", { reason: "breakpoint", threadId: 5 })
    assert.deepStrictEqual(events.map(briefly), ["breakpoint", "continued", "breakpoint"])
  })
})

describe("a stop", () => {
  const check = (given: Given, body: Record<string, unknown>, expected: string) => {
    const { event, events, ids } = translation(given)
    ids.set(1, 7, true)
    ids.set(2, 8, true)
    event("stopped", { threadId: 5, ...body })
    assert.deepStrictEqual(events.map(briefly), [expected], JSON.stringify([given, body]))
  }

  it("has the same reason in the session, however the adapter names it", () => {
    const signal = (name: string) => ({ reason: "exception", description: `signal ${name}` })
    check({}, { reason: "breakpoint", description: "breakpoint 7.1", hitBreakpointIds: [7] }, "breakpoint 1")
    check({}, { reason: "function breakpoint", hitBreakpointIds: [8, 7] }, "breakpoint 1+2")
    check({}, { reason: "breakpoint", hitBreakpointIds: [99] }, "breakpoint")
    check({ major: 14 }, { reason: "breakpoint", description: "breakpoint 8.1 7.3" }, "breakpoint 1+2")
    check({ major: 14 }, { reason: "breakpoint", text: "breakpoint 8.1" }, "breakpoint 2")
    check({ resumed: "next" }, { reason: "step", description: "step over" }, "step")
    check({ resumed: "finish" }, { reason: "step", description: "step out" }, "finish")
    check({ resumed: "finish" }, { reason: "breakpoint", hitBreakpointIds: [7] }, "breakpoint 1")
    check({}, signal("SIGSEGV"), "signal")
    check({}, signal("SIGSTOP"), "signal")
    check({}, { reason: "exception", description: "C++ Throw" }, "exception")
    check({ pausing: true }, signal("SIGSTOP"), "pause")
    check({ pausing: true }, signal("SIGINT"), "pause")
    check({ pausing: true, major: 14 }, { reason: "exception" }, "pause")
    check({ pausing: true }, signal("SIGSEGV"), "signal")
    check({ pausing: true }, { reason: "pause" }, "pause")
    check({ pausing: true, resumed: "continue" }, { reason: "step" }, "pause")
    check({ pausing: true, resumed: "next" }, { reason: "step" }, "step")
    check({ resumed: "continue" }, { reason: "step" }, "step")
    check({ pausing: true }, { reason: "breakpoint", hitBreakpointIds: [7] }, "breakpoint 1")
    check({ entry: true }, signal("SIGSTOP"), "entry")
    check({ entry: true, major: 22 }, { reason: "entry" }, "entry")
    check({ entry: true, major: 22 }, signal("SIGSTOP"), "signal")
    check({ entry: true }, signal("SIGSEGV"), "signal")
    check({ entry: true }, { reason: "breakpoint", hitBreakpointIds: [7] }, "breakpoint 1")
    check({}, { reason: "data breakpoint" }, "watchpoint")
    check({}, { reason: "instruction breakpoint" }, "instruction-breakpoint")
    check({}, { reason: "something new" }, "other")
    check({}, { reason: "step", preserveFocusHint: true }, "step (other)")
    check({}, { reason: "step", preserveFocusHint: false, threadCausedFocus: true }, "step")
  })

  it("takes a later entry for an exec, as LLDB reports it", () => {
    const { event, events } = translation()
    event("stopped", { reason: "breakpoint", threadId: 5 })
    event("stopped", { reason: "entry", threadId: 5, description: "exec" })
    assert.deepInclude(events.at(-1), { reason: "exec", description: "the process runs another program now" })
  })

  it("keeps the adapter's text, and the thread if there is one", () => {
    const { event, events } = translation()
    event("stopped", { reason: "pause" })
    event("stopped", { reason: "exception", text: "signal SIGFPE", threadId: 0 })
    assert.deepStrictEqual(events, [
      { _tag: "Stopped", reason: "pause", raw_reason: "pause", breakpoints: [], focus: true },
      {
        _tag: "Stopped",
        reason: "signal",
        raw_reason: "exception",
        description: "signal SIGFPE",
        signal: "SIGFPE",
        thread: 0,
        breakpoints: [],
        focus: true
      }
    ])
  })

  it("of a thread whose id is not an integer is one of an unknown thread", () => {
    for (const id of ["1e300", "1.5", "1e999", "9007199254740993", '"7"', "-5"]) {
      const { event, events } = translation()
      event("stopped", { reason: "step", threadId: JSON.parse(id), hitBreakpointIds: [JSON.parse(id)] })
      const thread = id === "-5" ? { thread: -5 } : {}
      const stop = { reason: "step", raw_reason: "step", breakpoints: [], focus: true } as const
      assert.deepStrictEqual(events, [{ _tag: "Stopped", ...stop, ...thread }], id)
      event("exited", { exitCode: JSON.parse(id === "-5" ? "1e300" : id) })
      assert.deepStrictEqual(events.slice(1), [{ _tag: "Exited" }], id)
    }
  })

  it("gives the type of an exception as data, where the debugger names it", () => {
    const typeOf = (body: Record<string, unknown>, quirks?: Quirks) => {
      const { event, events } = translation(quirks === undefined ? {} : { quirks })
      event("stopped", { reason: "exception", threadId: 1, ...body })
      const [first] = events
      assert(first?._tag === "Stopped")
      return [first.description, first.exception_type]
    }
    const raised = { text: "shop.Empty", description: "cart: 3" }
    assert.deepStrictEqual(typeOf(raised, Debugpy.quirks()), ["shop.Empty: cart: 3", "shop.Empty"])
    const noted = "Empty\n (note: full exception trace is shown but execution is paused at: f)"
    assert.deepStrictEqual(typeOf({ text: noted, description: "3" }, Debugpy.quirks()), ["Empty: 3", "Empty"])
    assert.deepStrictEqual(typeOf({ description: "C++ Throw" }), ["C++ Throw", undefined])
  })

  it("gives the signal and the address that faulted as data, not the debugger's numbers", () => {
    const stopped = (body: Record<string, unknown>) => {
      const { event, events } = translation()
      event("stopped", { threadId: 5, ...body })
      const [first] = events
      assert(first?._tag === "Stopped")
      return [first.description, first.signal, first.fault_address, first.signal_cause]
    }
    const exception = (description: string) => stopped({ reason: "exception", description })
    for (const [text, cause] of [
      ["signal SIGSEGV: invalid address (fault address: 0x8)", "invalid address"],
      ["signal SIGSEGV: address not mapped to object (fault address=0x8)", "address not mapped to object"]
    ] as const) {
      assert.deepStrictEqual(exception(text), [text, "SIGSEGV", "0x8", cause])
    }
    assert.deepStrictEqual(exception("signal SIGABRT"), ["signal SIGABRT", "SIGABRT", undefined, undefined])
    // LLDB writes 0 where the processor does not tell the address.
    for (const address of [" (fault address: 0x0)", " (fault address=0x0)"]) {
      const untold = exception(`signal SIGSEGV: invalid address${address}`)
      assert.deepStrictEqual(untold, ["signal SIGSEGV: invalid address", "SIGSEGV", undefined, "invalid address"])
    }
    assert.deepStrictEqual(exception("C++ Throw"), ["C++ Throw", undefined, undefined, undefined])
    for (const description of ["breakpoint 1.1", "breakpoint 1.1 4.1", "breakpoint -3.1", "watchpoint 2"]) {
      assert.deepStrictEqual(stopped({ reason: "breakpoint", description }), Array(4).fill(undefined))
    }
    const written = "breakpoint 1.1 of the program"
    assert.deepStrictEqual(stopped({ reason: "breakpoint", description: written })[0], written)
  })

  it("after the stop of a pause is not taken for another pause", () => {
    const { event, events } = translation({ pausing: true })
    const stop = () => event("stopped", { reason: "exception", description: "signal SIGSTOP" })
    stop()
    event("continued", {})
    stop()
    assert.deepStrictEqual(events.map(briefly), ["pause", "continued", "signal"])
  })

  it("of another thread, or one that is suppressed, leaves the stop of a pause what it is", () => {
    const { event, events } = translation({ pausing: true })
    const hit = () => event("stopped", { reason: "breakpoint", description: "breakpoint 9.1", threadId: 2 })
    hit()
    event("continued", {})
    hit()
    event("stopped", { reason: "exception", description: "signal SIGSTOP", threadId: 1 })
    assert.deepStrictEqual(events.map(briefly), ["breakpoint", "continued", "breakpoint", "pause"])
  })

  it("comes after the output that the program wrote before it", () => {
    for (const [name, body, last] of [
      ["stopped", { reason: "step" }, "Stopped"],
      ["exited", { exitCode: 0 }, "Exited"]
    ] as const) {
      const { event, events } = translation({ drained: "so far" })
      event(name, body)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Output", last]
      )
    }
  })
})

describe("an end", () => {
  const check = (before: string | undefined, exitCode: number | undefined, expected: string) => {
    const { event, events } = translation()
    if (before !== undefined) event("stopped", { reason: "exception", description: before })
    event("exited", { exitCode })
    assert.strictEqual(events.slice(-1).map(briefly).join(), expected)
  }

  it("by a signal differs from an exit by the stop before it", () => {
    check(undefined, 0, "exited 0")
    check(undefined, 11, "exited 11")
    check("signal SIGSEGV", 11, "killed by SIGSEGV")
    check("signal SIGSEGV", 3, "exited 3")
    check("signal SIGABRT", 6, "killed by SIGABRT")
    check("C++ Throw", 6, "exited 6")
    check(undefined, -1, "exited ?")
  })

  it("is reported once, and as terminated only if no exit was reported", () => {
    const first = translation()
    first.event("exited", { exitCode: 3 })
    first.event("terminated")
    assert.deepStrictEqual([first.events.length, first.terminations()], [1, 0])
    const second = translation()
    second.event("terminated")
    second.event("terminated")
    assert.deepStrictEqual([second.events.length, second.terminations()], [0, 1])
    second.event("exited", { exitCode: 3 })
    assert.deepStrictEqual(second.events.map(briefly), ["exited 3"])
  })
})

describe("other events", () => {
  it("become session events or are ignored", () => {
    const { event, events } = translation()
    event("continued", { threadId: 1 })
    event("process", { name: "/src/app", systemProcessId: 42 })
    event("process", { name: "/src/app" })
    event("output", { output: "warning\n" })
    event("output", { category: "telemetry", output: "hidden" })
    event("thread", { reason: "started", threadId: 1 })
    event("module", {})
    event("stopped", "nonsense")
    event("exited", { exitCode: 0 })
    event("output", { category: "stderr", output: "stack dump of the adapter" })
    assert.deepStrictEqual(events, [
      { _tag: "Continued" },
      { _tag: "Process", pid: 42, name: "/src/app" },
      { _tag: "Output", channel: "console", text: "warning\n" },
      { _tag: "Exited", exit_code: 0 }
    ])
  })

  it("report a breakpoint only when it becomes verified or unverified", () => {
    const { event, ids, placed } = translation()
    ids.set(1, 0, false)
    const changed = (breakpoint: unknown) => event("breakpoint", { reason: "changed", breakpoint })
    changed({ id: 0, verified: false })
    changed({ id: 0, verified: true, line: 9, source: { path: "/src/lib.c" }, instructionReference: "0xAB" })
    changed({ id: 0, verified: true, line: 9 })
    changed({ id: 12, verified: true, line: 9 })
    changed({ verified: true })
    changed({ id: 0, verified: false })
    changed({ id: 0, verified: false })
    assert.deepStrictEqual(placed, [
      { id: 1, resolved: true, locations: [{ file: "/src/lib.c", line: 9, address: "0xab" }] },
      { id: 1, resolved: false, locations: [] }
    ])
  })
})

describe("breakpoint numbers", () => {
  it("are those of the adapter's latest answer", () => {
    const ids = new BreakpointIds()
    ids.set(1, 0, true)
    ids.set(2, 5, true)
    assert.deepStrictEqual(ids.managerIdsOf([0], undefined), [1])
    ids.set(1, 6, true)
    assert.deepStrictEqual(ids.managerIdsOf([0], undefined), [])
    assert.deepStrictEqual(ids.managerIdsOf([6, 5], undefined), [1, 2])
    ids.set(1, undefined, false)
    assert.deepStrictEqual(ids.managerIdsOf([6], undefined), [])
    assert.strictEqual(ids.managerIdOf(6), undefined)
  })

  it("may share one number of the adapter", () => {
    const ids = new BreakpointIds()
    ids.set(3, 4, true)
    ids.set(5, 4, true)
    assert.deepStrictEqual(ids.managerIdsOf([4], "breakpoint 4.1"), [3, 5])
    assert.strictEqual(ids.managerIdOf(4), 3)
  })

  it("are read only from texts that name breakpoints", () => {
    const ids = new BreakpointIds()
    ids.set(1, 2, true)
    for (const [text, expected] of [
      ["breakpoint 2.1", [1]],
      ["breakpoint 12.1 2.3", [1]],
      ["breakpoint 12.1", []],
      ["watchpoint 2", []],
      ["hit breakpoint 2.1", []],
      ["", []]
    ] as const) {
      assert.deepStrictEqual(ids.managerIdsOf([], text), [...expected], text)
    }
  })

  it("return whether the verified state changed", () => {
    const ids = new BreakpointIds()
    assert.deepStrictEqual(
      [ids.setResolved(1, false), ids.setResolved(1, true), ids.setResolved(1, true), ids.setResolved(1, false)],
      [false, true, false, true]
    )
  })
})
