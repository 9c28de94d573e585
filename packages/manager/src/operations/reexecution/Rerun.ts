/**
 * One new run of a session's program, in a session of its own that no list shows. It gets the input of the earlier run, and ends
 * with the scope. It fails where the program reads what another run may not repeat.
 */
import { Errors, Hint, MonotonicTime, type Snapshot } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as RuntimeFrames from "../../model/RuntimeFrames.ts"
import * as UnrepeatableCalls from "../../model/runs/UnrepeatableCalls.ts"
import type { Connection, Failure, Resume, StackFrame } from "../../ports/Backend.ts"
import type { Reexecution } from "../../ports/Reexecution.ts"
import type { Held } from "../../ports/ProgramRuns.ts"
import type { Manager } from "../../session/Manager.ts"
import type { Session } from "../../session/Session.ts"
import * as Evidence from "./Evidence.ts"

/** What the runs of one call share. */
export interface Repeated {
  readonly session: Session
  /** When the earlier run began, in milliseconds since 1970. */
  readonly began: number
  readonly manager: Manager["Service"]
  readonly fs: FileSystem.FileSystem
  /** When the call must have answered, as `MonotonicTime`. */
  readonly deadline: number
  /** Milliseconds that the call may take. */
  readonly timeout: number
}

/** A new run, stopped. */
export interface Rerun {
  readonly session: Session
  readonly connection: Connection
  readonly reexecution: Reexecution
  readonly repeated: Repeated
  /** Lets the program run without stops at calls that another run may not repeat. */
  readonly unguard: Effect.Effect<void, Failure>
}

/** A stop of a new run. */
export type Stopped = Snapshot.Snapshot & { readonly stopped: NonNullable<Snapshot.Snapshot["stopped"]> }

/** Returns the error for a debugger that cannot be used for new runs. */
const unsupported = (session: Session) =>
  new Errors.Unsupported({
    what: "counting the hits of a watchpoint without stopping, which running a program again needs",
    by: session.adapter()?.name ?? "this debugger",
    remedies: [Hint.call("restart", {})]
  })

/** Returns the requests for new runs of a connection. */
const required = (session: Session, { reexecution }: Connection) =>
  reexecution === undefined ? Effect.fail(unsupported(session)) : Effect.succeed(reexecution)

/** Fails at once if the debugger of a live session cannot be used for new runs. */
export const check = (session: Session): Effect.Effect<void, Errors.Unsupported> =>
  Effect.flatMap(Effect.option(session.connection), (found) =>
    Option.isNone(found) ? Effect.void : Effect.asVoid(required(session, found.value))
  )

/** Returns the milliseconds that are left. */
export const remainingMillis = ({ deadline }: Repeated) =>
  Effect.map(MonotonicTime.now, (now) => Math.max(0, deadline - now))

/** Returns the error of a run whose time is up, with the writes that were counted. */
export const timedOut = ({ timeout }: Repeated, writes: number | undefined) =>
  new Errors.WaitTimeout({
    waited_ms: Math.round(timeout),
    output_bytes: 0,
    new_run: writes === undefined ? {} : { writes }
  })

/** Timeout of the pause in which hits are read, in milliseconds. A debugger that ignores many hits pauses late. */
const pauseTimeout = 5000

/** Returns the hits of a watchpoint of a program that runs, which is paused for it; undefined if they are not known. */
const hitsSoFar = ({ reexecution, session }: Rerun, watch: number | undefined) =>
  watch === undefined
    ? Effect.undefined
    : session.pause(pauseTimeout).pipe(
        Effect.flatMap((seen) => (Option.isNone(seen) ? Effect.undefined : reexecution.hits(watch))),
        Effect.orElseSucceed(() => undefined)
      )

/** Sends what the earlier run got as input, in the background. */
const sendInput = ({ repeated, session, connection }: Omit<Rerun, "unguard">) => {
  const { input } = connection
  const sent = repeated.session.sentInput.all ?? []
  if (input === undefined || sent.length === 0) return Effect.void
  return Effect.forEach(sent, ({ bytes, eof }) =>
    Effect.andThen(input.write(bytes), eof ? input.close : Effect.void)
  ).pipe(Effect.ignore, Effect.forkIn(session.scope, { startImmediately: true }), Effect.asVoid)
}

/** Fails if a file that the program reads, or a folder that it lists, was changed since the earlier run began. */
const checkFile = Effect.fnUntraced(function* ({ began, fs }: Repeated, file: string, at: string, lists = false) {
  const changed = yield* fs.stat(file).pipe(
    Effect.map(
      ({ mtime, type }) =>
        type === (lists ? "Directory" : "File") && Option.exists(mtime, (time) => time.getTime() >= began)
    ),
    Effect.orElseSucceed(() => false)
  )
  if (changed) {
    return yield* new Errors.NotReproduced({
      at,
      expected: `${file} as before`,
      got: lists ? "a folder that was changed since" : "a file that was changed since",
      reads: file
    })
  }
})

