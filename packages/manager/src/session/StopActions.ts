/**
 * What happens once at each stop, before anybody is told of it: breakpoints that were good for one stop go, those that
 * have stopped often enough are disabled, and what they ask to be run or evaluated is.
 */
import type { Breakpoint, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Failure } from "../ports/Backend.ts"
import type { Registry } from "../breakpoints/Registry.ts"
import * as Secrets from "../model/Secrets.ts"
import type { StopView } from "./StopView.ts"

/** What is needed of a session. */
export interface Options {
  readonly breakpoints: () => Registry
  readonly secrets: Secrets.Secrets
  readonly connection: Effect.Effect<Connection, Failure>
  /** The thread that stopped, and the breakpoints that it stopped at. */
  readonly stopped: () => { readonly thread?: number; readonly breakpoints: ReadonlyArray<number> } | undefined
}

/** The stops of one session. */
export interface StopActions {
  /** Does what is to be done at a stop, unless it was done; everything that belongs to the stop has arrived then. */
  readonly settle: (view: StopView) => Effect.Effect<void, Effect.Error<StopView["threads"]>>
  /** Temporary breakpoints that went with the newest stop. */
  readonly spent: () => ReadonlyArray<Breakpoint.Breakpoint>
}

/** Longest output of a command that a report keeps, in characters. */
const longest = 2000

/** Evaluates expressions in the innermost frame of a thread; what cannot be evaluated says why. */
export const evaluations = Effect.fnUntraced(function* (
  view: StopView,
  thread: number | undefined,
  expressions: ReadonlyArray<string>
) {
  if (expressions.length === 0) return []
  const id = thread ?? (yield* view.threads)[0]?.id ?? 0
  const at = yield* view.frame(id, 0)
  return yield* Effect.forEach(expressions, (expression) =>
    view.evaluate(expression, at, "any").pipe(
      Effect.map(({ ref, type, value }): Stop.Evaluation => ({
        expression,
        value,
        ...(type === undefined ? {} : { type }),
        ...(ref === undefined ? {} : { ref })
      })),
      Effect.catchTag("AdapterError", ({ detail }) => Effect.succeed<Stop.Evaluation>({ expression, error: detail }))
    )
  )
})

/** The stops of one session, none of which was settled yet. */
export const make = Effect.fnUntraced(function* (options: Options) {
  const oneAtATime = yield* Semaphore.make(1)
  let settled = 0
  let spent: ReadonlyArray<Breakpoint.Breakpoint> = []

  const additions = Effect.fnUntraced(function* (view: StopView, hit: ReadonlyArray<Breakpoint.Breakpoint>) {
    const thread = options.stopped()?.thread
    const expressions = [...new Set(hit.flatMap((breakpoint) => breakpoint.eval ?? []))]
    view.evaluations = yield* evaluations(view, thread, expressions)
    for (const { eval: asked = [], id } of hit) {
      const values = view.evaluations.filter(({ expression }) => asked.includes(expression))
      if (values.length > 0) options.breakpoints().recorded(id, values)
    }
    const commands = hit.flatMap((breakpoint) => breakpoint.cmd ?? [])
    if (commands.length === 0) return
    const live = yield* options.connection
    const frame = thread === undefined ? undefined : (yield* view.frame(thread, 0)).handle
    view.commands = yield* Effect.forEach(commands, (command) =>
      live.command(command, frame).pipe(
        Effect.catch((error) => Effect.succeed(error._tag === "AdapterError" ? error.detail : error.message)),
        Effect.map((output) => {
          const { secrets } = options
          const shown = secrets.named(command) ? Secrets.mask : secrets.inText(output.trimEnd())
          return { command, output: shown.slice(0, longest) }
        })
      )
    )
    view.forget()
  })

  const settle = Effect.fnUntraced(function* (view: StopView) {
    if (settled === view.stop) return
    yield* view.threads
    settled = view.stop
    const ids = options.stopped()?.breakpoints ?? []
    const breakpoints = options.breakpoints()
    const hit = breakpoints.list().filter(({ id }) => ids.includes(id))
    const temporary = hit.filter((breakpoint) => breakpoint.temporary)
    spent = temporary
    yield* Effect.ignore(additions(view, hit))
    if (temporary.length > 0) yield* Effect.ignore(breakpoints.remove(temporary.map(({ id }) => id)))
    yield* Effect.ignore(breakpoints.tire(hit.filter((one) => !one.temporary).map(({ id }) => id)))
  }, oneAtATime.withPermit)

  const made: StopActions = { settle, spent: () => spent }
  return made
})
