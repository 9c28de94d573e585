/**
 * The process table of this machine: `/proc` on Linux, `ps` elsewhere.
 *
 * A process is told from a later one with the same pid by its start time, kept as the system words it. A zombie counts
 * as gone. Neither system tells us of the end of a process that is not our child, so `awaitExit` looks again at growing
 * distances up to 50 ms: the one place where we poll, bounded by its deadline and measured by the Effect clock.
 */
import { Processes } from "@sigtrap/manager"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { readdirSync, readFileSync } from "node:fs"

interface Row extends Processes.ProcessId {
  readonly parent: number
}

/**
 * One line of `/proc/PID/stat`. The name in parentheses may hold blanks and parentheses of its own; the fields after
 * the last one are state (3), parent (4) and, as the 22nd, the start time in clock ticks since boot.
 */
export const parseStat = (text: string): Option.Option<Row> => {
  const end = text.lastIndexOf(")")
  const pid = Number.parseInt(text, 10)
  const fields = text
    .slice(end + 1)
    .trim()
    .split(" ")
  const [state, parent] = fields
  const started = fields[19]
  return end < 0 || !(pid > 0) || started === undefined || state === "Z" || state === "X"
    ? Option.none()
    : Option.some({ pid, parent: Number(parent), started })
}

/** One line of `ps -o pid=,ppid=,stat=,lstart=`. */
export const parsePs = (line: string): Option.Option<Row> => {
  const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line)
  return match === null || match[3]?.startsWith("Z") === true
    ? Option.none()
    : Option.some({ pid: Number(match[1]), parent: Number(match[2]), started: match[4] ?? "" })
}

const readStat = (pid: number | string): Option.Option<Row> => {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return Option.none()
  }
}

interface Table {
  readonly one: (pid: number) => Effect.Effect<Option.Option<Row>>
  readonly all: Effect.Effect<ReadonlyArray<Row>>
}

const linux: Table = {
  one: (pid) => Effect.sync(() => readStat(pid)),
  all: Effect.sync(() =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => Option.toArray(readStat(name)))
  )
}

const ps = (spawner: ChildProcessSpawner.ChildProcessSpawner["Service"]): Table => {
  const run = (...which: ReadonlyArray<string>) =>
    spawner
      .lines(ChildProcess.make("/bin/ps", [...which, "-o", "pid=,ppid=,stat=,lstart="], { env: { LC_ALL: "C" } }))
      .pipe(
        Effect.map((lines) => lines.flatMap((line) => Option.toArray(parsePs(line)))),
        Effect.orElseSucceed((): ReadonlyArray<Row> => [])
      )
  return {
    one: (pid) => Effect.map(run("-p", String(pid)), (rows) => Option.fromNullishOr(rows[0])),
    all: run("-A")
  }
}

const identity = ({ pid, started }: Row): Processes.ProcessId => ({ pid, started })

const descendantsOf = (rows: ReadonlyArray<Row>, root: number): ReadonlyArray<Processes.ProcessId> => {
  const children = Map.groupBy(rows, (row) => row.parent)
  const found: Array<Row> = [...(children.get(root) ?? [])]
  for (let index = 0; index < found.length; index++) {
    const next = found[index]
    if (next !== undefined) found.push(...(children.get(next.pid) ?? []).filter((row) => !found.includes(row)))
  }
  return found.map(identity)
}

const send = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

const make = (table: Table): Processes.Processes["Service"] => {
  const identify = (pid: number) => Effect.map(table.one(pid), Option.map(identity))
  const isAlive = (process: Processes.ProcessId) =>
    Effect.map(table.one(process.pid), (row) => Option.isSome(row) && row.value.started === process.started)
  return {
    identify,
    descendants: (pid) => Effect.map(table.all, (rows) => descendantsOf(rows, pid)),
    kill: (process, signal) => Effect.map(isAlive(process), (same) => same && send(process.pid, signal)),
    awaitExit: Effect.fnUntraced(function* (process, withinMillis) {
      const end = (yield* Clock.currentTimeMillis) + withinMillis
      for (let pause = 5; ; pause = Math.min(pause * 2, 50)) {
        if (!(yield* isAlive(process))) return true
        const left = end - (yield* Clock.currentTimeMillis)
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