/** Returns the random bytes that the system gave the earlier run; undefined if it is not stopped, or if they are not known. */
const seedOf = Effect.fnUntraced(
  function* (earlier: Session) {
    if (earlier.log.snapshot.state !== "stopped") return undefined
    const { reexecution } = yield* earlier.connection
    return reexecution === undefined ? undefined : yield* reexecution.seed
  },
  Effect.orElseSucceed(() => undefined)
)

/**
 * Starts a new run and stops it at its first instruction. A held run is taken over where it is stopped; it has its input and its
 * random bytes already. It ends with the scope.
 */
export const start = Effect.fnUntraced(function* (repeated: Repeated, held?: Held) {
  const { manager, session: earlier } = repeated
  if (earlier.launch.stdin !== undefined) yield* checkFile(repeated, earlier.launch.stdin, "its start")
  yield* checkFile(repeated, earlier.launch.program, "its start")
  const { session, token } = yield* Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(manager.rerun(earlier, held)), ({ session }) =>
      Effect.addFinalizer(() => manager.discard(session))
    )
  )
  const first = yield* session.outcome(token, yield* remainingMillis(repeated))
  if (Option.isNone(first)) return yield* timedOut(repeated, undefined)
  if (first.value.state !== "stopped") {
    return yield* new Errors.NotReproduced({ at: "its start", expected: "a stop", got: `it has ${first.value.state}` })
  }
  const connection = yield* session.connection
  const reexecution = yield* required(session, connection)
  const seed = held === undefined ? yield* seedOf(earlier) : undefined
  if (seed !== undefined) yield* reexecution.plant(seed)
  const unguard = yield* reexecution.stopAtCalls(UnrepeatableCalls.names)
  const rerun: Rerun = { session, connection, reexecution, repeated, unguard }
  if (held === undefined) yield* sendInput(rerun)
  return rerun
})

/** Reads a text of the program's memory up to its zero byte. */
const textAt = Effect.fnUntraced(function* ({ connection }: Rerun, address: bigint) {
  const { bytes, unreadable } = yield* connection.inspection.memory(address, 512)
  const end = Math.min(bytes.indexOf(0), unreadable[0]?.[0] ?? Infinity)
  return new TextDecoder().decode(bytes.subarray(0, end < 0 ? 0 : end))
})

const unrepeatable = (at: string, reads: string, by: string) =>
  new Errors.NotReproduced({ at, expected: "what each run repeats", got: by, reads })

/** Functions of a C library in the program itself that ask for ids only to send a signal. */
const sendsSignal = /^_*(?:GI_+)?(?:pthread_kill|raise|gsignal|abort)/

/** The allocator of glibc gets random numbers for its own checks, also where it is linked into the program. */
const allocator = /^(?:tcache_|ptmalloc_init|_*(?:libc_)?(?:malloc|calloc|realloc)\b)/

/** True for a call that a library makes for itself: in the allocator, to read tables of languages, for a message. */
const isInternal = (own: StackFrame, caller: StackFrame): boolean =>
  allocator.test(caller.function) ||
  (sendsSignal.test(caller.function) && !RuntimeFrames.isUserFrame(caller)) ||
  // Its only use in the standard library of Rust is the message of a panic.
  (own.function.endsWith("gettid") && RuntimeFrames.runtimeOf(caller) === "Rust") ||
  (caller.module !== undefined && caller.module === own.module && RuntimeFrames.runtimeOf(own) === "libc")

/** How a program names a file: the address of its path, and the descriptor of the folder that the path begins in. */
interface NamedFile {
  readonly path: bigint | undefined
  readonly folder: number | undefined
  readonly by: string
  readonly lists?: boolean
}

/** The descriptor that stands for the working directory (`AT_FDCWD`). */
const workingDirectory = -100

/** Returns a path without links and dots, as the program would resolve it; as the program wrote it if it leads to no file. */
const resolved = ({ repeated, session }: Rerun, path: string, folder = workingDirectory) => {
  const { pid } = session.log.snapshot
  const inProcess = folder === workingDirectory ? "cwd" : `fd/${folder}`
  const real = (file: string) => repeated.fs.realPath(file)
  if (path.startsWith("/")) return Effect.orElseSucceed(real(path), () => path)
  return real(`/proc/${pid}/${inProcess}/${path}`).pipe(Effect.orElseSucceed(() => `${session.launch.cwd}/${path}`))
}

/** Fails if the program examines an open file that the system numbers in each run: a pipe or a socket has no time and no path. */
const checkDescriptor = Effect.fnUntraced(function* (
  { repeated, session }: Rerun,
  descriptor: number,
  at: string,
  by: string
) {
  // Programs ask of their own streams only whether they are terminals.
  if (descriptor < 3) return
  const { pid } = session.log.snapshot
  const target = yield* Effect.option(repeated.fs.readLink(`/proc/${pid}/fd/${descriptor}`))
  if (Option.exists(target, UnrepeatableCalls.isWithoutPath)) {
    return yield* unrepeatable(at, "the number of a file without a path", by)
  }
})

