/**
 * Handlers that list and select threads and frames. The selection belongs to the caller and ends with the stop.
 */
import { Errors, type Frame, Hint, type Operations, type Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Thread } from "../../ports/Backend.ts"
import type { ThreadPlace } from "../../ports/Inspection.ts"
import type { Session } from "../../session/Session.ts"
import { SourceFiles } from "../../model/sources/SourceFiles.ts"
import type { Located, StopView } from "../../session/values/StopView.ts"
import * as UserFrame from "./UserFrame.ts"

/** A thread and a frame that a caller names. The selected ones are the default. */
export interface FrameSelector {
  readonly thread?: number
  readonly frame?: number
}

/** Maximum number of threads whose stacks are searched for a frame with source. */
const maxPlaces = 64

/** The place of a thread, and where it stopped below it. */
interface PlaceBelow extends ThreadPlace {
  readonly stopped_in?: Stop.StoppedIn
}

/**
 * Returns the named thread, else the selected one, else the one that stopped, else the first: a debugger may report the stop of
 * a thread that it does not list.
 */
export const threadOf = Effect.fnUntraced(function* (session: Session, view: StopView, id: number | undefined) {
  const threads = yield* view.threads
  const stopped = threads.find((thread) => thread.id === session.log.snapshot.stopped?.thread) ?? threads[0]
  const selected = (yield* session.viewpoint).selected(view.stop)
  return yield* view.thread(id ?? selected.thread ?? stopped?.id ?? 0)
})

/** Returns the index of the named frame, else of the selected one if it is in this thread, else of the default one. */
const indexOf = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  thread: number,
  selector: FrameSelector
) {
  if (selector.frame !== undefined) return selector.frame
  const selected = (yield* session.viewpoint).selected(view.stop)
  return thread === selected.thread ? selected.frame : yield* UserFrame.indexOf(session, view, thread)
})

/** A thread and a frame that a caller names, by number or reference. */
export interface NamedFrame {
  readonly thread?: number
  readonly frame?: number | string
}

/** Returns the frame that a caller names, and its thread; else the selected one. A reference names a frame of any thread. */
export const locate = Effect.fnUntraced(function* (session: Session, view: StopView, named: NamedFrame) {
  const { frame, thread } = named
  if (typeof frame === "string" && !/^\d+$/.test(frame)) {
    const { within } = yield* session.references.resolve(frame, view.stop)
    const [of, index] = within.split("/").map(Number)
    const found = (yield* view.threads).find(({ id }) => id === of) ?? (yield* view.thread(of ?? 0))
    return { thread: found, at: yield* view.frame(found.id, index ?? 0) }
  }
  const found = yield* threadOf(session, view, thread)
  const index = frame === undefined ? yield* indexOf(session, view, found.id, {}) : Number(frame)
  return { thread: found, at: yield* view.frame(found.id, index) }
})

/** Returns the named frame, else the selected one. */
export const frameOf = Effect.fnUntraced(function* (session: Session, view: StopView, selector: FrameSelector) {
  const thread = yield* threadOf(session, view, selector.thread)
  return yield* view.frame(thread.id, yield* indexOf(session, view, thread.id, selector))
})

/** Returns the index of the selected frame of a thread. */
export const selectedIndex = (session: Session, view: StopView, thread: number) => indexOf(session, view, thread, {})

const label = (thread: Frame.Thread) =>
  `Thread ${thread.number ?? thread.id}${thread.name === undefined ? "" : ` (${thread.name})`}`

/**
 * Returns the breakpoints that a thread hit at the newest stop. None if several threads hit several ones, because which of them
 * hit which is not known.
 */
const hitBy = ({ log }: Session, { id }: Frame.Thread): ReadonlyArray<number> => {
  const { stopped } = log.snapshot
  if (stopped?.thread !== id) return []
  return stopped.threads.length > 1 && stopped.breakpoints.length > 1 ? [] : stopped.breakpoints
}

/** Matches LLDB's text of a thread that it stopped itself, for a pause, an attach or the entry of the program. */
const stoppedByDebugger = /^signal SIG(?:STOP|INT)$/

/**
 * Returns what a thread says of the newest stop in place of the debugger's signal: `pause` or `entry`. Undefined for another stop, such
 * as at a signal that the program got.
 */
const causeOf = ({ log }: Session): string | undefined => {
  const reason = log.snapshot.stopped?.reason
  return reason === "pause" || reason === "entry" ? reason : undefined
}

