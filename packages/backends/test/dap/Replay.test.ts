/** Recorded launches of real adapters, replayed against the backend: the stops and ends that it reports. */
import { assert, it } from "@effect/vitest"
import { Message, Transcript } from "@sigtrap/dap"
import { ScriptedAdapter } from "@sigtrap/dap/testing"
import type { Backend } from "@sigtrap/manager"
import { Cause, Effect, Exit, FileSystem, Option } from "effect"
import { TestClock } from "effect/testing"
import { briefly, connect, machine, platform, said, stopMark } from "../support.ts"

const folder = new URL("../../../dap/test/traces/", import.meta.url).pathname

/**
 * The stops and the end of each recording. Breakpoints are numbered in the order in which they were first set. The
 * recordings with C++ exceptions stop in the runtime first, where their filter is.
 */
const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
  "lldb-dap-19-conditional-log-hit": ["breakpoint 5", "breakpoint 3", "breakpoint 2", "breakpoint 2", "exited 3"],
  "lldb-dap-19-cpp-exceptions": ["exception", "exception", "exception", "signal", "killed by SIGABRT"],
  "lldb-dap-19-crash-segv": ["signal", "killed by SIGSEGV"],
  "lldb-dap-19-deep-stack": ["breakpoint 1", "exited 9"],
  "lldb-dap-19-launch-fails": ["launch: LaunchFailed"],
  "lldb-dap-19-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "killed by SIGABRT"],
  "lldb-dap-19-output-flood": ["exited 0"],
  "lldb-dap-19-pending-breakpoints": ["breakpoint 1", "breakpoint 2", "exited 0"],
  "lldb-dap-19-restart": ["breakpoint 1", "breakpoint 1", "breakpoint 1", "exited 9"],
  "lldb-dap-19-run-in-terminal": ["breakpoint 1", "exited 5"],
  "lldb-dap-19-threads-multi-stop": [
    "breakpoint 1",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "step",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "exited 9"
  ],
  "lldb-dap-19-unsupported-request": ["breakpoint 1", "exited 9", "lost: lldb-dap was killed by SIGABRT"],
  "lldb-dap-21-launch-fails": ["launch: LaunchFailed"],
  "lldb-dap-21-unsupported-request": ["breakpoint 1", "lost: lldb-dap was killed by SIGABRT"],
  "lldb-dap-22-adapter-crash": ["breakpoint 1", "lost: lldb-dap was killed by SIGABRT"],
  "lldb-dap-22-conditional-log-hit": ["breakpoint 5", "breakpoint 3", "breakpoint 2", "breakpoint 2", "exited 3"],
  "lldb-dap-22-crash-segv": ["signal", "killed by SIGSEGV"],
  "lldb-dap-22-deep-stack": ["breakpoint 1", "exited 9"],
  "lldb-dap-22-launch-fails": ["configurationDone: LaunchFailed"],
  "lldb-dap-22-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "killed by SIGABRT"],
  "lldb-dap-22-output-flood": ["exited 0"],
  "lldb-dap-22-pending-breakpoints": ["breakpoint 1+4", "breakpoint 2", "exited 0"],
  "lldb-dap-22-restart": ["breakpoint 1", "breakpoint 1", "breakpoint 1", "exited 9"],
  "lldb-dap-22-run-in-terminal": ["breakpoint 1", "exited 5"],
  "lldb-dap-22-threads-multi-stop": [
    "breakpoint 1",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "step",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "exited 9"
  ],
  "lldb-dap-22-unsupported-request": ["breakpoint 1", "lost: lldb-dap was killed by SIGABRT"],
  "lldb-dap-23-cpp-exceptions": ["exception", "exception", "exception", "signal", "killed by SIGABRT"],
  "lldb-dap-23-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "killed by SIGABRT"],
  "lldb-dap-23-threads-multi-stop": [
    "breakpoint 1",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "breakpoint 2 (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "step (other)",
    "breakpoint 2 (other)",
    "breakpoint 2",
    "exited 9"
  ],
  "lldb-vscode-14-launch-inspect": ["breakpoint 2", "breakpoint 1", "step", "step", "signal", "killed by SIGABRT"],
  "lldb-vscode-16-pending-breakpoints": ["breakpoint 1", "breakpoint 2", "exited 0"]
}

