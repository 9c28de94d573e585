/**
 * One debug adapter that is started before it is needed, so that the next start of the same kind does not wait for it.
 *
 * It is started a second after a start, has been sent `initialize` (DAP), and waits for a minute. A start takes it only if it
 * would start the same process: the same file, arguments, environment and `initialize`. It is in the ledger like the adapter of
 * a session. One that has exited, is stopped by a signal or whose file was replaced is not taken.
 *
 * Fibers of the layer: one that starts an adapter (ends when it has started), one for each adapter that ends it after the
 * minute or when it has exited.
 */
import { Errors, Framing, Transport } from "@sigtrap/dap"
import { Ledger, Processes } from "@sigtrap/manager"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import type { ProcessStart } from "../../adapters/Adapter.ts"
import { ProgramStreams } from "../../process/Streams.ts"
import { commandOf } from "./AdapterProcess.ts"

/** Time between a start and the start of the next adapter. The program of the first has the processor meanwhile. */
export const delay = "1 second"

/** How long an adapter waits for a start. */
export const idle = "1 minute"

/** How an adapter is started. Two plans with the same text start the same process. */
export interface Plan {
  /** The name of the adapter. */
  readonly adapter: string
  readonly path: string
  readonly runner: string | undefined
  /** Returns how it is started with this private directory. */
  readonly startIn: (directory: string) => ProcessStart
  /** The arguments of `initialize` (DAP). */
  readonly initialize: unknown
}

/** An adapter that was taken. It belongs to the scope that took it. */
export interface Taken {
  readonly process: Transport.Process
  readonly directory: string
  /** Removes its own record, after that of the session was written. */
  readonly recorded: Effect.Effect<void>
}

/** An adapter that waits for a start. */
export interface Waiting {
  readonly adapter: string
  readonly pid: number
  /** Its resident memory, if the system says it. */
  readonly memory_bytes?: number
}

/** The adapter that waits. */
export interface Service {
  /** Returns the waiting adapter if it is the one that the plan starts. */
  readonly take: (plan: Plan) => Effect.Effect<Taken | undefined, never, Scope.Scope>
  /** Starts an adapter in the background. One of another plan is ended. */
  readonly prepare: (plan: Plan) => Effect.Effect<void>
  readonly waiting: Effect.Effect<Waiting | undefined>
}

/** The adapter that waits. Without the layer there is none. */
export const PrestartedAdapters = Context.Reference<Service>("@sigtrap/backends/PrestartedAdapters", {
  defaultValue: () => ({ take: () => Effect.undefined, prepare: () => Effect.void, waiting: Effect.undefined })
})

interface Prestarted {
  readonly adapter: string
  readonly pid: number
  readonly text: string
  readonly id: Processes.ProcessId
  readonly process: Transport.Process
  readonly directory: string
  readonly scope: Scope.Closeable
}

const textOf = ({ adapter, initialize, path, runner, startIn }: Plan, directory: string): string =>
  JSON.stringify([adapter, path, runner, startIn(directory), initialize])

/** Returns the first message of every client: the clients number their requests from 1. */
const firstMessage = ({ initialize }: Plan) =>
  Framing.encode({ seq: 1, type: "request", command: "initialize", arguments: initialize })

const isEqual = (one: Uint8Array, other: Uint8Array) =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** Returns the process without its first message, which it has been sent. */
const withoutFirst = (process: Transport.Process, first: Uint8Array): Transport.Process => {
  let isFirst = true
  return {
    ...process,
    send: (bytes) =>
      Effect.suspend(() => {
        const isSent = isFirst && isEqual(bytes, first)
        isFirst = false
        return isSent ? Effect.void : process.send(bytes)
      })
  }
}

const recordName = (pid: number) => `@prestarted-${pid}`

/** The services of the layer. */
type Services = ProgramStreams | Processes.Processes | Ledger.Ledger | ChildProcessSpawner.ChildProcessSpawner

