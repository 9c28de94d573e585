// A debug adapter for a language of one statement: each line adds a number to `sum` and prints it. A small example of DAP. It
// speaks on its standard streams, with `--port N` at that port of 127.0.0.1 to one client.
import { readFileSync } from "node:fs"
import { createServer } from "node:net"

let numbers = []
let program = ""
let at = 0
let sum = 0
let breakpoints = []
let seq = 0
let client = process.stdout

const write = (message) => {
  const body = JSON.stringify({ seq: ++seq, ...message })
  client.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
const event = (name, body) => write({ type: "event", event: name, body })

const runLine = () => {
  sum += numbers[at++]
  event("output", { category: "stdout", output: `${sum}\n` })
}

/** Runs until a breakpoint or the end; at most `most` lines. */
const run = (most) => {
  for (let count = 0; count < most && at < numbers.length; count++) {
    runLine()
    if (most > 1 && breakpoints.includes(at + 1) && at < numbers.length) return stop("breakpoint")
  }
  if (at < numbers.length) return stop("step")
  event("exited", { exitCode: 0 })
  event("terminated")
}
const stop = (reason) => event("stopped", { reason, threadId: 1, allThreadsStopped: true })

const load = (file) => {
  program = file
  numbers = readFileSync(program, "utf8").trim().split("\n").map(Number)
}

/** Answers of the requests; `after` runs when the answer was sent. */
const requests = {
  initialize: () => ({ body: { supportsConfigurationDoneRequest: true } }),
  launch: (args) => {
    if (typeof args.program !== "string") return { error: "launch has no program" }
    load(args.program)
    sum = args.first ?? 0
    return { after: () => event("initialized") }
  },
  attach: (args) => {
    load(args.script)
    sum = args.processId
    return { after: () => event("initialized") }
  },
  setBreakpoints: (args) => {
    breakpoints = (args.breakpoints ?? []).map(({ line }) => line)
    return { body: { breakpoints: breakpoints.map((line) => ({ verified: line <= numbers.length, line })) } }
  },
  setExceptionBreakpoints: () => ({}),
  configurationDone: () => ({ after: () => (breakpoints.includes(1) ? stop("breakpoint") : run(Infinity)) }),
  threads: () => ({ body: { threads: [{ id: 1, name: "main" }] } }),
  stackTrace: () => ({
    body: { stackFrames: [{ id: 1, name: "main", line: at + 1, column: 1, source: { path: program } }], totalFrames: 1 }
  }),
  scopes: () => ({ body: { scopes: [{ name: "Locals", variablesReference: 1, expensive: false }] } }),
  variables: () => ({
    body: { variables: [{ name: "sum", value: String(sum), type: "number", variablesReference: 0 }] }
  }),
  evaluate: (args) =>
    args.expression === "sum"
      ? { body: { result: String(sum), type: "number", variablesReference: 0 } }
      : { error: `there is no ${args.expression}` },
  continue: () => ({ body: { allThreadsContinued: true }, after: () => run(Infinity) }),
  next: () => ({ after: () => run(1) }),
  disconnect: () => ({ after: () => process.exit(0) })
}

let input = Buffer.alloc(0)
const receive = (chunk) => {
  input = Buffer.concat([input, chunk])
  for (;;) {
    const end = input.indexOf("\r\n\r\n")
    if (end < 0) return
    const size = Number(/Content-Length: (\d+)/.exec(input.toString("latin1", 0, end))[1])
    if (input.length < end + 4 + size) return
    const request = JSON.parse(input.toString("utf8", end + 4, end + 4 + size))
    input = input.subarray(end + 4 + size)
    const { after, body, error } = requests[request.command]?.(request.arguments ?? {}) ?? { error: "not supported" }
    write({
      type: "response",
      request_seq: request.seq,
      command: request.command,
      success: error === undefined,
      ...(error === undefined ? { body } : { message: error })
    })
    after?.()
  }
}

const portAt = process.argv.indexOf("--port") + 1
if (portAt === 0) {
  process.stdin.on("data", receive)
  process.stdin.on("end", () => process.exit(0))
} else {
  const server = createServer((socket) => {
    server.close()
    client = socket.on("data", receive).on("close", () => process.exit(0))
  })
  server.listen(Number(process.argv[portAt]), "127.0.0.1")
}
