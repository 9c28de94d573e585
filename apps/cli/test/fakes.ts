// A client that records its calls and gives the answers of a test.
import {
  Client,
  type Errors,
  type Answer,
  HintCompletion,
  type Operation,
  Operations,
  Session
} from "@sigtrap/protocol"
import type { CommandLine, CommandOutput } from "@sigtrap/host/daemon/Protocol"
import { Effect, Layer, Schema, Stream } from "effect"
import * as CommandRunner from "../src/runner/CommandRunner.ts"

/** A recorded call. */
interface Call {
  readonly tag: string
  readonly payload: unknown
}

/** Answers a call: with data, an error, or a defect. */
export type Reply = (call: Call) => Effect.Effect<Answer.Answer<unknown>, Errors.SigtrapError>

/** Makes an answer with this data. */
export const answer = (data: unknown): Answer.Answer<unknown> => ({
  session: "default",
  state: "stopped",
  stop: 12,
  data,
  warnings: [],
  truncated: []
})

const stopped = { event: "stopped", reason: "step" }

const summary = { name: "web", state: "running", program: "/src/app", age_s: 1, idle_s: 1, current: true } as const

const line: Operations.Data<"break"> = {
  id: 1,
  kind: "line",
  requested: { text: "app.c:14" },
  locations: [{ file: "/src/app.c", line: 14 }],
  resolved: true,
  moved: false,
  enabled: true,
  hit_count: 0,
  temporary: false,
  by: "adapter"
}

const frame = { index: 0, ref: "@f0", function: "main" }

const started = {
  event: "running",
  session: "default",
  program: "/src/app",
  args: [],
  adapter: { name: "lldb-dap", backend: "dap" },
  set_breakpoints: []
} as const

const simulator = {
  udid: "4E9D2A7B-1C3F-4D68-8B20-6FA15C7E9002",
  name: "Phone",
  runtime: "iOS 26.4",
  chosen: "only match",
  defaults: []
} as const

const onPhone = { simulator, bundle_id: "com.example.app", already: false } as const

const debugged = { ...started, simulator, bundle_id: "com.example.app", launched: true } as const

const defaults = {
  project: "/src",
  profile: "default",
  profiles: ["default"],
  values: [{ key: "bundle", value: "com.example.app", from: "profile default" }],
  persisted: false
} as const

const request = {
  id: 7,
  actor: { id: "mcp:claude-code", kind: "mcp", role: "agent", name: "claude-code" },
  operation: "raw",
  input: { command: "version" },
  missing: [{ effect: "raw", tier: "admin" }],
  tier: "admin",
  created: 0,
  expires: 60_000
} as const

const earlier = {
  event: "stopped",
  session: "default.back",
  anchor: { session: "default", stop: 2 },
  runs: 1,
  by: "re-execution"
} as const

