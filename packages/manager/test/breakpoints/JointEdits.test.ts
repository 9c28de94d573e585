// Breakpoints of several callers, which are sent together, and lists that the debugger refuses or does not answer.
import { assert, describe, it } from "@effect/vitest"
import { Errors } from "@sigtrap/protocol"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { call, calls, code } from "../support.ts"
import { file, ids, list, sent } from "./breakpointLists.ts"
import { inMain } from "../stoppedSessions.ts"

const refusal = new Errors.AdapterError({ command: "setBreakpoints", detail: "no" })

describe("a breakpoint", () => {
  it.effect("is sent in one list with those of other callers, and is refused alone", () =>
    inMain((_, debuggee) =>
      Effect.gen(function* () {
        const before = debuggee.requests.length
        const [one, refused, two, same] = yield* Effect.all(
          [
            call.break("app.c:10"),
            Effect.flip(call.break("app.c:999")),
            call.break("app.c:13"),
            call.break("app.c:13"),
            call.break("app.c:7"),
            call.break("app.c:8"),
            call.break("app.c:11")
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(refused._tag, "BreakpointUnresolved")
        assert.deepInclude(one.data, { resolved: true, locations: [{ file, line: 10 }] })
        assert.deepInclude(two.data, { resolved: true, locations: [{ file, line: 13 }] })
        assert.strictEqual(same.data.id, two.data.id)
        assert.deepStrictEqual((yield* ids).slice(0, 3), [1, one.data.id, two.data.id])
        assert.deepStrictEqual(
          sent(debuggee)?.map(([, line]) => line),
          [10, 13, 7, 8, 11]
        )
        const lists = debuggee.requests.slice(before).filter(({ request }) => request === "setBreakpoints")
        // The first one, all that waited meanwhile, and the list without the refused one.
        assert.lengthOf(lists, 3)
      })
    )
  )

  for (const yields of [0, 1, 2, 4, 8, 16, 32, 64]) {
    it.effect(`is set although other callers give up beside it, after ${yields} turns`, () =>
      inMain((_, debuggee) =>
        Effect.gen(function* () {
          const lines = [7, 8, 10, 11, 13]
          const fibers = yield* Effect.forEach(lines, (line) => Effect.forkChild(call.break(`app.c:${line}`)))
          for (let turn = 0; turn < yields; turn++) yield* Effect.yieldNow
          const [first, second, third, fourth, fifth] = fibers
          yield* Effect.all(
            [first, second, fourth].flatMap((one) => (one === undefined ? [] : Fiber.interrupt(one))),
            {
              concurrency: "unbounded"
            }
          )
          const stayed = yield* Effect.forEach([third, fifth], (one) =>
            one === undefined ? Effect.die("no fiber") : Fiber.join(one)
          )
          assert.deepStrictEqual(
            stayed.map(({ data }) => data.locations[0]?.line),
            [10, 13]
          )
          const last = yield* call.break("app.c:9")
          assert.includeMembers([...(yield* ids)], [...stayed.map(({ data }) => data.id), last.data.id])
          assert.includeMembers(sent(debuggee)?.map(([, line]) => line) ?? [], [10, 13, 9])
        })
      )
    )
  }

  it.effect("that a debugger refuses with others is tried alone", () =>
    inMain((debuggers) =>
      Effect.gen(function* () {
        const [one, , two, three] = yield* Effect.all(
          [
            call.break("app.c:7"),
            Effect.sync(() => debuggers.fault("setBreakpoints", { kind: "refuse", error: refusal })),
            call.break("app.c:10"),
            call.break("app.c:13")
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* ids, [1, one.data.id, two.data.id, three.data.id])
      })
    )
  )
})

describe("a list that the debugger refuses", () => {
  it.effect("leaves the breakpoints of debugger and registry unchanged", () =>
    inMain((fake, debuggee) =>
      Effect.gen(function* () {
        yield* call.break("app.c:10 if i")
        const before = yield* list
        for (const kind of ["refuse", "deny"] as const) {
          for (const change of calls(call.break("app.c:11"), call.break("app.c:10 if n"), call.remove([2]))) {
            fake.fault("setBreakpoints", { kind, error: refusal })
            assert.strictEqual(yield* code(change), "ADAPTER_ERROR")
            assert.deepStrictEqual(yield* list, before)
            assert.deepStrictEqual(sent(debuggee), [[2, 10, "i"]])
          }
        }
      })
    )
  )
})

describe("a debugger that does not answer", () => {
  it.effect("fails the edit at its deadline, and is asked to undo it for one second only", () =>
    inMain((fake) =>
      Effect.gen(function* () {
        const before = yield* list
        const late = new Errors.RequestTimeout({ command: "setBreakpoints", after_ms: 30_000 })
        for (const change of calls(call.break("app.c:11"), call.remove([1]))) {
          fake.fault("setBreakpoints", { kind: "refuse", error: late })
          fake.fault("setBreakpoints", { kind: "hold", until: Effect.never })
          const failing = yield* Effect.forkChild(code(change))
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* Fiber.join(failing), "REQUEST_TIMEOUT")
          assert.deepStrictEqual(yield* list, before)
        }
      })
    )
  )
})
