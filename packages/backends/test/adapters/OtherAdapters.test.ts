/** Recorded sessions of GDB, debugpy, Delve and js-debug: the session events that result from the adapter's events. */
import { assert, it } from "@effect/vitest"
import { Message, Transcript } from "@sigtrap/dap"
import { Effect, FileSystem } from "effect"
import { BreakpointIds } from "../../src/console/BreakpointIds.ts"
import * as DapEvents from "../../src/dap/events/Events.ts"
import * as Frames from "../../src/dap/Frames.ts"
import * as Debugpy from "../../src/adapters/Debugpy.ts"
import * as Delve from "../../src/adapters/Delve.ts"
import * as Gdb from "../../src/adapters/Gdb.ts"
import * as JsDebug from "../../src/adapters/JsDebug.ts"
import type { Quirks } from "../../src/adapters/Quirks.ts"
import { briefly, listening, platform } from "../support.ts"

const folder = new URL("../../../dap/test/traces/", import.meta.url).pathname

const recordings = [
  ["debugpy-1.8-launch-exception", Debugpy.quirks()],
  ["delve-1.24-launch-panic", Delve.quirks()],
  ["js-debug-1.117-child", JsDebug.quirks()],
  ["gdb-16-cpp-exceptions", Gdb.quirks()],
  ["gdb-16-launch-inspect", Gdb.quirks()],
  ["gdb-18-attach-detach", Gdb.quirks()],
  ["gdb-18-launch-inspect", Gdb.quirks()]
] as const

const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
  "debugpy-1.8-launch-exception": [
    "breakpoint 1",
    "breakpoint 1",
    "breakpoint 2",
    "exception: RuntimeError: boom",
    "exited 1"
  ],
  "delve-1.24-launch-panic": ["breakpoint 3", "breakpoint 2", 'exception: panic: "boom"', "exited 2"],
  // A child session: the exception's text has to be requested, and the program's process reports its end.
  "js-debug-1.117-child": ["breakpoint 1", "finish", "exception: "],
  // Exception filters have numbers of their own. Output events are GDB's messages, since the program has our pipes.
  "gdb-16-cpp-exceptions": ["breakpoint", "breakpoint", "signal", "exited ?"],
  "gdb-16-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "exited ?"],
  "gdb-18-attach-detach": ["pause", "pause", "exited 0"],
  "gdb-18-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "exited ?"]
}

const list = (record: unknown, key: string): ReadonlyArray<Record<string, unknown>> => {
  const value = Message.isRecord(record) ? record[key] : undefined
  return Array.isArray(value) ? value.filter(Message.isRecord) : []
}

/** Plays the adapter's side of a recording; breakpoints are numbered in the order in which they were first set. */
const play = (entries: ReadonlyArray<Transcript.Entry>, quirks: Quirks) => {
  const { events, listener } = listening()
  const ids = new BreakpointIds()
  const numbers = new Map<string, number>()
  const requests = new Map<number, ReadonlyArray<number>>()
  const translator = new DapEvents.Translator({
    listener,
    drain: () => {},
    quirks: () => quirks,
    ids,
    stopOnEntry: false,
    onTerminated: () => {}
  })
  for (const entry of entries) {
    if (!("msg" in entry)) continue
    const { msg } = entry
    if (msg.type === "event") translator.handle(msg)
    if (msg.type === "request" && msg.command.startsWith("set")) {
      requests.set(
        msg.seq ?? 0,
        list(msg.arguments, "breakpoints").map(({ line, name }) => {
          const key = `${String(line)} ${String(name)}`
          numbers.set(key, numbers.get(key) ?? numbers.size + 1)
          return numbers.get(key) ?? 0
        })
      )
    }
    if (msg.type === "request" && msg.command === "pause") translator.pause()
    if (msg.type === "request" && msg.command === "stepOut") translator.resume("finish")
    if (msg.type === "request" && /^(?:continue|next|stepIn)$/.test(msg.command)) translator.resume("continue")
    if (msg.type === "response") {
      const answers = list(msg.body, "breakpoints")
      requests.get(msg.request_seq)?.forEach((number, index) => {
        const id = answers[index]?.["id"]
        ids.set(number, typeof id === "number" ? id : undefined, true)
      })
    }
  }
  if (translator.end === "terminated") translator.reportTermination()
  const ends = events.filter((event) => event._tag === "Stopped" || event._tag === "Exited")
  return {
    reported: ends.map((event) =>
      event._tag === "Stopped" && event.reason === "exception"
        ? `exception: ${event.description ?? ""}`
        : briefly(event)
    ),
    output: events.filter((event) => event._tag === "Output" && event.channel !== "console").length > 0
  }
}

