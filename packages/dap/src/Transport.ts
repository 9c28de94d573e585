/**
 * Byte connections to an adapter.
 *
 * A transport knows nothing of messages. `incoming` is read once, by one reader; `send` only queues, so a sender never
 * waits for the adapter to read. `spawn` starts an adapter as a child process of the scope; `socket` uses a connection to
 * an adapter that listens.
 */
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Errors from "./Errors.ts"
import * as Tail from "./internal/Tail.ts"
import * as SendQueue from "./internal/SendQueue.ts"

/** A connection to an adapter, as bytes. */
export interface Transport {
  /** The output of the adapter. */
  readonly incoming: Stream.Stream<Uint8Array, Errors.TransportError>
  /** Queues bytes for the adapter, in order; never waits. */
  readonly send: (bytes: Uint8Array) => Effect.Effect<void, Errors.TransportError>
  /** Writes the queued bytes now. Without it they are written after the code that runs. */
  readonly flush?: (() => void) | undefined
}

/** How a process ended: an exit code, or a signal such as `SIGKILL`. */
export interface Exit {
  readonly code?: number
  readonly signal?: string
}

/** The signals for a process. */
export type Signal = ChildProcess.Signal

/** An adapter that runs as a child process. */
export interface Process extends Transport {
  readonly pid: number
  /** Waits for the exit of the process, even if other processes hold its pipes open. */
  readonly exit: Effect.Effect<Exit>
  /** Returns the last 64 KiB that the process wrote to stderr. */
  readonly stderrTail: () => string
  /** Closes the stdin of the process after all queued bytes. */
  readonly closeInput: Effect.Effect<void>
  /** Sends a signal to the process group and does not wait. Does nothing if the process has exited. */
  readonly kill: (signal: Signal) => Effect.Effect<void>
}

/** How an adapter is started. */
export interface SpawnOptions {
  readonly command: string
  readonly args?: ReadonlyArray<string>
  /** Variables to set, or with `undefined` to unset. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Whether `env` is added to the environment of this process (the default) or replaces it. */
  readonly extendEnv?: boolean
  readonly cwd?: string
}

const stderrBytes = 64 * 1024

/** How long output is read after the exit of the process if other processes keep its pipe open. */
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

/** Returns the signal that ended a process: Effect reports it as an error whose text names the signal. */
const signalOf = (error: PlatformError.PlatformError): Exit => {
  const signal = /SIG[A-Z0-9]+/.exec(`${error.message} ${String(error.cause)}`)?.[0]
  return signal === undefined ? {} : { signal }
}

/** Waits for the exit of a child process. */
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
export const spawn = Effect.fn("Transport.spawn")(function* (options: SpawnOptions) {
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
  const input = yield* SendQueue.make
  const stderr = Tail.make(stderrBytes)

  yield* input.bytes.pipe(Stream.run(handle.stdin), Effect.ignore, Effect.ensuring(input.shutdown), Effect.forkScoped)
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
    send: input.send,
    flush: input.flush,
    stderrTail: stderr.text,
    closeInput: input.end,
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
 * Uses a socket, which is opened when `incoming` is first read and closed with the scope.
 *
 * One fiber belongs to the scope: it writes the queue and ends with the socket or the scope.
 */
export const socket = Effect.fn("Transport.socket")(function* (connection: Socket.Socket) {
  const output = yield* SendQueue.make
  const writer = yield* connection.writer
  yield* output.bytes.pipe(
    Stream.runForEachArray((chunks) => writer.writeAll(chunks)),
    Effect.ignore,
    Effect.ensuring(output.shutdown),
    Effect.forkScoped
  )
  const transport: Transport = {
    incoming: Socket.toStream(connection).pipe(
      // A connection that the adapter closed has ended without failure.
      Stream.catchIf(
        (error) => error.reason._tag === "SocketCloseError",
        () => Stream.empty
      ),
      Stream.mapError(
        (error) => new Errors.TransportError({ reason: "failed", detail: `Its connection broke: ${error.message}` })
      )
    ),
    send: output.send,
    flush: output.flush
  }
  return transport
})
