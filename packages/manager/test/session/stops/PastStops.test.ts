// Stops stay with what was read there. Nothing is requested from the debugger for them.
import { assert, describe, it } from "@effect/vitest"
import { Caller, type Event, Snapshot } from "@sigtrap/protocol"
import { Effect } from "effect"
import { PastStops } from "../../../src/session/stops/PastStops.ts"
import { SimulatedProgram } from "../../../src/testing/index.ts"
import { call, code, fakeWith, over } from "../../support.ts"

const as =
  (kind: Caller.Kind, name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, Caller.Current, { actor: { kind, name }, allowance: Caller.everything })

const agent = as("mcp", "claude-code")
const person = as("cli", "pts/3")

describe("the stops of a session", () => {
  it.effect("are listed with place, cause and changes, also those that no client read", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* person(call.start({ break: ["main"] }))
        yield* agent(call.next({ count: 3 }))
        const { dropped, stops } = (yield* call.stops()).data
        assert.strictEqual(dropped, 0)
        assert.deepStrictEqual(
          stops.map((one) => [one.stop, one.reason, one.location?.line, one.actor?.id, one.command, one.hit_counts]),
          [
            [1, "breakpoint", 7, "cli:pts/3", "start /src/app --break main", [1]],
            [2, "step", 10, "mcp:claude-code", "next 3", []],
            [3, "step", 11, "mcp:claude-code", "next 3", []],
            [4, "step", 10, "mcp:claude-code", "next 3", []]
          ]
        )
        assert.deepStrictEqual(stops[3]?.changed, [
          { name: "total", old: "0", new: "1" },
          { name: "i", old: "0", new: "2" }
        ])
        const later = (yield* call.stops({ since: 2, limit: 1 })).data
        assert.deepStrictEqual([later.stops.map(({ stop }) => stop), later.next], [[2], 3])
        const values = (yield* call.history("total")).data.values.map(({ stop, value }) => [stop, value])
        assert.deepStrictEqual(values, [
          [1, "0"],
          [2, undefined],
          [3, undefined],
          [4, "1"]
        ])
      })
    )
  )

  it.effect("answer with what was read there, without a request to the debugger", () => {
    const fake = fakeWith({})
    return over(
      fake,
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["square"] }))
        yield* person(call.up())
        yield* person(call.print(["pair.second"]))
        yield* person(call.locals())
        yield* person(call.registers())
        const pair = (yield* person(call.locals())).data.variables.find(({ name }) => name === "pair")
        yield* person(call.expand(pair?.ref ?? ""))
        const here = (yield* agent(call.context({ frame: 0 }))).data
        yield* agent(call.continue())
        const before = (yield* fake.newest).requests.length
        const answer = yield* person(call.context({ stop: 1 }))
        const past = answer.data
        assert.strictEqual((yield* fake.newest).requests.length, before)
        assert.deepStrictEqual([answer.stop, past.past, past.now, past.reason], [1, true, 2, "breakpoint"])
        assert.deepStrictEqual(past.location, here.location)
        assert.deepStrictEqual(past.source, here.source)
        assert.deepStrictEqual(
          past.locals?.map(({ name, value }) => [name, value]),
          here.locals?.map(({ name, value }) => [name, value])
        )
        assert.isTrue(past.locals?.every(({ ref }) => ref === undefined))
        const caller = past.frames?.[1]
        assert.deepStrictEqual(
          caller?.locals?.find(({ name }) => name === "pair")?.children?.map(({ name }) => name),
          ["first", "second"]
        )
        assert.deepStrictEqual(past.not_read, ["registers"])
        const inCaller = (yield* person(call.context({ stop: -1, frame: 1 }))).data
        assert.strictEqual(inCaller.location?.function, "main")
        assert.isAbove(inCaller.registers?.length ?? 0, 0)
        assert.deepInclude(inCaller.evaluations?.[0], { expression: "pair.second", value: "{inner:{...}}" })
        assert.deepStrictEqual(inCaller.not_read, ["source"])
        const members = (yield* person(call.history("pair.first", { limit: 1, since: 1 }))).data.values
        assert.deepInclude(members[0], { stop: 1, function: "main" })
        assert.strictEqual((yield* fake.newest).requests.length, before)
      })
    )
  })

  it.effect("stay when the program has ended, and over a restart", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.next()
        assert.strictEqual((yield* call.continue()).data.event, "exited")
        assert.strictEqual((yield* call.context({ stop: -1 })).data.location?.line, 10)
        assert.deepInclude((yield* call.history("total")).data.values[1], { stop: 2, value: "0" })
        yield* call.restart()
        const { stops } = (yield* call.stops()).data
        assert.deepStrictEqual(
          stops.map(({ command, stop }) => [stop, command?.split(" ")[0]]),
          [
            [1, "start"],
            [2, "next"],
            [3, "restart"]
          ]
        )
        // The values of the earlier run do not count as earlier values of this one.
        assert.deepStrictEqual(stops[2]?.changed, [])
        assert.strictEqual((yield* call.context({ stop: 2 })).data.now, 3)
      })
    )
  )

  it.effect("are found by number, or counted back from the current one", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        assert.strictEqual(yield* code(call.context({ stop: -1 })), "STOP_NOT_FOUND")
        yield* call.next()
        assert.strictEqual((yield* call.context({ stop: "#1" })).stop, 1)
        assert.strictEqual((yield* call.context({ stop: -1 })).stop, 1)
        assert.isUndefined((yield* call.context({ stop: 2 })).data.past)
        const error = yield* Effect.flip(call.report({ stop: 7 }))
        assert.deepInclude(error, { _tag: "StopNotFound", stop: 7, oldest: 1, newest: 2 })
        assert.strictEqual(yield* code(call.context({ stop: 1, frame: 9 })), "FRAME_NOT_FOUND")
      })
    )
  )

  it.effect("name the client whose pause caused them", () => {
    const fake = fakeWith({}, SimulatedProgram.blockingAt(10))
    return over(
      fake,
      Effect.gen(function* () {
        yield* agent(call.start({ break: ["main"] }))
        yield* agent(call.continue({ wait: false }))
        yield* person(call.pause())
        const stop = (yield* call.stops()).data.stops.at(-1)
        assert.deepStrictEqual([stop?.reason, stop?.actor?.id, stop?.command], ["pause", "cli:pts/3", "pause"])
      })
    )
  })

  it.effect("keep secrets masked, also those that were shown with reveal", () =>
    over(
      fakeWith(
        {},
        {
          ...SimulatedProgram.sample,
          moments: [
            {
              stack: [
                {
                  function: "main",
                  line: 7,
                  variables: { password: '"hunter2"', key: '"AKIAIOSFODNN7EXAMPLE"', total: "1" }
                }
              ]
            },
            { stack: [{ function: "main", line: 8, variables: { password: '"hunter2"', total: "1" } }] }
          ]
        }
      ),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.display("password")
        const shown = (yield* call.context({ reveal: true })).data
        assert.include(JSON.stringify(shown.locals), "hunter2")
        assert.include(JSON.stringify(shown.evaluations), "hunter2")
        yield* call.print(["password", "total"], { reveal: true })
        yield* call.next()
        const past = (yield* call.context({ stop: 1, reveal: true })).data
        const stored = JSON.stringify([past, (yield* call.stops()).data, (yield* call.history("password")).data])
        assert.notInclude(stored, "hunter2")
        assert.notInclude(stored, "AKIAIOSFODNN7EXAMPLE")
        assert.include(stored, "<masked>")
        assert.notInclude((yield* call.report({ stop: 1 })).data.markdown, "hunter2")
      })
    )
  )
})

