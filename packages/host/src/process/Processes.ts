/**
 * The process table of this machine: `/proc` on Linux, `ps` on other systems.
 *
 * A process is identified by its pid and its start time, in the system's format: a later process with the same pid differs in
 * the start time. A zombie without other threads counts as exited. The system reports no exit of a process that is not a child. So
 * `awaitExit` polls, at intervals that grow to 50 ms, until its timeout.
 */
import { MonotonicTime, Span } from "@sigtrap/protocol"
import { Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { readdirSync, readFileSync } from "node:fs"
import * as FileHolders from "./FileHolders.ts"
import * as SystemPrograms from "./SystemPrograms.ts"
import * as KernelProbes from "./KernelProbes.ts"
import * as KernelThreads from "./KernelThreads.ts"
import * as SharedMemory from "./SharedMemory.ts"
import * as ProcessDescription from "./ProcessDescription.ts"
import { descendants, parsePs, type Row } from "./ProcessRow.ts"
import * as ProcStat from "./ProcStat.ts"

export { parsePs, parseStat } from "./ProcessRow.ts"

const readStat = (pid: number | string): Option.Option<Row> => Option.fromNullishOr(ProcStat.read(pid)?.row)

interface Table {
  readonly one: (pid: number) => Effect.Effect<Option.Option<Row>>
  readonly all: Effect.Effect<ReadonlyArray<Row>>
  readonly describe: (pid: number) => Effect.Effect<Option.Option<Processes.Description>>
  readonly named: (name: string) => Effect.Effect<ReadonlyArray<Processes.Description>>
  readonly carrying: (value: string) => Effect.Effect<ReadonlyArray<Row>>
}

/** Returns whether an environment variable of a process has this value (proc(5)). */
const carries = (pid: number, value: string): boolean => {
  try {
    const folder = ProcStat.read(pid)?.folder
    return folder !== undefined && `${readFileSync(`${folder}/environ`, "utf8")}\0`.includes(`=${value}\0`)
  } catch {
    return false
  }
}

const rows = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => Option.toArray(readStat(name)))

const linux: Table = {
  one: (pid) => Effect.sync(() => readStat(pid)),
  all: Effect.sync(rows),
  describe: (pid) => Effect.sync(() => ProcessDescription.read(pid)),
  named: (name) => Effect.sync(() => ProcessDescription.named(name)),
  carrying: (value) => Effect.sync(() => rows().filter(({ pid }) => pid !== process.pid && carries(pid, value)))
}

const ps = (spawner: ChildProcessSpawner.ChildProcessSpawner["Service"]): Table => {
  const program = SystemPrograms.find("ps") ?? "/bin/ps"
  const read = <A>(fields: string, parse: (line: string) => Option.Option<A>, ...which: ReadonlyArray<string>) =>
    spawner.lines(ChildProcess.make(program, [...which, "-ww", "-o", fields], { env: { LC_ALL: "C" } })).pipe(
      Effect.map((lines) => lines.flatMap((line) => Option.toArray(parse(line)))),
      Effect.orElseSucceed((): ReadonlyArray<A> => [])
    )
  const row = (line: string) => Option.fromNullishOr(parsePs(line))
  const run = (...which: ReadonlyArray<string>) => read("pid=,ppid=,stat=,lstart=", row, ...which)
  const describe = (...which: ReadonlyArray<string>) =>
    read(ProcessDescription.psFields, ProcessDescription.parsePs, ...which)
  return {
    one: (pid) => Effect.map(run("-p", String(pid)), (rows) => Option.fromNullishOr(rows[0])),
    all: run("-A"),
    describe: (pid) => Effect.map(describe("-p", String(pid)), (rows) => Option.fromNullishOr(rows[0])),
    named: (name) => Effect.map(describe("-A"), (found) => found.filter((row) => row.name === name)),
    carrying: () => Effect.succeed([])
  }
}

const identity = ({ pid, started }: Row): Processes.ProcessId => ({ pid, started })

const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const make = (table: Table): Processes.Processes["Service"] => {
  const identify = (pid: number) => Span.within("Processes.identify")(Effect.map(table.one(pid), Option.map(identity)))
  const isAlive = (process: Processes.ProcessId) =>
    Effect.map(table.one(process.pid), (row) => Option.isSome(row) && row.value.started === process.started)
  return {
    self: process.pid,
    machine: { arch: process.arch, platform: process.platform },
    ...(process.platform === "linux"
      ? {
          threads: KernelThreads.read,
          switches: KernelThreads.switches,
          handlesSignal: KernelThreads.handlesSignal,
          isForeignMemory: SharedMemory.isForeign,
          descriptor: KernelThreads.descriptor,
          files: {
            lockHolders: FileHolders.ofLock,
            pipeHolders: FileHolders.ofPipe,
            socket: FileHolders.socket,
            connectionHolders: FileHolders.ofConnection,
            watched: FileHolders.watched,
            isNamedPipe: FileHolders.isNamedPipe
          },
          probes: KernelProbes.service(KernelProbes.thisMachine(identify))
        }
      : {}),
    identify,
    describe: table.describe,
    named: table.named,
    descendants: Effect.fn("Processes.descendants")(function* (pid) {
      return descendants(yield* table.all, pid).map(identity)
    }),
    carrying: Effect.fn("Processes.carrying")(function* (value) {
      return (yield* table.carrying(value)).map(identity)
    }),
    kill: Effect.fn("Processes.kill")(function* (process, signal) {
      return (yield* isAlive(process)) && send(process.pid, signal)
    }),
    awaitExit: Effect.fn("Processes.awaitExit")(function* (process, withinMillis) {
      const end = (yield* MonotonicTime.now) + withinMillis
      for (let pause = 5; ; pause = Math.min(pause * 2, 50)) {
        if (!(yield* isAlive(process))) return true
        const left = end - (yield* MonotonicTime.now)
        if (left <= 0) return false
        yield* Effect.sleep(Math.min(pause, left))
      }
    })
  }
}

/** The process table of this machine. */
export const layer: Layer.Layer<Processes.Processes, never, ChildProcessSpawner.ChildProcessSpawner> = Layer.effect(
  Processes.Processes,
  Effect.map(ChildProcessSpawner.ChildProcessSpawner, (spawner) =>
    Processes.Processes.of(make(process.platform === "linux" ? linux : ps(spawner)))
  )
)
