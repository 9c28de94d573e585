/**
 * Starts a debug adapter and connects to it. Starts programs at the adapter's request (DAP `runInTerminal`).
 *
 * If programs inherit the adapter's streams, the adapter is started on named pipes: a shell opens them and `exec`s the
 * adapter. The first line of output is then the adapter's and announces its address.
 */
import { Message, Transport, Errors as Dap } from "@sigtrap/dap"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Adapter, ProcessStart } from "../../adapters/Adapter.ts"
import { AdapterSockets } from "../../process/AdapterSockets.ts"
import * as ListeningPorts from "../../process/ListeningPorts.ts"
import { redirected, type OnBytes, type Streams } from "../../process/Streams.ts"

/** Maximum length of an adapter's first line, in bytes. */
const longest = 4096

const newline = 10

/** Pause between two tries to connect to an adapter that does not listen yet. */
const betweenTries = "20 millis"

/** The first line of a program's output, and the receiver of its bytes. */
export interface FirstLine {
  readonly onBytes: OnBytes
  readonly line: Effect.Effect<string>
}

/** Takes the first line out of stdout and passes on everything after it. */
export const firstLine = (onBytes: OnBytes): FirstLine => {
  const line = Deferred.makeUnsafe<string>()
  let before = new Uint8Array(0)
  let done = false
  return {
    line: Deferred.await(line),
    onBytes: (channel, bytes) => {
      if (done || channel !== "stdout") return onBytes(channel, bytes)
      const all = new Uint8Array(before.length + bytes.length)
      all.set(before)
      all.set(bytes, before.length)
      const end = all.indexOf(newline)
      if (end < 0 && all.length < longest) {
        before = all
        return
      }
      done = true
      const cut = end < 0 ? all.length : end
      Deferred.doneUnsafe(line, Exit.succeed(new TextDecoder().decode(all.subarray(0, cut)).trimEnd()))
      if (cut + 1 < all.length) onBytes(channel, all.subarray(cut + 1))
    }
  }
}

/** How an adapter is started. */
export interface Options {
  readonly adapter: Adapter
  readonly path: string
  /** The program that runs the file, if it is not executable. */
  readonly runner: string | undefined
  readonly start: ProcessStart
  readonly directory: string
  readonly streams: Streams
  /** File to use as standard input, for an adapter whose programs inherit it. */
  readonly stdin?: string
  /** The port at which the adapter has to listen, if its transport is a port. */
  readonly port?: number
  /** The first line of output, in which adapters announce their address. */
  readonly announced: Effect.Effect<string>
  /** Records the process, before anything is sent to it. */
  readonly spawned: (pid: number) => Effect.Effect<void>
  /** How long an adapter may take to listen, in milliseconds. */
  readonly timeout: number
}

const failed = (detail: string) => new Dap.TransportError({ reason: "failed", detail })

/** The address in an announcement: `127.0.0.1:4711`, or the path of a socket. */
const addressIn = (announcement: RegExp, line: string) => {
  const address = announcement.exec(line)?.[1] ?? ""
  if (address.startsWith("/")) return Effect.succeed({ path: address })
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? []
  return host === undefined || port === undefined
    ? Effect.fail(failed(`its first line was: ${line.slice(0, 200)}`))
    : Effect.succeed({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

/** An adapter's process with its transport. */
export interface Started extends Transport.Process {
  /** Opens a further connection; fails if the adapter has only one. */
  readonly connect: Effect.Effect<Transport.Transport, Dap.TransportError, Scope.Scope>
}

/** Returns the command that starts an adapter which has streams of its own. */
export const commandOf = ({
  path,
  runner,
  start: { args, env, runnerArgs = [] }
}: Pick<Options, "path" | "runner" | "start">): Omit<Transport.SpawnOptions, "cwd"> => ({
  ...(runner === undefined ? { command: path, args } : { command: runner, args: [...runnerArgs, path, ...args] }),
  env,
  extendEnv: false
})

/** Uses an adapter that was started before. */
export const startedBefore = (process: Transport.Process): Started => ({
  ...process,
  connect: Effect.fail(failed("it has only one connection"))
})

/** Starts the adapter and connects to it; both belong to the scope. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { adapter, directory, path, streams } = options
  const { args, env } = options.start
  const command =
    adapter.streams === "adapter"
      ? {
          command: "/bin/sh",
          args: [...redirected({ ...streams, input: options.stdin ?? streams.input }), path, ...args],
          env,
          extendEnv: false
        }
      : commandOf(options)
  const process = yield* Transport.spawn({ ...command, cwd: directory })
  yield* options.spawned(process.pid)
  if (adapter.transport === "stdio") {
    return { ...process, connect: Effect.fail(failed("it has only one connection")) } satisfies Started
  }
  const listens = listening(process, options)
  if ("port" in adapter.transport) {
    yield* drained(process)
    const { flush, incoming, send } = yield* Effect.flatMap(listens(opened(options.port ?? 0)), Transport.socket)
    return {
      ...process,
      flush,
      incoming,
      send,
      connect: Effect.fail(failed("it has only one connection"))
    } satisfies Started
  }
  const { announcement } = adapter.transport
  const sockets = yield* AdapterSockets
  const line = yield* listens(adapter.streams === "adapter" ? options.announced : yield* announcedBy(process))
  const address = yield* addressIn(announcement, line)
  const connect = Effect.flatMap(
    "path" in address ? sockets.open(address.path) : sockets.connect(address.host, address.port),
    Transport.socket
  )
  const { flush, incoming, send } = yield* connect
  return { ...process, flush, incoming, send, connect } satisfies Started
})

/** Waits for what an adapter does when it listens. Fails when the adapter ends before, or after the timeout. */
const listening =
  ({ exit }: Transport.Process, { timeout }: Pick<Options, "timeout">) =>
  <A, E, R>(sign: Effect.Effect<A, E, R>) =>
    Effect.raceFirst(
      sign,
      Effect.flatMap(exit, ({ code, signal }) =>
        Effect.fail(failed(`it ended before it listened (${signal ?? `code ${code ?? "unknown"}`})`))
      )
    ).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(failed(`it does not listen after ${timeout / 1000} s`))
      })
    )

