// `daemon stop --force` ends a daemon whatever it is doing, and nothing that it started is left: no adapter, no program.
import { ForcedStop, RuntimePath } from "@sigtrap/host"
import { awaitOutput, child, directory, ended } from "@sigtrap/host/testing"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Attack from "../../src/poison/Attack.ts"
import { Connection } from "../../src/poison/Connection.ts"
import * as Floods from "../../src/poison/Floods.ts"
import type { Poison } from "../../src/poison/Poisons.ts"

/** What a daemon is busy with. `begin` completes once it has begun. */
interface Work {
  readonly name: string
  readonly hasAdapters: boolean
  readonly begin: (socket: string, root: string) => Promise<void>
}

/** Waits until the daemon has answered another client `count` times. */
const answered = async (socket: string, root: string, count: number) => {
  const other = new Connection(socket)
  for (let asked = 0; asked < count; asked++) await other.run(["sessions"], root)
  other.close()
}

/** Returns the processes whose command line names a folder. */
const processesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return line.includes(folder) ? [`${pid} ${line}`] : []
      } catch {
        return []
      }
    })

/** A flood of an adapter, after its session has started if the flood comes later. */
const flood = (name: string): Work => {
  const found = Floods.all.find(({ poison }) => poison.name === `flood of ${name}`)
  return {
    name: `a flood of ${name}`,
    hasAdapters: true,
    begin: async (socket, root) => {
      if (found === undefined) throw new Error(`the fake adapter has no flood ${name}`)
      const sent = Attack.send(found.poison, socket, root, 1)
      // A flood of answers is in flight before the start has an answer.
      if (found.isLater) await sent
      else void sent.catch(() => {})
      if (process.platform === "linux") while (processesOf(root).length === 0) await answered(socket, root, 1)
      await answered(socket, root, 20)
    }
  }
}

/** Command lines that are sent at once, as many as a connection may have in flight, to a session with 10 MiB of output. */
const queue = (name: string, argv: ReadonlyArray<string>): Work => ({
  name,
  hasAdapters: false,
  begin: async (socket, root) => {
    await Attack.prepare(socket, root)
    const poison: Poison = { name, argv, answer: /./ }
    void Attack.sendMany(poison, socket, root, 32).catch(() => {})
    await answered(socket, root, 2)
  }
})

const works: ReadonlyArray<Work> = [
  flood("stops"),
  flood("reverse requests"),
  flood("output"),
  flood("frames"),
  queue("a full queue of requests that wait", ["wait", "--for", "exit", "--timeout", "60s"]),
  queue("a full queue of searches", ["output", "--match", "(a|aa|a?a)*b$"]),
  queue("pages of all output", ["output", "--json", "--since", "0", "--limit", "1048576", "--budget", "0"])
]

it.live.each(works)(
  "a daemon with $name is ended by force, with everything it started",
  ({ begin, hasAdapters }) =>
    Effect.gen(function* () {
      const root = yield* directory
      const path = join(root, "run")
      const { args, program } = Attack.daemon
      const daemon = yield* child(program, args, {
        SIGTRAP_RUNTIME_DIR: path,
        ...(hasAdapters ? { SIGTRAP_POISON_ADAPTERS: "1" } : {})
      })
      yield* awaitOutput(daemon, "listening")
      const place = RuntimePath.resolve({ explicit: path, environment: {}, uid: process.geteuid?.() ?? -1 })
      assert(place._tag === "Place")
      yield* Effect.promise(() => begin(place.socket, root))
      const stopped = yield* ForcedStop.run(place)
      assert(stopped !== undefined && stopped !== "running")
      yield* ended(daemon)
      // An adapter ends when its input is closed.
      if (process.platform !== "linux") return
      while (processesOf(root).length > 0) yield* Effect.sleep(10)
    }),
  20_000
)
