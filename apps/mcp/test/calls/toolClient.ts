/** A client of the tools, over a recorded daemon. */
import { Effect } from "effect"
import { McpTest } from "effect/ai"
import { Errors } from "@sigtrap/protocol"
import { Recorder } from "@sigtrap/protocol/testing"
import * as Server from "../../src/server/Server.ts"
import type * as Profile from "../../src/tools/Profile.ts"
import * as ToolCalls from "../../src/calls/ToolCalls.ts"

/** Where the client calls from. */
const caller = { directory: "/src/here", environment: { LANG: "C" } }

/** Connects a client to tools of a profile; `recorder` answers their calls. */
export const connect = (
  recorder: Recorder.Recorder,
  protocolVersion: "2025-11-25" | "2026-07-28" = "2025-11-25",
  profile: Profile.Name = "full",
  options: Partial<ToolCalls.Options> = {},
  asClient: Pick<Parameters<typeof McpTest.makeClient>[1], "clientInfo" | "clientCapabilities"> = {}
) =>
  McpTest.makeClient(
    ToolCalls.layer({ caller, profile, allow: ["write", "admin"], structured: true, notifies: true, ...options }),
    {
      protocols: Server.protocols,
      protocolVersion,
      instructions: Server.instructions,
      ...asClient
    }
  ).pipe(Effect.provide(recorder.layer))

/** A daemon without a session. */
export const noSession = () => Recorder.make(() => Effect.fail(new Errors.NoSession({})))

/** The structured content of a result. */
export const structured = (result: { readonly structuredContent?: unknown }) =>
  JSON.parse(JSON.stringify(result.structuredContent))

/** The text of a result. */
export const text = (result: { readonly content: ReadonlyArray<object> }) => {
  const [first] = result.content
  return first !== undefined && "text" in first ? String(first.text) : ""
}
