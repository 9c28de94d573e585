import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isCode } from "../../../src/operations/frames/SignalReturn.ts"
import { FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call, line, over } from "../../support.ts"

const main = (at: number): SimulatedProgram.Place => ({ function: "main", line: at })
const back: SimulatedProgram.Place = { function: "__restore_rt" }
const raise: SimulatedProgram.Place = { function: "raise" }
const handler = (at: number): SimulatedProgram.Place => ({ function: "square", line: at })

/** `main` raises a signal in line 10, whose handler has the lines 2 and 3. */
const program: SimulatedProgram.Program = {
  ...SimulatedProgram.sample,
  moments: [
    { stack: [main(10)] },
    { stack: [handler(2), back, raise, main(10)] },
    { stack: [handler(3), back, raise, main(10)] },
    { stack: [back, raise, main(10)] },
    { stack: [raise, main(10)] },
    { stack: [main(11)] },
    { stack: [main(13)] }
  ]
}

/** The same, where the signal interrupts `main` itself. */
const interrupting: SimulatedProgram.Program = {
  ...program,
  moments: program.moments
    .filter(({ stack: [{ function: name }] }) => name !== "raise")
    .map((moment) => {
      const [first, ...rest] = moment.stack
      return { ...moment, stack: [first, ...rest.filter((place) => place !== raise)] as const }
    })
}

describe("leaving a signal handler", () => {
  for (const how of ["next", "step"] as const) {
    it.effect(`${how} ends in the interrupted code`, () =>
      over(
        FakeBackend.make(interrupting),
        Effect.gen(function* () {
          yield* call.start({ break: ["app.c:3"] })
          const report = yield* call[how]()
          assert.deepStrictEqual([report.data.location?.function, line(report)], ["main", 11])
          assert.deepInclude(report.data, { reason: "step", returned_from: "square", ran: [{ line: 3 }] })
          assert.strictEqual(line(yield* call.next()), 13)
        })
      )
    )
  }

  it.effect("counts as one of several steps", () =>
    over(
      FakeBackend.make(interrupting),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:2"] })
        assert.strictEqual(line(yield* call.next({ count: 3 })), 13)
      })
    )
  )

  it.effect("by finish shows no returned value", () =>
    over(
      FakeBackend.make(interrupting),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:2"] })
        const report = yield* call.finish()
        assert.deepStrictEqual(
          [report.data.location?.function, line(report), report.data.reason],
          ["main", 11, "finish"]
        )
        assert.isUndefined(report.data.return_value)
      })
    )
  )

  it.effect("ends in its own code where the caller steps into code without source", () =>
    over(
      FakeBackend.make(program),
      Effect.gen(function* () {
        yield* call.start({ break: ["app.c:3"] })
        const report = yield* call.step({ into_system: true })
        assert.strictEqual(report.data.location?.function, "__restore_rt")
      })
    )
  )
})

describe("the code to which a handler returns", () => {
  it("is the system call sigreturn", () => {
    assert.isTrue(isCode(Uint8Array.of(0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05, 0x90)))
    assert.isTrue(isCode(Uint8Array.of(0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4)))
    assert.isFalse(isCode(Uint8Array.of(0x48, 0xc7, 0xc0, 0x3c, 0, 0, 0, 0x0f, 0x05)))
    assert.isFalse(isCode(Uint8Array.of()))
  })
})
