/**
 * A fake debugger: a `Backend` over a `SimulatedProgram`. `Behaviour` chooses the order of events, faults break single
 * requests, and a test inspects and drives each `Debuggee`. Nothing waits for time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Backend, type Failure, type LaunchRequest, type LaunchFailure, type Listener } from "../ports/Backend.ts"
import { type StartRequest, type Behaviour, type Fault, Plan, plain, type DebuggerRequest } from "./Behaviour.ts"
import { Debuggee } from "./Debuggee.ts"
import * as SimulatedProgram from "./SimulatedProgram.ts"

/** A fake: its layer, its debuggees in the order of their launches, and its faults. */
export interface Fake {
  readonly layer: Layer.Layer<Backend>
  readonly debuggees: ReadonlyArray<Debuggee>
  /** Drops the debuggees, which hold what the sessions gave them. */
  readonly forget: () => void
  /** The debuggee of the newest launch. */
  readonly newest: Effect.Effect<Debuggee>
  /** May be changed at any time. */
  behaviour: Behaviour
  /** Program of the next launch. */
  program: SimulatedProgram.Program
  /** Adds a fault to the next `times` requests of a kind. Several faults of one kind occur in order. */
  readonly fault: (request: DebuggerRequest, fault: Fault<Failure>, times?: number) => void
  /** Adds a fault to requests that start a session. */
  readonly faultAtStart: (request: StartRequest, fault: Fault<LaunchFailure>, times?: number) => void
}

/** Makes a fake that always launches `program`. */
export const make = (
  program: SimulatedProgram.Program = SimulatedProgram.sample,
  behaviour: Behaviour = plain
): Fake => {
  const debuggees: Array<Debuggee> = []
  const beginnings = new Plan<LaunchFailure>()
  const questions = new Plan<Failure>()
  const fake: Fake = {
    debuggees,
    forget: () => void debuggees.splice(0),
    newest: Effect.suspend(() => {
      const newest = debuggees.at(-1)
      return newest === undefined ? Effect.die("nothing was launched") : Effect.succeed(newest)
    }),
    behaviour,
    program,
    fault: (request, fault, times = 1) => questions.add(request, fault, times),
    faultAtStart: (request, fault, times = 1) => beginnings.add(request, fault, times),
    layer: Layer.succeed(Backend, {
      launch: Effect.fnUntraced(function* (launch: LaunchRequest, listener: Listener) {
        const scope = yield* Effect.scope
        const debuggee = new Debuggee(
          launch,
          fake.program,
          4000 + debuggees.length,
          listener,
          { behaviour: () => fake.behaviour, beginnings, questions },
          scope
        )
        debuggees.push(debuggee)
        const { pipes } = listener
        if (pipes !== undefined) {
          yield* Scope.addFinalizer(
            pipes.scope,
            Effect.sync(() => {
              debuggee.pipesClosed = true
            })
          )
          pipes.opened({ holders: Effect.sync(() => debuggee.holders), drain: () => debuggee.drain() })
        }
        yield* listener.spawned(1, "/home")
        yield* Effect.addFinalizer(() => debuggee.close)
        return yield* debuggee.connection
      })
    })
  }
  return fake
}
