// Drives one lldb: launches a program, stops in a function, and reads a variable.
import { NodeServices } from "@effect/platform-node"
import { Lldb } from "@sigtrap/lldb"
import { Deferred, Effect, Exit } from "effect"

const main = Effect.gen(function* () {
  const lldb = yield* Lldb.Lldb
  const stopped = yield* Deferred.make<Lldb.Notice>()
  lldb.onNotice((notice) => notice.kind === "stopped" && Deferred.doneUnsafe(stopped, Exit.succeed(notice)))
  yield* Lldb.launch({ program: `${process.cwd()}/app`, commands: ["breakpoint set -n sum_scores"] })
  const stop = yield* Deferred.await(stopped)
  console.log(stop.kind === "stopped" ? `${stop.function} line ${stop.line}` : stop.kind)
  console.log((yield* lldb.run("frame variable n")).output)
})

const live = Lldb.layer({ executable: "lldb" })
await Effect.runPromise(main.pipe(Effect.provide(live), Effect.provide(NodeServices.layer)))
