/**
 * `sigtrap daemon run|start|stop|restart|status|logs`: manages the daemon. The commands run in the client.
 */
import {
  Config,
  ConfigCache,
  RemoteClient,
  Daemon,
  type DaemonLauncher,
  ForcedStop,
  HolderRecord,
  DaemonState,
  Platform,
  RuntimeDirectory,
  SupervisorClient,
  type DaemonProtocol,
  Version
} from "@sigtrap/host"
import * as CompileCache from "@sigtrap/host/runtime/CompileCache"
import * as HeapGrowth from "@sigtrap/host/runtime/HeapGrowth"
import { Envelope, Errors, Field, Hint, Nearest, Settings } from "@sigtrap/protocol"
import { Doc, Failure } from "@sigtrap/text"
import { Effect, Result } from "effect"
import { join } from "node:path"
import * as CommandRunner from "../runner/CommandRunner.ts"
import * as HintText from "../render/HintText.ts"
import * as JsonDocument from "../render/JsonDocument.ts"
import type { EarlyOptions } from "../thin/EarlyOptions.ts"
import * as Arguments from "./Arguments.ts"
import * as HeldDaemon from "./HeldDaemon.ts"

type Outcome = Effect.Effect<number, Errors.SigtrapError>

const out = (text: string) => Effect.sync(() => void process.stdout.write(text))

/** Returns the variables that have a value. */
const defined = (environment: typeof process.env): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )

/** A parsed `daemon` command. */
interface Request {
  readonly options: EarlyOptions
  readonly words: Arguments.Words
  /** The words of the command line, before parsing. */
  readonly argv: ReadonlyArray<string>
  /** The command that starts this program as the daemon. */
  readonly self: DaemonLauncher.Command | undefined
}

