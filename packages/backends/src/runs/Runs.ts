/**
 * Runs a program again and again under lldb-server, without symbols and without an adapter. The run that fails is held: its
 * process stays as it is, and its debug server waits at a socket for the debugger that takes it over.
 *
 * Each run has a scope of its own, which its end closes; that of a held run is closed by the session. The next debug server is
 * started while the program runs.
 */
import { Processes, type Backend, type ProgramRuns } from "@sigtrap/manager"
import { MonotonicTime } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import * as Configuration from "../adapters/Configuration.ts"
import * as Registry from "../adapters/Registry.ts"
import * as HeldRun from "./HeldRun.ts"
import * as ExitFunction from "./ExitFunction.ts"
import * as LeakChecker from "./LeakChecker.ts"
import * as LeftoverProgram from "./LeftoverProgram.ts"
import * as LldbServer from "./LldbServer.ts"
import * as NativeRun from "./NativeRun.ts"
import * as PanicFunctions from "./PanicFunctions.ts"
import type * as RunBreakpoints from "./RunBreakpoints.ts"
import * as RunFailure from "./RunFailure.ts"
import * as RunLoop from "./RunLoop.ts"
import * as SanitizerOptions from "./SanitizerOptions.ts"
import * as RunResources from "./RunResources.ts"
import * as Watchdog from "./Watchdog.ts"

/**
 * Returns the debug server for a program, which belongs to LLDB at a path, or else to lldb-dap. Undefined if another debugger, or
 * none, debugs it.
 */
export const serverFor = Effect.fnUntraced(function* (request: Backend.LaunchRequest, lldb: string | undefined) {
  const { machine } = yield* Processes.Processes
  const { existing, terminal } = request
  if (machine?.platform !== "linux" || existing !== undefined || terminal !== undefined) return undefined
  const { callerEnv, env } = request
  const caller = Configuration.caller(yield* Registry.Adapters, { ...request, env: callerEnv ?? env })
  if (lldb !== undefined) return yield* LldbServer.find(lldb, caller.env)
  const adapter = yield* Registry.choose(caller)
  if (adapter !== Registry.native) return undefined
  const { path } = yield* adapter.find(Configuration.search(caller, adapter))
  return yield* LldbServer.find(path, caller.env)
})

/** How often a run whose debug server failed is repeated with another server. */
const repetitions = 2

/** Opens the runs of a program under a debug server. They end with the scope, except a held one. */
export const open = Effect.fn("Runs.open")(function* (request: Backend.LaunchRequest, executable: string) {
  const scope = yield* Effect.scope
  const shared: RunBreakpoints.Shared = {
    exitFunction: ExitFunction.make(),
    panicFunctions: yield* PanicFunctions.find(request.program)
  }
  // Held runs use the watchdog after the scope has ended.
  const watchdogs = yield* RcRef.make({ acquire: Watchdog.make }).pipe(Scope.provide(yield* Scope.make()))
  yield* RcRef.get(watchdogs).pipe(Effect.mapError(RunFailure.of))
  const scopes = new Set<Scope.Closeable>()
  yield* Effect.addFinalizer((exit) =>
    Effect.forEach([...scopes], (one) => Scope.close(one, exit), { concurrency: "unbounded", discard: true })
  )

  const prepare = Effect.fnUntraced(function* (test: ProgramRuns.RunOptions["output"]) {
    const own = yield* Scope.make()
    scopes.add(own)
    const close = (exit: Exit.Exit<unknown, unknown>) => {
      scopes.delete(own)
      return Scope.close(own, exit)
    }
    const resources = yield* RunResources.make(executable, watchdogs, test).pipe(
      Scope.provide(own),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : close(exit)))
    )
    return { resources, own, close }
  })
  type Prepared = HeldRun.Prepared
  type Failure = Effect.Error<ReturnType<typeof prepare>>
  let spare: Fiber.Fiber<Prepared, Failure> | undefined

  const take = Effect.fnUntraced(function* (test: ProgramRuns.RunOptions["output"]) {
    const waiting = spare
    spare = undefined
    if (waiting === undefined) return yield* prepare(test)
    return yield* Fiber.join(waiting).pipe(Effect.catch(() => prepare(test)))
  })

  /** Makes a held run of a stopped one. */
  const hold = (
    prepared: Prepared,
    pid: number,
    { code, outcome, reported }: Omit<RunLoop.Ending, "stopped" | "traced">
  ) => {
    scopes.delete(prepared.own)
    return HeldRun.make(prepared, pid, {
      // At a breakpoint of Rust's library the stack tells why.
      cause: reported === undefined ? (outcome === "exit" || outcome === "signal" ? outcome : "pause") : "breakpoint",
      ...(code === undefined ? {} : { code })
    })
  }

  const attempt = Effect.fnUntraced(function* (options: ProgramRuns.RunOptions, prepared: Prepared) {
    const { resources } = prepared
    const { client } = resources.server
    const since = yield* MonotonicTime.now
    const { input, output, error } = resources.streams
    yield* client
      .launch({
        program: request.program,
        args: request.args,
        env: SanitizerOptions.add(request.env),
        cwd: request.cwd,
        stdin: request.stdin ?? input,
        stdout: output,
        stderr: error,
        aslr: request.aslr ?? false
      })
      .pipe(Effect.mapError(RunFailure.ofLaunch(request.program)))
    const pid = yield* client.pid
    const program = yield* (yield* Processes.Processes).identify(pid)
    spare ??= yield* Effect.forkIn(prepare(options.output), scope)
    const ending = yield* Effect.tapError(RunLoop.run(resources, pid, options, shared), () =>
      LeftoverProgram.kill(program)
    )
    if (ending === undefined) return undefined
    const { stopped, ...outcome } = ending
    const ms = (yield* MonotonicTime.now) - since
    const held = stopped ? yield* hold(prepared, pid, outcome) : undefined
    const reported =
      outcome.outcome === "passed" ? undefined : (outcome.reported ?? resources.streams.reported()?.report)
    const run: ProgramRuns.Run = {
      ...outcome,
      ms,
      ...(reported === undefined ? {} : { reported }),
      ...(held === undefined ? {} : { held })
    }
    return run
  })

  const services = yield* Effect.context<Effect.Services<ReturnType<typeof attempt>>>()
  const runs: ProgramRuns.ProgramRuns = {
    by: RunFailure.by,
    looksForLeaks: yield* LeakChecker.isIn(request.program, request.env),
    run: (options) =>
      Effect.acquireUseRelease(
        take(options.output),
        (prepared) => attempt(options, prepared),
        ({ close }, exit) => (Exit.isSuccess(exit) && exit.value?.held !== undefined ? Effect.void : close(exit))
      ).pipe(
        Effect.mapError(RunFailure.of),
        Effect.retry({ times: repetitions, while: ({ _tag }) => _tag === "AdapterError" }),
        Effect.provide(services)
      ),
    native: (options) => NativeRun.run(request, options).pipe(Effect.mapError(RunFailure.of), Effect.provide(services))
  }
  return runs
})
