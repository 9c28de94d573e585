/**
 * The consent to a debugger whose program a project's configuration file chooses: it is a command line of the repository, so it has
 * the effect `raw`, like the commands of a launch.json.
 */
import type { Effects } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Permission from "../model/permissions/Permission.ts"
import * as Policy from "../model/permissions/Policy.ts"
import { Backend, type DebuggerChoice } from "../ports/Backend.ts"

const operations = { process: "attach", core: "core", remote: "connect" } as const

/** Fails if the caller or the policy does not allow the debugger of a launch. */
export const permit = Effect.fnUntraced(function* (launch: DebuggerChoice, policy: Policy.Policy) {
  const backend = yield* Backend
  const program = yield* backend.projectDebugger?.(launch) ?? Effect.undefined
  if (program === undefined) return
  const use: Effects.Use = { effect: "raw", field: "adapter", value: program.command, source: program.source }
  yield* Policy.check(policy, [use])
  yield* Permission.permit(launch.existing === undefined ? "start" : operations[launch.existing.kind], [use])
})
