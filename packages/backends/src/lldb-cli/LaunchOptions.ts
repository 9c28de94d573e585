/**
 * Refuses start options that the backend lldb-cli does not support, before LLDB is started.
 */
import { Command } from "@sigtrap/lldb"
import type { Backend } from "@sigtrap/manager"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { refuseInteractive } from "../adapters/LaunchOptions.ts"

/** Fails with the first option that LLDB's command line does not support. */
export const refuse = Effect.fnUntraced(function* (launch: Backend.LaunchRequest) {
  const what =
    launch.options !== undefined
      ? "options of a debug adapter"
      : launch.terminal !== undefined
        ? // The program would write between the debugger's own lines.
          "a terminal for the program"
        : launch.commands?.stop !== undefined
          ? "debugger commands at each stop"
          : undefined
  if (what !== undefined) {
    return yield* new Errors.Unsupported({ what, by: "lldb", remedies: [Hint.again("start", { backend: "dap" })] })
  }
  yield* refuseInteractive(launch, Command.interactive)
  const { init = [], preRun = [] } = launch.commands ?? {}
  const resuming = [...init, ...preRun].find(Command.resumes)
  if (resuming !== undefined) {
    return yield* new Errors.Usage({
      problem: `${resuming} would resume a program that has not started`,
      near: [],
      remedies: [Hint.again("start", { stop_on_entry: true })]
    })
  }
})
