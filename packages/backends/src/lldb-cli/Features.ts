/**
 * The features of LLDB's command line: those of lldb-dap, by commands.
 */
import type { Session } from "@sigtrap/protocol"
import * as LldbDap from "../adapters/LldbDap.ts"
import * as DapFeatures from "../dap/Features.ts"

/** Every feature; the manager writes log messages. */
export const features: ReadonlyArray<Session.Feature> = DapFeatures.of(
  LldbDap.adapter,
  LldbDap.quirks(0),
  {}
).map(({ by, name }) => ({ name, by: by === "manager" || name === "logpoints" ? "manager" : "command" }))
