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
    return Transcript.stabilise(parsed.success, { paths }).map(({ msg }) => msg)
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