/** Returns why a thread stopped: what it hit, with the numbers of the breakpoints, or the debugger's text. */
const stopReason = (place: ThreadPlace | undefined, ids: ReadonlyArray<number>, cause: string | undefined) => {
  const own = place?.stop_reason
  const said = cause !== undefined && own !== undefined && stoppedByDebugger.test(own) ? cause : own
  const text = place?.hit === undefined ? said : [place.hit, ...(ids.length === 0 ? [] : [ids.join(", ")])].join(" ")
  return text === undefined ? {} : { stop_reason: text }
}

const statusOf = (
  { running, ...thread }: Thread,
  current: number | undefined,
  place: PlaceBelow | undefined,
  ids: ReadonlyArray<number> = [],
  cause?: string
): Operations.Data<"thread">["thread"] => ({
  ...thread,
  label: label(thread),
  state: running === true ? "running" : "stopped",
  current: thread.id === current,
  ...stopReason(place, ids, cause),
  ...(place?.location === undefined ? {} : { location: place.location }),
  ...(place?.stopped_in === undefined ? {} : { stopped_in: place.stopped_in })
})

/** Number of frames of each thread that are read in one request to find its place. */
const depth = 20

/** Returns the place of one thread: its innermost frame with source of the user, else its innermost one. */
const placeOf = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  { id }: Frame.Thread,
  known: ThreadPlace | undefined
) {
  const index = yield* UserFrame.indexOf(session, view, id)
  const page = yield* view.stack(id, 0, Math.max(depth, index + 1))
  const frame = page.frames[index]
  if (frame === undefined) return { id, ...known }
  const { hidden: _, index: __, locals: ___, ref: ____, repeat: _____, ...location } = frame
  const below = UserFrame.stoppedIn(page, index)
  return { ...known, id, location, ...(below === undefined ? {} : { stopped_in: below }) }
})

/** Returns the places of threads, and for those beyond a limit only what the debugger's list of threads has. */
const placesOf = Effect.fnUntraced(function* (session: Session, view: StopView, threads: ReadonlyArray<Frame.Thread>) {
  const connection = yield* session.connection
  const listed = new Map((yield* connection.inspection.places).map((place) => [place.id, place]))
  yield* view.check
  if (threads.length > 1) yield* view.prefetchStacks(depth)
  const found = yield* Effect.forEach(
    threads.slice(0, maxPlaces),
    (thread) => placeOf(session, view, thread, listed.get(thread.id)),
    { concurrency: "unbounded" }
  )
  const places = new Map<number, PlaceBelow>(listed)
  for (const place of found) places.set(place.id, place)
  return places
})

/** Handles `threads`. */
export const threads = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"threads">) {
  const connection = yield* session.connection
  const page = (listed: ReadonlyArray<Operations.Data<"thread">["thread"]>) => {
    const all = payload.stopped ? listed.filter(({ state }) => state === "stopped") : listed
    const text = payload.match?.toLowerCase()
    const matching =
      text === undefined
        ? all
        : all.filter(({ label, location }) =>
            [label, location?.function, location?.file].some((part) => part?.toLowerCase().includes(text))
          )
    const shown = matching.slice(payload.start, payload.start + payload.limit)
    const end = payload.start + shown.length
    return {
      data: { threads: shown, total: matching.length },
      truncated:
        end < matching.length
          ? [
              {
                path: "data.threads",
                shown: shown.length,
                total: matching.length,
                hints: [Hint.again("threads", { start: end })]
              }
            ]
          : []
    }
  }
  if (session.log.snapshot.state !== "stopped") {
    const all = session.references.threads.numbered(yield* connection.threads)
    return page(all.map((thread) => ({ ...statusOf(thread, undefined, undefined), state: "running" as const })))
  }
  return yield* Effect.gen(function* () {
    const view = yield* session.view
    const all = yield* view.threads
    const places = yield* placesOf(session, view, all)
    const current = yield* Effect.option(threadOf(session, view, undefined))
    const id = Option.getOrUndefined(current)?.id
    return page(
      all.map((thread) => statusOf(thread, id, places.get(thread.id), hitBy(session, thread), causeOf(session)))
    )
  }).pipe(
    // Another client resumed it meanwhile.
    Effect.catchTag("NotStopped", () =>
      Effect.map(connection.threads, (all) =>
        page(
          session.references.threads
            .numbered(all)
            .map((thread) => ({ ...statusOf(thread, undefined, undefined), state: "running" as const }))
        )
      )
    )
  )
})

