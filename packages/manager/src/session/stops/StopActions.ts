/**
 * Actions at each stop, once, before the stop is reported: removes temporary breakpoints that were hit, disables those
 * whose `max` is reached, evaluates their expressions and runs their debugger commands.
 */
import type { Breakpoint, Stop } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Connection, Failure } from "../../ports/Backend.ts"
import * as RunsCode from "../../ports/RunsCode.ts"
import type { Registry } from "../../breakpoints/Registry.ts"
import * as Secrets from "../../model/secrets/Secrets.ts"
import type { StopView } from "../values/StopView.ts"

/** Dependencies of stop actions. */
export interface Options {
  readonly breakpoints: Registry
  readonly secrets: Secrets.Secrets
  readonly connection: Effect.Effect<Connection, Failure>
  /** Returns the thread that stopped and the breakpoints that it hit. */
  readonly stopped: () => { readonly thread?: number; readonly breakpoints: ReadonlyArray<number> } | undefined
}

/** The stop actions of one session. */
interface StopActions {
  /** Runs the actions of a stop once. Completes after all events of the stop have arrived. */
  readonly settle: (view: StopView) => Effect.Effect<void, Effect.Error<StopView["threads"]>>
  /** Returns the temporary breakpoints that the newest stop removed. */
  readonly removed: () => ReadonlyArray<Breakpoint.Breakpoint>
}

/** Maximum length of a command's output in a report, in characters. */
const maxOutput = 2000

/**
 * Evaluates expressions in the innermost frame of a thread. An expression that fails has an `error`. `owner` is who gave them: the caller, or a
 * breakpoint, whose expressions were permitted when it was set.
 */
export const evaluations = Effect.fnUntraced(function* (
  view: StopView,
  thread: number | undefined,
  expressions: ReadonlyArray<string>,
  owner: "caller" | "breakpoint"
) {
  if (expressions.length === 0) return []
  const id = thread ?? (yield* view.threads)[0]?.id ?? 0
  const at = yield* view.frame(id, 0)
  return yield* Effect.forEach(expressions, (expression) =>
    RunsCode.evaluating(owner, (how) => view.evaluate(expression, at, how)).pipe(
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

/** Makes the stop actions of one session. */
export const make = Effect.fnUntraced(function* ({ breakpoints, connection, secrets, stopped }: Options) {
  const oneAtATime = yield* Semaphore.make(1)
  let settled = 0
  let removed: ReadonlyArray<Breakpoint.Breakpoint> = []

  const evaluate = Effect.fnUntraced(function* (view: StopView, hit: ReadonlyArray<Breakpoint.Breakpoint>) {
    const expressions = [...new Set(hit.flatMap((breakpoint) => breakpoint.eval ?? []))]
    const found = yield* evaluations(view, stopped()?.thread, expressions, "breakpoint")
    for (const { eval: own = [], id } of hit) {
      const values = found.filter(({ expression }) => own.includes(expression))
      if (values.length > 0) breakpoints.recordValues(id, values)
    }
    return found
  })

  const runCommands = Effect.fnUntraced(function* (view: StopView, hit: ReadonlyArray<Breakpoint.Breakpoint>) {
    const commands = hit.flatMap((breakpoint) => breakpoint.cmd ?? [])
    if (commands.length === 0) return []
    const thread = stopped()?.thread
    const live = yield* connection
    const frame = thread === undefined ? undefined : (yield* view.frame(thread, 0)).handle
    return yield* Effect.forEach(commands, (command) =>
      live.command(command, frame).pipe(
        Effect.catch((error) => Effect.succeed(error._tag === "AdapterError" ? error.detail : error.message)),
        Effect.map((output) => {
          const shown = secrets.named(command) ? Secrets.mask : secrets.inText(output.trimEnd())
          return { command, output: shown.slice(0, maxOutput) }
        })
      )
    )
  })

  const settle = Effect.fnUntraced(function* (view: StopView) {
    if (settled === view.stop) return
    yield* view.threads
    settled = view.stop
    const named = stopped()?.breakpoints ?? []
    const ids = breakpoints.sharing(named).filter((id) => named.includes(id) || breakpoints.isForUntil(id))
    const hit = breakpoints.list().filter(({ id }) => ids.includes(id))
    const temporary = hit.filter((breakpoint) => breakpoint.temporary)
    removed = temporary
    yield* evaluate(view, hit).pipe(
      Effect.tap((found) => Effect.sync(() => view.recordEvaluations(found))),
      Effect.andThen(runCommands(view, hit)),
      Effect.tap((run) => Effect.sync(() => view.recordCommands(run))),
      Effect.ignore
    )
    if (temporary.length > 0) yield* Effect.ignore(breakpoints.remove(temporary.map(({ id }) => id)))
    yield* Effect.ignore(breakpoints.countDown(hit.filter((one) => !one.temporary).map(({ id }) => id)))
  }, oneAtATime.withPermit)

  const actions: StopActions = { settle, removed: () => removed }
  return actions
})