/** The smallest data of each operation. */
const data: { readonly [Tag in Operations.Tag]: Operations.Data<Tag> } = {
  "control.take": { clients: [] },
  "control.release": { clients: [] },
  "control.show": { clients: [] },
  "ask.list": { requests: [] },
  back: { ...earlier },
  "last-write": { ...earlier },
  "ask.answer": { request, answer: "allow", by: { id: "cli:pts/3", kind: "cli", role: "person", name: "pts/3" } },
  script: { results: [], done: 0 },
  trace: { id: 5, hits: 0, dropped: 0, elapsed_ms: 1, by: "script", end: "max", points: [], last: [] },
  "hits.list": { id: 5, total: 0, dropped: 0, rows: [] },
  "hits.diff": { id: 5, first: 1, second: 2, changes: [] },
  "hits.trend": { id: 5, field: "total", records: 0, changes: 0 },
  "hits.export": { id: 5, file: "/src/trace.ndjson", records: 0 },
  "sim.debug": debugged,
  "sim.attach": debugged,
  "sim.guard": { simulator, paused: false, sessions: [] },
  "sim.list": { devices: [] },
  "sim.boot": { simulator, already: false },
  "sim.shutdown": { already: false },
  "sim.install": { simulator, app: "/src/App.app" },
  "sim.launch": { ...onPhone, pid: 7 },
  "sim.terminate": onPhone,
  "sim.apps": { simulator, apps: [] },
  "sim.uninstall": onPhone,
  "sim.container": { simulator, bundle_id: "com.example.app", path: "/src/App.app" },
  "sim.log": { simulator, lines: [] },
  "sim.openurl": { simulator, url: "app://x" },
  "sim.push": { simulator, bundle_id: "com.example.app", file: "/src/push.json" },
  "sim.screenshot": { simulator, file: "/src/screen.png" },
  "sim.privacy": { simulator, action: "grant", service: "photos" },
  "sim.location": { simulator },
  "sim.appearance": { simulator, appearance: "dark" },
  "sim.status-bar": { simulator, overrides: {} },
  "sim.runtimes": { runtimes: [] },
  "sim.types": { types: [] },
  "sim.create": { udid: simulator.udid, name: "Phone" },
  "sim.clone": { udid: simulator.udid, name: "Copy", simulator },
  "sim.erase": { simulator, already: false },
  "sim.delete": { simulator, already: false },
  "sim.doctor": { ok: true, checks: [] },
  "defaults.show": defaults,
  "defaults.set": defaults,
  "defaults.clear": defaults,
  "defaults.use": defaults,
  start: started,
  vars: { frame, variables: [], total: 0, not_found: [] },
  find: { matches: [{ kind: "var", name: "n", frame: 0, scope: "local" }] },
  refs: { references: [], total: 0 },
  attach: started,
  core: { ...started, core: "/src/core" },
  connect: started,
  restart: started,
  recover: { done: false, plan: [] },
  detach: { pid: 7, alive: true, suspended: false, traced: false },
  until: { event: "exited", exit_code: 3, reached: false },
  stepi: { event: "exited", exit_code: 3 },
  nexti: { event: "exited", exit_code: 3 },
  stop: { sessions: [], leftovers: [] },
  status: { state: "none" },
  sessions: {
    sessions: [summary]
  },
  "session.use": summary,
  "session.rename": summary,
  "session.info": {
    state: "running",
    session: "web",
    kind: "launched",
    cwd: "/src",
    idle_s: 1,
    current: true,
    variables: 2,
    output_bytes: 0
  },
  "session.prune": { sessions: [], leftovers: [] },
  debuggers: { debuggers: [{ name: "lldb-dap", languages: ["c"], path: "/usr/bin/lldb-dap", version: "19.1.7" }] },
  capabilities: { features: [Session.feature("watchpoints", "command")] },
  run: { event: "exited", exit_code: 3 },
  wait: { event: "exited", exit_code: 3 },
  break: line,
  logpoint: { ...line, log: "i={i}" },
  watch: { ...line, kind: "watch", requested: { text: "n" } },
  catch: { filters: [] },
  "catch.list": { filters: [] },
  "catch.remove": { filters: [] },
  stops: { stops: [], dropped: 0 },
  history: { path: "total", values: [], dropped: 0 },
  report: { markdown: "# Stop #1: step", stop: 1 },
  display: { items: [] },
  "display.list": { items: [] },
  "display.remove": { items: [] },
  exception: { id: "signal", frames: [] },
  "breakpoint.info": { ...line, history: [] },
  "breakpoint.toggle": { ids: [1], breakpoints: [line] },
  "breakpoint.find": { file: "/src/app.c", matches: [{ line: 14, text: "total" }], total: 1 },
  exceptions: { exceptions: [], next: 1, dropped: 0 },
  "breakpoint.enable": { ids: [1], breakpoints: [line] },
  "breakpoint.disable": { ids: [1], breakpoints: [{ ...line, enabled: false }] },
  "breakpoint.edit": { ids: [1], breakpoints: [line] },
  "breakpoint.lines": { file: "/src/app.c", lines: [{ line: 14 }] },
  "breakpoint.save": { file: "/src/kept.json", breakpoints: [] },
  "breakpoint.load": { file: "/src/kept.json", breakpoints: [], failed: [] },
  "breakpoint.list": { breakpoints: [] },
  "breakpoint.remove": { ids: [2], breakpoints: [] },
  continue: { event: "stopped", reason: "step" },
  next: { event: "stopped", reason: "step" },
  step: { event: "stopped", reason: "step" },
  finish: { event: "stopped", reason: "step" },
  pause: { event: "stopped", reason: "pause" },
  context: { event: "running", recent_output: [] },
  backtrace: { thread: { id: 1 }, frames: [], hidden: 0 },
  locals: { frame: { index: 0, ref: "@f0", function: "main" }, variables: [], total: 0, not_found: [] },
  print: { values: [{ name: "n", value: "3" }] },
  eval: { value: { name: "n", value: "3" } },
  output: { entries: [], text: "", next: 0, dropped: 0 },
  input: { bytes: 4, eof: false, pending: false },
  events: { events: [], next: 1, dropped: 0 },
  source: { file: "/src/app.c", first: 1, lines: [], total: 14, breakpoints: [], origin: "disk", stale: false },
  files: { files: [], total: 0 },
  explain: { what: "crash", summary: "SIGSEGV reading 4 bytes at NULL", facts: [], waits: [], cycles: [], next: [] },
  changed: { from: 11, to: 12, vars: [], frame, entered: false, output_bytes: 0 },
  frame: { frame, thread: 1 },
  up: { frame, thread: 1 },
  down: { frame, thread: 1 },
  threads: { threads: [], total: 0 },
  tasks: { groups: [], total: 0 },
  diff: {
    a: { session: "default", stop: 11, from: "record" },
    b: { session: "default", stop: 12, from: "program" },
    frames: [],
    values: 3,
    compared: 1,
    left_out: []
  },
  bisect: {
    file: "/tmp/small.txt",
    bytes: 4,
    from_bytes: 120,
    runs: 31,
    signature: { id: "1a2b3c4d", reason: "SIGSEGV", frames: ["parse", "main"], count: 1, first: 1 },
    end: "minimal",
    parts: "bytes",
    elapsed_ms: 5200
  },
  diverge: {
    steps: 12,
    entries: 8,
    lines: 4,
    divergence: {
      after: { function: "parse", file: "/src/calc.c", line: 14, column: 7 },
      call: 2,
      narrowed: true,
      at: {
        a: { kind: "line", location: { function: "parse", file: "/src/calc.c", line: 15, column: 5 } },
        b: { kind: "line", location: { function: "parse", file: "/src/calc.c", line: 17, column: 5 } }
      }
    },
    vars: [{ function: "parse", vars: [{ path: "c", old: "'1'", new: "'-'" }] }],
    ends: { a: { exit_code: 0, output_bytes: 3 }, b: { exit_code: 1, output_bytes: 0 } },
    same_output: false,
    sessions: ["good", "bad"],
    runs: 8,
    elapsed_ms: 2300,
    left_out: ["functions without source files"]
  },
  thread: { thread: { id: 1, label: "Thread 1", state: "stopped", current: true } },
  args: { frame, variables: [], total: 0 },
  globals: { frame, variables: [], total: 0, not_found: [] },
  expand: { parent: { name: "n", value: "3" }, children: [] },
  set: { name: "n", old: "3", new: { name: "n", value: "2" } },
  type: { type: "int", size: 4 },
  complete: { completions: [] },
  "memory.read": { address: "0x10", count: 0, data: "", unreadable: [], by: "lldb" },
  "memory.write": { address: "0x10", written: 0, readback: "", by: "lldb" },
  registers: { groups: [], not_found: [] },
  disassemble: { instructions: [], by: "lldb" },
  modules: { modules: [] },
  raw: { output: "", state_changed: false }
}

