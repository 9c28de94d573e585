/**
 * Three clients of one daemon in this process, whose debugger is simulated: an agent over the MCP server, command lines over the
 * daemon's socket, and HTTP. Each call goes the way that the client's program takes.
 */
import { NodeHttpServer, NodeServices } from "@effect/platform-node"
import { Daemon, type DaemonProtocol, FileReader, RemoteClient, RuntimeDirectory, Version } from "@sigtrap/host"
import { directory } from "@sigtrap/host/testing"
import * as HttpServer from "@sigtrap/http/Server"
import { Local, SessionFeed } from "@sigtrap/manager"
import { Behaviour, FakeBackend, FakeMachine, SimulatedProgram } from "@sigtrap/manager/testing"
import { Errors, Hint, Operations } from "@sigtrap/protocol"
import * as Commands from "@sigtrap/protocol/grammar/Commands"
import { Deferred, Effect, Layer, type Scope, Stream } from "effect"
import { copyFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as CommandRunner from "sigtrap/runner/CommandRunner"
import * as McpServers from "./mcpServers.ts"

/** The fields of a JSON object. */
export type Fields = { readonly [field: string]: unknown }

/** Returns the fields of a JSON object; none of another value. */
export const record = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** The surfaces of the clients. */
export const names = ["mcp", "cli", "http"] as const
/** A surface. */
export type Name = (typeof names)[number]

/** A call: an operation with its input. */
export interface Call {
  readonly tag: Operations.Tag
  readonly input: Fields
}

/** A line of the stream. */
type Line = Fields

/** The clients of the daemon. */
export interface Surfaces {
  /** Makes a call as a client; returns the envelope. */
  readonly call: (name: Name, session: string, call: Call) => Effect.Effect<Fields>
  /** Reads the stream over HTTP until the scope ends, and collects its lines. */
  readonly observe: (request: Fields) => Effect.Effect<ReadonlyArray<Line>>
  /** The program file. */
  readonly program: string
}

/** A program with a loop that the operations do not reach the end of at once. */
const loop: SimulatedProgram.Program = {
  ...SimulatedProgram.sample,
  moments: [
    ...SimulatedProgram.sample.moments.slice(0, 1),
    ...Array.from({ length: 60 }, () => SimulatedProgram.sample.moments.slice(1, -1)).flat(),
    ...SimulatedProgram.sample.moments.slice(-1)
  ]
}

const sessions = SessionFeed.layer(Version.product).pipe(
  Layer.provideMerge(Local.layer),
  Layer.provide([FakeMachine.layer(FakeBackend.make(loop, Behaviour.plain)), FileReader.layer]),
  Layer.provide(NodeServices.layer)
)

/** Runs the daemon until the scope ends. */
const daemon = Effect.fnUntraced(function* (folder: string) {
  const listening = yield* Deferred.make<void>()
  const run = Daemon.run({
    sessions,
    exec: CommandRunner.exec,
    onListening: Effect.asVoid(Deferred.succeed(listening, undefined)),
    http: ({ address, port, tokenFile }) =>
      HttpServer.start({
        address,
        port,
        tokenFile,
        version: Version.product,
        caller: { directory: folder, environment: {} }
      }).pipe(
        Effect.provide(NodeHttpServer.layerHttpServices),
        Effect.mapError(({ message }) => new Errors.InvalidState({ problem: message, remedies: [Hint.help("serve")] }))
      )
  }).pipe(Effect.provide(RuntimeDirectory.layer(join(folder, "run"))))
  yield* Effect.forkScoped(Effect.orDie(run))
  yield* Deferred.await(listening)
})

/** Returns how the stream of a server is read until a scope ends. */
export const observing =
  (url: string, headers: { readonly [name: string]: string }, scope: Scope.Scope): Surfaces["observe"] =>
  (request) =>
    Effect.gen(function* () {
      const lines: Array<Line> = []
      const response = yield* Effect.promise((signal) =>
        fetch(`${url}/v1/stream`, { method: "POST", headers, body: JSON.stringify(request), signal })
      )
      const body = response.body
      if (body === null) return yield* Effect.die("the stream has no body")
      let rest = ""
      const decoder = new TextDecoder()
      const read = Stream.fromReadableStream({ evaluate: () => body, onError: String }).pipe(
        Stream.runForEach((bytes) =>
          Effect.sync(() => {
            const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n")
            rest = parts.pop() ?? ""
            lines.push(...parts.filter((part) => part !== "").map((part) => record(JSON.parse(part))))
          })
        )
      )
      yield* Effect.forkIn(Effect.ignore(read), scope)
      return lines
    })

/** Starts the daemon and connects the clients. */
export const make: Effect.Effect<Surfaces, unknown, Effect.Services<typeof directory>> = Effect.gen(function* () {
  const folder = yield* directory
  mkdirSync(join(folder, "run"), { mode: 0o700 })
  const program = join(folder, "app")
  copyFileSync("/bin/true", program)
  yield* daemon(folder)
  const agent = yield* McpServers.stdio({
    directory: folder,
    args: ["--structured", "--allow", "admin"],
    environment: { HOME: folder, SIGTRAP_RUNTIME_DIR: join(folder, "run") },
    name: "agent"
  })
  const place = yield* RuntimeDirectory.make(join(folder, "run"))
  const connection = yield* RemoteClient.dial(place.socket)
  if (connection === undefined) return yield* Effect.die("no daemon listens")
  const { remote } = connection
  yield* Effect.addFinalizer(() => Effect.ignore(remote["daemon.stop"]()))
  const served = yield* remote["daemon.serve"]({ port: 0 })
  const token = readFileSync(served.token_file ?? "", "utf8").trim()
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "sigtrap-as": "observer" }

  const post = (path: string, body: Fields) =>
    Effect.promise(async () => {
      const response = await fetch(`${served.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
      return record(await response.json())
    })

  const command = ({ input, tag }: Call) =>
    remote["cli.exec"]({
      protocol: Version.protocol,
      version: Version.product,
      client: { kind: "cli", name: "pts/3", person: true },
      argv: ["--json", ...Commands.argvOf(Operations.byTag(tag), input)],
      directory: folder,
      environment: {},
      terminal: { stdout: false, stderr: false, columns: 80, color: false }
    }).pipe(
      Stream.runFold(
        () => "",
        (text, output: DaemonProtocol.CommandOutput) => (output._tag === "Exit" ? text : text + output.text)
      ),
      Effect.orDie,
      Effect.map((text) => record(JSON.parse(text)))
    )

  const call: Surfaces["call"] = (name, session, { input, tag }) => {
    const whole = { session, ...input }
    switch (name) {
      case "mcp":
        return Effect.map(agent.call("operate", { operation: tag, input: whole }), ({ structure, text }) =>
          structure["data"] === undefined && structure["error"] === undefined ? { text } : structure
        )
      case "cli":
        return command({ tag, input: whole })
      case "http":
        return post(`/v1/${tag.replaceAll(".", "/")}`, whole)
    }
  }

  const scope = yield* Effect.scope
  return { call, observe: observing(served.url, headers, scope), program }
})
