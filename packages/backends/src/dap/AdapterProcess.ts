/**
 * The process of a debug adapter with the transport it is spoken to by, whichever that is; and the program, where the
 * adapter asks us to start it.
 *
 * An adapter whose programs inherit its streams is started on our named pipes, by a shell that opens them and becomes
 * the adapter. What such an adapter says itself before the program runs is its first line of output: the port.
 */
import { Message, Transport, Errors as Dap } from "@sigtrap/dap"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Adapter, Start } from "../adapters/Adapter.ts"
import { AdapterSockets } from "../process/AdapterSockets.ts"
import type { OnBytes, Streams } from "../process/Streams.ts"

/** Longest first line of an adapter, in bytes. */
const longest = 4096

const newline = 10

/** The arguments of a shell that opens the pipes and is replaced by the program that follows. */
export const redirected = (paths: { readonly input: string; readonly output: string; readonly error: string }) => [
  "-c",
  'in=$1 out=$2 err=$3; shift 3; exec "$@" <"$in" >"$out" 2>"$err"',
  "sh",
  paths.input,
  paths.output,
  paths.error
]

/** The first line of a program's output, taken from what is passed on. */
export interface FirstLine {
  readonly onBytes: OnBytes
  readonly line: Effect.Effect<string>
}

/** Keeps the first line of stdout back and passes everything after it on. */
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

/** What an adapter is started with. */
export interface Options {
  readonly adapter: Adapter
  readonly path: string
  /** The program that runs it. */
  readonly runner: string | undefined
  readonly start: Start
  readonly directory: string
  readonly streams: Streams
  /** File to read as standard input instead, by an adapter whose programs inherit it. */
  readonly stdin?: string
  /** The first line of output, of adapters that announce their port in it. */
  readonly announced: Effect.Effect<string>
  /** How long an adapter may take to listen, in milliseconds. */
  readonly within: number
}

const failed = (detail: string) => new Dap.TransportError({ reason: "failed", detail })

/** The address in an announcement: `127.0.0.1:4711`, or the path of a socket. */
const addressIn = (announcement: RegExp, line: string) => {
  const told = announcement.exec(line)?.[1] ?? ""
  if (told.startsWith("/")) return Effect.succeed({ path: told })
  const [, host, port] = /^(.+):(\d+)$/.exec(told) ?? []
  return host === undefined || port === undefined
    ? Effect.fail(failed(`its first line was: ${line.slice(0, 200)}`))
    : Effect.succeed({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

/** An adapter's process, spoken to, with the way to speak to it once more. */
export interface Started extends Transport.Process {
  /** Opens a further connection; fails where the adapter has but one. */
  readonly connect: Effect.Effect<Transport.Transport, Dap.TransportError, Scope.Scope>
}

/** Starts the adapter and connects to it; both belong to the scope. */
export const start = Effect.fnUntraced(function* (options: Options) {
  const { adapter, directory, path, streams } = options
  const { args, env, runnerArgs = [] } = options.start
  const command =
    adapter.streams === "adapter"
      ? {
          command: "/bin/sh",
          args: [...redirected({ ...streams, input: options.stdin ?? streams.input }), path, ...args]
        }
      : options.runner === undefined
        ? { command: path, args }
        : { command: options.runner, args: [...runnerArgs, path, ...args] }
  const process = yield* Transport.spawn({ ...command, env, extendEnv: false, cwd: directory })
  if (adapter.transport === "stdio") {
    return { ...process, connect: Effect.fail(failed("it has but one connection")) } satisfies Started
  }
  const { announcement } = adapter.transport
  const sockets = yield* AdapterSockets
  const line = yield* Effect.raceFirst(
    adapter.streams === "adapter" ? options.announced : yield* announcedBy(process),
    Effect.flatMap(process.exit, ({ code, signal }) =>
      Effect.fail(failed(`it ended before it listened (${signal ?? `code ${code ?? "unknown"}`})`))
    )
  ).pipe(
    Effect.timeoutOrElse({
      duration: options.within,
      orElse: () => Effect.fail(failed(`it does not listen after ${options.within / 1000} s`))
    })
  )
  const address = yield* addressIn(announcement, line)
  const connect = Effect.flatMap(
    "path" in address ? sockets.open(address.path) : sockets.connect(address.host, address.port),
    Transport.socket
  )
  const { incoming, send } = yield* connect
  return { ...process, incoming, send, connect } satisfies Started
})

/** The first line of an adapter that has its output to itself; one fiber reads on to its end. */
const announcedBy = Effect.fnUntraced(function* (process: Transport.Process) {
  const { line, onBytes } = firstLine(() => {})
  yield* Stream.runForEach(process.incoming, (bytes) => Effect.sync(() => onBytes("stdout", bytes))).pipe(
    Effect.ignore,
    Effect.forkScoped
  )
  return line
})

/** Speaks to an adapter that listens where it is, and is none of our processes: its end is that of the connection. */
export const dial = Effect.fnUntraced(function* (host: string, port: number) {
  const sockets = yield* AdapterSockets
  const { incoming, send } = yield* Transport.socket(yield* sockets.connect(host.replace(/^\[(.*)\]$/, "$1"), port))
  const over = yield* Deferred.make<Transport.Exit>()
  return {
    pid: 0,
    exit: Deferred.await(over),
    incoming: Stream.ensuring(incoming, Deferred.succeed(over, {})),
    send,
    connect: Effect.fail(failed("it has but one connection")),
    stderrTail: () => "",
    closeInput: Effect.void,
    kill: () => Effect.void
  } satisfies Started
})

/** Whether anything accepts connections there. */
export const listens = Effect.fnUntraced(function* (host: string, port: number) {
  const connection = yield* (yield* AdapterSockets).connect(host.replace(/^\[(.*)\]$/, "$1"), port)
  return yield* Effect.isSuccess(Effect.scoped(connection.reader))
})

/** Starts programs at the adapter's request (DAP `runInTerminal`), on our named pipes. */
export const terminal = Effect.fnUntraced(function* (options: {
  readonly streams: Streams
  /** File to read as standard input instead. */
  readonly stdin?: string
  /** The program's environment; the adapter's additions go on top. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Told of each program, with its end. */
  readonly onStarted?: (pid: number, exit: Effect.Effect<Transport.Exit>) => void
}) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  let kept = false
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope, exit) =>
    kept ? Effect.void : Scope.close(scope, exit)
  )
  const started: Array<number> = []

  const run = Effect.fnUntraced(function* (request: Message.Request) {
    const asked = Message.isRecord(request.arguments) ? request.arguments : {}
    const words = Array.isArray(asked["args"]) ? asked["args"].filter((word) => typeof word === "string") : []
    const cwd = typeof asked["cwd"] === "string" && asked["cwd"] !== "" ? asked["cwd"] : options.cwd
    const env: Record<string, string> = { ...options.env }
    for (const [name, value] of Object.entries(Message.isRecord(asked["env"]) ? asked["env"] : {})) {
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
    /** The processes that were started. */
    started: (): ReadonlyArray<number> => started,
    /** Leaves what was started alive when the connection ends. */
    keep: () => {
      kept = true
    }
  }
})
