// Debugs a program in this process: stops, reads values, and handles an error.
import { Sigtrap } from "@sigtrap/host"
import { Effect } from "effect"

const main = Effect.gen(function* () {
  const debug = yield* Sigtrap.make({ isolated: true })
  const { data: stop } = yield* debug.start({ program: "./app", break: ["app.c:14 if i == 1"] })
  console.log(stop.reason, "in", stop.location?.function, "at line", stop.location?.line)
  const { data } = yield* debug.print({ expressions: ["total", "items[i].score"] })
  for (const { name, value } of data.values) console.log(name, "=", value)
  const error = yield* Effect.flip(debug.print({ expressions: ["nothing"] }))
  console.log(error._tag)
})

await Effect.runPromise(Effect.scoped(main))