it.effect("recorded sessions of other adapters have the same stops and ends", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const seen: Record<string, ReadonlyArray<string>> = {}
    for (const [name, quirks] of recordings) {
      const text = yield* fs.readFileString(`${folder}${name}.jsonl`)
      const { output, reported } = play(yield* Effect.fromResult(Transcript.parse(text)), quirks)
      seen[name] = [...reported, ...(output ? ["output"] : [])]
    }
    assert.deepStrictEqual(seen, expected)
  }).pipe(Effect.provide(platform))
)

it("values of Delve have no hexadecimal form, and no comma after the last entry of a map", () => {
  const { valueText = (text: string) => text } = Delve.quirks()
  assert.strictEqual(valueText("High (2) = 0x0"), "High (2)")
  assert.strictEqual(valueText("18446744073709551615 = 0xffffffffffffffff"), "18446744073709551615")
  assert.strictEqual(valueText('map[string]int ["one": 1, "two": 2, ]'), 'map[string]int ["one": 1, "two": 2]')
  assert.strictEqual(valueText('["a": ["b, ]": [1,2], ], ]'), '["a": ["b, ]": [1,2]]]')
  assert.strictEqual(valueText('"a = 0x0"'), '"a = 0x0"')
})

it("an integer of Delve is the one that its type has", () => {
  const { valueText = (text: string) => text } = Delve.quirks()
  const shown = (value: string, type: string) => valueText(value, type)
  assert.strictEqual(shown("-201 = 0x0", "uint8"), "55")
  assert.strictEqual(shown("-7 = 0x0", "uint"), "18446744073709551609")
  assert.strictEqual(shown("128", "int8"), "-128")
  assert.strictEqual(shown("-128", "int8"), "-128")
  assert.strictEqual(shown("9223372036854775808", "int64"), "-9223372036854775808")
  // A constant, such as math.MaxUint64.
  assert.strictEqual(shown("18446744073709551615", "int"), "18446744073709551615")
  assert.strictEqual(shown("3.5", "float64"), "3.5")
  assert.strictEqual(shown("-5 = 0x0", "main.Bits"), "-5")
})

it("a frame that js-debug puts before asynchronous callers is a label", () => {
  const label = { id: 5, name: "await", line: 0, column: 0, presentationHint: "label" }
  assert.deepStrictEqual(Frames.frameOf(label, JsDebug.quirks()), { handle: 5, function: "await", label: true })
  const plain = Frames.frameOf({ ...label, name: "main", presentationHint: "normal" }, JsDebug.quirks())
  assert.notProperty(plain, "label")
})

it("frames that raised the cause of an exception of Python are marked, and empty sets are not dicts", () => {
  const quirks = Debugpy.quirks()
  const frame = { id: 4, line: 73, column: 1, source: { path: "/app.py" } }
  const raised = Frames.frameOf({ ...frame, name: "[Chained Exc: no [int]: 'x'] parse" }, quirks)
  assert.deepInclude(raised, { function: "parse", raised: "no [int]: 'x'", line: 73 })
  assert.notProperty(Frames.frameOf({ ...frame, name: "parse" }, quirks), "raised")
  assert.deepStrictEqual(
    [
      ["{}", "set"],
      ["{}", "dict"],
      ["frozenset({})", "frozenset"]
    ].map(([text = "", type]) => quirks.valueText?.(text, type)),
    ["set()", "{}", "frozenset()"]
  )
})