/** Prints the answer: a part of the JSON, the JSON, or text. */
const answer = Effect.fnUntraced(function* (
  { options: { json }, words }: Request,
  verb: string,
  data: object,
  human: string
) {
  const document = { ok: true, cmd: `daemon ${verb}`, state: "none", data, warnings: [], truncated: [] }
  const pretty = words.flags.has("pretty")
  const path = words.values.get("select")
  if (path === undefined) return yield* out(json || pretty ? JsonDocument.print(document, pretty) : `${human}\n`)
  const part = JsonDocument.select(document, path)
  if (part.found) return yield* out(JsonDocument.printPart(part.value, pretty))
  return yield* new Errors.Usage({
    problem: `nothing at ${path} in the answer: no '${part.missing}'`,
    near: Nearest.names(part.missing, part.names),
    remedies: [Hint.local(`daemon.${verb}`, ["--json"])]
  })
})

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`

const prestarted = ({ adapter, memory_bytes, pid }: NonNullable<DaemonProtocol.Status["prestarted"]>) => {
  const memory = memory_bytes === undefined ? "" : ` · ${Math.round(memory_bytes / 1e6)} MB`
  return `waits for the next start, at most a minute: ${adapter} (pid ${pid})${memory}`
}

const describe = (status: DaemonProtocol.Status) =>
  [
    `daemon running (pid ${status.pid}) · version ${status.version}, protocol ${status.protocol}`,
    `${plural(status.sessions, "session")} · ${plural(status.clients, "client")} · ${Math.round(status.memory_bytes / 1e6)} MB`,
    ...(status.prestarted === undefined ? [] : [prestarted(status.prestarted)]),
    `socket ${status.socket}`,
    `log ${status.log}`
  ].join("\n")

/** Time for a daemon to end in order, in milliseconds: its own limit, and some for the process to exit. */
const END = 9000

/** Time in which a new daemon has compiled what a command needs. */
const COMPILED = "5 seconds"

const place = ({ options }: Request) => RuntimeDirectory.make(options.runtimeDirectory)

/** Returns how the daemon starts its HTTP server, which is loaded then. The daemon has no directory of its own. */
const httpServer =
  (environment: { readonly [name: string]: string }): NonNullable<Parameters<typeof Daemon.run>[0]["http"]> =>
  ({ address, port, tokenFile }) =>
    Effect.gen(function* () {
      const [Server, NodeHttpServer] = yield* Effect.promise(() =>
        HeapGrowth.withDefaults(() =>
          Promise.all([import("@sigtrap/http/Server"), import("@effect/platform-node/NodeHttpServer")])
        )
      )
      const caller = { directory: "/", environment }
      const configured = ConfigCache.valuesFor(caller)
      return yield* Server.start({ address, port, tokenFile, version: Version.product, caller, configured }).pipe(
        Effect.provide(NodeHttpServer.layerHttpServices)
      )
    }).pipe(
      Effect.mapError(
        (error) =>
          new Errors.InvalidState({
            problem: `cannot serve on ${address} port ${port}: ${error.message}`,
            remedies: [Hint.local("serve", ["--port", "0"])]
          })
      )
    )

/** Limits the heap, and stores what was compiled: a daemon that is killed would not leave it for the next start. */
const onListening = Effect.sync(HeapGrowth.limit).pipe(
  Effect.andThen(
    Effect.sleep(COMPILED).pipe(
      Effect.andThen(Effect.promise(() => HeapGrowth.withDefaults(CompileCache.flush))),
      Effect.forkDetach
    )
  ),
  Effect.asVoid
)

const serve = Effect.fnUntraced(function* ({ options, words }: Request) {
  // The daemon serves all projects, so only the user's file and the environment apply.
  const { values } = yield* Config.resolve({ directory: "/", environment: defined(process.env) })
  const idle = words.values.get("idle") ?? Settings.text(values, "daemon.idle")
  const level = words.values.get("log-level") ?? Settings.text(values, "log.level")
  const known = Settings.find("log.level")
  const wrong = level === undefined || Result.isFailure(known) ? undefined : known.success.problem(level)
  if (wrong !== undefined) {
    return yield* new Errors.Usage({
      problem: `--log-level: ${wrong}`,
      near: [],
      remedies: [Hint.local("daemon.run", ["--log-level", "info"])]
    })
  }
  const millis = idle === undefined ? undefined : Field.millis(idle)
  if (millis === 0) {
    return yield* new Errors.Usage({
      problem: `${idle} is not a duration`,
      near: [],
      remedies: [Hint.local("daemon.run", ["--idle", "30m"])]
    })
  }
  const outcome = yield* Daemon.run({
    sessions: Platform.recorded,
    exec: CommandRunner.exec,
    http: httpServer(defined(process.env)),
    idle: millis,
    onListening,
    supervisor: join(import.meta.dirname, import.meta.filename.endsWith(".ts") ? "../supervisor.ts" : "supervisor.mjs"),
    audit: { days: Number(Settings.text(values, "audit.days") ?? 30) },
    log: {
      level,
      bytes: Settings.bytes(Settings.text(values, "log.max_bytes") ?? ""),
      files: Number(Settings.text(values, "log.files") ?? 5)
    }
  }).pipe(
    Effect.provide(RuntimeDirectory.layer(options.runtimeDirectory)),
    Effect.catchTag(["LockFailed", "SocketServerError"], (error) =>
      Effect.fail(new Errors.DaemonUnreachable({ detail: error.message, remedies: [Hint.local("daemon.logs")] }))
    )
  )
  return outcome === "broken" ? 70 : 0
})

const start = Effect.fnUntraced(function* (request: Request) {
  const { options, self } = request
  const { status } = yield* RemoteClient.connect({ runtimeDirectory: options.runtimeDirectory, daemon: self })
  yield* answer(request, "start", { running: true, ...status }, describe(status))
  return 0
})

const status = Effect.fnUntraced(function* (request: Request) {
  const here = yield* place(request)
  const { socket, log } = here
  const found = yield* DaemonState.run(here)
  if (found === undefined) {
    yield* answer(request, "status", { running: false, socket, log }, "daemon not running")
  } else if ("_tag" in found) {
    const { _tag, ...facts } = found
    const data = { running: true, responding: false, ...facts, socket, log }
    yield* answer(request, "status", data, HeldDaemon.describe(found, log))
  } else {
    const { status } = found
    yield* answer(request, "status", { running: true, responding: true, ...status }, describe(status))
  }
  return 0
})

/** How a daemon was stopped; absent if there was none. */
type Stopped = ForcedStop.Stopped | undefined

/** Ends the daemon by force; `orderly` is the time it gets to end in order, in milliseconds. */
const endByForce = Effect.fnUntraced(function* (request: Request, orderly?: number) {
  const stopped = yield* ForcedStop.run(yield* place(request), orderly === undefined ? {} : { orderly })
  if (stopped !== "running") return stopped
  return yield* new Errors.DaemonUnreachable({
    detail: "its process does not end, not even by SIGKILL: the system holds it, for example in a mount that is gone",
    remedies: [Hint.local("daemon.status")]
  })
})

/** Stops the daemon in order and waits for its process. */
const end = Effect.fnUntraced(function* (request: Request) {
  const here = yield* place(request)
  const before = yield* RemoteClient.stop(here.socket).pipe(
    Effect.catchTag("DaemonUnreachable", (error) =>
      Effect.flatMap(SupervisorClient.ask(here, "status"), (found) => Effect.fail(HeldDaemon.explain(error, found)))
    )
  )
  const pid = before?.pid ?? HolderRecord.read(here.holder)?.pid
  if (pid === undefined) return undefined
  if (!(yield* Platform.awaitExit(pid, END))) return yield* HeldDaemon.remains(pid)
  const stopped: Stopped = { pid, by: "request" }
  return stopped
})

const stop = Effect.fnUntraced(function* (request: Request) {
  const stopped = yield* request.words.flags.has("force") ? endByForce(request) : end(request)
  const data = stopped === undefined ? { stopped: false } : { stopped: true, ...stopped }
  yield* answer(request, "stop", data, stopped === undefined ? "daemon not running" : HeldDaemon.stopped(stopped))
  return 0
})

const restart = Effect.fnUntraced(function* (request: Request) {
  if (request.words.flags.has("force")) {
    yield* endByForce(request, END)
    return yield* start(request)
  }
  const { socket } = yield* place(request)
  const { answers, sessions } = yield* RemoteClient.dial(socket).pipe(
    Effect.map((connection) => ({ answers: true, sessions: connection?.status.sessions ?? 0 })),
    Effect.catchTag("DaemonVersion", (error) => Effect.succeed({ answers: false, sessions: error.sessions }))
  )
  if (sessions > 0) {
    // A daemon of another protocol ends no session for this client.
    return yield* new Errors.InvalidState({
      problem: `${plural(sessions, "session")} would end with the daemon; ${answers ? "stop them first, or " : ""}use --force`,
      ...(answers ? {} : { remedies: [Hint.local("daemon.restart", ["--force"])] })
    })
  }
  yield* end(request)
  return yield* start(request)
})

/** Shows the log, by default only the lines about the daemon itself. */
const logs = ({ argv, options, words }: Request) =>
  Effect.flatMap(
    Effect.promise(() => import("./ClientCommands.ts")),
    (ClientCommands) =>
      ClientCommands.run(
        options,
        "log",
        [...argv.filter((word) => word !== "logs"), ...(words.values.has("source") ? [] : ["--source", "daemon"])],
        { directory: process.cwd(), environment: defined(process.env), runtimeDirectory: options.runtimeDirectory }
      )
  )

const usage = (word: string | undefined): Outcome =>
  Effect.fail(
    new Errors.Usage({
      problem: word === undefined ? "daemon needs a command" : `daemon has no command '${word}'`,
      near: ["run", "start", "stop", "restart", "status", "logs"],
      remedies: [Hint.local("daemon.status")]
    })
  )

const choose = (request: Request): Outcome => {
  const [verb] = request.words.words
  switch (verb) {
    case "run":
      return serve(request)
    case "start":
      return start(request)
    case "stop":
      return stop(request)
    case "restart":
      return restart(request)
    case "status":
      return status(request)
    case "logs":
      return logs(request)
    default:
      return usage(verb)
  }
}

const printError = ({ json }: EarlyOptions, error: Errors.SigtrapError) =>
  Effect.sync(() => {
    if (json) process.stdout.write(JsonDocument.print(Envelope.failure(error, HintText.write, "daemon"), false))
    else process.stderr.write(Doc.render(Failure.render(error, { write: HintText.write })))
    return Errors.meta(error).exit
  })

/** Runs a `daemon` command; succeeds with the exit code. `self` is the command that starts this program as the daemon. */
export const run = (
  options: EarlyOptions,
  argv: ReadonlyArray<string>,
  self: DaemonLauncher.Command | undefined
): Effect.Effect<number> =>
  Effect.fromResult(Arguments.read("daemon", argv)).pipe(
    Effect.flatMap((words) => choose({ options, words, argv, self })),
    Effect.catch((error) => printError(options, error))
  )