/** The requests that the backend sends; other requests of the recording client are left out. */
const ours = new Set([
  "initialize",
  "launch",
  "setBreakpoints",
  "setFunctionBreakpoints",
  "configurationDone",
  "continue",
  "next",
  "stepIn",
  "stepOut",
  "disconnect"
])

const list = (record: unknown, key: string): ReadonlyArray<Record<string, unknown>> => {
  const value = Message.isRecord(record) ? record[key] : undefined
  return Array.isArray(value) ? value.filter(Message.isRecord) : []
}

/** The places in a list of breakpoints whose line an earlier one has. The backend sets them by commands. */
const repeated = (args: unknown): ReadonlySet<number> => {
  const lines = list(args, "breakpoints").map(({ line }) => line)
  return new Set(lines.flatMap((line, index) => (line !== undefined && lines.indexOf(line) < index ? [index] : [])))
}

/**
 * The number of debugger commands that the backend runs for one answer: one about all locations, which is asked again without Python if
 * there are several breakpoints, and one for each reason.
 */
const questions = (command: string, body: unknown) => {
  const all = list(body, "breakpoints")
  const bound = all.filter((one) => one["verified"] === true && one["id"] !== undefined).length
  const unbound = all.filter((one) => one["verified"] !== true && one["message"] === undefined)
  return Math.min(bound, 2) + (command === "setBreakpoints" ? unbound.length : 0)
}

/** A stop at a signal that is not named. */
const isBare = (body: unknown) =>
  Message.isRecord(body) &&
  body["reason"] === "exception" &&
  body["description"] === undefined &&
  body["text"] === undefined
const steps = new Set(["next", "stepIn", "stepOut"])

/** The first number of requests that are not in the recording. */
const added = 100_000

/** The event after the `stopped` events of a stop. */
const mark: Transcript.Entry = {
  dir: "adapter",
  ms: 0,
  msg: { seq: 0, type: "event", event: "output", body: stopMark }
}

