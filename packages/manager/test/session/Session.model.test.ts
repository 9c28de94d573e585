import { assert, it } from "@effect/vitest"
import { Errors, Snapshot } from "@sigtrap/protocol"
import { Effect, Exit, Schema } from "effect"
import { Manager } from "../../src/index.ts"
import { call, eventOrder, fakeWith, gone, honest, over, settle, withSecondThread } from "../support.ts"

const file = "/src/app.c"
const code = [2, 3, 7, 8, 10, 11, 13]

const Line = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 }))
const Command = Schema.TaggedUnion({
  Break: { line: Line },
  Remove: { id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })) },
  Resume: { how: Schema.Literals(["continue", "next", "step", "finish"]) },
  Refused: {},
  Pause: {},
  Look: {},
  UseOldReference: {},
  KillAdapter: {},
  KillProgram: {},
  Start: {}
})
type Command = typeof Command.Type

/** Ends are rare, so that sequences between them are long. */
const Commands = Schema.Array(
  Schema.Union([Command.cases.Break, Command.cases.Resume, Command.cases.Look, Command])
).check(Schema.isMaxLength(25))

/** The expected state of a session. */
interface Model {
  state: "stopped" | "exited" | "lost"
  stop: number
  last: number
  breakpoints: Map<number, number>
  ref: { readonly name: string; readonly stop: number } | undefined
}

const fresh = (): Model => ({ state: "stopped", stop: 1, last: 1, breakpoints: new Map(), ref: undefined })

const dead = { exited: "ProcessEnded", lost: "SessionLost" } as const

const tag = <A>(exit: Exit.Exit<A, Errors.SigtrapError>) =>
  Exit.isFailure(exit) ? Exit.findErrorOption(exit) : undefined

it.effect.prop(
  "a session behaves like a simple model after any sequence of operations",
  [eventOrder(3), Commands],
  ([order, commands]) => {
    const fake = withSecondThread(fakeWith(order))
    return over(
      fake,
      Effect.gen(function* () {
        const manager = yield* Manager.Manager
        const start = call.start({ break: ["main"], replace: true })
        yield* start
        let model = fresh()

        /** The outcome of a call in a session that is over; whether it was. */
        const refused = (exit: Exit.Exit<unknown, Errors.SigtrapError>) => {
          if (model.state === "stopped") return false
          const error = tag(exit)
          assert.strictEqual(error?._tag === "Some" ? error.value._tag : "none", dead[model.state])
          return true
        }

        const perform = Effect.fnUntraced(function* (command: Command) {
          const debuggee = yield* fake.newest
          switch (command._tag) {
            case "Start": {
              yield* start
              model = fresh()
              return
            }
            case "Break": {
              const exit = yield* Effect.exit(call.break(`app.c:${command.line}`))
              if (refused(exit)) return
              const bound = code.find((line) => line >= command.line)
              const known = [...model.breakpoints].find(([, line]) => line === command.line)
              if (bound === undefined) {
                assert.isTrue(Exit.isFailure(exit))
                return
              }
              if (!Exit.isSuccess(exit)) return assert.fail("a line with code takes a breakpoint")
              assert.strictEqual(exit.value.data.id, known?.[0] ?? model.last + 1)
              assert.strictEqual(exit.value.data.moved, bound !== command.line)
              if (known === undefined) model.breakpoints.set(++model.last, command.line)
              return
            }
            case "Remove": {
              const exit = yield* Effect.exit(call.remove([command.id]))
              assert.strictEqual(
                Exit.isSuccess(exit),
                command.id === 1 ? !removedMain : model.breakpoints.has(command.id)
              )
              if (command.id === 1) removedMain = true
              model.breakpoints.delete(command.id)
              return
            }
            case "Refused": {
              const error = new Errors.AdapterError({ command: "continue", detail: "no" })
              if (model.state === "stopped") fake.fault("resume", { kind: "refuse", error })
              const exit = yield* Effect.exit(call.continue())
              assert.isTrue(Exit.isFailure(exit))
              return
            }
            case "Resume": {
              const exit = yield* Effect.exit(call[command.how]())
              if (refused(exit)) return
              if (!Exit.isSuccess(exit)) return assert.fail(String(exit.cause))
              const { event } = exit.value.data
              assert.include(["stopped", "exited"], event)
              if (event === "stopped") model.stop++
              else model.state = "exited"
              return
            }
            case "Pause": {
              const exit = yield* Effect.exit(call.pause())
              if (!refused(exit)) assert.strictEqual(Exit.isSuccess(exit) ? exit.value.stop : 0, model.stop)
              return
            }
            case "Look": {
              const exit = yield* Effect.exit(call.print(["pair"], { frame: 0 }))
              if (refused(exit) || !Exit.isSuccess(exit)) return
              const name = exit.value.data.values[0]?.ref
              if (name !== undefined) model.ref = { name, stop: model.stop }
              return
            }
            case "UseOldReference": {
              if (model.ref === undefined) return
              const exit = yield* Effect.exit(call.print([model.ref.name]))
              if (!refused(exit)) assert.strictEqual(Exit.isSuccess(exit), model.ref.stop === model.stop)
              return
            }
            case "KillAdapter": {
              debuggee.lose("killed")
              if (model.state === "stopped") model.state = "lost"
              return
            }
            case "KillProgram": {
              if (model.state !== "stopped") return
              debuggee.exit({ signal: "SIGKILL" })
              model.state = "exited"
            }
          }
        })

        let removedMain = false
        for (const command of commands) {
          if (command._tag === "Start") removedMain = false
          yield* perform(command)
          yield* settle
          const { data } = yield* call.status()
          assert.deepStrictEqual([data.state, data.stop], [model.state, model.stop])
          const [session] = yield* manager.sessions
          const { entries } = session?.log.journal.since(1) ?? { entries: [] }
          const replayed = entries.reduce((state, { event }) => Snapshot.fold(state, event), Snapshot.initial)
          assert.deepStrictEqual(replayed, session?.log.snapshot)
          const listed = (yield* call.breakpoints()).data.breakpoints
          assert.deepStrictEqual(
            listed.filter(({ id }) => id !== 1).map(({ id, requested }) => [id, requested.line]),
            [...model.breakpoints]
          )
          if (model.state === "stopped") {
            const told = (yield* fake.newest).lists.get(file) ?? []
            assert.deepStrictEqual(
              told.map(({ id, line }) => [id, line]),
              [...model.breakpoints]
            )
          }
        }
        honest(fake)
        yield* call.stop()
        yield* gone(fake)
      })
    )
  },
  { arbitrary: { runs: 150 }, timeout: 60_000 }
)
