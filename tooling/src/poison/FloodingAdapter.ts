/**
 * A debug adapter that answers more than it is asked for, run as a process. The first argument selects its fault; without
 * one it behaves. It reports one stop, of a program that it does not run.
 */
import { Framing, type Message } from "@sigtrap/dap"

/** What the adapter sends too much of. */
export type Fault =
  | "frames"
  | "some frames"
  | "variables"
  | "some variables"
  | "threads"
  | "output"
  | "small output"
  | "stops"
  | "reverse requests"
  | "long value"
  | "long output"
  | "false ids"

const fault = process.argv[2]

let seq = 1
const write = (message: Message.Message) => process.stdout.write(Framing.encode({ ...message, seq: seq++ }))

const event = (name: string, body?: unknown) => write({ type: "event", event: name, body })

/** Returns a number that is not an id, a line or a count, if that is the fault. */
const wrong = (right: number) => (fault === "false ids" ? 1e300 : right)

const frame = (id: number) => ({
  id,
  name: `function_${id}(int, char const*)`,
  line: wrong(12),
  column: wrong(3),
  source: { name: "app.c", path: "/src/app.c" },
  instructionPointerReference: `0x${(4096 + id).toString(16)}`
})

const variable = (id: number) => ({
  name: `variable_${id}`,
  value: String(id),
  type: "int",
  evaluateName: `variable_${id}`,
  variablesReference: 0,
  namedVariables: wrong(0)
})

const many = <A>(count: number, of: (index: number) => A) => Array.from({ length: count }, (_, index) => of(index))

/** Sends messages for as long as the client reads them. */
const flood = (count: number, one: (index: number) => Message.Message) => {
  let sent = 0
  const more = () => {
    let room = true
    while (sent < count && room) room = write(one(sent++))
    if (sent < count) process.stdout.once("drain", more)
  }
  more()
}

const floods = () => {
  if (fault === "output")
    flood(200_000, () => ({ type: "event", event: "output", body: { output: "line of output\n" } }))
  if (fault === "small output") flood(1_000_000, () => ({ type: "event", event: "output", body: { output: "x" } }))
  if (fault === "long output")
    flood(20, () => ({ type: "event", event: "output", body: { output: "x".repeat(10_000_000) } }))
  if (fault === "stops") {
    flood(200_000, (index) =>
      index % 2 === 0
        ? { type: "event", event: "continued", body: { threadId: 1 } }
        : { type: "event", event: "stopped", body: { reason: "breakpoint", threadId: 1, hitBreakpointIds: [1] } }
    )
  }
  if (fault === "reverse requests") {
    flood(300_000, () => ({ type: "request", command: "runInTerminal", arguments: { args: ["true"], cwd: "/" } }))
  }
}

const bodyOf = (command: string): unknown => {
  switch (command) {
    case "initialize":
      return {
        supportsConfigurationDoneRequest: true,
        supportsFunctionBreakpoints: true
      }
    case "threads":
      return { threads: many(fault === "threads" ? 200_000 : 1, (id) => ({ id: wrong(id + 1), name: "main" })) }
    case "stackTrace":
      return { stackFrames: many(fault === "frames" ? 300_000 : fault === "some frames" ? 30_000 : 1, frame) }
    case "scopes":
      return { scopes: [{ name: "Locals", presentationHint: "locals", variablesReference: 1, expensive: false }] }
    case "variables":
      return { variables: many(fault === "variables" ? 200_000 : fault === "some variables" ? 30_000 : 3, variable) }
    case "evaluate":
      return { result: fault === "long value" ? "x".repeat(40_000_000) : "", variablesReference: 0 }
    case "setFunctionBreakpoints":
    case "setBreakpoints":
      return { breakpoints: [{ id: 1, verified: true }] }
    default:
      return {}
  }
}

const answer = ({ command, seq: request_seq = 0 }: Message.Request) => {
  write({ type: "response", request_seq, success: true, command, body: bodyOf(command) })
  if (command === "launch") event("initialized")
  if (command === "configurationDone") {
    event("stopped", { reason: "breakpoint", threadId: wrong(1), allThreadsStopped: true, hitBreakpointIds: [1] })
    setTimeout(floods, 300)
  }
  if (command === "disconnect") process.exit(0)
}

const decoder = new Framing.Decoder()
process.stdin.on("data", (chunk: Buffer) => {
  for (const { message } of decoder.push(chunk)) if (message.type === "request") answer(message)
})
process.stdin.on("end", () => process.exit(0))
