/**
 * The handlers that look at a stopped program.
 */
import { Errors, type Answer, type Operations, type Variable } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Expression from "./Expression.ts"
import { isReference } from "./References.ts"
import * as Report from "./Report.ts"
import type { Session } from "./Session.ts"
import type { Located, StopView } from "./StopView.ts"

/** What a handler answers with, before the envelope. */
export interface Reply<Data> {
  readonly data: Data
  readonly truncated?: ReadonlyArray<Answer.Truncation>
}

/** Children shown with a value that was asked for by name. */
const children = 20

const threadOf = Effect.fnUntraced(function* (session: Session, view: StopView, asked: number | undefined) {
  const threads = yield* view.threads
  const id = asked ?? session.log.snapshot.stopped?.thread ?? threads[0]?.id ?? 0
  return yield* view.thread(id)
})

const frameOf = Effect.fnUntraced(function* (
  session: Session,
  view: StopView,
  at: { readonly thread?: number; readonly frame: number }
) {
  const thread = yield* threadOf(session, view, at.thread)
  return yield* view.frame(thread.id, at.frame)
})

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
  if (payload.frame > 0 && session.log.snapshot.state === "stopped") {
    yield* session.view.pipe(
      Effect.flatMap((view) => frameOf(session, view, payload)),
      Effect.catchTag(["NotStopped", "ThreadNotFound"], () => Effect.void)
    )
  }
  const { data, truncated } = yield* Report.compose(session, {
    context: "full",
    lines: payload.lines,
    frame: payload.frame
  })
  return { data: { ...data, recent_output: recent }, truncated }
})

/** `backtrace` */
export const backtrace = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"backtrace">) {
  const view = yield* session.view
  const thread = yield* threadOf(session, view, payload.thread)
  const page = yield* view.stack(thread.id, payload.start, payload.limit)
  const shown = payload.all_frames ? page.frames : page.frames.filter((frame) => frame.hidden !== true)
  const end = payload.start + page.frames.length
  const more = page.total === undefined ? page.frames.length === payload.limit : end < page.total
  return {
    data: {
      thread,
      frames: shown,
      hidden: page.frames.length - shown.length,
      ...(page.total === undefined ? {} : { total: page.total })
    },
    truncated: more
      ? [
          {
            path: "data.frames",
            shown: page.frames.length,
            ...(page.total === undefined ? {} : { total: page.total }),
            more: `sigtrap backtrace --start ${end}`
          }
        ]
      : []
  }
})

/** `locals` */
export const locals = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"locals">) {
  const view = yield* session.view
  const at = yield* frameOf(session, view, payload)
  const all = yield* view.locals(at)
  const chosen = payload.names.length === 0 ? all : all.filter((variable) => payload.names.includes(variable.name))
  const variables = chosen.slice(payload.start, payload.start + payload.count)
  const end = payload.start + variables.length
  return {
    data: {
      frame: at.frame,
      variables,
      total: chosen.length,
      not_found: payload.names.filter((name) => !all.some((variable) => variable.name === name))
    },
    truncated:
      end < chosen.length
        ? [
            {
              path: "data.variables",
              shown: variables.length,
              total: chosen.length,
              more: `sigtrap locals --start ${end}`
            }
          ]
        : []
  }
})

const withChildren = Effect.fnUntraced(function* (session: Session, view: StopView, value: Variable.Variable) {
  // A preview or a string says enough; a reference opens the rest.
  if (value.ref === undefined || !/^(?:|.*\{\.\.\.\}.*)$/s.test(value.value)) return value
  const target = yield* session.references.resolve(value.ref, view.stop)
  const inside = yield* view.children(target, 0, children)
  return { ...value, children: inside }
})

/** The name that an expression is about, if it is about one. */
const root = (expression: string) => /^\s*[*&(]*\s*([A-Za-z_$][\w$]*)/.exec(expression)?.[1]

const missing = Effect.fnUntraced(function* (
  view: StopView,
  at: Located,
  expression: string,
  error: Errors.EvaluationFailed
) {
  const name = root(expression)
  const visible = (yield* view.locals(at)).map((variable) => variable.name)
  if (name === undefined || visible.includes(name) || !/undeclared identifier|no variable named/.test(error.detail)) {
    return yield* error
  }
  return yield* new Errors.VariableNotFound({ name, near: Expression.nearest(name, visible) })
})

const evaluate = Effect.fnUntraced(function* (view: StopView, at: Located, expression: string, how: "read" | "any") {
  return yield* view
    .evaluate(expression, at, how)
    .pipe(
      Effect.catchTag("AdapterError", (error) =>
        Effect.fail(new Errors.EvaluationFailed({ expression, detail: error.detail }))
      )
    )
})

/** `print` */
export const print = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"print">) {
  const view = yield* session.view
  const at = yield* frameOf(session, view, payload)
  const values = yield* Effect.forEach(payload.expressions, (expression) =>
    Effect.gen(function* () {
      if (isReference(expression)) {
        const target = yield* session.references.resolve(expression, view.stop)
        const inside = yield* view.children(target, 0, children)
        return { name: target.expression, value: "", expression: target.expression, ref: target.ref, children: inside }
      }
      if (!Expression.onlyReads(expression)) return yield* new Errors.SideEffects({ expression })
      const value = yield* evaluate(view, at, expression, "read").pipe(
        Effect.catchTag("EvaluationFailed", (error) => missing(view, at, expression, error))
      )
      return yield* withChildren(session, view, value)
    })
  )
  return { data: { values } }
})

/** `eval` */
export const evaluateAny = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"eval">) {
  const view = yield* session.view
  const at = yield* frameOf(session, view, payload)
  return { data: { value: yield* evaluate(view, at, payload.expression, "any") } }
})

/** `output` */
export const output = (session: Session, payload: Operations.Payload<"output">): Reply<Operations.Data<"output">> => {
  const { entries, dropped, next } = session.log.journal.since(payload.since ?? 1)
  const read = entries.flatMap(({ event, seq, stop, time }) =>
    event._tag === "Output" && payload.channel.includes(event.channel)
      ? [{ seq, channel: event.channel, text: event.text, time, stop }]
      : []
  )
  const text = read.map((entry) => entry.text).join("")
  if (payload.tail === undefined) return { data: { entries: read, text, next, dropped } }
  const lines = text.replace(/\n$/, "").split("\n").slice(-payload.tail).join("\n")
  return { data: { entries: [], text: text.endsWith("\n") ? `${lines}\n` : lines, next, dropped } }
}

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
