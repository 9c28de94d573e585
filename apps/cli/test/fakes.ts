// A client that records what is called and answers with what a test gives it.
import { Client, type Errors, type Answer, type Operation, Operations } from "@sigtrap/protocol"
import type { CommandLine, CommandOutput } from "@sigtrap/host/DaemonProtocol"
import { Effect, Layer, Schema, Stream } from "effect"
import * as Cli from "../src/Cli.ts"

/** A call that was made. */
interface Call {
  readonly tag: string
  readonly payload: unknown
}

/** What the program answers: data, an error, or a defect. */
export type Reply = (call: Call) => Effect.Effect<Answer.Answer<unknown>, Errors.SigtrapError>

/** An answer around data. */
export const answer = (data: unknown): Answer.Answer<unknown> => ({
  session: "default",
  state: "stopped",
  stop: 12,
  data,
  warnings: [],
  truncated: []
})

const stopped = { event: "stopped", reason: "step" }

/** The smallest data of each operation. */
const data: { readonly [Tag in Operations.Tag]: Operations.Data<Tag> } = {
  start: {
    event: "running",
    session: "default",
    program: "/src/app",
    args: [],
    adapter: { name: "lldb-dap", backend: "dap" },
    set_breakpoints: []
  },
  stop: { sessions: [], leftovers: [] },
  status: { state: "none" },
  sessions: {
    sessions: [{ name: "web", state: "running", program: "/src/app", age_s: 1, idle_s: 1, current: true }]
  },
  wait: { event: "exited", exit_code: 3 },
  break: {
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
  },
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
  raw: { output: "", state_changed: false }
}

const known = (tag: string): tag is Operations.Tag => tag in data

/** Answers every call with the smallest data of its operation. */
const plain: Reply = ({ tag }) => Effect.succeed(answer(known(tag) ? data[tag] : stopped))

const fits = <T extends Operations.Tag>(tag: T, value: Answer.Answer<unknown>): value is Operations.Answer<T> => {
  const operation = Operations.find(tag)
  return operation !== undefined && Schema.is(operation.successSchema)(value)
}

/** A recorder: its layer, and the calls that were made. */
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
    callAny: (operation: Operation.Any, payload) => record(operation._tag, payload)
  })
  return { calls, layer }
}

/** A command line typed in `/src/demo`, with no terminal. */
const commandLine = (argv: ReadonlyArray<string>, changes: Partial<CommandLine> = {}): CommandLine => ({
  argv,
  directory: "/src/demo",
  environment: {},
  terminal: { stdout: false, stderr: false, columns: 80, color: false },
  ...changes
})

/** What one command line shows and with what it ends. */
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
    const pieces = yield* Cli.exec(commandLine(argv, options.line)).pipe(Stream.runCollect, Effect.provide(layer))
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
