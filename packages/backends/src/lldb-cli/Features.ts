/**
 * The features of the backend lldb-cli: those of lldb-dap, implemented by commands.
 */
import { Session } from "@sigtrap/protocol"
import * as LldbDap from "../adapters/LldbDap.ts"
import * as DapFeatures from "../dap/Features.ts"

/** Every feature but tasks of a runtime, which C and C++ do not have; the manager supplies log messages. */
export const features: ReadonlyArray<Session.Feature> = DapFeatures.of(LldbDap.adapter, LldbDap.quirks(0), {}).map(
  ({ by, id }) =>
    Session.feature(id, id === "tasks" ? "none" : by === "manager" || id === "logpoints" ? "manager" : "command")
)
