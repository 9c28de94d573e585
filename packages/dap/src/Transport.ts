/**
 * The way bytes go to an adapter and come back.
 *
 * A transport knows nothing of messages. `incoming` is read by one reader, once; `send` only queues, so that nobody who
 * sends ever waits for the adapter to read. `spawn` runs an adapter as a child process that belongs to the scope;
 * `socket` speaks to one that listens.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Queue from "effect/Queue"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Errors from "./Errors.ts"
import * as Tail from "./internal/Tail.ts"

/** A connection to an adapter, as bytes. */
export interface Transport {
  /** What the adapter writes. Its end means that nothing more will come. */
  readonly incoming: Stream.Stream<Uint8Array, Errors.TransportError>
  /** Queues bytes for the adapter, in order; never waits. */
  readonly send: (bytes: Uint8Array) => Effect.Effect<void, Errors.TransportError>
}

/** How a process ended: by itself with a code, or by a signal such as `SIGKILL`. */
export interface Exit {
  readonly code?: number
  readonly signal?: string
}

/** The signals that a process can be sent. */
export type Signal = ChildProcess.Signal

/** An adapter that runs as a child process of ours. */
export interface Process extends Transport {
  readonly pid: number
  /** Waits for the end of the process itself, whoever else holds its pipes. */
  readonly exit: Effect.Effect<Exit>
  /** The last 64 KiB that the process wrote to stderr. */
  readonly stderrTail: () => string
  /** Ends the process's stdin after what was queued has been written. */
  readonly closeInput: Effect.Effect<void>
  /** Sends a signal to the process and its process group, and does not wait. Harmless when it is gone. */
  readonly kill: (signal: Signal) => Effect.Effect<void>
}

/** How to start an adapter. */
export interface SpawnOptions {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Variables to set, or with `undefined` to unset. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether `env` is added to our own environment (the default) or replaces it. */
  readonly extendEnv?: boolean
  readonly cwd?: string
}

const stderrBytes = 64 * 1024

/** What is still read after the process has ended while others keep its pipe open. */
const drain = "250 millis"

const startError =
  (command: string) =>
  (error: PlatformError.PlatformError): Errors.TransportError => {
    const tag = error.reason._tag
    if (tag === "NotFound") {
      return new Errors.TransportError({
        reason: "notFound",
        detail: `Cannot start ${command}: the program or its working directory does not exist. Check the path.`
      })
    }
    if (tag === "PermissionDenied") {
      return new Errors.TransportError({
        reason: "permissionDenied",
        detail: `Cannot start ${command}: permission denied. Check that it is executable.`
      })
    }
    return new Errors.TransportError({ reason: "failed", detail: `Cannot start ${command}: ${error.message}` })
  }

/** A death by signal reaches us as an error whose text names the signal. */
const signalOf = (error: PlatformError.PlatformError): Exit => {
  const signal = /SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0]
  return signal === undefined ? {} : { signal }
}

/** Waits for the end of a process of ours. */
export const exitOf = (handle: ChildProcessSpawner.ChildProcessHandle): Effect.Effect<Exit> =>
  Effect.match(handle.exitCode, {
    onSuccess: (code): Exit => ({ code }),
    onFailure: signalOf
  })

/**
 * Starts an adapter as a child process, in a process group of its own.
 *
 * Three fibers belong to the scope: (1) writes the queue to stdin and ends with the queue, a broken pipe or the scope;
 * (2) drains stderr into the tail and ends with it or the scope; (3), forked with each reading of `incoming`, ends it
 * 250 ms after the process. Closing the scope sends SIGTERM to the group, and SIGKILL two seconds later.
 */
export const spawn = Effect.fnUntraced(function* (options: SpawnOptions) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const handle = yield* Effect.mapError(
    spawner.spawn(
      ChildProcess.make(options.command, options.args ?? [], {
        env: options.env ?? {},
        extendEnv: options.extendEnv ?? true,
        cwd: options.cwd,
        forceKillAfter: "2 seconds"
      })
    ),
    startError(options.command)
  )
  const scope = yield* Effect.scope
  const input = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const stderr = Tail.make(stderrBytes)

  yield* Stream.fromQueue(input).pipe(
    Stream.run(handle.stdin),
    Effect.ignore,
    Effect.ensuring(Queue.shutdown(input)),
    Effect.forkScoped
  )
  yield* Stream.runForEachArray(handle.stderr, (chunks) => Effect.sync(() => chunks.forEach(stderr.push))).pipe(
    Effect.ignore,
    Effect.forkScoped
  )

  const exit = exitOf(handle)

  const process: Process = {
    pid: handle.pid,
    exit,
    incoming: handle.stdout.pipe(
      Stream.interruptWhen(Effect.andThen(exit, Effect.sleep(drain))),
      Stream.mapError(
        (error) => new Errors.TransportError({ reason: "failed", detail: `Cannot read from it: ${error.message}` })
      )
    ),
    send: (bytes) =>
      Effect.suspend(() =>
        Queue.offerUnsafe(input, bytes)
          ? Effect.void
          : Effect.fail(new Errors.TransportError({ reason: "closed", detail: "It does not take input any more." }))
      ),
    stderrTail: stderr.text,
    closeInput: Effect.asVoid(Queue.end(input)),
    kill: (signal) =>
      handle.isRunning.pipe(
        Effect.flatMap((running) => (running ? handle.kill({ killSignal: signal }) : Effect.void)),
        Effect.ignore,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )
  }
  return process
})

/**
 * Speaks to an adapter over a socket, which is opened when `incoming` is first read and closed with the scope.
 *
 * One fiber belongs to the scope: it writes what was queued, and ends with the socket or the scope.
 */
export const socket = Effect.fnUntraced(function* (connection: Socket.Socket) {
  const output = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const writer = yield* connection.writer
  yield* Stream.fromQueue(output).pipe(
    Stream.runForEachArray((chunks) => writer.writeAll(chunks)),
    Effect.ignore,
    Effect.ensuring(Queue.shutdown(output)),
    Effect.forkScoped
  )
  const transport: Transport = {
    incoming: Socket.toStream(connection).pipe(
      // That the other side has closed it is its end and no failure.
      Stream.catchIf(
        (error) => error.reason._tag === "SocketCloseError",
        () => Stream.empty
      ),
      Stream.mapError(
        (error) => new Errors.TransportError({ reason: "failed", detail: `Its connection broke: ${error.message}` })
      )
    ),
    send: (bytes) =>
      Effect.suspend(() =>
        Queue.offerUnsafe(output, bytes)
          ? Effect.void
          : Effect.fail(new Errors.TransportError({ reason: "closed", detail: "It does not take input any more." }))
      )
  }
  return transport
})