/** The conversation of a recording as the backend has it: fewer requests, and its own commands with empty answers. */
const adapted = (entries: ReadonlyArray<Transcript.Entry>): ReadonlyArray<Transcript.Entry> => {
  const asked = new Map<number, string>()
  const dropped = new Map<number, ReadonlySet<number>>()
  /** The number of functions in a request whose names may have a tag; the backend searches these. */
  const searched = new Map<number, number>()
  let extra = added
  let stepping = false
  let entering = false
  let cutShort = false
  let isPrepared = false
  let hasStepped = false
  let isTargetKnown = false
  const functions = new Set<unknown>()
  /** The answers that come when of several new functions one is added with each request. */
  const grown = (all: ReadonlyArray<Record<string, unknown>>) => {
    const fresh = all.length < 2 ? [] : all.filter(({ id }) => !functions.has(id))
    for (const { id } of all) functions.add(id)
    return fresh.map((_, index) => all.filter((one) => !fresh.slice(index + 1).includes(one)))
  }
  const question = (): ReadonlyArray<Transcript.Entry> => {
    const seq = extra++
    const body = { result: "", variablesReference: 0 }
    return [
      { dir: "client", ms: 0, msg: { seq, type: "request", command: "evaluate" } },
      {
        dir: "adapter",
        ms: 0,
        msg: { seq: 0, type: "response", request_seq: seq, success: true, command: "evaluate", body }
      }
    ]
  }
  const isStop = (entry: Transcript.Entry | undefined) =>
    entry !== undefined && "msg" in entry && entry.msg.type === "event" && entry.msg.event === "stopped"
  return entries.flatMap((entry, index): ReadonlyArray<Transcript.Entry> => {
    const marked = isStop(entry) && !isStop(entries[index + 1]) ? [entry, mark] : [entry]
    if (!("msg" in entry)) return [entry]
    const { dir, msg } = entry
    if (dir === "client" && msg.type === "request") {
      if (!ours.has(msg.command)) return []
      asked.set(msg.seq ?? 0, msg.command)
      dropped.set(msg.seq ?? 0, repeated(msg.arguments))
      const named = list(msg.arguments, "breakpoints").filter(({ name }) => name !== undefined && name !== "main")
      searched.set(msg.seq ?? 0, named.length)
      const resumes = msg.command === "continue" || steps.has(msg.command)
      // A step interrupted by another stop is discarded before the next resume.
      const discards = resumes && cutShort ? question() : []
      // After a fault and at a breakpoint the debugger is asked about signals.
      // Before the first step the debugger is asked whether the program can throw exceptions of C++.
      const asks = steps.has(msg.command) && !hasStepped ? [...question(), ...discards] : discards
      hasStepped ||= steps.has(msg.command)
      const first = resumes && isPrepared ? [...question(), ...asks] : asks
      if (resumes) {
        isPrepared = false
        stepping = steps.has(msg.command)
        entering = msg.command === "stepIn"
        cutShort = false
      }
      return [...first, entry]
    }
    if (msg.type === "event" && msg.event === "stopped" && Message.isRecord(msg.body)) {
      cutShort = stepping && msg.body["reason"] !== "step"
      isPrepared = /^(?:signal SIG(?:ILL|BUS|FPE|SEGV)|breakpoint )/.test(
        String(msg.body["description"] ?? msg.body["text"] ?? "")
      )
    }
    const isStep = msg.type === "event" && msg.event === "stopped" && Message.isRecord(msg.body)
    if (isStep && entering && msg.body["reason"] === "step" && msg.body["preserveFocusHint"] !== true) {
      // Whether the step ended before the body of a function: the list of threads, between two settings.
      return [...marked, ...Array.from({ length: 3 }, question).flat()]
    }
    if (msg.type === "event" && msg.event === "stopped" && isBare(msg.body)) {
      const seq = extra++
      // The recording client sent no request here; these versions answer this.
      const body = { exceptionId: "signal", description: "signal SIGABRT", breakMode: "always" }
      return [
        ...marked,
        { dir: "client", ms: 0, msg: { seq, type: "request", command: "exceptionInfo" } },
        {
          dir: "adapter",
          ms: 0,
          msg: { seq: 0, type: "response", request_seq: seq, success: true, command: "exceptionInfo", body }
        }
      ]
    }
    if (dir === "client" || msg.type !== "response") return marked
    const command = asked.get(msg.request_seq)
    if (command === undefined) return []
    const without = dropped.get(msg.request_seq) ?? new Set()
    const body =
      without.size === 0
        ? msg.body
        : { breakpoints: list(msg.body, "breakpoints").filter((_, index) => !without.has(index)) }
    const sets = command.startsWith("set") && msg.success
    // The first breakpoint asks for the target's architecture too.
    const asksTarget = sets && !isTargetKnown && list(body, "breakpoints").some(({ id }) => id !== undefined)
    isTargetKnown ||= asksTarget
    const found = list(body, "breakpoints").filter(({ id }) => id !== undefined).length
    const names = Math.min(searched.get(msg.request_seq) ?? 0, found)
    const count = sets ? questions(command, body) + names + (asksTarget ? 1 : 0) : 0
    const one = command === "setFunctionBreakpoints" && msg.success ? grown(list(msg.body, "breakpoints")) : []
    const growing = one.flatMap((breakpoints, index): ReadonlyArray<Transcript.Entry> => {
      const seq = index === 0 ? msg.request_seq : extra++
      const response = { ...msg, request_seq: seq, body: { breakpoints } }
      const asking: Transcript.Entry = { dir: "client", ms: 0, msg: { seq, type: "request", command } }
      return [...(index === 0 ? [] : [asking]), { ...entry, msg: response }]
    })
    const answered: Transcript.Entry = without.size === 0 ? entry : { ...entry, msg: { ...msg, body } }
    return [...(growing.length > 0 ? growing : [answered]), ...Array.from({ length: count }, question).flat()]
  })
}

