/**
 * One run of a program under a debug server: from its launch to its end, or to the stop that counts as a failure.
 *
 * Three kinds of stops belong to the run itself: the entry point, where the libraries are loaded; the functions through which
 * the program exits; and signals that the program handles.
 */
import type { ProgramRuns } from "@sigtrap/manager"
import { Hex, Registers, type Client, type Errors, type StopReply } from "@sigtrap/rsp"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Panics from "./Panics.ts"
import * as RunBreakpoints from "./RunBreakpoints.ts"
import * as SignalActions from "./SignalActions.ts"
import * as RunTrace from "./RunTrace.ts"
import type { RunResources } from "./RunResources.ts"
import * as StackFingerprint from "./StackFingerprint.ts"

/** Why a run does not continue. */
type Alarm = "output" | "hang" | "limit"

/** How a run ended; `stopped` if its process is still there. */
export interface Ending extends Pick<
  ProgramRuns.Run,
  "outcome" | "code" | "signal" | "reported" | "traced" | "fingerprint"
> {
  readonly stopped: boolean
}

/** What the threads do next, or have done already. */
interface Resumed {
  readonly actions: ReadonlyArray<Client.Action>
  /** The stop or the end after a step. */
  readonly stepped?: Client.Outcome
}

const everything: Resumed = { actions: [{ kind: "continue" }] }

/** Timeout of the stop after an interrupt. */
const interruptTimeout = "3 seconds"

const noRecord = Effect.succeed(false)

const addressOf = ({ addresses, thread, threads }: StopReply.Stopped): bigint | undefined =>
  thread === undefined ? undefined : addresses[threads.indexOf(thread)]

