// Lists the simulators of this Mac, and handles an error.
import { NodeServices } from "@effect/platform-node"
import { Simctl } from "@sigtrap/simctl"
import { Effect } from "effect"

const main = Effect.gen(function* () {
  const simctl = yield* Simctl.Simctl
  for (const { name, state } of yield* simctl.devices) console.log(name, state)
  const error = yield* Effect.flip(simctl.apps("00000000-0000-4000-8000-000000000000"))
  console.log(error._tag)
})

const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]))
const live = Simctl.layer({ xcrun: environment["SIGTRAP_XCRUN"] ?? "/usr/bin/xcrun", environment })
await Effect.runPromise(main.pipe(Effect.provide(live), Effect.provide(NodeServices.layer)))
