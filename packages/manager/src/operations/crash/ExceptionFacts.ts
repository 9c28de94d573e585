/**
 * The facts of an exception: its type and message, and the earlier exceptions that led to it.
 */
import type { Explanation, Location } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type { Session } from "../../session/Session.ts"
import * as ExceptionAtStop from "../breakpoints/ExceptionAtStop.ts"
import type { StopPlace } from "./StopFindings.ts"

type Fact = Explanation.Fact

/** Returns where an exception was raised, as the end of a sentence. */
const raisedIn = ({ file, function: name, line }: Location.Position) =>
  file === undefined || line === undefined ? "" : `, in ${name} ${file.slice(file.lastIndexOf("/") + 1)}:${line}`

/** Returns the exception of a stop, and those in it if it is a group. Empty if its type is not known. */
export const of = Effect.fnUntraced(
  function* (session: Session, { thread, view }: StopPlace) {
    const { exception } = yield* ExceptionAtStop.describeException(session, view, thread)
    const { caused_by: origins = [], causes = [], members = [], message, type } = exception
    if (type === undefined) return []
    const at = (where: Location.Position | undefined) => (where === undefined ? "" : raisedIn(where))
    const fact = (text: string): Fact => ({ kind: "exception", text, by: "debugger" })
    return [
      fact(message === undefined ? `exception of type ${type}` : `${type}: ${message}`),
      ...causes.map((text) => fact(`raised before: ${text}`)),
      ...origins.map(({ raised_at: where, text }) => fact(`caused by ${text}${at(where)}`)),
      ...members.map(({ raised_at: where, text }) => fact(`contains ${text}${at(where)}`))
    ]
  },
  Effect.orElseSucceed((): ReadonlyArray<Fact> => [])
)

/**
 * Returns the earlier exceptions that led to the current one, as their frames name them. The frames of each are in the order of a traceback: the
 * function that raised it is the last one.
 */
const raisedFacts = (session: Session, { page: { frames, total } }: StopPlace): ReadonlyArray<Fact> => {
  const found = new Map<string, Fact>()
  for (const [index, frame] of frames.entries()) {
    const { raised } = frame
    if (raised === undefined || found.has(raised) || frames[index + 1]?.raised === raised) continue
    const isLast = index + 1 < frames.length || total === frames.length
    const text = `raised before${isLast ? raisedIn(frame) : ""}${raised === "" ? "" : `: ${raised}`}`
    found.set(raised, { kind: "exception", text: session.secrets.inText(text), by: "stack" })
  }
  return [...found.values()]
}

/** Returns the earlier exceptions that led to the current one, the newest first, with their types if the debugger has them. */
export const earlier = Effect.fnUntraced(function* (session: Session, place: StopPlace) {
  const inFrames = raisedFacts(session, place)
  const { earlierExceptions } = yield* session.connection
  if (inFrames.length === 0 || earlierExceptions === undefined) return inFrames
  const found = yield* earlierExceptions(place.thread)
  if (found === undefined) return inFrames
  return found.map(({ file, function: name = "", isCause, line, text }): Fact => {
    const at = file === undefined || line === undefined ? "" : raisedIn({ function: name, file, line })
    const told = isCause === true ? `caused by ${text}${at}` : `raised before${at}: ${text}`
    return { kind: "exception", text: session.secrets.inText(told), by: "debugger" }
  })
})
