import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@sigtrap/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ReportedExit from "../../../src/session/events/ReportedExit.ts"

const exited: Event.Event = { _tag: "Exited", exit_code: 0 }
const output = (text: string): Event.Event => ({ _tag: "Output", channel: "stdout", text })

/** Receives events; `survivor` answers whether the program still exists. */
const receiving = Effect.fnUntraced(function* (survivor: Effect.Effect<number | undefined>) {
  const seen: Array<Event.Event> = []
  const emit = yield* ReportedExit.make({
    ownership: { survivor: () => survivor },
    scope: yield* Effect.scope,
    emit: (event) => seen.push(event)
  })
  return { emit, seen }
})

describe("a reported exit", () => {
  it.effect("is passed on at once if the process is gone", () =>
    Effect.gen(function* () {
      const { emit, seen } = yield* receiving(Effect.undefined)
      emit(output("a"))
      emit(exited)
      emit(output("b"))
      assert.deepStrictEqual(seen, [output("a"), exited, output("b")])
    }).pipe(Effect.scoped)
  )

  it.effect("is not believed while the process exists: the session is lost, with the reason", () =>
    Effect.gen(function* () {
      const { emit, seen } = yield* receiving(Effect.succeed(4711))
      emit(exited)
      assert.deepStrictEqual(seen, [
        { _tag: "Lost", reason: "the debugger reported that the program ended, but process 4711 still exists" }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("waits for a process that takes a while to end, and later events stay behind it", () =>
    Effect.gen(function* () {
      const { emit, seen } = yield* receiving(Effect.as(Effect.sleep("1 second"), undefined))
      emit(exited)
      emit({ _tag: "Terminated" })
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [exited, { _tag: "Terminated" }])
    }).pipe(Effect.scoped)
  )
})
