/**
 * Operation by operation: who answers it. Around each stands the same envelope, the same choice of session, and the
 * same naming of session and state in its errors.
 */
import { Errors, type Answer, type Operations } from "@sigtrap/protocol"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Inspect from "./Inspect.ts"
import { Manager, type SelectionFailure } from "./Manager.ts"
import { Program } from "./Program.ts"
import * as Run from "./Run.ts"
import type { Session } from "./Session.ts"
import { SourceFiles } from "./SourceFiles.ts"
import * as Status from "./Status.ts"

const envelope = <Data>(session: Session, reply: Inspect.Reply<Data>): Answer.Answer<Data> => {
  const { state, stop } = session.log.snapshot
  return {
    session: session.name,
    state,
    ...(stop === 0 ? {} : { stop }),
    data: reply.data,
    warnings: [],
    truncated: reply.truncated ?? []
  }
}

const bare = <Data>(data: Data): Answer.Answer<Data> => ({ state: "none", data, warnings: [], truncated: [] })

/** The handlers of all operations. */
export const make = Effect.gen(function* () {
  const manager = yield* Manager
  const program = yield* Program
  const sources = yield* SourceFiles

  /** Runs a handler on the session that was asked for. */
  const on = <Data, E extends Errors.SigtrapError>(
    name: string | undefined,
    handle: (session: Session) => Effect.Effect<Inspect.Reply<Data>, E, SourceFiles>
  ): Effect.Effect<Answer.Answer<Data>, E | SelectionFailure> =>
    Effect.gen(function* () {
      const session = yield* manager.select(name)
      session.lastUsed = yield* Clock.currentTimeMillis
      return yield* handle(session).pipe(
        Effect.provideService(SourceFiles, sources),
        Effect.map((reply) => envelope(session, reply)),
        Effect.mapError((error) => Errors.locate(error, { session: session.name, state: session.log.snapshot.state }))
      )
    })

  const start = Effect.fnUntraced(function* (payload: Operations.Payload<"start">) {
    const { session, token } = yield* manager.start(payload)
    return yield* on(session.name, () =>
      Effect.gen(function* () {
        const { data, truncated } = yield* Run.outcome(session, payload, token)
        const connected = session.adapter()
        const { pid } = session.log.snapshot
        return {
          data: {
            ...data,
            session: session.name,
            ...(pid === undefined ? {} : { pid }),
            adapter: connected ?? { name: "unknown", backend: "dap" as const },
            program: session.launch.program,
            args: session.launch.args,
            set_breakpoints: session.breakpoints.list()
          },
          truncated
        }
      })
    ).pipe(
      Effect.catchTag(["NoSession", "SessionNotFound", "AmbiguousSession"], () =>
        Effect.fail(new Errors.NotRunning({}))
      )
    )
  })

  const setBreakpoint = Effect.fnUntraced(function* (session: Session, payload: Operations.Payload<"break">) {
    yield* session.connection
    const here = yield* Effect.option(Status.status(session))
    const request = yield* program.breakpoint({
      text: payload.at,
      pending: payload.pending,
      ...(payload.condition === undefined ? {} : { condition: payload.condition }),
      ...(payload.directory === undefined ? {} : { directory: payload.directory }),
      ...(here._tag === "Some" && here.value.location !== undefined ? { here: here.value.location } : {})
    })
    return { data: yield* session.breakpoints.add(request) }
  })

  const removeBreakpoints = Effect.fnUntraced(function* (
    session: Session,
    payload: Operations.Payload<"breakpoint.remove">
  ) {
    if (!payload.all && payload.ids.length === 0) {
      return yield* new Errors.Usage({
        problem: "no breakpoint was named",
        near: [],
        help: "sigtrap breakpoint remove --all"
      })
    }
    const removed = yield* session.breakpoints.remove(payload.all ? "all" : payload.ids)
    return { data: { ids: removed.map((breakpoint) => breakpoint.id), breakpoints: removed } }
  })

  const handlers: Operations.Handlers = {
    start,
    stop: (payload) => Effect.map(Status.stop(manager, payload), bare),
    status: ({ session }) =>
      on(session, (found) => Effect.map(Status.status(found), (data) => ({ data }))).pipe(
        Effect.catchTag("NoSession", () => Effect.succeed(bare(Status.none)))
      ),
    sessions: () => Effect.map(Status.list(manager), bare),
    wait: (payload) => on(payload.session, (session) => Run.wait(session, payload)),
    break: (payload) => on(payload.session, (session) => setBreakpoint(session, payload)),
    "breakpoint.list": (payload) =>
      on(payload.session, (session) => Effect.succeed({ data: { breakpoints: session.breakpoints.list() } })),
    "breakpoint.remove": (payload) => on(payload.session, (session) => removeBreakpoints(session, payload)),
    continue: (payload) => on(payload.session, (session) => Run.resume(session, payload)),
    next: (payload) => on(payload.session, (session) => Run.next(session, payload)),
    step: (payload) => on(payload.session, (session) => Run.step(session, payload)),
    finish: (payload) => on(payload.session, (session) => Run.finish(session, payload)),
    pause: (payload) => on(payload.session, (session) => Run.pause(session, payload)),
    context: (payload) => on(payload.session, (session) => Inspect.context(session, payload)),
    backtrace: (payload) => on(payload.session, (session) => Inspect.backtrace(session, payload)),
    locals: (payload) => on(payload.session, (session) => Inspect.locals(session, payload)),
    print: (payload) => on(payload.session, (session) => Inspect.print(session, payload)),
    eval: (payload) => on(payload.session, (session) => Inspect.evaluateAny(session, payload)),
    output: (payload) => on(payload.session, (session) => Effect.succeed(Inspect.output(session, payload))),
    raw: (payload) => on(payload.session, (session) => Inspect.raw(session, payload))
  }
  return handlers
})
