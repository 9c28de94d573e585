// What the stream of an observer tells of the calls of clients: which client did what, with values and without secrets.
import { assert, describe, it } from "@effect/vitest"
import { Caller, type Client } from "@sigtrap/protocol"
import { Effect } from "effect"
import { FakeBackend, SimulatedProgram } from "../../../src/testing/index.ts"
import { call } from "../../support.ts"
import { collect, observing } from "../sessionFeeds.ts"

describe("the stream of an observer", () => {
  it.effect("tells what an agent read and evaluated, with the values, without secrets also of a call with reveal", () =>
    observing(
      Effect.gen(function* () {
        const agent: Caller.Caller = { actor: { kind: "mcp", name: "claude-code" }, allowance: Caller.everything }
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 1 }] })
        yield* Effect.gen(function* () {
          yield* call.start({ break: ["main"] })
          yield* call.print(["total", "nosuch", "password", "key"])
          yield* call.print(["password", "total"], { reveal: true })
          yield* call.eval("total")
          yield* call.eval("key")
        }).pipe(Effect.provideService(Caller.Current, agent))
        yield* settle
        const values = lines.flatMap((line) =>
          line.type === "event" && line.event._tag === "Acted" && line.event.expressions !== undefined
            ? [
                [
                  line.event.operation,
                  (line.event.values ?? []).map(({ expression, value }) => `${expression}=${value}`)
                ]
              ]
            : []
        )
        assert.deepStrictEqual(values, [
          ["read", ["total=1", "password=<masked>", 'key="<masked: AWS key>"']],
          ["read", []],
          ["eval", ["total=1"]],
          ["eval", ['key="<masked: AWS key>"']]
        ])
        assert.notMatch(JSON.stringify(lines), /hunter2|AKIAIOSFODNN7EXAMPLE/)
        yield* end
      }),
      FakeBackend.make({
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
          }
        ]
      })
    )
  )

  it.effect("tells why a call failed, without secrets", () =>
    observing(
      Effect.gen(function* () {
        const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 1 }] })
        yield* call.start({ break: ["main"] })
        yield* Effect.ignore(call.eval("nosuch"))
        yield* Effect.ignore(call.eval("AKIAIOSFODNN7EXAMPLE"))
        yield* settle
        const failures = lines.flatMap((line) =>
          line.type === "event" && line.event._tag === "Acted" && !line.event.ok
            ? [`${line.event.code}: ${line.event.message}`]
            : []
        )
        assert.deepStrictEqual(failures, [
          "VARIABLE_NOT_FOUND: no variable 'nosuch' in this frame",
          "EVALUATION_FAILED: cannot evaluate '<masked: AWS key>': use of undeclared identifier '<masked: AWS key>'"
        ])
        yield* end
      })
    )
  )

  it.effect("tells which client ended a session", () =>
    observing(
      Effect.gen(function* () {
        const as = (name: string) => Effect.provideService(Caller.Current, caller(name))
        const caller = (name: string): Caller.Caller => ({ actor: { kind: "mcp", name }, allowance: Caller.everything })
        const ended = Effect.fnUntraced(function* <A, E>(work: Effect.Effect<A, E, Client.Client>) {
          yield* as("one")(call.start({ break: ["square"] }))
          const { end, lines, settle } = yield* collect({ follow: [{ session: "default", since: 1 }] })
          yield* as("two")(work)
          yield* settle
          yield* end
          return lines.flatMap((line) =>
            line.type === "event" && ["Exited", "Terminated", "Detached"].includes(line.event._tag)
              ? [[line.event._tag, line.actor?.id]]
              : []
          )
        })
        assert.deepStrictEqual(yield* ended(call.stop()), [["Terminated", "mcp:two"]])
        assert.deepStrictEqual(yield* ended(call.detach()), [["Detached", "mcp:two"]])
        assert.deepStrictEqual(yield* ended(call.stop({ detach: true })), [["Detached", "mcp:two"]])
        assert.deepStrictEqual(yield* ended(call.start({ break: ["square"], replace: true })), [
          ["Terminated", "mcp:two"]
        ])
        yield* call.stop()
        // A program that has ended by itself was ended by no client, also when its session is removed.
        const exited = yield* ended(
          Effect.gen(function* () {
            yield* call.toggle([1])
            yield* call.continue()
            yield* call.stop()
          })
        )
        assert.deepStrictEqual(exited, [["Exited", undefined]])
      })
    )
  )
})