/**
 * Connects to a port as soon as it is open. Many adapters accept one client only, so the connection that succeeds is kept.
 * Fails if the listener is another user's, who may have taken the port first.
 */
const opened = Effect.fnUntraced(function* (port: number) {
  const connection = yield* (yield* AdapterSockets).connect("127.0.0.1", port)
  const reader = yield* Effect.retry(connection.reader, { schedule: Schedule.spaced(betweenTries) }).pipe(
    Effect.mapError(({ message }) => failed(message))
  )
  if (yield* ListeningPorts.isForeign(port)) return yield* failed(`another user listens on port ${port}`)
  return Socket.make({ reader: Effect.succeed(reader), writer: connection.writer })
})

/** Reads and drops the output of an adapter that speaks DAP elsewhere. */
const drained = (process: Transport.Process) => Stream.runDrain(process.incoming).pipe(Effect.ignore, Effect.forkScoped)

/** Returns the first line of an adapter whose output is not the program's. A fiber reads and drops the rest. */
const announcedBy = Effect.fnUntraced(function* (process: Transport.Process) {
  const { line, onBytes } = firstLine(() => {})
  yield* Stream.runForEach(process.incoming, (bytes) => Effect.sync(() => onBytes("stdout", bytes))).pipe(
    Effect.ignore,
    Effect.forkScoped
  )
  return line
})

/** Connects to a debug server that this process did not start. It counts as ended when the connection closes. */
export const dial = Effect.fnUntraced(function* (host: string, port: number) {
  const sockets = yield* AdapterSockets
  const { flush, incoming, send } = yield* Transport.socket(
    yield* sockets.connect(host.replace(/^\[(.*)\]$/, "$1"), port)
  )
  const closed = yield* Deferred.make<Transport.Exit>()
  return {
    pid: 0,
    exit: Deferred.await(closed),
    incoming: Stream.ensuring(incoming, Deferred.succeed(closed, {})),
    send,
    flush,
    connect: Effect.fail(failed("it has only one connection")),
    stderrTail: () => "",
    closeInput: Effect.void,
    kill: () => Effect.void
  } satisfies Started
})

/** Most programs that an adapter may start in one session. A launch starts one, and a debugger may start a launcher before it. */
const mostPrograms = 16

/** Starts programs at the adapter's request (DAP `runInTerminal`), on named pipes. */
export const terminal = Effect.fnUntraced(function* (options: {
  readonly streams: Streams
  /** File to use as standard input. */
  readonly stdin?: string
  /** The program's environment; the adapter's request adds to it. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Changes the command of a program. */
  readonly command?: (words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Called for each program that was started, with its exit. */
  readonly onStarted?: (pid: number, exit: Effect.Effect<Transport.Exit>) => void
}) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  let keep = false
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
    keep ? Effect.void : Scope.close(scope, exit)
  )
  const started: Array<number> = []
  let asked = 0

  const run = Effect.fnUntraced(function* (request: Message.Request) {
    const args = Message.isRecord(request.arguments) ? request.arguments : {}
    if (asked === mostPrograms) {
      return yield* new Dap.ReverseRefused({ text: `${mostPrograms} programs were started for this session` })
    }
    asked += 1
    const given = Array.isArray(args["args"]) ? args["args"].filter((word) => typeof word === "string") : []
    const words = options.command?.(given) ?? given
    const cwd = typeof args["cwd"] === "string" && args["cwd"] !== "" ? args["cwd"] : options.cwd
    const env: Record<string, string> = { ...options.env }
    for (const [name, value] of Object.entries(Message.isRecord(args["env"]) ? args["env"] : {})) {
      if (typeof value === "string") env[name] = value
      else delete env[name]
    }
    const { error, input, output } = options.streams
    const paths = { input: options.stdin ?? input, output, error }
    const handle = yield* spawner
      .spawn(
        ChildProcess.make("/bin/sh", [...redirected(paths), ...words], {
          cwd,
          env,
          extendEnv: false,
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
          forceKillAfter: "2 seconds"
        })
      )
      .pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.mapError((error) => new Dap.ReverseRefused({ text: `the program cannot be started: ${error.message}` }))
      )
    started.push(handle.pid)
    options.onStarted?.(handle.pid, Transport.exitOf(handle))
    return { processId: handle.pid }
  })

  return {
    handle: (request: Message.Request): Effect.Effect<unknown, Dap.ReverseRefused> =>
      request.command === "runInTerminal"
        ? run(request)
        : Effect.fail(new Dap.ReverseRefused({ text: `unknown request: ${request.command}` })),
    /** The pids of the programs that were started. */
    started: (): ReadonlyArray<number> => started,
    /** Keeps the programs alive when the connection ends. */
    keep: () => {
      keep = true
    }
  }
})
