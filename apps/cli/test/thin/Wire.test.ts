import { Errors } from "@sigtrap/protocol"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Conversation, type Outcome, type Port } from "../../src/thin/Wire.ts"

const line = {
  argv: ["status"],
  directory: "/",
  environment: {},
  terminal: { stdout: false, stderr: false, columns: 80, color: false }
}

/** A port that records; a write completes only when the test calls `done`. */
const recorder = () => {
  const sent: Array<unknown> = []
  const written: Array<string> = []
  const outcomes: Array<Outcome> = []
  const pending: Array<() => void> = []
  const port: Port = {
    send: (text) => void sent.push(JSON.parse(text)),
    write: (stream, text, done) => {
      written.push(`${stream} ${text}`)
      pending.push(done)
    },
    end: (outcome) => void outcomes.push(outcome)
  }
  return { port, sent, written, outcomes, pending }
}

const chunk = (...values: ReadonlyArray<unknown>) => `${JSON.stringify({ _tag: "Chunk", requestId: "1", values })}\n`
const exit = (exit: unknown) => `${JSON.stringify({ _tag: "Exit", requestId: "1", exit })}\n`
const text = (text: string) => ({ _tag: "Stdout", text })
const success = exit({ _tag: "Success", value: null })

it("the next chunk is requested only after this one is written", () => {
  const { port, sent, pending } = recorder()
  const conversation = new Conversation(port)
  conversation.start(line, false)
  assert.strictEqual(sent.length, 2)
  conversation.receive(chunk(text("a"), { _tag: "Stderr", text: "b" }))
  pending[0]?.()
  assert.strictEqual(sent.length, 2)
  pending[1]?.()
  assert.deepStrictEqual(sent[2], { _tag: "Ack", requestId: "1" })
})

it("the outcome is the exit code, reported once", () => {
  const { port, outcomes } = recorder()
  const conversation = new Conversation(port)
  conversation.receive(chunk({ _tag: "Exit", code: 4 }) + success)
  conversation.closed()
  assert.deepStrictEqual(outcomes, [{ _tag: "Exit", code: 4 }])
})

it("a refused version, a defect and a closed connection have different outcomes", () => {
  const failure = (cause: unknown) => exit({ _tag: "Failure", cause: [cause] })
  const rows: ReadonlyArray<readonly [string, Outcome]> = [
    [
      failure({ _tag: "Fail", error: { _tag: "DaemonVersion", client: "1.0", daemon: "2.1", sessions: 3 } }),
      { _tag: "Version", daemon: "2.1", sessions: 3, ended: false }
    ],
    [
      failure({
        _tag: "Fail",
        error: { _tag: "DaemonVersion", client: "2.0.0", daemon: "1.0.0", sessions: 0, ended: true }
      }),
      { _tag: "Version", daemon: "1.0.0", sessions: 0, ended: true }
    ],
    [failure({ _tag: "Die", defect: { message: "boom" } }), { _tag: "Broken", problem: "boom" }],
    [`${JSON.stringify({ _tag: "Defect", defect: "bad line" })}\n`, { _tag: "Broken", problem: "bad line" }],
    [success, { _tag: "Broken", problem: "the daemon sent no exit code" }],
    ["", { _tag: "Broken", problem: "the daemon closed the connection" }]
  ]
  for (const [received, expected] of rows) {
    const { port, outcomes } = recorder()
    const conversation = new Conversation(port)
    conversation.receive(received)
    conversation.closed()
    assert.deepStrictEqual(outcomes, [expected])
  }
})

it("a refusal has the code, the exit code and the words of its error", () => {
  const errors = [
    new Errors.Busy({ what: "connections", limit: 256, retry_ms: 1 }),
    new Errors.Busy({ what: "requests", limit: 32, retry_ms: 1 }),
    new Errors.AnswerTooLarge({ bytes: 17_000_000, limit: 16_000_000 }),
    new Errors.Usage({ problem: "the request has more than 9 values", near: [], remedies: [] })
  ]
  const encode = Schema.encodeSync(Schema.Union(Errors.limits))
  for (const error of errors) {
    const { outcomes, port } = recorder()
    const cause = [{ _tag: "Fail", error: encode(error) }]
    new Conversation(port).receive(
      `${JSON.stringify({ _tag: "Exit", requestId: "1", exit: { _tag: "Failure", cause } })}\n`
    )
    const [outcome] = outcomes
    assert(outcome?._tag === "Refused")
    const { code, exit } = Errors.meta(error)
    assert.deepStrictEqual([outcome.code, outcome.exit, outcome.message], [code, exit, error.message])
  }
})

it.prop(
  "any division of the stream gives the same text",
  [Schema.Array(Schema.String), Schema.Int],
  ([texts, seed]) => {
    const whole = texts.map((part) => chunk(text(part))).join("") + chunk({ _tag: "Exit", code: 0 }) + success
    const size = (Math.abs(seed) % 13) + 1
    const { port, written, outcomes } = recorder()
    const conversation = new Conversation(port)
    for (let from = 0; from < whole.length; from += size) conversation.receive(whole.slice(from, from + size))
    assert.deepStrictEqual(
      written,
      texts.map((part) => `Stdout ${part}`)
    )
    assert.deepStrictEqual(outcomes, [{ _tag: "Exit", code: 0 }])
  }
)
