// Adds a debugger of another language, and debugs a program with it.
import { CommandAdapter, Registry } from "@sigtrap/backends"
import { Sigtrap } from "@sigtrap/host"
import { Effect, Layer } from "effect"

const sums = CommandAdapter.make({
  name: "sums",
  command: "node",
  args: [`${process.cwd()}/sums-adapter.mjs`],
  languages: ["Sums"],
  extensions: [".sums"],
  launch: ({ program }) => ({ program })
})

const main = Effect.gen(function* () {
  const debug = yield* Sigtrap.Sigtrap
  const { data } = yield* debug.start({ program: "four.sums", break: ["four.sums:3"] })
  console.log(data.adapter.name, "stopped at line", data.location?.line)
})

const live = Sigtrap.layer({ isolated: true }).pipe(Layer.provide(Registry.layer([sums])))
await Effect.runPromise(Effect.provide(main, live))
