/**
 * Probes of the kernel (uprobes) by tracefs: Documentation/trace/uprobetracer.rst of Linux. Only root can use them.
 *
 * The events and the trace buffer of a recording have the name `sigtrap_PID_STARTED_SESSION_N`, with the process that made them. They
 * are removed at the end of the recording, and by a later process if their own one has ended. The file of events belongs to all
 * programs of the machine, so it is only appended to: opening it to overwrite it removes the events of others. Events of other
 * processes that run the same file are left out by `set_event_pid`, those of forked children by the process in each record.
 */
import { KernelProbes, type Processes } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { existsSync, readlinkSync } from "node:fs"
import { appendFile, mkdir, open as openFile, readdir, readFile, rmdir, writeFile } from "node:fs/promises"
import * as ProbeRecords from "./ProbeRecords.ts"

/** The machine: where tracefs and proc may be, the user, the processor, and processes by their pid. */
export interface Machine {
  readonly directories: ReadonlyArray<string>
  readonly proc: string
  readonly uid: number
  readonly arch: string
  readonly self: number
  readonly identify: (pid: number) => Effect.Effect<Option.Option<Processes.ProcessId>>
}

/** The instruction of a breakpoint of x86 (INT3). */
const trap = 0xcc

/** The namespace of processes of the machine, whose pids tracefs has (PROC_PID_INIT_INO of Linux). */
const machineNamespace = "pid:[4026531836]"

/** Most memory of the trace buffers of a recording, in bytes. */
const mostMemory = 128 * 1024 * 1024

const fail = (reason: string) => new KernelProbes.ProbeFailure({ reason })

const attempt = <A>(what: string, body: () => Promise<A>): Effect.Effect<A, KernelProbes.ProbeFailure> =>
  Effect.tryPromise({
    try: body,
    catch: (error) => fail(`cannot ${what}: ${error instanceof Error ? error.message : String(error)}`)
  })

const read = (path: string) => attempt(`read ${path}`, () => readFile(path, "latin1"))
const write = (path: string, text: string) => attempt(`write ${path}`, () => writeFile(path, text))

/** Adds to the file of events; events of others stay. */
const append = (path: string, text: string) => attempt(`write ${path}`, () => appendFile(path, text))

const list = (path: string) =>
  attempt(`read ${path}`, () => readdir(path)).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

/**
 * Finds tracefs; fails with the reason if this process cannot use it. A daemon asks before it listens, and `node:fs/promises` takes long
 * to load.
 */
const findTracefs = Effect.fnUntraced(function* ({ arch, directories, proc, uid }: Machine) {
  if (arch !== "x64") return yield* fail("it needs a processor of x86-64")
  if (uid !== 0) return yield* fail("the kernel allows it to root only")
  const namespace = yield* attempt("read the namespace", async () => readlinkSync(`${proc}/self/ns/pid`))
  if (namespace !== machineNamespace) return yield* fail("this process runs in a PID namespace of its own")
  for (const directory of directories) {
    if (existsSync(`${directory}/uprobe_events`)) return directory
  }
  return yield* fail(`tracefs with uprobe_events is not mounted (mount -t tracefs nodev ${directories[0] ?? ""})`)
})

const owned = /^sigtrap_(\d+)_(\d+)_\w+$/

const removeInstance = (directory: string, name: string) =>
  attempt(`remove the trace buffer ${name}`, () => rmdir(`${directory}/instances/${name}`)).pipe(
    Effect.retry({ times: 5, schedule: Schedule.spaced("20 millis") })
  )

/** Returns the events of a group. */
const eventsOf = (events: string, group: string): ReadonlyArray<string> =>
  [...events.matchAll(/^p:(\w+)\/(\w+) /gm)].flatMap(([, found, name]) => (found === group ? [`${name}`] : []))

/** Removes the buffer and the events of a recording. */
const remove = Effect.fnUntraced(function* (directory: string, group: string) {
  if ((yield* list(`${directory}/instances`)).includes(group)) yield* removeInstance(directory, group)
  const names = eventsOf(yield* read(`${directory}/uprobe_events`), group)
  yield* Effect.forEach(names, (name) => append(`${directory}/uprobe_events`, `-:${group}/${name}\n`))
})

/** Removes what processes left that have ended. Does nothing where probes cannot be used. */
export const removeLeftovers = Effect.fn("KernelProbes.removeLeftovers")(function* (machine: Machine) {
  const directory = Option.getOrUndefined(yield* Effect.option(findTracefs(machine)))
  if (directory === undefined) return
  const events = yield* Effect.orElseSucceed(read(`${directory}/uprobe_events`), () => "")
  const groups = new Set([
    ...[...events.matchAll(/^p:(\w+)\//gm)].map(([, group = ""]) => group),
    ...(yield* list(`${directory}/instances`))
  ])
  for (const group of groups) {
    const [, pid, started] = owned.exec(group) ?? []
    if (pid === undefined) continue
    const owner = Option.getOrUndefined(yield* machine.identify(Number(pid)))
    if (owner?.started !== started) yield* Effect.ignore(remove(directory, group))
  }
})

/** Returns the value of a field as the kernel is to fetch it. */
const fetched = ({ base, offset, size }: KernelProbes.Probe["fields"][number], index: number): string => {
  const place = base === "static" ? `@0x${offset.toString(16)}` : `${offset < 0n ? "" : "+"}${offset}(%bp)`
  return `v${index}=${place}:u${size * 8}`
}

/** Reads the byte of memory at an address of a process. */
const byteAt = (proc: string, pid: number, address: bigint) =>
  attempt(`read the memory of ${pid}`, async () => {
    const file = await openFile(`${proc}/${pid}/mem`, "r")
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(1), 0, 1, Number(address))
      return bytesRead === 1 ? buffer[0] : undefined
    } finally {
      await file.close()
    }
  })

