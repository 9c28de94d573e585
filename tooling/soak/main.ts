// `npm run soak -- --minutes N [--seed S] [--json FILE]`: random operations of several clients on real debuggers, with random
// faults. Checks answers, processes, output, files, descriptors and memory. Prints a table of operations and faults, and the
// report as JSON. The exit code is 1 if an invariant was broken.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Arena } from "./Arena.ts"
import * as Cells from "./Cells.ts"
import * as Clients from "./Clients.ts"
import type * as Answers from "./Answers.ts"
import * as Episodes from "./Episodes.ts"
import { Heap } from "./Heap.ts"
import * as Machine from "./Machine.ts"
import * as Poison from "./Poison.ts"
import { randomOf } from "./Random.ts"
import { Report } from "./Report.ts"
import { Samples } from "./Samples.ts"
import { sleep, until } from "./Timeouts.ts"

/** Largest growth of what the daemon keeps in memory from the middle third to the last, in bytes. */
const memoryLimit = 5 * 1024 * 1024

/** Time between two measurements of what the daemon keeps, in milliseconds: each stops it for a collection. */
const collectionPause = 20_000

/** The longest time for the end of the last process, in milliseconds: an adapter waits a minute for the next start. */
const waiting = 75_000

/** Shortest soak whose memory is judged, in minutes: before that the daemon is still warming up. */
const shortestJudged = 10

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" }, json: { type: "string" } }
})
const minutes = Number(values.minutes)
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))

const say = (line: string) => process.stdout.write(`${line}\n`)
const source = fileURLToPath(new URL("counter.c", import.meta.url))

/** Compiles the program for one worker, so that its processes are known by their file. */
const compile = (folder: string, name: string): Answers.Program => {
  const file = join(folder, name)
  execFileSync("cc", ["-g", "-O0", "-no-pie", source, "-o", file])
  const lines = readFileSync(source, "utf8").split("\n")
  const line = (mark: string) => lines.findIndex((text) => text.includes(`mark: ${mark}`)) + 1
  const symbol = /^([0-9a-f]+) \w total$/m.exec(execFileSync("nm", [file], { encoding: "utf8" }))?.[1]
  return { file, before: line("before"), after: line("after"), total: Number.parseInt(symbol ?? "0", 16) }
}

interface Team {
  readonly arena: Arena
  /** The memory of a daemon that lives through the whole soak. */
  readonly heap: Heap | undefined
  readonly workers: ReadonlyArray<Episodes.Worker>
  readonly observer: Clients.Caller
  readonly faults: ReadonlyArray<Cells.Fault>
  /** Descriptors of the daemon when it had no sessions. */
  readonly descriptors: ReadonlyArray<string>
}

/** Describes a process that should not run. */
const describe = ({ name, parent, pid, state }: Machine.Process) =>
  `${pid} ${name} (${state}, parent ${parent}): ${Machine.commandLine(pid).replaceAll("\0", " ").slice(0, 200)}`

