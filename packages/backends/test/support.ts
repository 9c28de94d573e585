/** Shared by the tests of this package: a scripted adapter process, and a machine without real processes. */
import { NodeServices } from "@effect/platform-node"
import { Message, type Transcript } from "@sigtrap/dap"
import type { ScriptedAdapter } from "@sigtrap/dap/testing"
import { Backend, Processes } from "@sigtrap/manager"
import { DiskReader } from "@sigtrap/manager/testing"
import type { Event } from "@sigtrap/protocol"
import { Deferred, Effect, Exit, FileSystem, Layer, Option, PlatformError, Sink, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import { AdapterSockets, DapBackend, ProgramStreams } from "../src/index.ts"

/** How a process ends. */
type End = { readonly code: number } | { readonly signal: string }

/** The pid of every scripted adapter. */
export const adapterPid = 4000

/** A machine in a test, with the steps that were done to it, in order. */
export interface Machine {
  readonly steps: Array<string>
  /** Descendants of the adapter, which `descendants` returns. */
  readonly family: Array<Processes.ProcessId>
  /** Processes whose environment has the debugger's home. */
  readonly helpers: Array<Processes.ProcessId>
  /** Processes that `kill` cannot end. */
  readonly immortal: Set<number>
  /** Processes that a signal has stopped, and those that a debugger traces. */
  readonly stopped: Set<number>
  readonly traced: Set<number>
  /** Processes that have the program's pipes open. */
  readonly holders: Set<number>
  readonly description: (pid: number) => Processes.Description
  readonly alive: (pid: number) => boolean
  /** Ends the adapter's process. */
  readonly end: (how: End) => void
  readonly ended: Deferred.Deferred<End>
  readonly processes: Layer.Layer<Processes.Processes>
}

/** A machine on which one adapter runs. */
export const machine = (): Machine => {
  const steps: Array<string> = []
  const gone = new Set<number>()
  const family: Array<Processes.ProcessId> = []
  const helpers: Array<Processes.ProcessId> = []
  const immortal = new Set<number>()
  const stopped = new Set<number>()
  const traced = new Set<number>()
  const description = (pid: number): Processes.Description => ({
    pid,
    started: "1",
    parent: 1,
    name: "process",
    command: [],
    sameUser: true,
    traced: traced.has(pid),
    stopped: stopped.has(pid)
  })
  const ended = Deferred.makeUnsafe<End>()
  const end = (how: End) => {
    gone.add(adapterPid)
    Deferred.doneUnsafe(ended, Exit.succeed(how))
  }
  const alive = (pid: number) => !gone.has(pid)
  return {
    steps,
    family,
    helpers,
    immortal,
    stopped,
    traced,
    holders: new Set(),
    description,
    alive,
    end,
    ended,
    processes: Layer.succeed(Processes.Processes, {
      identify: (pid) => Effect.sync(() => (alive(pid) ? Option.some({ pid, started: "1" }) : Option.none())),
      self: 4242,
      describe: (pid) => Effect.sync(() => (alive(pid) ? Option.some(description(pid)) : Option.none())),
      named: () => Effect.succeed([]),
      descendants: () => Effect.sync(() => family.filter(({ pid }) => alive(pid))),
      carrying: () => Effect.sync(() => helpers.filter(({ pid }) => alive(pid))),
      kill: ({ pid }, signal) =>
        Effect.sync(() => {
          steps.push(`${signal} ${pid}`)
          if (!alive(pid)) return false
          if (signal === "SIGCONT") return stopped.delete(pid)
          if (immortal.has(pid)) return true
          if (pid === adapterPid) end({ signal })
          gone.add(pid)
          return true
        }),
      awaitExit: ({ pid }) => Effect.sync(() => !alive(pid))
    })
  }
}

const killed = (signal: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "ChildProcess",
    method: "exitCode",
    description: `Process interrupted due to receipt of signal: '${signal}'`
  })

/** Spawns the scripted adapter, which writes `stderr` to its standard error. */
const spawner = (on: Machine, adapter: ScriptedAdapter.ScriptedAdapter, stderr = "") =>
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() =>
      Effect.succeed(
        ChildProcessSpawner.makeHandle({
          pid: ChildProcessSpawner.ProcessId(adapterPid),
          exitCode: Effect.flatMap(Deferred.await(on.ended), (end) =>
            "signal" in end ? Effect.fail(killed(end.signal)) : Effect.succeed(ChildProcessSpawner.ExitCode(end.code))
          ),
          isRunning: Effect.sync(() => on.alive(adapterPid)),
          kill: () => Effect.sync(() => on.end({ signal: "SIGTERM" })),
          stdin: Sink.forEach((bytes: Uint8Array) => Effect.ignore(adapter.transport.send(bytes))).pipe(
            Sink.onExit(() => Effect.sync(() => on.steps.push("stdin closed")))
          ),
          stdout: Stream.orDie(adapter.transport.incoming),
          stderr: Stream.succeed(new TextEncoder().encode(stderr)),
          all: Stream.empty,
          getInputFd: () => Sink.drain,
          getOutputFd: () => Stream.empty,
          unref: Effect.succeed(Effect.void)
        })
      )
    )
  )