/** Handles `thread`. */
export const thread = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"thread">) {
  const view = yield* session.view
  const chosen = yield* threadOf(session, view, payload.id)
  const places = yield* placesOf(session, view, [chosen])
  if (payload.id !== undefined && chosen.id !== (yield* threadOf(session, view, undefined)).id) {
    const viewpoint = yield* session.viewpoint
    viewpoint.select(view.stop, chosen.id, yield* UserFrame.indexOf(session, view, chosen.id))
  }
  const status = statusOf(chosen, chosen.id, places.get(chosen.id), hitBy(session, chosen), causeOf(session))
  return { data: { thread: status } }
})

const shown = Effect.fnUntraced(function* (thread: number, { frame }: Located) {
  const sources = yield* SourceFiles
  const source =
    frame.file === undefined || frame.line === undefined
      ? Option.none()
      : yield* Effect.option(sources.window(frame.file, frame.line, 1))
  return { data: { frame, thread, ...(Option.isSome(source) ? { source: source.value } : {}) } }
})

const select = Effect.fnUntraced(function* (session: Session, view: StopView, thread: number, index: number) {
  const located = yield* view.frame(thread, index)
  const viewpoint = yield* session.viewpoint
  viewpoint.select(view.stop, thread, index)
  return yield* shown(thread, located)
})

/** Maximum number of frames in which a function is searched. */
const maxFrames = 1000

/** Handles `frame`. */
export const frame = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"frame">) {
  const view = yield* session.view
  const { id } = yield* threadOf(session, view, undefined)
  if (payload.function !== undefined) {
    const { frames } = yield* view.stack(id, 0, maxFrames)
    const found = frames.find(({ function: name }) => name === payload.function || nameOnly(name) === payload.function)
    if (found === undefined) return yield* new Errors.FrameNotFound({ index: frames.length, count: frames.length })
    return yield* select(session, view, id, found.index)
  }
  if (payload.index === undefined) return yield* shown(id, yield* frameOf(session, view, {}))
  if (/^\d+$/.test(payload.index)) return yield* select(session, view, id, Number(payload.index))
  const target = yield* session.references.resolve(payload.index, view.stop)
  const [of = "", index = ""] = target.within.split("/")
  return yield* select(session, view, Number(of), Number(index))
})

/** Returns a function's name without its arguments. */
const nameOnly = (name: string) => name.replace(/\(.*$/s, "")

/** Returns the indexes of the frames that `up` and `down` select beyond a frame, nearest first, at most `count`. */
const beyond = Effect.fnUntraced(function* (view: StopView, thread: number, index: number, by: number) {
  const shown = (frames: ReadonlyArray<Frame.Frame>) => frames.filter(({ hidden }) => hidden !== true)
  // A selected runtime frame is moved from by single frames.
  const all = (yield* view.frame(thread, index)).frame.hidden === true
  const chosen = all ? (frames: ReadonlyArray<Frame.Frame>) => frames : shown
  if (by < 0) return chosen((yield* view.stack(thread, 0, index)).frames).toReversed()
  const found: Array<Frame.Frame> = []
  for (let start = index + 1; found.length < by; start += maxFrames) {
    const { frames, total } = yield* view.stack(thread, start, Math.min(maxFrames, by + runtimeFrames))
    found.push(...chosen(frames))
    const isLast = frames.length < Math.min(maxFrames, by + runtimeFrames) || total === start + frames.length
    if (isLast) break
  }
  return found
})

/** Number of runtime frames that are read together with the shown ones. */
const runtimeFrames = 40

/** `up` and `down`: move over the shown frames. At an end of the stack the selection stays, and the answer says so. */
export const move = Effect.fnUntraced(function* (session: Session, by: number) {
  const view = yield* session.view
  const { id } = yield* threadOf(session, view, undefined)
  const index = yield* selectedIndex(session, view, id)
  const frames = (yield* beyond(view, id, index, by)).slice(0, Math.abs(by))
  const { data } = yield* select(session, view, id, frames.at(-1)?.index ?? index)
  const end = by > 0 ? ("outermost" as const) : ("innermost" as const)
  return { data: { ...data, ...(frames.length < Math.abs(by) ? { end } : {}) } }
})
