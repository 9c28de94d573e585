// Uses sessions in a service, whose user decides where they run.
import { Sigtrap } from "@sigtrap/host"
import { Context, Effect, Layer } from "effect"

class CallCounts extends Context.Service<
  CallCounts,
  { readonly of: (program: string, name: string) => Effect.Effect<number, Error> }
>()("example/CallCounts") {
  static readonly layer = Layer.effect(
    CallCounts,
    Effect.gen(function* () {
      const debug = yield* Sigtrap.Sigtrap
      return {
        of: Effect.fnUntraced(function* (program, name) {
          let { data } = yield* debug.start({ program, break: [name] })
          let count = 0
          for (; data.event === "stopped"; count++) data = { ...data, ...(yield* debug.continue()).data }
          return count
        })
      }
    })
  )
}

const main = Effect.gen(function* () {
  const counts = yield* CallCounts
  console.log("sum_scores is called", yield* counts.of("./app", "sum_scores"), "time")
})

const live = CallCounts.layer.pipe(Layer.provide(Sigtrap.layer({ isolated: true })))
await Effect.runPromise(Effect.provide(main, live))