/** Streams whose bytes come from the test; the next `drain` delivers `written`. The home of a debugger is `home`. */
const streams = (home: string, written: Array<readonly ["stdout" | "stderr", Uint8Array]> = [], on = machine()) =>
  Layer.succeed(ProgramStreams.ProgramStreams, {
    home: () => Effect.succeed(home),
    open: (onBytes) =>
      Effect.succeed({
        input: "/pipes/stdin",
        output: "/pipes/stdout",
        error: "/pipes/stderr",
        holders: Effect.sync(() => [...on.holders].filter(on.alive).map(on.description)),
        drain: () => {
          for (const [channel, bytes] of written.splice(0)) onBytes(channel, bytes)
        },
        write: () => Effect.void,
        closeInput: Effect.void
      })
  })

/** Creates an executable file. */
export const executable = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(file, "#!/bin/sh\n")
  yield* fs.chmod(file, 0o755)
  return file
})

/** A launch request with an adapter at this path. */
export const launchOf = (adapter: string, more?: Partial<Backend.LaunchRequest>): Backend.LaunchRequest => ({
  program: "/src/app",
  args: ["one", "two words"],
  cwd: "/src",
  env: { PATH: "/nowhere", WORD: "a b" },
  stopOnEntry: false,
  adapter,
  ...more
})

/** A listener that records events and placements. */
export const listening = () => {
  const events: Array<Event.Event> = []
  const placed: Array<Backend.Placement> = []
  const listener: Backend.Listener = {
    emit: (event) => events.push(event),
    spawned: () => Effect.void,
    placed: (placement) => placed.push(placement)
  }
  return { events, placed, listener }
}

/** Starts the backend on a scripted adapter; the connection and its end belong to the scope. */
export const connect = Effect.fnUntraced(function* (
  adapter: ScriptedAdapter.ScriptedAdapter,
  options?: {
    readonly on?: Machine
    readonly launch?: Partial<Backend.LaunchRequest>
    readonly stderr?: string
    readonly name?: string
    readonly written?: Array<readonly ["stdout" | "stderr", Uint8Array]>
  }
) {
  const fs = yield* FileSystem.FileSystem
  const on = options?.on ?? machine()
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "sigtrap-test-" })
  const file = yield* executable(`${directory}/${options?.name ?? "lldb-dap"}`)
  const heard = listening()
  const backend = DapBackend.layer.pipe(
    Layer.provide([
      spawner(on, adapter, options?.stderr),
      on.processes,
      streams(directory, options?.written, on),
      Layer.succeed(AdapterSockets.AdapterSockets, {
        connect: () => Effect.die("no adapter listens"),
        open: () => Effect.die("no adapter listens"),
        listen: () => Effect.die("not used"),
        freePort: Effect.succeed(1)
      })
    ])
  )
  const launch = Backend.Backend.use((service) => service.launch(launchOf(file, options?.launch), heard.listener)).pipe(
    Effect.provide(backend)
  )
  return { ...heard, on, launch }
})

/** The platform of the tests; the clock is the test's. */
export const platform = DiskReader.layer.pipe(Layer.provideMerge(NodeServices.layer))

/** The commands of the requests that an adapter received. */
export const commands = (adapter: ScriptedAdapter.ScriptedAdapter) =>
  adapter.received().flatMap((message) => (message.type === "request" ? [message.command] : []))

/** The arguments of the first request with this command. */
export const argumentsOf = (adapter: ScriptedAdapter.ScriptedAdapter, command: string): Record<string, unknown> => {
  const found = adapter.received().find((message) => message.type === "request" && message.command === command)
  const args = found?.type === "request" ? found.arguments : undefined
  return Message.isRecord(args) ? args : {}
}

/** The body of the output that lldb-dap sends after the `stopped` events of a stop, because of the backend's stop command. */
export const stopMark = {
  category: "console",
  output: "Running stopCommands:\n(lldb) settings show auto-confirm\nauto-confirm (boolean) = false\n"
}

/** A short form of an event for tables of expectations. */
export const briefly = (event: Event.Event): string => {
  switch (event._tag) {
    case "Stopped": {
      const where = event.breakpoints.length === 0 ? "" : ` ${event.breakpoints.join("+")}`
      return `${event.reason}${where}${event.focus ? "" : " (other)"}`
    }
    case "Exited":
      return event.signal === undefined ? `exited ${event.exit_code ?? "?"}` : `killed by ${event.signal}`
    case "Lost":
      return `lost: ${event.reason}`
    default:
      return event._tag.toLowerCase()
  }
}

/** The entries of a transcript up to its end. */
export const said = (entries: ReadonlyArray<Transcript.Entry>) =>
  entries.flatMap((entry) => ("msg" in entry ? [entry] : []))
