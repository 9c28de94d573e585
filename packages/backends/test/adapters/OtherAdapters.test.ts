/** Recorded sessions of gdb, debugpy, Delve and js-debug: what is made of the events of each, by its quirks. */
import { assert, it } from "@effect/vitest"
import { Message, Transcript } from "@sigtrap/dap"
import { Effect, FileSystem } from "effect"
import { BreakpointIds } from "../../src/console/BreakpointIds.ts"
import * as DapEvents from "../../src/dap/Events.ts"
import { Quirks } from "../../src/index.ts"
import { briefly, listening, platform } from "../support.ts"

const folder = new URL("../../../dap/test/traces/", import.meta.url).pathname

const recordings = [
  ["debugpy-1.8-launch-exception", Quirks.debugpy()],
  ["delve-1.24-launch-panic", Quirks.delve()],
  ["js-debug-1.117-child", Quirks.jsDebug()],
  ["gdb-16-cpp-exceptions", Quirks.gdb()],
  ["gdb-16-launch-inspect", Quirks.gdb()],
  ["gdb-18-attach-detach", Quirks.gdb()],
  ["gdb-18-launch-inspect", Quirks.gdb()]
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
  // A child session: what the exception is has to be asked for, and the program's end is told by its process.
  "js-debug-1.117-child": ["breakpoint 1", "finish", "exception: "],
  // Its exception filters have numbers of their own; what comes as output is its own talk, the program has our pipes.
  "gdb-16-cpp-exceptions": ["breakpoint", "breakpoint", "signal", "exited ?"],
  "gdb-16-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "exited ?"],
  "gdb-18-attach-detach": ["pause", "pause", "exited 0"],
  "gdb-18-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "exited ?"]
}

const list = (record: unknown, key: string): ReadonlyArray<Record<string, unknown>> => {
  const value = Message.isRecord(record) ? record[key] : undefined
  return Array.isArray(value) ? value.filter(Message.isRecord) : []
}

/** Plays the adapter's side of a recording; breakpoints have the numbers in which they were first set. */
const play = (entries: ReadonlyArray<Transcript.Entry>, quirks: Quirks.Quirks) => {
  const { events, listener } = listening()
  const ids = new BreakpointIds()
  const numbers = new Map<string, number>()
  const asked = new Map<number, ReadonlyArray<number>>()
  const context: DapEvents.Context = {
    listener,
    drain: () => {},
    quirks: () => quirks,
    ids,
    stopOnEntry: false,
    lastResume: undefined,
    stepCutShort: false,
    moved: undefined,
    pausing: false,
    stops: 0,
    signal: undefined,
    ended: "no",
    onTerminated: () => {}
  }
  for (const entry of entries) {
    if (!("msg" in entry)) continue
    const { msg } = entry
    if (msg.type === "event") DapEvents.handle(context, msg)
    if (msg.type === "request" && msg.command.startsWith("set")) {
      asked.set(
        msg.seq ?? 0,
        list(msg.arguments, "breakpoints").map(({ line, name }) => {
          const key = `${String(line)} ${String(name)}`
          numbers.set(key, numbers.get(key) ?? numbers.size + 1)
          return numbers.get(key) ?? 0
        })
      )
    }
    if (msg.type === "request" && msg.command === "pause") context.pausing = true
    if (msg.type === "request" && msg.command === "stepOut") context.lastResume = "finish"
    if (msg.type === "request" && /^(?:continue|next|stepIn)$/.test(msg.command)) context.lastResume = "continue"
    if (msg.type === "response") {
      const answers = list(msg.body, "breakpoints")
      asked.get(msg.request_seq)?.forEach((number, index) => {
        const id = answers[index]?.["id"]
        ids.set(number, typeof id === "number" ? id : undefined, true)
      })
    }
  }
  if (context.ended === "terminated") DapEvents.over(context)
  const told = events.filter((event) => event._tag === "Stopped" || event._tag === "Exited")
  return {
    told: told.map((event) =>
      event._tag === "Stopped" && event.reason === "exception"
        ? `exception: ${event.description ?? ""}`
        : briefly(event)
    ),
    output: events.filter((event) => event._tag === "Output" && event.channel !== "console").length > 0
  }
}

it.effect("recorded sessions of other adapters come to the same stops and ends", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const seen: Record<string, ReadonlyArray<string>> = {}
    for (const [name, quirks] of recordings) {
      const text = yield* fs.readFileString(`${folder}${name}.jsonl`)
      const { output, told } = play(yield* Effect.fromResult(Transcript.parse(text)), quirks)
      seen[name] = [...told, ...(output ? ["output"] : [])]
    }
    assert.deepStrictEqual(seen, expected)
  }).pipe(Effect.provide(platform))
)