describe("a stop as Markdown", () => {
  it.effect("has place, source, values, stack, output and the commands that led there", () =>
    over(
      fakeWith({}),
      Effect.gen(function* () {
        yield* person(call.start({ break: ["square"] }))
        yield* agent(call.break("app.c:11"))
        yield* agent(call.continue())
        yield* agent(call.set("total", "4"))
        const { markdown, stop } = (yield* person(call.report())).data
        assert.strictEqual(stop, 2)
        for (const part of [
          "# Stop #2: breakpoint 2\n",
          "- Place: `main` `/src/app.c:11`\n",
          "- Breakpoints: 2 (hit 1)\n",
          "- Caused by: `continue` of mcp:claude-code\n",
          '> 11      printf("total=%d\\n", total);\n',
          "| `total` | `(4)` | `int` |",
          "0. `main` `/src/app.c:11`\n",
          "- `start /src/app --break square` by cli:pts/3: stop #1\n- `break app.c:11` by mcp:claude-code at stop #1\n- `continue` by mcp:claude-code: stop #2\n"
        ]) {
          assert.include(markdown, part)
        }
        assert.notInclude(markdown, "`set total 4`")
      })
    )
  )

  it.effect("shows text of the program as text", () =>
    over(
      fakeWith(
        {},
        {
          ...SimulatedProgram.sample,
          moments: [
            {
              stack: [{ function: "main", line: 7, variables: { text: '"a`b|c\\n"' } }],
              writes: "```\n# not a heading\n"
            },
            { stack: [{ function: "main", line: 8, variables: { text: '"x"' } }] }
          ]
        }
      ),
      Effect.gen(function* () {
        yield* call.start({ break: ["main"] })
        yield* call.next()
        assert.include((yield* call.report({ stop: 1 })).data.markdown, '| `text` | ``"a`b\\|c\\n"`` |')
        assert.include((yield* call.report()).data.markdown, "````\n```\n# not a heading\n````")
      })
    )
  )
})

