// Debugs a program in the shared daemon, and follows its output.
import { Sigtrap } from "@sigtrap/host"
import { Effect, Fiber, Stream } from "effect"

const main = Effect.gen(function* () {
  const debug = yield* Sigtrap.make()
  yield* debug.start({ program: "./app", session: "followed", run: false })
  const reader = yield* debug.follow.output({ session: "followed" }).pipe(
    Stream.runForEach(({ text }) => Effect.sync(() => process.stdout.write(text))),
    Effect.forkChild
  )
  yield* debug.run({ session: "followed" })
  yield* Fiber.join(reader)
  yield* debug.stop({ names: ["followed"] })
})

await Effect.runPromise(Effect.scoped(main))