/** Fails if a file that the program opens differs from run to run, or was changed since the earlier run began. */
const checkPath = Effect.fnUntraced(function* (rerun: Rerun, named: NamedFile, at: string) {
  const { by, folder, lists = false } = named
  const path = named.path === undefined ? "" : yield* textAt(rerun, named.path)
  // An empty path stands for the folder itself, which may be any file.
  if (path === "") return folder === undefined ? undefined : yield* checkDescriptor(rerun, folder, at, by)
  if (UnrepeatableCalls.isConstant(path)) return
  const file = UnrepeatableCalls.isVariable(path) ? path : yield* resolved(rerun, path, folder)
  if (UnrepeatableCalls.isVariable(file)) return yield* unrepeatable(at, path, by)
  yield* checkFile(rerun.repeated, file, at, lists)
})

/** Fails if an instruction of the program reads what another run may not repeat. */
const checkInstruction = Effect.fnUntraced(function* (
  rerun: Rerun,
  own: StackFrame,
  caller: StackFrame | undefined,
  at: string
) {
  const reading = yield* rerun.reexecution.readingAt(own.handle)
  if (reading === undefined || sendsSignal.test(own.function)) return
  if (allocator.test(own.function) || (caller !== undefined && allocator.test(caller.function))) return
  if ("path" in reading) return yield* checkPath(rerun, { folder: undefined, ...reading }, at)
  return yield* unrepeatable(at, reading.reads, reading.by)
})

/** Fails if the program is in a call that another run may not repeat, or at such an instruction. */
const checkCall = Effect.fnUntraced(function* (rerun: Rerun, frames: ReadonlyArray<StackFrame>) {
  const [own, caller] = frames
  if (own === undefined) return
  const user = frames.find(RuntimeFrames.isUserFrame)
  const at = Evidence.placeText(user ?? own)
  const call = UnrepeatableCalls.of(own, RuntimeFrames.isUserFrame(own))
  if (call === undefined) return yield* checkInstruction(rerun, own, caller, at)
  if (caller !== undefined && isInternal(own, caller)) return
  const by = `a call of ${call.function}`
  const isUsers = caller !== undefined && RuntimeFrames.isUserFrame(caller)
  if ("kind" in call) {
    if (UnrepeatableCalls.isOfUserOnly(call.kind) && !isUsers) return
    return yield* unrepeatable(at, call.kind, by)
  }
  const argument = (index: number) => rerun.reexecution.argument(own.handle, index)
  const descriptorAt = (index: number) =>
    Effect.map(argument(index), (value) => (value === undefined ? undefined : Number(BigInt.asIntN(32, value))))
  if ("descriptor" in call) {
    const descriptor = isUsers ? yield* descriptorAt(call.descriptor) : undefined
    return descriptor === undefined ? undefined : yield* checkDescriptor(rerun, descriptor, at, by)
  }
  const { lists } = call
  const folder = call.folder === undefined ? undefined : yield* descriptorAt(call.folder)
  yield* checkPath(rerun, { path: yield* argument(call.path), folder, by, lists }, at)
})

/** True for a stop at a breakpoint that the manager does not know. */
const isAtCall = ({ breakpoints, reason }: Stopped["stopped"]) =>
  breakpoints.length === 0 && reason.endsWith("breakpoint")

/** The end of a program before the moment that was looked for. */
const ended = ({ exit_code, signal, state }: Snapshot.Snapshot, moment: string) =>
  new Errors.NotReproduced({
    at: moment,
    expected: "a stop",
    got:
      signal !== undefined ? `the end by ${signal}` : exit_code === undefined ? `it has ${state}` : `exit ${exit_code}`
  })

/** Resumes a step that a call has interrupted, so that it ends as if there had been no stop. Returns a token for `outcome`. */
const completeStep = ({ connection, session }: Rerun, how: Resume, thread: number) =>
  Effect.suspend(() => {
    session.log.emit({ _tag: "Resumed", command: how, thread })
    return Effect.as(connection.resumeSilently(thread), session.log.snapshot.resumes)
  })

/**
 * Resumes a new run and returns its next stop. It fails at a call that another run may not repeat, at the end of the program, and
 * when the time is up; `watch` is the watchpoint whose hits the error reports then. `moment` names what is looked for.
 */
export const resume = Effect.fnUntraced(function* (
  rerun: Rerun,
  how: Resume,
  moment: string,
  options: { readonly thread?: number; readonly watch?: number } = {}
) {
  const { connection, repeated, session } = rerun
  let token = yield* session.resume(how, options.thread)
  for (;;) {
    const seen = yield* session.outcome(token, yield* remainingMillis(repeated))
    if (Option.isNone(seen)) return yield* timedOut(repeated, yield* hitsSoFar(rerun, options.watch))
    const { stopped } = seen.value
    if (seen.value.state !== "stopped" || stopped === undefined) return yield* ended(seen.value, moment)
    if (!isAtCall(stopped)) return { ...seen.value, stopped } satisfies Stopped
    const { frames } = yield* connection.stack(stopped.thread ?? 0, 0, 16)
    yield* checkCall(rerun, frames)
    token = yield* how === "continue" ? session.resume(how) : completeStep(rerun, how, stopped.thread ?? 0)
  }
})
