/**
 * The handler of `restart`: ends the program, builds it if requested, and starts it again in the same session.
 */
import { Errors, Session as Model, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Permission from "../../model/permissions/Permission.ts"
import * as Policy from "../../model/permissions/Policy.ts"
import * as Ownership from "../../session/consent/Ownership.ts"
import type { Session } from "../../session/Session.ts"
import * as TimeLimit from "../resume/TimeLimit.ts"
import type { Services } from "./Start.ts"

/** Returns why a session cannot be restarted, if so. */
const obstacle = ({ adapter, launch, log }: Session): Errors.InvalidState | Errors.SessionLost | undefined => {
  const { reason, state } = log.snapshot
  if (adapter() === undefined && state === "lost") {
    return new Errors.SessionLost({ reason: reason ?? "the debugger is gone" })
  }
  if (launch.existing !== undefined) {
    return new Errors.InvalidState({ problem: "only a launched program can be restarted" })
  }
  if (adapter() === undefined && !Model.isLive(state)) {
    return new Errors.InvalidState({ problem: "this session never had a debugger; start the program again" })
  }
  return undefined
}

/** Restarts the program of the selected session. */
export const restart = Effect.fnUntraced(function* (services: Services, payload: Operations.Payload<"restart">) {
  const { building, manager, path } = services
  const session = yield* manager.select(payload)
  const problem = obstacle(session)
  if (problem !== undefined) {
    const { state } = session.log.snapshot
    return yield* Errors.locate(problem, { session: session.name, state })
  }
  yield* Policy.permit(session.policy, "restart", "starting the program again")
  yield* Policy.check(session.policy, yield* Permission.Uses)
  yield* Ownership.permitEnd("restart", session)
  yield* Policy.checkStart(session.policy, payload.build === undefined ? {} : { build: payload.build }, services)
  if (payload.build !== undefined) {
    // The build gets the environment of the program: the environment of the caller of `start` is not stored.
    const env = { ...session.launch.env, ...payload.environment }
    yield* building.build(payload.build, { cwd: path.resolve(payload.directory ?? "."), env })
  }
  const restarting = manager.restart(session, {
    ...(payload.args === undefined ? {} : { args: payload.args }),
    ...(payload.stop_on_entry === undefined ? {} : { stopOnEntry: payload.stop_on_entry })
  })
  return yield* TimeLimit.ofStart(restarting, payload, "restart")
})
