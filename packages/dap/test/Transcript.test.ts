import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { Transcript } from "../src/index.ts"
import { event, readTrace, traces } from "./support.ts"

describe("a transcript", () => {
  it.effect("is recorded line by line, with the time since the start", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const record = yield* Transcript.recorder((line) => lines.push(line))
      record({ type: "request", seq: 1, command: "threads" }, "client")
      yield* TestClock.adjust(1_500)
      record(event("stopped"), "adapter")
      assert.deepStrictEqual(lines, [
        '{"dir":"client","ms":0,"msg":{"type":"request","seq":1,"command":"threads"}}',
        '{"dir":"adapter","ms":1500,"msg":{"type":"event","event":"stopped"}}'
      ])
      assert(Result.isSuccess(Transcript.parse(lines.join("\n"))))
    })
  )

  it.effect("is parsed to the entries that were written", () =>
    Effect.gen(function* () {
      for (const { entries, name } of yield* traces) {
        assert(entries.length > 5, name)
        const again = Transcript.parse(entries.map(Transcript.format).join("\n"))
        assert(Result.isSuccess(again))
        assert.deepStrictEqual(again.success, entries, name)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it("may contain a body that is not UTF-8, and the end of the output", () => {
    const parsed = Transcript.parse(
      '{"dir":"adapter","ms":1,"rawBase64":"/w=="}\n\n{"dir":"adapter","ms":2,"eof":true,"exit":{"signal":6}}\n'
    )
    assert(Result.isSuccess(parsed))
    const [raw, eof] = parsed.success
    assert(raw !== undefined && "rawBase64" in raw)
    assert.deepStrictEqual([...Transcript.body(raw)], [255])
    assert.deepStrictEqual(eof, { dir: "adapter", ms: 2, eof: true, exit: { signal: 6 } })
  })

  it("that is invalid names the line", () => {
    for (const bad of ["{", "[]", '{"dir":"x","ms":1,"eof":true}', '{"dir":"client","ms":1,"msg":{"type":"event"}}']) {
      const parsed = Transcript.parse(`{"dir":"adapter","ms":2,"eof":true}\n${bad}\n`)
      assert(Result.isFailure(parsed))
      assert.strictEqual(parsed.failure.line, 2)
    }
  })
})

describe("stabilised", () => {
  const stable = (messages: ReadonlyArray<unknown>, paths: ReadonlyArray<readonly [string, string]> = []) => {
    const lines = messages.map((msg) => JSON.stringify({ dir: "adapter", ms: 1, msg }))
    const parsed = Transcript.parse(lines.join("\n"))
    assert(Result.isSuccess(parsed))
    return Transcript.stabilise(parsed.success, { paths }).map((one) => ("msg" in one ? one.msg : one))
  }

  it("messages have placeholders in the order of appearance", () => {
    const session = (pid: number, home: string, address: string) => [
      { seq: 3, ...event("process", { systemProcessId: pid, name: `${home}/a.out` }) },
      { seq: 4, ...event("stopped", { threadId: pid, allThreadsStopped: true }) },
      { seq: 5, ...event("output", { output: `process ${pid} stopped at ${address}, line 12\n` }) },
      {
        seq: 6,
        type: "response",
        request_seq: 9,
        success: true,
        body: { threads: [{ id: pid, name: "main" }, { id: pid + 1 }] }
      },
      {
        seq: 7,
        type: "response",
        request_seq: 10,
        success: true,
        body: { stackFrames: [{ id: pid * 2, line: 12 }], x: { variablesReference: 0 } }
      }
    ]
    const one = stable(session(4_711, "/home/user", "0x7FFFFFFFE488"), [["/home/user", "<home>"]])
    const two = stable(session(90_210, "/tmp/two", "0x00005555"), [["/tmp/two", "<home>"]])
    assert.deepStrictEqual(one, two)
    assert.deepStrictEqual(one[0], {
      seq: "<seq>",
      type: "event",
      event: "process",
      body: { systemProcessId: "<pid 1>", name: "<home>/a.out" }
    })
    assert.deepStrictEqual(one[3], {
      seq: "<seq>",
      type: "response",
      request_seq: "<seq>",
      success: true,
      body: { threads: [{ id: "<thread 1>", name: "main" }, { id: "<thread 2>" }] }
    })
  })

  it("messages are restored: responses belong to their requests, and placeholders become values", () => {
    const lines = [
      '{"dir":"client","msg":{"seq":"<request 1>","type":"request","command":"stackTrace","arguments":{"threadId":"<thread 1>"}}}',
      '{"dir":"client","msg":{"seq":"<request 2>","type":"request","command":"stackTrace","arguments":{"threadId":"<thread 2>"}}}',
      '{"dir":"adapter","msg":{"seq":"<seq>","type":"response","request_seq":"<request 2>","success":true,"body":{"stackFrames":[{"id":"<frame 1>","name":"f","instructionPointerReference":"<address 1>"}]}}}',
      '{"dir":"adapter","msg":{"seq":"<seq>","type":"event","event":"output","body":{"output":"<thread 2> of <pid 1> in <home>/a\\n"}}}',
      "",
      '{"dir":"adapter","eof":true}'
    ]
    const stable = Result.getOrThrow(Transcript.parseStable(lines.join("\n")))
    const restored = Result.getOrThrow(Transcript.restore(stable, { paths: [["/home/me", "<home>"]] }))
    const [first, second, response, output, end] = restored
    const msg = (entry?: Transcript.Entry) => (entry !== undefined && "msg" in entry ? entry.msg : undefined)
    assert.deepStrictEqual(msg(second), {
      seq: 2,
      type: "request",
      command: "stackTrace",
      arguments: { threadId: 80_002 }
    })
    assert.deepInclude(msg(first), { seq: 1 })
    assert.deepStrictEqual(msg(response), {
      seq: 1,
      type: "response",
      request_seq: 2,
      success: true,
      body: { stackFrames: [{ id: 1, name: "f", instructionPointerReference: "0x100001" }] }
    })
    assert.deepInclude(msg(output), { body: { output: "80002 of 70001 in /home/me/a\n" } })
    assert.deepStrictEqual(end, { dir: "adapter", eof: true, ms: 0 })
  })

  it("names the line that is not a message", () => {
    const bad = Transcript.restore([
      { dir: "adapter", eof: true },
      { dir: "adapter", msg: { type: "event" } }
    ])
    assert(Result.isFailure(bad))
    assert.strictEqual(bad.failure.line, 2)
    const text = Transcript.parseStable('{"dir":"adapter","eof":true}\n{"dir":"nobody"}')
    assert(Result.isFailure(text))
    assert.strictEqual(text.failure.line, 2)
  })

  it.effect("recordings are the same again after they were written, parsed and restored", () =>
    Effect.gen(function* () {
      for (const { entries, name } of yield* traces) {
        const stable = Transcript.stabilise(entries, { paths: [["/src/demo", "<demo>"]] })
        const read = Result.getOrThrow(Transcript.parseStable(stable.map(Transcript.format).join("\n")))
        assert.deepStrictEqual(read, stable, name)
        const restored = Result.getOrThrow(Transcript.restore(read, { paths: [["/src/other", "<demo>"]] }))
        assert.deepStrictEqual(Transcript.stabilise(restored, { paths: [["/src/other", "<demo>"]] }), stable, name)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("sessions of two versions of one adapter become comparable", () =>
    Effect.gen(function* () {
      const text = (entries: ReadonlyArray<Transcript.Entry>) => JSON.stringify(Transcript.stabilise(entries))
      const one = text(yield* readTrace("gdb-16-launch-inspect.jsonl"))
      assert.notMatch(one, /0x[0-9a-f]{6}/)
      assert.match(one, /<address 1>/)
      assert.match(one, /<thread 1>/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
