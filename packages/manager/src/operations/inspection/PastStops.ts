/**
 * Handlers of past stops: `stops`, `history`, and `context` with a stop. They answer from what was read while a stop was current,
 * and request nothing from the debugger.
 */
import { type Answer, Errors, type Frame, Hint, type Operations, type Stop, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import type { PastStop } from "../../session/stops/PastStops.ts"
import type { Session } from "../../session/Session.ts"
import type { ReadStack } from "../../session/values/StopReadings.ts"
import type { Reply } from "../Reply.ts"
import * as OutputReader from "../OutputReader.ts"

/** Returns the number of a stop as a caller names it: `12`, `#12`, or `-1` for the stop before the current one. */
export const numberOf = ({ log }: Session, named: number | string): number => {
  const { state, stop } = log.snapshot
  const number = typeof named === "number" ? named : Number(named.replace("#", ""))
  return number < 0 ? (state === "stopped" ? stop : stop + 1) + number : number
}

/** Returns a stop that is kept. */
export const find = ({ past }: Session, stop: number): Effect.Effect<PastStop, Errors.StopNotFound> => {
  const found = past.at(stop)
  if (found !== undefined) return Effect.succeed(found)
  const [oldest, newest] = [past.all[0]?.stop ?? 0, past.all.at(-1)?.stop ?? 0]
  return Effect.fail(new Errors.StopNotFound({ stop, oldest, newest }))
}

const causeOf = ({ cause }: PastStop) => ({ ...cause })

const entryOf = (session: Session, past: PastStop): Operations.Data<"stops">["stops"][number] => {
  const { report, stopped } = past
  const { description = report === undefined ? stopped.description : undefined } = report ?? {}
  const thread = report?.thread ?? (stopped.thread === undefined ? undefined : { id: stopped.thread })
  const location = past.place
  const exceptionType = report?.exception?.type ?? stopped.exception_type
  return {
    stop: past.stop,
    time: past.time,
    reason: report?.reason ?? stopped.reason,
    raw_reason: stopped.raw_reason,
    ...(description === undefined ? {} : { description: session.secrets.inText(description) }),
    ...(stopped.signal === undefined ? {} : { signal: stopped.signal }),
    ...(exceptionType === undefined ? {} : { exception_type: exceptionType }),
    ...(location === undefined ? {} : { location }),
    ...(thread === undefined ? {} : { thread }),
    breakpoints: stopped.breakpoints,
    hit_counts: past.hitCounts,
    ...causeOf(past),
    changed: past.changed
  }
}

/** A page of stops. `dropped` is the number of stops from the first requested one on that are no longer kept. */
interface Page {
  readonly shown: ReadonlyArray<PastStop>
  readonly dropped: number
  readonly next?: number
  readonly truncated: Reply<unknown>["truncated"]
}

/** Returns the stops from `since` on, else the newest ones. */
const page = (
  session: Session,
  operation: "stops" | "history",
  { limit, since }: { readonly limit: number; readonly since?: number | string }
): Page => {
  const { log, past } = session
  const from = since === undefined ? 1 : Math.max(1, numberOf(session, since))
  const all = past.all.filter(({ stop }) => stop >= from)
  const shown = since === undefined ? all.slice(-limit) : all.slice(0, limit)
  const later = since === undefined ? undefined : all[limit]?.stop
  const oldest = past.all[0]?.stop ?? log.snapshot.stop + 1
  const first = all[0]?.stop
  const more = later ?? (shown.length < all.length && first !== undefined ? first : undefined)
  return {
    shown,
    dropped: Math.max(0, oldest - from),
    ...(later === undefined ? {} : { next: later }),
    truncated:
      more === undefined
        ? []
        : [
            {
              path: operation === "stops" ? "data.stops" : "data.values",
              shown: shown.length,
              total: all.length,
              hints: [Hint.again(operation, { since: more })]
            }
          ]
  }
}

/** Handles `stops`. */
export const stops = (
  session: Session,
  payload: Operations.Payload<"stops">
): Effect.Effect<Reply<Operations.Data<"stops">>> =>
  Effect.sync(() => {
    const { shown, truncated = [], ...rest } = page(session, "stops", payload)
    return { data: { stops: shown.map((past) => entryOf(session, past)), ...rest }, truncated }
  })

/** The value of a name or expression at a stop, as far as it was read there. */
const valueAt = (past: PastStop, path: string): Omit<Operations.Data<"history">["values"][number], "stop"> => {
  const { readings, report } = past
  const own = frameOf(past, report?.user_frame ?? 0)
  const found = readings?.find(path, own?.ref)
  const shown = (value: Pick<Variable.Variable, "value" | "type">) => ({
    value: value.value,
    ...(value.type === undefined ? {} : { type: value.type })
  })
  if (found !== undefined) {
    const name = found.within === own?.ref ? undefined : readings?.frameOf(found.within)?.frame.function
    return { ...shown(found.value), ...(name === undefined ? {} : { function: name }) }
  }
  const local = report?.locals?.find(({ name }) => name === path)
  if (local !== undefined) return shown(local)
  const { type, value } = report?.evaluations?.find(({ expression }) => expression === path) ?? {}
  if (value !== undefined) return shown({ value, ...(type === undefined ? {} : { type }) })
  return past.dropped > 0 ? { dropped: true } : {}
}

/** Returns the warning about a name that no client has read at any of the stops. */
const unread = ({ log }: Session, path: string): Answer.Warning => ({
  code: "NOT_FOUND",
  message: `no client has read '${path}' at these stops; history shows what was read, under the name it was read by`,
  hints: [log.snapshot.state === "stopped" ? Hint.call("print", { expressions: [path] }) : Hint.call("stops", {})]
})

/** Handles `history`. */
export const history = (
  session: Session,
  payload: Operations.Payload<"history">
): Effect.Effect<Reply<Operations.Data<"history">>> =>
  Effect.sync(() => {
    const { shown, truncated = [], ...rest } = page(session, "history", payload)
    const path = payload.path.trim()
    const values = shown.map((past) => ({ stop: past.stop, ...valueAt(past, path), ...causeOf(past) }))
    const isUnread = values.length > 0 && values.every(({ dropped, value }) => value === undefined && dropped !== true)
    return { data: { path, values, ...rest }, truncated, warnings: isUnread ? [unread(session, path)] : [] }
  })

const threadOf = ({ readings, report, stopped }: PastStop): number | undefined =>
  report?.thread?.id ?? stopped.thread ?? readings?.threads[0]

/** Returns the stack of a thread, from what was read, else from the report. */
const stackOf = (past: PastStop, thread = threadOf(past)): ReadStack => {
  const read = thread === undefined ? undefined : past.readings?.stack(thread)
  const reported = thread === threadOf(past) ? (past.report?.frames ?? []) : []
  return read !== undefined && read.frames.length > 0 ? read : { frames: reported }
}

const frameOf = (past: PastStop, index: number, thread = threadOf(past)): Frame.Frame | undefined => {
  const read = thread === undefined ? undefined : past.readings?.frame(thread, index)
  return read ?? stackOf(past, thread).frames.find((frame) => frame.index === index)
}

const positionOf = ({ hidden: _, index: __, locals: ___, ref: ____, repeat: _____, ...position }: Frame.Frame) =>
  position

const withoutReference = ({ ref: _, ...value }: Variable.Variable): Variable.Variable => value

/** Returns the variables of a frame, marked as the report marks them. */
const localsOf = (past: PastStop, frame: Frame.Frame | undefined, isOwn: boolean) => {
  const reported = isOwn ? past.report?.locals : undefined
  const read = frame === undefined ? undefined : past.readings?.locals(frame.ref)
  if (read === undefined) return reported?.map((local) => past.readings?.opened(local) ?? withoutReference(local))
  return read.map((local) => {
    const { changed, old, value } = reported?.find(({ name }) => name === local.name) ?? {}
    return changed === true && old !== undefined && value === local.value ? { ...local, changed, old } : local
  })
}

/** The report of a stop that no client read. */
const bare = (session: Session, past: PastStop): Stop.StopReport => {
  const { description, raw_reason, reason, signal, thread } = past.stopped
  const shown = stackOf(past).frames.findIndex(RuntimeFrames.isUserFrame)
  return {
    event: "stopped",
    reason,
    raw_reason,
    ...(description === undefined ? {} : { description: session.secrets.inText(description) }),
    breakpoints: past.stopped.breakpoints,
    hit_counts: past.hitCounts,
    ...(reason === "signal" && signal !== undefined ? { signal } : {}),
    ...(thread === undefined ? {} : { thread: { id: thread } }),
    ...(past.place === undefined ? {} : { location: past.place }),
    ...(shown > 0 ? { user_frame: shown } : {})
  }
}

/** Most recent output before a stop, in bytes. */
const maxRecent = 4096

/** Returns the newest output before a stop. */
const outputBefore = ({ maskedOutput }: Session, { seq }: PastStop) =>
  OutputReader.newest(maskedOutput, maxRecent, { seq, offset: 0 }).slice(-5)

type Context = Operations.Data<"context">
type Section = Operations.Payload<"context">["sections"][number]

/** What a caller wants to see of a stop. */
export interface ContextRequest {
  readonly frame?: number
  /** The thread of the frame, if it is not that of the report. */
  readonly thread?: number
  readonly sections: ReadonlyArray<Section>
}

/** What was read of the frame that a caller wants to see. */
interface ReadFrame {
  readonly index: number
  /** True for the frame of the report. */
  readonly isOwn: boolean
  readonly stack: ReadStack
  readonly frame: Frame.Frame | undefined
  readonly location: Context["location"]
  readonly locals: Context["locals"]
  readonly registers: Context["registers"]
}

const readFrame = (past: PastStop, report: Stop.StopReport, wanted: ContextRequest): ReadFrame => {
  const own = report.user_frame ?? 0
  const index = wanted.frame ?? own
  const thread = wanted.thread ?? threadOf(past)
  const isOwn = index === own && thread === threadOf(past)
  const stack = stackOf(past, thread)
  const frame = frameOf(past, index, thread)
  const location = isOwn ? report.location : frame === undefined ? undefined : positionOf(frame)
  const registers = frame === undefined ? undefined : past.readings?.registers(frame.ref)?.[0]?.registers
  return { index, isOwn, stack, frame, location, locals: localsOf(past, frame, isOwn), registers }
}

/** Returns the frames that stacks show, with the variables of those that were looked at beside the chosen one. */
const framesOf = (past: PastStop, { index, stack }: ReadFrame) => {
  const visible = stack.frames.filter((one) => one.hidden !== true || one.index === index)
  const folded = stack.frames.filter((one) => !visible.includes(one))
  const frames = visible.map((one) => {
    const locals = one.index === index ? undefined : past.readings?.locals(one.ref)
    return locals === undefined ? one : { ...one, locals }
  })
  return {
    ...(frames.length === 0 ? {} : { frames }),
    ...(folded.length === 0 ? {} : { hidden_frames: folded.length, left_out: RuntimeFrames.countByRuntime(folded) })
  }
}

/** Returns the expressions of the report, and those that callers evaluated in the frame, without the variables that are shown. */
const evaluationsOf = (past: PastStop, { frame, locals = [] }: ReadFrame): Pick<Context, "evaluations"> => {
  const reported = (past.report?.evaluations ?? []).map(({ ref, ...one }) => one)
  const printed = (frame === undefined ? [] : (past.readings?.printed(frame.ref) ?? []))
    .filter(([expression]) => !reported.some((one) => one.expression === expression))
    .filter(([expression, { value }]) => !locals.some((one) => one.name === expression && one.value === value))
    .map(([expression, { type, value }]) => ({ expression, value, ...(type === undefined ? {} : { type }) }))
  return reported.length + printed.length === 0 ? {} : { evaluations: [...reported, ...printed] }
}

/** Names what was not read: `registers`, `frames[2].locals`. */
const unreadOf = (
  { index, isOwn, locals, location, registers }: ReadFrame,
  source: Context["source"],
  { frames = [] }: Pick<Context, "frames">,
  wanted: (section: Section) => boolean
): ReadonlyArray<string> => {
  const others = frames.filter((one) => one.index !== index && one.locals === undefined && one.file !== undefined)
  return [
    ...(wanted("source") && location?.file !== undefined && source === undefined ? ["source"] : []),
    ...(wanted("stack") && frames.length === 0 ? ["stack"] : []),
    ...(wanted("locals")
      ? [
          ...(locals === undefined ? [isOwn ? "locals" : `frames[${index}].locals`] : []),
          ...others.map((one) => `frames[${one.index}].locals`)
        ]
      : []),
    ...(wanted("registers") && registers === undefined ? ["registers"] : [])
  ]
}

/** Returns what was read at a stop. */
export const contextOf = (session: Session, past: PastStop, wanted: ContextRequest): Context => {
  const includes = (section: Section) => wanted.sections.length === 0 || wanted.sections.includes(section)
  const report = past.report ?? bare(session, past)
  const { elapsed_ms, evaluations, frames, hidden_frames, left_out, locals, location, moved_on, ...why } = report
  const { source: text, ...rest } = why
  const read = readFrame(past, report, wanted)
  const source = read.isOwn ? text : undefined
  const stack = framesOf(past, read)
  const unread = [
    ...unreadOf(read, source, stack, includes),
    // What was set at that stop is not kept.
    ...(wanted.sections.includes("breakpoints") ? ["breakpoints"] : [])
  ]
  return {
    past: true,
    now: session.log.snapshot.stop,
    ...rest,
    ...(read.location === undefined ? {} : { location: read.location }),
    ...(includes("stack") ? stack : {}),
    ...(includes("source") && source !== undefined ? { source } : {}),
    ...(includes("locals") && read.locals !== undefined ? { locals: read.locals } : {}),
    ...evaluationsOf(past, read),
    ...(includes("registers") && read.registers !== undefined ? { registers: read.registers } : {}),
    recent_output: includes("output") ? outputBefore(session, past) : [],
    ...(unread.length === 0 ? {} : { not_read: unread }),
    ...(past.dropped === 0 ? {} : { dropped: past.dropped })
  }
}

/** Returns the number of the past stop that a payload names; undefined for the current one. */
export const requestedStop = (
  session: Session,
  { stop }: Pick<Operations.Payload<"context">, "stop">
): number | undefined => {
  if (stop === undefined) return undefined
  const number = numberOf(session, stop)
  return session.log.snapshot.state === "stopped" && session.log.snapshot.stop === number ? undefined : number
}

/** Finds the frame that a caller names by number or reference. */
const named = (
  past: PastStop,
  frame: number | string | undefined
): Effect.Effect<Omit<ContextRequest, "sections">, Errors.FrameNotFound | Errors.StaleReference> => {
  if (typeof frame === "string" && !/^\d+$/.test(frame)) {
    const ref = frame.replace(":", "@")
    const found = past.readings?.frameOf(ref)
    return found === undefined
      ? Effect.fail(new Errors.StaleReference({ ref, remedies: [Hint.call("context", { stop: past.stop })] }))
      : Effect.succeed({ frame: found.frame.index, thread: found.thread })
  }
  const { total } = stackOf(past)
  if (frame === undefined || total === undefined || Number(frame) < total) {
    return Effect.succeed(frame === undefined ? {} : { frame: Number(frame) })
  }
  return Effect.fail(new Errors.FrameNotFound({ index: Number(frame), count: total }))
}

/** `context` of a past stop. */
export const context = (
  session: Session,
  payload: Operations.Payload<"context">,
  stop: number
): Effect.Effect<Reply<Context>, Errors.StopNotFound | Errors.FrameNotFound | Errors.StaleReference> =>
  Effect.gen(function* () {
    const past = yield* find(session, stop)
    const frame = yield* named(past, payload.frame)
    const data = contextOf(session, past, { ...frame, sections: payload.sections })
    return { data, at: { ...session.log.snapshot, stop } }
  })
