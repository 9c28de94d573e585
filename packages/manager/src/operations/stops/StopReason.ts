/**
 * The reason of a stop: its breakpoints, its description, and its exception or signal.
 */
import type { Breakpoint, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ExceptionAtStop from "../breakpoints/ExceptionAtStop.ts"
import type * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { Session } from "../../session/Session.ts"
import type { StopView } from "../../session/values/StopView.ts"

/** Reasons of stops at catchpoints, by the name of what is caught. */
const events: { readonly [name: string]: Stop.StopReason } = {
  fork: "fork",
  vfork: "fork",
  exec: "exec",
  load: "library",
  unload: "library",
  uncaught: "exception",
  "uncaught-by-test": "exception"
}

/** Returns the reason of a stop at a catchpoint on a function of the system or of the language's runtime. */
const caught = (hit: ReadonlyArray<Breakpoint.Breakpoint>): Stop.StopReason | undefined => {
  const one = hit.find(({ kind }) => kind === "catch")
  return one !== undefined && Object.hasOwn(events, one.requested.text) ? events[one.requested.text] : undefined
}

/** Returns the reason of a stop, and its description. */
export const of = (
  { log, secrets }: Session,
  hit: ReadonlyArray<Breakpoint.Breakpoint>,
  cause: RuntimeFrames.Cause | undefined,
  message: string | undefined
): Pick<Stop.StopReport, "reason" | "raw_reason" | "description"> => {
  const { stopped } = log.snapshot
  if (stopped === undefined) return {}
  const event = caught(hit)
  // A panic of Rust is a breakpoint of the debugger, a panic of Go an exception with its message.
  const told = stopped.reason === "exception" ? stopped.description : undefined
  const found =
    cause?.reason === "panic" ? (cause.description ?? message ?? told) : (message ?? (cause ?? stopped).description)
  const description = event === undefined ? found : undefined
  return {
    reason: event ?? cause?.reason ?? stopped.reason,
    raw_reason: stopped.raw_reason,
    ...(description === undefined ? {} : { description: secrets.inText(description) })
  }
}

/** Returns the exception or signal of the stop. */
export const exception = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number | undefined) {
  const reason = caught(hitBreakpoints(session)) ?? session.log.snapshot.stopped?.reason
  if (thread === undefined || (reason !== "exception" && reason !== "signal")) return undefined
  const found = yield* ExceptionAtStop.describeException(session, view, thread).pipe(Effect.option)
  return Option.isSome(found) ? found.value.exception : undefined
})

/** Returns the breakpoints of the stop, including temporary ones that it removed. */
export const hitBreakpoints = (session: Session): ReadonlyArray<Breakpoint.Breakpoint> => {
  const hit = session.log.snapshot.stopped?.breakpoints ?? []
  return [...session.breakpoints.list(), ...session.removedBreakpoints()].filter(
    ({ id }, index, all) => hit.includes(id) && all.findIndex((other) => other.id === id) === index
  )
}