/** Records stops of a session with small bounds. */
const recorder = (bounds: { readonly stops: number; readonly readings: number; readonly bytes: number }) => {
  const past = new PastStops(bounds)
  let snapshot = Snapshot.initial
  let seq = 0
  const record = (event: Event.Event) => {
    const before = snapshot
    snapshot = Snapshot.fold(before, event)
    past.record(event, snapshot, before, { time: 0, seq: ++seq }, () => new Map())
  }
  const stop = () => {
    record({ _tag: "Resumed", command: "next" })
    record({ _tag: "Stopped", reason: "step", raw_reason: "step", thread: 1, breakpoints: [], focus: true })
    return past.at(snapshot.stop)
  }
  record({ _tag: "Starting", program: "/src/app" })
  return { past, stop }
}

describe("the bounds of past stops", () => {
  const text = (size: number) => ({ name: "text", value: "x".repeat(size) })
  const report = (size: number) => ({ event: "stopped", locals: [text(size)] }) as const

  it("are a number of stops, and a number of stops with what was read", () => {
    const { past, stop } = recorder({ stops: 5, readings: 2, bytes: 100_000 })
    for (let number = 1; number <= 8; number++) {
      const added = stop()
      added?.recordReport(report(10), "brief")
      added?.readings?.recordLocals("@f1", [text(10)])
    }
    assert.deepStrictEqual(
      past.all.map((one) => [one.stop, one.report !== undefined, one.readings !== undefined, one.dropped]),
      [
        [4, true, false, 1],
        [5, true, false, 1],
        [6, true, false, 1],
        [7, true, true, 0],
        [8, true, true, 0]
      ]
    )
    assert.isUndefined(past.at(3))
  })

  it("are bytes in all: the oldest readings go first, then the oldest stops, and never the newest stop", () => {
    const { past, stop } = recorder({ stops: 200, readings: 20, bytes: 10_000 })
    for (let number = 1; number <= 6; number++) {
      const added = stop()
      added?.recordReport(report(1000), "brief")
      added?.readings?.recordLocals("@f1", [text(1000)])
      assert.isAtMost(past.bytes, 10_000)
    }
    assert.deepStrictEqual(
      past.all.map((one) => one.readings !== undefined),
      [false, false, false, false, true, true]
    )
    const last = stop()
    last?.readings?.recordLocals("@f1", [text(9000)])
    assert.deepStrictEqual(
      past.all.map((one) => one.stop),
      [7]
    )
    last?.readings?.recordLocals("@f2", [text(9000)])
    assert.strictEqual(last?.dropped, 1)
    assert.isAtMost(past.bytes, 10_000)
  })
})