/** Runs a launched program; it is stopped at its first instruction. Returns undefined after the limit. */
export const run = Effect.fn("Runs.run")(function* (
  { onMatch, server: { client }, streams }: RunResources,
  pid: number,
  options: ProgramRuns.RunOptions,
  shared: RunBreakpoints.Shared
) {
  const alarm = Deferred.makeUnsafe<Alarm>()
  const ring = (reason: Alarm) => Effect.sync(() => Deferred.doneUnsafe(alarm, Exit.succeed(reason)))
  let isMatched = false
  onMatch(() => {
    isMatched = true
    Deferred.doneUnsafe(alarm, Exit.succeed("output"))
  })
  const timer = (reason: Alarm, millis: number, before: Effect.Effect<void> = Effect.void) =>
    Effect.forkScoped(Effect.andThen(Effect.sleep(millis), Effect.andThen(before, ring(reason))))
  yield* timer("limit", options.limit)

  let exitCode: number | undefined
  let passed = SignalActions.harmless
  const breakpoints = RunBreakpoints.make(client, options, shared)
  const panics = Panics.make(client, breakpoints)
  const trace = options.trace === undefined ? undefined : RunTrace.make(client, options.trace)

  const argument = Effect.fnUntraced(function* (thread: number) {
    shared.argument ??= Registers.find(yield* client.registers, "arg1")?.number
    if (shared.argument === undefined) return 0
    return Number(Hex.toBigInt(yield* client.readRegister(shared.argument, thread)) & 0xffn)
  })

  /** Returns the end of the run at a stop; undefined if the program continues. */
  const judged = Effect.fnUntraced(function* (
    stop: StopReply.Stopped
  ): Effect.fn.Return<
    Ending | Resumed,
    Errors.RequestError,
    Effect.Services<ReturnType<typeof SignalActions.handles>> | Scope.Scope
  > {
    const { signal, thread } = stop
    if (stop.reason === "exec") {
      yield* breakpoints.arm
      return everything
    }
    const address = stop.reason === "breakpoint" ? addressOf(stop) : undefined
    const place = address === undefined ? undefined : yield* breakpoints.at(address)
    if (place === "loaded" && address !== undefined) yield* trace?.arm(address) ?? Effect.void
    if (place === "loaded" && options.hang !== undefined) {
      // Counted from the program's own start: on a busy machine its loading takes a while.
      const { hang, watch } = options
      const begin = watch === undefined ? -1 : hang - watch.millis
      yield* begin < 0 ? timer("hang", hang) : timer("hang", begin, watch?.read(pid))
    }
    if (place === "panic" && thread !== undefined) {
      const isWanted = thread === pid || options.panics === "any"
      // Another thread may end without its program.
      if (isWanted && !(yield* panics.begin(thread))) return { outcome: "exit", reported: "panic", stopped: true }
      return { ...everything, stepped: yield* client.step(thread) }
    }
    if (place === "unwinding" && thread !== undefined) {
      const caught = yield* panics.isCaught(thread)
      if (caught === false) return { outcome: "exit", reported: "panic", stopped: true }
      return { ...everything, stepped: yield* client.step(thread) }
    }
    if (place === "returned") return { outcome: "exit", reported: "assert", stopped: true }
    if (place === "end" && thread !== undefined) {
      const code = yield* argument(thread)
      if (code !== 0 && options.exits) return { outcome: "exit", code, stopped: true }
      yield* breakpoints.leave
      exitCode ??= code
    }
    if (place !== undefined) return everything
    if (address !== undefined && thread !== undefined && (yield* trace?.record(stop, address, thread) ?? noRecord)) {
      return { ...everything, stepped: yield* client.step(thread) }
    }
    if (signal === 0 || stop.reason === "trace" || thread === undefined) return everything
    if (SignalActions.harmless.includes(signal) || (yield* SignalActions.handles(pid, signal))) {
      if (SignalActions.isPassed(signal)) {
        passed = [...passed, signal]
        yield* client.passSignals(passed)
      }
      return { actions: [{ kind: "continue", signal, thread }, ...everything.actions] }
    }
    return { outcome: "signal", signal: SignalActions.nameOf(signal), stopped: true }
  })

  const ended = (outcome: StopReply.Ended): Ending => {
    streams.drain()
    if (outcome.kind === "signaled") {
      return { outcome: "signal", signal: SignalActions.nameOf(outcome.signal), stopped: false }
    }
    const { code } = outcome
    if (isMatched) return { outcome: "output", code, stopped: false }
    return { outcome: code !== 0 && options.exits ? "exit" : "passed", code, stopped: false }
  }
  const alarmed = Effect.fnUntraced(function* (reason: Alarm) {
    if (reason === "limit") return undefined
    yield* client.interrupt
    const outcome = yield* Effect.timeoutOption(client.outcome, interruptTimeout)
    if (outcome._tag === "None") return undefined
    if (outcome.value.kind !== "stopped") return ended(outcome.value)
    const ending: Ending = { outcome: reason, stopped: true }
    return ending
  })

  /**
   * A server may close its connection instead of reporting the end of a program whose threads ran while it exited, and refuses to
   * resume a thread that the exit has ended.
   */
  const outcome = Effect.catchTag(client.outcome, ["ConnectionLost", "RequestFailed"], (error) =>
    exitCode === undefined ? Effect.fail(error) : Effect.succeed<StopReply.Ended>({ kind: "exited", code: exitCode })
  )

  yield* client.passSignals(passed).pipe(Effect.catchTag("NotSupported", () => Effect.void))
  yield* breakpoints.arm
  const traced = (ending: Ending | undefined): Ending | undefined =>
    ending === undefined || trace === undefined ? ending : { ...ending, traced: trace.traced() }
  let resumed = everything
  for (;;) {
    if (resumed.stepped === undefined) yield* client.resume(resumed.actions)
    const next = resumed.stepped ?? (yield* Effect.raceFirst(outcome, Deferred.await(alarm)))
    if (typeof next === "string") return traced(yield* alarmed(next))
    if (next.kind !== "stopped") return traced(ended(next))
    const judgement = yield* judged(next)
    if (!("actions" in judgement)) {
      const isAsked = options.fingerprint === true && next.thread !== undefined
      const fingerprint = isAsked ? yield* StackFingerprint.read(client, pid, next.thread) : undefined
      return traced({ ...judgement, ...(fingerprint === undefined ? {} : { fingerprint }) })
    }
    resumed = judgement
  }
}, Effect.scoped)
