/** A client on a fake-xcrun machine, for the tests of simulators. */
import { Errors, type Operations } from "@sigtrap/protocol"
import { Effect } from "effect"
import { setFaults } from "../../fake-xcrun/src/Seed.ts"
import type { Rule } from "../../fake-xcrun/src/Faults.ts"
import type { World } from "../../fake-xcrun/src/World.ts"
import { debugging, Programs, type Debugging } from "../support/fixturePrograms.ts"
import { phone, simulated, toolPath, type Machine } from "./fakeMachine.ts"

/** Bundle id of the app that is tried. */
export const app = "com.example.app"

/** Options of the test files. */
export const options = { excludeTestServices: true, timeout: "90 seconds" } as const

/** A client on a simulated machine; every call finds its xcrun. */
export interface Lab {
  readonly machine: Machine
  readonly call: Debugging["call"]
  /** The code of the error that a call ends with; "none" when it succeeds. */
  readonly code: <T extends Operations.Tag>(tag: T, input: Operations.PayloadInput<T>) => Effect.Effect<string>
  readonly fault: (rule: Rule["do"], match?: Rule["match"]) => void
  readonly caller: { readonly directory: string; readonly environment: { readonly [name: string]: string } }
  /** Lines of the app's source by their marks. */
  readonly line: (mark: string) => string
}

/** Runs a test on a fake-xcrun machine with its own client. Fails if files or processes remain. */
export const lab = <A, E, R>(test: (lab: Lab) => Effect.Effect<A, E, R>, changes: Partial<World> = {}) =>
  simulated(
    (machine) =>
      debugging(({ call }) =>
        Effect.gen(function* () {
          const programs = yield* Programs
          const caller = {
            directory: machine.folder,
            environment: { ...machine.environment, SIGTRAP_XCRUN: toolPath("xcrun"), TMPDIR: machine.folder }
          }
          return yield* test({
            machine,
            call,
            caller,
            code: (tag, input) =>
              call(tag, input).pipe(
                Effect.as("none"),
                Effect.catch((error) => Effect.succeed(Errors.meta(error).code))
              ),
            fault: (rule, match = {}) => setFaults(machine.root, [{ match, do: rule }]),
            line: (mark) => `sim_app.c:${programs.line("sim_app.c", mark)}`
          })
        })
      ),
    changes
  )

/** Boots the phone and installs an app. */
export const installed = Effect.fnUntraced(function* ({ call, caller, machine }: Lab, bundleId = app) {
  yield* call("sim.boot", { simulator: phone, ...caller })
  yield* call("sim.install", { simulator: phone, app: machine.app(bundleId), ...caller })
})

/** The pid of an app on the phone, if it runs. */
export const pidOf = ({ call, caller }: Lab, bundleId = app) =>
  Effect.map(
    call("sim.apps", { simulator: phone, ...caller }),
    ({ data }) => data.apps.find(({ bundle_id }) => bundle_id === bundleId)?.pid
  )
