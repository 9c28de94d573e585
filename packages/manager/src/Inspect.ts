/**
 * The handlers that look at a stopped program.
 */
import { Errors, type Answer, type Frame, type Operations } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Report from "./Report.ts"
import * as Selection from "./Selection.ts"
import type { Session } from "./Session.ts"
import type { StopView } from "./StopView.ts"
import { evaluate } from "./Values.ts"

/** What a handler answers with, before the envelope. */
export interface Reply<Data> {
  readonly data: Data
  readonly truncated?: ReadonlyArray<Answer.Truncation>
}

/** `context` */
export const context = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"context">) {
  const recent = session.log.journal
    .since(Math.max(1, session.log.journal.next - 200))
    .entries.flatMap((entry) =>
      entry.event._tag === "Output" && entry.event.channel !== "console"
        ? [{ seq: entry.seq, channel: entry.event.channel, text: entry.event.text, time: entry.time, stop: entry.stop }]
        : []
    )
    .slice(-5)
  const stopped = session.log.snapshot.state === "stopped"
  const wanted = (section: (typeof payload.sections)[number], byDefault: boolean) =>
    payload.sections.length === 0 ? byDefault : payload.sections.includes(section)
  const chosen = stopped
    ? yield* session.view.pipe(
        Effect.flatMap((view) =>
          Effect.gen(function* () {
            const thread = yield* Selection.threadOf(session, view, undefined)
            const at = yield* Selection.frameOf(session, view, payload)
            if (!wanted("registers", false)) return { thread: thread.id, frame: at.frame.index }
            const connection = yield* session.connection
            const [general] = yield* connection.inspection.registers(at.handle)
            return { thread: thread.id, frame: at.frame.index, registers: general?.registers ?? [] }
          })
        ),
        Effect.catchTag(["NotStopped", "ThreadNotFound", "ProcessEnded", "NotRunning"], () => Effect.succeed(undefined))
      )
    : undefined
  const { data, truncated } = yield* Report.compose(session, {
    context: "full",
    lines: payload.lines,
    ...(chosen === undefined ? {} : { frame: chosen.frame, thread: chosen.thread })
  })
  const { source, frames, hidden_frames, locals, ...place } = data
  return {
    data: {
      ...place,
      ...(wanted("stack", true) && frames !== undefined ? { frames } : {}),
      ...(wanted("stack", true) && hidden_frames !== undefined ? { hidden_frames } : {}),
      ...(wanted("source", true) && source !== undefined ? { source } : {}),
      ...(wanted("locals", true) && locals !== undefined ? { locals } : {}),
      ...(chosen?.registers === undefined ? {} : { registers: chosen.registers }),
      ...(wanted("breakpoints", false) ? { set_breakpoints: session.breakpoints.list() } : {}),
      recent_output: wanted("output", true) ? recent : []
    },
    truncated: wanted("locals", true) ? truncated : []
  }
})

/** Threads whose stacks are asked for together. */
const together = 16

/** A page of a thread's stack without the frames that are folded. */
const stackOf = Effect.fnUntraced(function* (
  view: StopView,
  thread: Frame.Thread,
  payload: Operations.Payload<"backtrace">
) {
  const page = yield* view.stack(thread.id, payload.start, payload.limit)
  const frames = payload.all_frames ? page.frames : page.frames.filter((frame) => frame.hidden !== true)
  return { page, shown: { thread, frames, hidden: page.frames.length - frames.length } }
})

/** `backtrace` */
export const backtrace = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"backtrace">) {
  const view = yield* session.view
  const thread = yield* Selection.threadOf(session, view, payload.thread)
  if (payload.all_threads && payload.start === 0) yield* view.gather(payload.limit)
  const { page, shown } = yield* stackOf(view, thread, payload)
  const end = payload.start + page.frames.length
  const more = page.total === undefined ? page.frames.length === payload.limit : end < page.total
  const truncated: ReadonlyArray<Answer.Truncation> = more
    ? [
        {
          path: "data.frames",
          shown: page.frames.length,
          ...(page.total === undefined ? {} : { total: page.total }),
          more: `sigtrap backtrace --start ${end}`
        }
      ]
    : []
  const threads = payload.all_threads
    ? yield* Effect.forEach(yield* view.threads, (one) => stackOf(view, one, payload), { concurrency: together })
    : undefined
  return {
    data: {
      ...shown,
      selected: Selection.selectedIndex(session, view, thread.id),
      ...(page.total === undefined ? {} : { total: page.total }),
      ...(threads === undefined ? {} : { threads: threads.map((one) => one.shown) })
    },
    truncated
  }
})

/** `eval` */
export const evaluateAny = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"eval">) {
  const view = yield* session.view
  const at = yield* Selection.frameOf(session, view, payload)
  return { data: { value: yield* evaluate(view, at, payload.expression, "any") } }
})

/** `raw` */
export const raw = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"raw">) {
  if (/[\r\n\0]/.test(payload.command)) {
    return yield* new Errors.Usage({ problem: "one line at a time", near: [], help: "sigtrap raw 'image list'" })
  }
  const connection = yield* session.connection
  const before = session.log.snapshot
  const text = yield* connection.command(payload.command)
  const after = session.log.snapshot
  return {
    data: { output: text, state_changed: after.state !== before.state || after.stop !== before.stop }
  } satisfies Reply<Operations.Data<"raw">>
})
