/**
 * Finds a write by two runs of a program under lldb-server, without symbols. The first one counts the writes up to a moment. The
 * second one follows it at a distance and stops two writes before the wanted one, so that the debugger that takes it over sees the
 * write before and the write itself. Both runs must have the same writes up to there.
 *
 * Only x86-64 Linux: elsewhere a watchpoint stops before the write. Fibers: the two runs, which end with the search.
 */
import { Processes, type Backend, type ProgramRuns, type WriteRuns } from "@sigtrap/manager"
import { Hex } from "@sigtrap/rsp"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Option from "effect/Option"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import * as AuxiliaryVector from "./AuxiliaryVector.ts"
import * as HeldRun from "./HeldRun.ts"
import * as LeftoverProgram from "./LeftoverProgram.ts"
import * as RunFailure from "./RunFailure.ts"
import * as RunResources from "./RunResources.ts"
import * as Watchdog from "./Watchdog.ts"
import * as WriteRun from "./WriteRun.ts"

/** How many writes the first run is ahead when the second one is resumed. */
const distance = 512

/** How many writes before the wanted one the second run stops. */
const before = 2

const sizes: ReadonlySet<number> = new Set([1, 2, 4, 8])

/** A launched run. */
interface Launched extends HeldRun.Prepared {
  readonly run: WriteRun.WriteRun
  readonly pid: number
  readonly program: Option.Option<Processes.ProcessId>
}

/** Wakes a fiber that waits for the progress of a run. */
const signals = () => {
  let waiting: Deferred.Deferred<void> | undefined
  return {
    wake: () => {
      if (waiting !== undefined) Deferred.doneUnsafe(waiting, Exit.void)
      waiting = undefined
    },
    next: Effect.suspend(() => {
      waiting ??= Deferred.makeUnsafe<void>()
      return Deferred.await(waiting)
    })
  }
}

/** Opens the runs of a program under an lldb-server; undefined where its watchpoints are not understood. They end with the scope. */
export const open = Effect.fn("WriteRuns.open")(function* (request: Backend.LaunchRequest, executable: string) {
  const processes = yield* Processes.Processes
  if (processes.machine?.platform !== "linux" || processes.machine.arch !== "x64") return undefined
  // Held runs use the watchdog after the scope has ended.
  const watchdogs = yield* RcRef.make({ acquire: Watchdog.make }).pipe(Scope.provide(yield* Scope.make()))
  yield* RcRef.get(watchdogs).pipe(Effect.mapError(RunFailure.of))
  const scopes = new Set<Scope.Closeable>()
  const closeAll = (exit: Exit.Exit<unknown, unknown>) =>
    Effect.forEach([...scopes], (one) => Scope.close(one, exit), { concurrency: "unbounded", discard: true })
  yield* Effect.addFinalizer(closeAll)

  const launched = Effect.fnUntraced(function* (options: WriteRuns.WriteSearch, heard: () => void) {
    const own = yield* Scope.make()
    scopes.add(own)
    const close = (exit: Exit.Exit<unknown, unknown>) => {
      scopes.delete(own)
      return Scope.close(own, exit)
    }
    const resources = yield* RunResources.make(executable, watchdogs, undefined).pipe(Scope.provide(own))
    const { client } = resources.server
    const { input, output, error } = resources.streams
    yield* client
      .launch({
        program: request.program,
        args: request.args,
        env: request.env,
        cwd: request.cwd,
        stdin: request.stdin ?? input,
        stdout: output,
        stderr: request.mergeStderr === true ? output : error,
        aslr: false
      })
      .pipe(Effect.mapError(RunFailure.ofLaunch(request.program)))
    const random = AuxiliaryVector.find(yield* client.object("auxv"), AuxiliaryVector.random)
    if (random !== undefined) yield* client.writeMemory(random, options.seed)
    const run = yield* WriteRun.make(client, options, heard)
    yield* Effect.forEach(options.input, ({ bytes, eof }) =>
      Effect.andThen(resources.streams.write(bytes), eof ? resources.streams.closeInput : Effect.void)
    ).pipe(Effect.ignore, Effect.forkIn(own, { startImmediately: true }))
    const pid = yield* client.pid
    const started: Launched = { own, close, resources, run, pid, program: yield* processes.identify(pid) }
    return started
  })

  const search = Effect.fnUntraced(function* (options: WriteRuns.WriteSearch) {
    const { nth, progress, sameValues } = options
    const { next, wake } = signals()
    let heard = 0
    const first = yield* launched(options, () => {
      progress.writes += 1
      if (++heard % distance === 0) wake()
    })
    const { allocation: _, ...counting } = options
    const second = yield* launched(counting, () => {})
    const wanted = (): number | undefined =>
      sameValues ? (first.run.hits() >= nth ? first.run.hits() - nth + 1 : undefined) : first.run.change(nth)
    let arrival: WriteRun.Arrival | undefined
    const lead = Effect.gen(function* () {
      arrival = yield* first.run.to(Infinity)
    }).pipe(Effect.ensuring(Effect.sync(wake)))
    /** True if the second run has had the same writes so far. */
    const isSame = () => {
      const hits = second.run.hits()
      return hits === 0 || second.run.sum(hits) === first.run.sum(hits)
    }
    const follow = Effect.gen(function* () {
      for (;;) {
        const isLast = arrival !== undefined
        const goal = (wanted() ?? 0) - before
        if (goal > second.run.hits() && (isLast || goal >= second.run.hits() + distance)) {
          if ((yield* second.run.to(goal)) !== "hits" || !isSame()) return false
        } else if (isLast) return true
        else yield* next
      }
    })
    const [, isFollowed] = yield* Effect.tapError(Effect.all([lead, follow], { concurrency: 2 }), () =>
      Effect.forEach([first, second], ({ program }) => LeftoverProgram.kill(program), { discard: true })
    )
    if (arrival !== "moment" || !isFollowed) return undefined
    const hold = ({ close, own, pid, resources }: Launched, cause: ProgramRuns.Held["cause"]) => {
      scopes.delete(own)
      return HeldRun.make({ close, own, resources }, pid, { cause })
    }
    const hit = wanted()
    const bytes = first.run.bytes()
    const last = bytes === undefined ? undefined : Hex.decode(bytes)
    const { initial } = first.run
    const allocated = first.run.allocated()
    if (hit === undefined) yield* second.close(Exit.void)
    const found: WriteRuns.FoundWrites = {
      total: first.run.hits(),
      ended: first.run.ended(),
      ...(allocated === undefined ? {} : { allocated }),
      ...(initial === undefined ? {} : { initial }),
      ...(last === undefined ? {} : { last }),
      anchor: yield* hold(first, options.until.at(-1)?.kind === "signal" ? "signal" : "breakpoint"),
      ...(hit === undefined ? {} : { hit, before: { held: yield* hold(second, "pause"), writes: second.run.hits() } })
    }
    return found
  })

  const services = yield* Effect.context<Effect.Services<ReturnType<typeof search>>>()
  const runs: WriteRuns.WriteRuns = {
    search: (options) => {
      const fits = sizes.has(options.size) && options.address % BigInt(options.size) === 0n
      return fits ? search(options).pipe(Effect.mapError(RunFailure.of), Effect.provide(services)) : Effect.undefined
    }
  }
  return runs
})