/** Ends every process of the soak and removes its folders, however the soak ended. */
const cleanUp = (folder: string) => {
  for (const { pid } of Machine.carrying(`=${folder}/`)) if (pid !== process.pid) Machine.signal(pid, "SIGKILL")
  for (const name of ["b", "c"]) spawnSync("umount", [join(folder, name, "run")], { stdio: "ignore" })
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the descriptors of a daemon that has ended a session: some are opened for the first one and stay. */
const baseline = async (arena: Arena, observer: Clients.Caller): Promise<ReadonlyArray<string>> => {
  const { after, file } = compile(arena.directory, "first")
  await observer.call("start", { program: file, break: [`counter.c:${after}`], session: "first" })
  await observer.call("stop", { names: ["first"] })
  const daemon = arena.daemon() ?? 0
  let open = Machine.descriptors(daemon)
  await until(10_000, async () => {
    const before = open.length
    await sleep(1000)
    open = Machine.descriptors(daemon)
    return open.length === before
  })
  return open
}

const mib = (bytes: number) => Math.round((bytes / 1024 / 1024) * 10) / 10

const main = async () => {
  const report = new Report()
  const folder = mkdtempSync("/tmp/sk-")
  say(`soak: ${minutes} minutes, seed ${seed}, in ${folder}`)
  const random = randomOf(seed)
  process.once("exit", () => cleanUp(folder))
  const steady = new Arena({ folder: join(folder, "a"), unsafe: false })
  // Kills are caused one at a time and end all sessions, so they have an arena of their own.
  const killed = new Arena({ folder: join(folder, "b"), unsafe: true })
  const starved = new Arena({ folder: join(folder, "c"), unsafe: true })
  if (!starved.canFillDisk) report.notes.push("no disk was filled: a small file system cannot be mounted here")
  if (starved.clock === undefined) report.notes.push("no clock was stepped: libfaketime is absent")
  const disturbed: ReadonlyArray<Cells.Fault> = [
    "pause",
    ...(starved.canFillDisk ? (["disk"] as const) : []),
    ...(starved.clock === undefined ? [] : (["clock"] as const))
  ]
  const daemonFaults: ReadonlyArray<Cells.Fault> = ["kill", ...disturbed]

  const team = async (
    arena: Arena,
    faults: ReadonlyArray<Cells.Fault>,
    kinds: ReadonlyArray<(place: Clients.Place) => Clients.Caller>
  ): Promise<Team> => {
    await arena.startDaemon()
    const heap = arena.isUnsafe ? undefined : await Heap.open(arena.daemon() ?? 0, arena.log)
    const observer = Clients.library(arena)
    const descriptors = await baseline(arena, observer)
    const poison = Poison.calls(arena.directory)
    const workers = kinds.map((make) => {
      const caller = make(arena)
      const program = compile(arena.directory, `counter-${caller.name}`)
      const own = randomOf(Math.floor(random() * 2 ** 31))
      return new Episodes.Worker({ name: caller.name, arena, caller, observer, program, random: own, report, poison })
    })
    return { arena, heap, workers, observer, faults, descriptors }
  }

  const teams = [
    await team(steady, Cells.sessionFaults, [Clients.cli, Clients.mcp, Clients.library]),
    await team(killed, ["kill"], [Clients.http, Clients.library]),
    await team(starved, disturbed, [Clients.cli, Clients.http, Clients.library])
  ]

  const end = minutes * 60
  const steadyDaemon = steady.daemon() ?? 0
  const heap = teams[0]?.heap
  const resident = new Samples()
  const kept = new Samples()
  const sampling = setInterval(() => resident.add(report.seconds, Machine.memory(steadyDaemon)), 1000)
  const measuring = (async () => {
    for (; report.seconds < end; await sleep(collectionPause)) kept.add(report.seconds, await heap?.inUse())
  })()

  await Promise.all(
    teams.flatMap(({ faults, workers }) =>
      workers.map(async (worker) => {
        while (report.seconds < end) {
          const cells = Cells.operations.flatMap((operation) => faults.map((fault) => ({ operation, fault })))
          const least = Math.min(...cells.map(({ fault, operation }) => report.times(operation, fault)))
          // Rare cells come first, so that all fill up alike.
          const rare = cells.filter(({ fault, operation }) => report.times(operation, fault) <= least + 1)
          const cell = rare[Math.floor(random() * rare.length)]
          if (cell !== undefined) await worker.run(cell.operation, cell.fault)
        }
      })
    )
  )
  clearInterval(sampling)
  await measuring

  for (const { arena, descriptors, observer, workers } of teams) {
    for (const worker of workers) await worker.close()
    await observer.call("stop", { all: true, if_exists: true })
    const daemon = arena.daemon()
    if (daemon === undefined) report.broken("the daemon lives", arena.folder)
    else if (arena === steady) {
      if (daemon !== steadyDaemon) report.broken("the daemon lives", `pid ${steadyDaemon} became ${daemon}`)
      // Connections of clients that have ended are closed a little later.
      await until(15_000, () => Machine.descriptors(daemon).length <= descriptors.length)
      const open = Machine.descriptors(daemon)
      if (open.length > descriptors.length) {
        const before = [...descriptors]
        const more = open.filter((each) => {
          const at = before.indexOf(each)
          if (at >= 0) before.splice(at, 1)
          return at < 0
        })
        const detail = `${open.length} are open, at the start ${descriptors.length}: ${more.join(" ")}`
        report.broken("descriptors return", detail)
      }
    }
    await observer.close()
    const others = () =>
      Machine.carrying(`=${arena.folder}/`).filter(({ pid }) => pid !== daemon && pid !== process.pid)
    await until(waiting, () => others().length === 0)
    for (const one of others()) report.broken("no process is left", describe(one))
    await until(5000, () => arena.leftFiles().length === 0)
    const files = arena.leftFiles()
    if (files.length > 0) report.broken("no file is left", `${files.length}: ${files.slice(0, 5).join(" ")}`)
    if (existsSync(join(arena.directory, "hostile/canary")))
      report.broken("no text runs as a command", "the canary exists")
    await arena.stopDaemon()
    await until(15_000, () => Machine.carrying(`=${arena.folder}/`).length === 0)
    for (const one of Machine.carrying(`=${arena.folder}/`)) {
      report.broken("a stopped daemon is gone", describe(one))
      Machine.signal(one.pid, "SIGKILL")
    }
  }

  const growth = kept.growth(end)
  if (minutes >= shortestJudged && (growth === undefined || growth > memoryLimit)) {
    report.broken("memory does not grow", growth === undefined ? "it was not measured" : `${mib(growth)} MiB`)
  }

  const faults = [...Cells.sessionFaults, ...daemonFaults]
  const cells = Cells.operations.flatMap((operation) =>
    faults.map((fault) => ({ name: `${operation} with ${fault}`, times: report.times(operation, fault) }))
  )
  report.notes.push(`each operation met each fault at least ${Math.min(...cells.map(({ times }) => times))} times`)
  const rare = cells.filter(({ times }) => times < Cells.wanted).map(({ name, times }) => `${name} (${times})`)
  if (minutes >= 30 && rare.length > 0) report.notes.push(`fewer than ${Cells.wanted} times: ${rare.join(", ")}`)
  const data = report.data(Cells.operations, faults, {
    seed,
    minutes,
    memory_mib: {
      kept: kept.thirds(end).map(mib),
      growth: mib(growth ?? 0),
      resident: resident.thirds(end).map(mib)
    }
  })
  say(report.table(Cells.operations, faults))
  say(JSON.stringify(data, undefined, 2))
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(data, undefined, 2))
  say(report.violations.length === 0 ? "every invariant held" : `${report.violations.length} invariants were broken`)
  return report.violations.length === 0 ? 0 : 1
}

process.exitCode = await main()
