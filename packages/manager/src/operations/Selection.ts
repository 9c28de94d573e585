/**
 * Handlers that list and select threads and frames. The selection belongs to the view of the stop and ends with it.
 */
import { Errors, type Frame, Hint, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Thread } from "../ports/Backend.ts"
import type { ThreadPlace } from "../ports/Inspection.ts"
import type { Session } from "../session/Session.ts"
import { SourceFiles } from "../model/SourceFiles.ts"
import type { Located, StopView } from "../session/StopView.ts"

/** A thread and a frame that a caller names. The selected ones are the default. */
export interface FrameSelector {
  readonly thread?: number
  readonly frame?: number
}

/** Maximum number of threads whose places are read one by one. */
const maxPlaces = 16

/** Returns the named thread, else the selected one, else the one that stopped. */
export const threadOf = Effect.fnUntraced(function* (session: Session, view: StopView, id: number | undefined) {
  const threads = yield* view.threads
  return yield* view.thread(id ?? view.selected.thread ?? session.log.snapshot.stopped?.thread ?? threads[0]?.id ?? 0)
})

/** Returns the index of the named frame, else of the selected one if it is in this thread, else 0. */
const indexOf = (session: Session, view: StopView, thread: number, selector: FrameSelector) =>
  selector.frame ??
  (thread === (view.selected.thread ?? session.log.snapshot.stopped?.thread ?? thread) ? view.selected.frame : 0)

/** Returns the named frame, else the selected one. */
export const frameOf = Effect.fnUntraced(function* (session: Session, view: StopView, selector: FrameSelector) {
  const thread = yield* threadOf(session, view, selector.thread)
  return yield* view.frame(thread.id, indexOf(session, view, thread.id, selector))
})

/** Returns the index of the selected frame of a thread. */
export const selectedIndex = (session: Session, view: StopView, thread: number): number =>
  indexOf(session, view, thread, {})

const label = (thread: Frame.Thread) => `Thread ${thread.id}${thread.name === undefined ? "" : ` (${thread.name})`}`

/** Returns the breakpoints that a thread hit at the newest stop. */
const hitBy = ({ log }: Session, { id }: Frame.Thread): ReadonlyArray<number> =>
  log.snapshot.stopped?.thread === id ? log.snapshot.stopped.breakpoints : []

/** Returns why a thread stopped: what it hit, with the numbers of the breakpoints, or the debugger's text. */
const stopReason = (place: ThreadPlace | undefined, ids: ReadonlyArray<number>) => {
  const text =
    place?.hit === undefined ? place?.stop_reason : [place.hit, ...(ids.length === 0 ? [] : [ids.join(", ")])].join(" ")
  return text === undefined ? {} : { stop_reason: text }
}

const statusOf = (
  { running, ...thread }: Thread,
  current: number | undefined,
  place: ThreadPlace | undefined,
  ids: ReadonlyArray<number> = []
): Operations.Data<"thread">["thread"] => ({
  ...thread,
  label: label(thread),
  state: running === true ? "running" : "stopped",
  current: thread.id === current,
  ...stopReason(place, ids),
  ...(place?.location === undefined ? {} : { location: place.location })
})

/** Returns the places of threads: in one request if supported, else one by one up to a limit. */
const placesOf = Effect.fnUntraced(function* (session: Session, view: StopView, threads: ReadonlyArray<Frame.Thread>) {
  const connection = yield* session.connection
  const places = new Map((yield* connection.inspection.places).map((place) => [place.id, place]))
  yield* view.check
  const missing = threads.filter((thread) => !places.has(thread.id)).slice(0, maxPlaces)
  const found = yield* Effect.forEach(
    missing,
    (thread) =>
      Effect.map(view.stack(thread.id, 0, 1), ({ frames }): ThreadPlace => {
        const [top] = frames
        if (top === undefined) return { id: thread.id }
        const { index: _, ref: __, hidden: ___, ...location } = top
        return { id: thread.id, location }
      }),
    { concurrency: "unbounded" }
  )
  for (const place of found) places.set(place.id, place)
  return places
})

/** `threads` */
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
    const all = yield* connection.threads
    return page(all.map((thread) => ({ ...statusOf(thread, undefined, undefined), state: "running" as const })))
  }
  return yield* Effect.gen(function* () {
    const view = yield* session.view
    const all = yield* view.threads
    const places = yield* placesOf(session, view, all)
    const current = yield* Effect.option(threadOf(session, view, undefined))
    const id = Option.getOrUndefined(current)?.id
    return page(all.map((thread) => statusOf(thread, id, places.get(thread.id), hitBy(session, thread))))
  }).pipe(
    // Another client resumed it meanwhile.
    Effect.catchTag("NotStopped", () =>
      Effect.map(connection.threads, (all) =>
        page(all.map((thread) => ({ ...statusOf(thread, undefined, undefined), state: "running" as const })))
      )
    )
  )
})

/** `thread` */
export const thread = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"thread">) {
  const view = yield* session.view
  const chosen = yield* threadOf(session, view, payload.id)
  const places = yield* placesOf(session, view, [chosen])
  if (payload.id !== undefined && chosen.id !== (yield* threadOf(session, view, undefined)).id) {
    view.select(chosen.id, 0)
  }
  return { data: { thread: statusOf(chosen, chosen.id, places.get(chosen.id), hitBy(session, chosen)) } }
})

const shown = Effect.fnUntraced(function* (thread: number, { frame }: Located) {
  const sources = yield* SourceFiles
  const source =
    frame.file === undefined || frame.line === undefined
      ? Option.none()
      : yield* Effect.option(sources.window(frame.file, frame.line, 1))
  return { data: { frame, thread, ...(Option.isSome(source) ? { source: source.value } : {}) } }
})

const select = Effect.fnUntraced(function* (view: StopView, thread: number, index: number) {
  const located = yield* view.frame(thread, index)
  view.select(thread, index)
  return yield* shown(thread, located)
})

/** Maximum number of frames in which a function is searched. */
const maxFrames = 1000

/** `frame` */
export const frame = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"frame">) {
  const view = yield* session.view
  const { id } = yield* threadOf(session, view, undefined)
  if (payload.function !== undefined) {
    const { frames } = yield* view.stack(id, 0, maxFrames)
    const found = frames.find(({ function: name }) => name === payload.function || nameOnly(name) === payload.function)
    if (found === undefined) return yield* new Errors.FrameNotFound({ index: frames.length, count: frames.length })
    return yield* select(view, id, found.index)
  }
  if (payload.index === undefined) return yield* shown(id, yield* frameOf(session, view, {}))
  if (/^\d+$/.test(payload.index)) return yield* select(view, id, Number(payload.index))
  const target = yield* session.references.resolve(payload.index, view.stop)
  const [of = "", index = ""] = target.within.split("/")
  return yield* select(view, Number(of), Number(index))
})

/** Returns a function's name without its arguments. */
const nameOnly = (name: string) => name.replace(/\(.*$/s, "")

/** `up` and `down`. Beyond the end of the stack the selection stays. */
export const move = Effect.fnUntraced(function* (session: Session, by: number) {
  const view = yield* session.view
  const { id } = yield* threadOf(session, view, undefined)
  const index = selectedIndex(session, view, id) + by
  if (index < 0) {
    const { frames, total } = yield* view.stack(id, 0, 20)
    return yield* new Errors.FrameNotFound({ index, count: total ?? frames.length })
  }
  return yield* select(view, id, index)
})
