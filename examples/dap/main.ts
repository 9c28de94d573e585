// Speaks DAP with lldb-dap: launches a program, stops in a function, and reads the stack.
import { NodeServices } from "@effect/platform-node"
import { Client, Requests, Transport } from "@sigtrap/dap"
import { Deferred, Effect, Exit } from "effect"

const main = Effect.gen(function* () {
  const stopped = yield* Deferred.make<void>()
  const client = yield* Client.make({
    transport: yield* Transport.spawn({ command: "lldb-dap" }),
    onEvent: ({ event }) => event === "stopped" && Deferred.doneUnsafe(stopped, Exit.void)
  })
  yield* client.request(Requests.Initialize, { adapterID: "lldb-dap", linesStartAt1: true, pathFormat: "path" })
  yield* Effect.forkScoped(client.request(Requests.Launch, { program: `${process.cwd()}/app` }))
  yield* client.initialized
  yield* client.request(Requests.SetFunctionBreakpoints, { breakpoints: [{ name: "sum_scores" }] })
  yield* client.request(Requests.ConfigurationDone)
  yield* Deferred.await(stopped)
  const { threads } = yield* client.request(Requests.Threads)
  const { stackFrames } = yield* client.request(Requests.StackTrace, {
    threadId: threads[0]?.id ?? 0,
    startFrame: 0,
    levels: 2
  })
  for (const { line, name } of stackFrames) console.log(name, line)
  yield* client.request(Requests.Disconnect, { terminateDebuggee: true })
})

await Effect.runPromise(main.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
