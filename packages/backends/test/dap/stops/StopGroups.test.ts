/** The events of one stop, which an adapter sends one by one. */
import { assert, it } from "@effect/vitest"
import type { Message } from "@sigtrap/dap"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as StopMark from "../../../src/console/lldb/StopMark.ts"
import * as StopGroups from "../../../src/dap/stops/StopGroups.ts"
import { stopMark } from "../../support.ts"

const event = (name: string, body: unknown): Message.Event => ({ type: "event", seq: 0, event: name, body })

const stopped = (threadId: number) => event("stopped", { reason: "breakpoint", threadId })

const output = (text: string) => event("output", { category: "console", output: text })

const end = event("output", stopMark)

/** A receiver, and what it has delivered. */
const receiver = Effect.map(Effect.context<never>(), (context) => {
  const delivered: Array<string> = []
  const receive = StopGroups.make({
    together: (handleAll) => handleAll(),
    mark: () => StopMark.mark,
    reported: (stop) => stop,
    handle: ({ body, event: name }) => void delivered.push(`${name} ${JSON.stringify(body)}`),
    fork: (effect) => void Effect.runForkWith(context)(effect)
  })
  const names = () => delivered.splice(0).map((text) => text.split(" ")[0])
  return { delivered, names, receive }
})

it.effect("are delivered together when the stop command has answered", () =>
  Effect.gen(function* () {
    const { delivered, receive } = yield* receiver
    receive(stopped(1))
    receive(stopped(2))
    receive(event("thread", { reason: "exited", threadId: 3 }))
    assert.deepStrictEqual(delivered.splice(0), ['thread {"reason":"exited","threadId":3}'])
    receive(end)
    assert.deepStrictEqual(delivered.splice(0), [
      'stopped {"reason":"breakpoint","threadId":1}',
      'stopped {"reason":"breakpoint","threadId":2}'
    ])
    receive(end)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(delivered, [])
  })
)

it.effect("leave the output of the caller's stop commands as it is, after the stop", () =>
  Effect.gen(function* () {
    const { delivered, receive } = yield* receiver
    receive(stopped(1))
    const rest = "Running stopCommands:\n(lldb) version\nlldb version 19.1.7\n"
    receive(output(`${rest}(lldb) settings show auto-confirm\nauto-confirm (boolean) = true\n`))
    assert.deepStrictEqual(delivered.splice(0).slice(1), [
      `output ${JSON.stringify({ category: "console", output: rest })}`
    ])
    // Newer versions send each line in an event of its own.
    receive(stopped(1))
    for (const line of ["Running stopCommands:\n", "(lldb) settings show auto-confirm\n"]) receive(output(line))
    assert.deepStrictEqual(delivered, [])
    receive(output("auto-confirm (boolean) = true\n"))
    receive(output("error: a message of the debugger\n"))
    assert.deepStrictEqual(delivered.splice(0), [
      'stopped {"reason":"breakpoint","threadId":1}',
      `output ${JSON.stringify({ category: "console", output: "error: a message of the debugger\n" })}`
    ])
  })
)

it.effect("are delivered before the program runs again or ends", () =>
  Effect.gen(function* () {
    const { names, receive } = yield* receiver
    for (const later of ["continued", "exited", "terminated"]) {
      receive(stopped(1))
      receive(event(later, {}))
      assert.deepStrictEqual(names(), ["stopped", later])
    }
  })
)

it.effect("are delivered after a second without the answer of the command, and at once after three such stops", () =>
  Effect.gen(function* () {
    const { names, receive } = yield* receiver
    for (let stop = 0; stop < 3; stop++) {
      receive(stopped(1))
      yield* TestClock.adjust("999 millis")
      receive(stopped(2))
      assert.deepStrictEqual(names(), [])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(names(), ["stopped", "stopped"])
      receive(event("continued", {}))
      assert.deepStrictEqual(names(), ["continued"])
    }
    receive(stopped(1))
    assert.deepStrictEqual(names(), ["stopped"])
    receive(end)
    receive(stopped(1))
    assert.deepStrictEqual(names(), [])
  })
)