const make = Effect.gen(function* () {
  const lifetime = yield* Effect.scope
  const place = yield* ProgramStreams
  const processes = yield* Processes.Processes
  const ledger = yield* Ledger.Ledger
  const context = Context.omit(Scope.Scope)(yield* Effect.context<Services>())
  let current: Prestarted | undefined
  let wanted: Plan | undefined

  const inBackground = <A, E>(effect: Effect.Effect<A, E, Services>) =>
    Effect.asVoid(Effect.forkIn(Effect.provideContext(Effect.ignore(effect), context), lifetime))

  const end = (one: Prestarted) =>
    Effect.suspend(() => {
      if (current === one) current = undefined
      return Effect.andThen(Scope.close(one.scope, Exit.void), ledger.remove(recordName(one.pid)))
    }).pipe(Effect.uninterruptible)

  const launched = Effect.fnUntraced(function* (plan: Plan, scope: Scope.Closeable) {
    const directory = yield* place.home(false)
    const process = yield* Transport.spawn({
      ...commandOf({ ...plan, start: plan.startIn(directory) }),
      cwd: directory
    })
    const { pid } = process
    const found = yield* processes.identify(pid)
    if (found._tag === "None") return yield* new Errors.TransportError({ reason: "closed", detail: "It has ended." })
    const id = found.value
    yield* ledger.write({
      name: recordName(pid),
      program: plan.path,
      args: [],
      started_at: yield* Clock.currentTimeMillis,
      adapter: id,
      home: directory,
      launched: true,
      prestarted: true
    })
    yield* process.send(firstMessage(plan))
    const text = textOf(plan, directory)
    const made: Prestarted = { adapter: plan.adapter, pid, text, id, process, directory, scope }
    return made
  })

  const start = Effect.fnUntraced(function* (plan: Plan) {
    const before = current
    if (before !== undefined && before.text === textOf(plan, before.directory)) return
    if (before !== undefined) yield* end(before)
    const scope = yield* Scope.make()
    const one = yield* Scope.provide(launched(plan, scope), scope).pipe(
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    current = one
    yield* inBackground(
      Effect.andThen(
        Effect.raceFirst(one.process.exit, Effect.sleep(idle)),
        Effect.suspend(() => (current === one ? end(one) : Effect.void))
      )
    )
  }, Effect.uninterruptible)

  yield* Effect.addFinalizer(() => Effect.suspend(() => (current === undefined ? Effect.void : end(current))))

  const service: Service = {
    take: (plan) =>
      Effect.gen(function* () {
        const one = current
        if (one === undefined || one.text !== textOf(plan, one.directory)) return undefined
        current = undefined
        const found = yield* processes.describe(one.pid)
        const isUsable =
          found._tag === "Some" &&
          found.value.started === one.id.started &&
          !found.value.stopped &&
          found.value.replaced !== true
        if (!isUsable) {
          yield* inBackground(end(one))
          return undefined
        }
        yield* Effect.addFinalizer(() => Scope.close(one.scope, Exit.void))
        const process = withoutFirst(one.process, firstMessage(plan))
        return { process, directory: one.directory, recorded: ledger.remove(recordName(one.pid)) }
      }).pipe(Effect.uninterruptible),

    prepare: (plan) =>
      Effect.suspend(() => {
        const isPreparing = wanted !== undefined
        wanted = plan
        if (isPreparing) return Effect.void
        const next = Effect.suspend(() => {
          const last = wanted ?? plan
          wanted = undefined
          return start(last)
        })
        return inBackground(Effect.andThen(Effect.sleep(delay), next))
      }),

    waiting: Effect.suspend(() => {
      if (current === undefined) return Effect.undefined
      const { adapter, pid } = current
      return Effect.map(processes.describe(pid), (found): Waiting | undefined => {
        const memory = found._tag === "Some" ? found.value.memory : undefined
        return { adapter, pid, ...(memory === undefined ? {} : { memory_bytes: memory }) }
      })
    })
  }
  return service
})

/** Keeps one adapter that waits, until the end of the layer. */
export const layer: Layer.Layer<never, never, Services> = Layer.effect(PrestartedAdapters, make)