const known = (tag: string): tag is Operations.Tag => tag in data

/** Answers every call with the smallest data of its operation. */
const plain: Reply = ({ tag }) => Effect.succeed(answer(known(tag) ? data[tag] : stopped))

const fits = <T extends Operations.Tag>(tag: T, value: Answer.Answer<unknown>): value is Operations.Answer<T> => {
  const operation = Operations.find(tag)
  return operation !== undefined && Schema.is(operation.successSchema)(value)
}

/** Makes a recorder: its layer, and the recorded calls. */
const recorder = (reply: Reply = plain) => {
  const calls: Array<Call> = []
  const record = (tag: string, payload: unknown) =>
    Effect.suspend(() => {
      const call = { tag, payload }
      calls.push(call)
      return reply(call)
    })
  const layer = Layer.succeed(Client.Client, {
    call: (tag) =>
      Effect.suspend(() => {
        const value = answer(data[tag])
        return fits(tag, value) ? Effect.succeed(value) : Effect.die(`${tag} has no such data`)
      }),
    callAny: (operation: Operation.Any, payload) =>
      HintCompletion.around(operation, payload, record(operation._tag, payload))
  })
  return { calls, layer }
}

/** Makes a command line in `/src/demo`, without a terminal. */
const commandLine = (argv: ReadonlyArray<string>, changes: Partial<CommandLine> = {}): CommandLine => ({
  argv,
  directory: "/src/demo",
  environment: {},
  terminal: { stdout: false, stderr: false, columns: 80, color: false },
  ...changes
})

/** The output and exit code of one command line. */
export interface Shown {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | undefined
  readonly pieces: ReadonlyArray<CommandOutput>
  readonly calls: ReadonlyArray<Call>
}

/** Runs a command line against a recorder. */
export const run = (
  argv: ReadonlyArray<string>,
  options: { readonly reply?: Reply; readonly line?: Partial<CommandLine> } = {}
): Effect.Effect<Shown> =>
  Effect.gen(function* () {
    const { calls, layer } = recorder(options.reply)
    const pieces = yield* CommandRunner.exec(commandLine(argv, options.line)).pipe(
      Stream.runCollect,
      Effect.provide(layer)
    )
    const text = (tag: "Stdout" | "Stderr") => pieces.map((piece) => (piece._tag === tag ? piece.text : "")).join("")
    const last = pieces.at(-1)
    return {
      stdout: text("Stdout"),
      stderr: text("Stderr"),
      code: last?._tag === "Exit" ? last.code : undefined,
      pieces,
      calls
    }
  })