const replay = Effect.fnUntraced(function* (
  entries: ReadonlyArray<Transcript.Entry>,
  delivery: ScriptedAdapter.Delivery
) {
  const recorded = adapted(entries)
  const adapter = yield* ScriptedAdapter.replay(recorded, delivery)
  const on = machine()
  const launchArguments = said(recorded).find(({ msg }) => msg.type === "request" && msg.command === "launch")?.msg
  const stopOnEntry =
    launchArguments?.type === "request" &&
    Message.isRecord(launchArguments.arguments) &&
    launchArguments.arguments["stopOnEntry"] === true
  const { events, launch } = yield* connect(adapter, { on, launch: { stopOnEntry } })
  const numbers = new Map<string, number>()
  const number = (key: string) => {
    const known = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, known)
    return known
  }
  const steps = (connection: Backend.Connection, msg: Message.Request) => {
    if ((msg.seq ?? 0) >= added) return Effect.void
    const args = Message.isRecord(msg.arguments) ? msg.arguments : {}
    const thread = Number(args["threadId"] ?? 0)
    const wanted = list(args, "breakpoints")
    switch (msg.command) {
      case "setBreakpoints": {
        const source = args["source"]
        const path = Message.isRecord(source) ? String(source["path"]) : ""
        const lines = wanted.map(({ line }) => ({ id: number(`${path}:${String(line)}`), line: Number(line) }))
        return connection.setBreakpoints(
          { kind: "source", path },
          lines.filter((_, index) => !repeated(args).has(index))
        )
      }
      case "setFunctionBreakpoints": {
        const functions = wanted.map(({ name }) => ({ id: number(String(name)), function: String(name) }))
        return connection.setBreakpoints({ kind: "function" }, functions)
      }
      case "configurationDone":
        return connection.run
      case "continue":
        return connection.resume("continue", thread)
      case "next":
        return connection.resume("next", thread)
      case "stepIn":
        return connection.resume("step", thread)
      case "stepOut":
        return connection.resume("finish", thread)
      case "disconnect":
        return connection.end("kill")
      default:
        return Effect.void
    }
  }

  const problems: Array<string> = []
  const floods = recorded.length > 1000

  /** Lets everything that can happen without time passing happen. */
  const quiet = Effect.andThen(
    Effect.forEach([1, 2, 3, 4], () => TestClock.adjust(0), { discard: true }),
    // A flood of messages is received in parts.
    Effect.forEach(Array.from({ length: floods ? 100 : 0 }), () => Effect.yieldNow, { discard: true })
  )

  const exit = yield* Effect.exit(
    Effect.gen(function* () {
      const connection = yield* launch
      if (!commandsOf(recorded).includes("configurationDone")) yield* connection.run
      for (const { dir, msg } of said(recorded)) {
        if (dir !== "client" || msg.type !== "request" || msg.command === "evaluate") continue
        if (msg.command === "initialize" || msg.command === "launch") continue
        yield* quiet
        yield* steps(connection, msg).pipe(
          Effect.catch((error) => Effect.sync(() => problems.push(`${msg.command}: ${error._tag}`))),
          Effect.forkScoped
        )
        yield* quiet
      }
      if (!commandsOf(recorded).includes("disconnect")) on.end({ signal: "SIGABRT" })
      yield* TestClock.adjust("1 second")
      yield* adapter.finished
    })
  )
  const happened = events.filter(
    (event) => event._tag === "Stopped" || event._tag === "Exited" || event._tag === "Lost"
  )
  const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  return [...happened.map(briefly), ...problems, ...(failure === undefined ? [] : [`launch: ${failure._tag}`])]
})

const commandsOf = (entries: ReadonlyArray<Transcript.Entry>) =>
  said(entries).flatMap(({ dir, msg }) => (dir === "client" && msg.type === "request" ? [msg.command] : []))

const launches = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = (yield* fs.readDirectory(folder)).filter((name) => /^lldb-.*\.jsonl$/.test(name))
  const all = yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.flatMap(fs.readFileString(folder + name), (text) => Effect.fromResult(Transcript.parse(text))),
      (entries) => ({
        name: name.replace(".jsonl", ""),
        entries
      })
    )
  )
  return all.filter(({ entries }) => commandsOf(entries).includes("launch"))
})

for (const delivery of ["together", "each", "bytes"] as const) {
  it.effect(
    `recorded launches have the same stops and ends, delivered ${delivery}`,
    () =>
      Effect.gen(function* () {
        const seen: Record<string, ReadonlyArray<string>> = {}
        for (const { entries, name } of yield* launches) {
          seen[name] = yield* Effect.scoped(replay(entries, delivery))
        }
        assert.deepStrictEqual(seen, expected)
      }).pipe(Effect.provide(platform)),
    60_000
  )
}