const hex = (address: bigint) => `0x${address.toString(16)}`

/** Makes the probes of one process in a trace buffer of their own. */
const make = (
  { proc }: Machine,
  directory: string,
  group: string,
  { pid }: KernelProbes.Options
): KernelProbes.Recording => {
  const instance = `${directory}/instances/${group}`
  const defined = new Map<number, KernelProbes.Probe>()
  let isArmed = false

  const statistics = Effect.fnUntraced(function* () {
    const processors = yield* list(`${instance}/per_cpu`)
    const texts = yield* Effect.forEach(processors, (name) => read(`${instance}/per_cpu/${name}/stats`))
    return texts.map(ProbeRecords.statistics)
  })

  const define = Effect.fnUntraced(function* (probe: KernelProbes.Probe) {
    const mapping = ProbeRecords.mappingOf(yield* read(`${proc}/${pid}/maps`), probe.address)
    if (mapping === undefined) return yield* fail(`the code at ${hex(probe.address)} was not loaded from a file`)
    const place = `${proc}/${pid}/map_files/${mapping.range}:${hex(mapping.offset)}`
    const values = probe.fields.map(fetched).join(" ")
    yield* append(`${directory}/uprobe_events`, `p:${group}/p${probe.id} ${place} ${values}\n`)
    defined.set(probe.id, probe)
  })

  const enable = (value: "0" | "1") => write(`${instance}/events/${group}/enable`, value)

  const disarm = Effect.gen(function* () {
    if (!isArmed) return { rows: [], lost: 0 }
    yield* enable("0")
    isArmed = false
    const lost = (yield* statistics()).reduce((sum, one) => sum + one.lost, 0)
    const text = yield* read(`${instance}/trace`)
    // Opening the buffer to overwrite it clears it.
    yield* write(`${instance}/trace`, "")
    const found = ProbeRecords.parse(text, pid, (id) => defined.get(id)?.fields.map(({ size }) => size))
    return { rows: found.rows, lost: lost + found.unknown }
  }).pipe(Effect.uninterruptible)

  const arm = Effect.fnUntraced(function* (probes: ReadonlyArray<KernelProbes.Probe>) {
    for (const { address } of probes) {
      if ((yield* byteAt(proc, pid, address)) === trap) return yield* fail(`a breakpoint is at ${hex(address)}`)
    }
    for (const probe of probes) if (!defined.has(probe.id)) yield* define(probe)
    yield* write(`${instance}/set_event_pid`, (yield* list(`${proc}/${pid}/task`)).join(" "))
    const now = (yield* statistics()).reduce((latest, one) => Math.max(latest, one.now), 0)
    isArmed = true
    yield* enable("1")
    for (const { address } of probes) {
      if ((yield* byteAt(proc, pid, address)) === trap) continue
      yield* Effect.ignore(disarm)
      return yield* fail(`the kernel inserted no probe at ${hex(address)}`)
    }
    return now
  }, Effect.uninterruptible)

  return {
    arm,
    disarm,
    count: statistics().pipe(
      Effect.map((all) => all.reduce((sum, { entries, lost }) => sum + entries + lost, 0)),
      Effect.orElseSucceed(() => 0)
    )
  }
}

/** Kilobytes of the buffer of each processor: all records may be of one. */
const bufferKilobytes = ({ records, values }: KernelProbes.Options, processors: number): number => {
  const needed = records * (48 + 8 * values) * 2
  return Math.max(64, Math.ceil(Math.min(needed, mostMemory / Math.max(1, processors)) / 1024))
}

/** Makes the service for a machine. */
export const service = (machine: Machine): KernelProbes.KernelProbes => {
  let count = 0
  return {
    open: Effect.fn("KernelProbes.open")(function* (options: KernelProbes.Options) {
      const directory = yield* findTracefs(machine)
      yield* removeLeftovers(machine)
      const self = Option.getOrUndefined(yield* machine.identify(machine.self))
      if (self === undefined) return yield* fail("this process is not in the process table")
      const session = options.session.replaceAll(/\W/g, "_").slice(0, 20)
      const group = `sigtrap_${self.pid}_${self.started}_${session}_${++count}`
      const instance = `${directory}/instances/${group}`
      yield* Effect.acquireRelease(
        attempt(`make the trace buffer ${instance}`, () => mkdir(instance)),
        () => Effect.catch(remove(directory, group), ({ reason }) => Effect.logWarning(`kernel probes: ${reason}`))
      )
      for (const [option, value] of [
        ["record-tgid", "1"],
        ["event-fork", "1"],
        ["overwrite", "0"]
      ] as const) {
        yield* write(`${instance}/options/${option}`, value)
      }
      yield* write(`${instance}/trace_clock`, "mono")
      const processors = (yield* list(`${instance}/per_cpu`)).length
      yield* write(`${instance}/buffer_size_kb`, `${bufferKilobytes(options, processors)}`)
      return make(machine, directory, group, options)
    })
  }
}

/** This machine. */
export const thisMachine = (identify: Machine["identify"]): Machine => ({
  directories: ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"],
  proc: "/proc",
  uid: process.getuid?.() ?? -1,
  arch: process.arch,
  self: process.pid,
  identify
})
