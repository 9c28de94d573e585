// For twenty poison inputs: how long another client waits for its answers while 32 of them (4 of bytes, one of a flood) are
// answered, against the wait of an idle daemon just before, and how long `daemon stop --force` takes while they run again.
// Each poison gets a daemon of its own. The variable POISON is a regular expression that chooses poisons by name.
import { ForcedStop } from "@sigtrap/host"
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { copyFileSync, mkdirSync, mkdtempSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import * as Attack from "../src/poison/Attack.ts"
import * as Floods from "../src/poison/Floods.ts"
import { Observer, type Observation } from "../src/poison/Observer.ts"
import * as Poisons from "../src/poison/Poisons.ts"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import type { Table } from "./Harness.ts"

const names =
  /^(?:pattern with (?:nested|many)|pattern of a wait|glob of|longest (?:quotes|spaces)|9,000 (?:words|unknown)|4,000 b|environment of 90|arguments of|TOML with a(?:n alias| text)|launch.json (?:whose|of 100,000 k)|line of 17|100,000 answers)/

const floods = /^flood of (?:stops|output|reverse requests)$/

/** Milliseconds of a poison at most; a flood has no end of its own. */
const most = 3000

const filter = new RegExp(process.env["POISON"] ?? "")

const measured: ReadonlyArray<{ readonly poison: Poisons.Poison; readonly copies: number }> = [
  ...Poisons.all
    .filter(({ name }) => names.test(name))
    .map((poison) => ({ poison, copies: "argv" in poison ? 32 : 4 })),
  ...Floods.all.filter(({ poison }) => floods.test(poison.name)).map(({ poison }) => ({ poison, copies: 1 }))
]

const chosen = measured.filter(({ poison }) => filter.test(poison.name))

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const quantiles = ({ samples }: Observation) => {
  const sorted = samples.map(({ millis }) => millis).toSorted((a, b) => a - b)
  return [0.5, 0.99, 1].map((q) => sorted[Math.floor((sorted.length - 1) * q)] ?? 0)
}

const row = (cells: ReadonlyArray<string | number>) =>
  `| ${cells.map((cell) => (typeof cell === "number" ? cell.toFixed(0) : cell)).join(" | ")} |\n`

/** Measures one poison, and prints its row. */
const measure = Effect.fnUntraced(function* ({ copies, poison }: (typeof measured)[number], root: string) {
  mkdirSync(root)
  RealDaemon.compile(root)
  const { pid, place } = yield* RealDaemon.start(root)
  const observer = yield* Effect.acquireRelease(
    Effect.promise(() => Observer.start({ socket: place.socket, pid })),
    (one) => Effect.sync(() => one.end())
  )
  const send = () => {
    const folder = mkdtempSync(join(root, "poison-"))
    copyFileSync(join(root, "app"), join(folder, "app"))
    poison.files?.(folder)
    const sent = Attack.sendMany(poison, place.socket, folder, copies)
    void sent.catch(() => {})
    return sent
  }
  yield* Effect.promise(async () => {
    const quiet = quantiles((await observer.during(() => pause(1000))).observation)
    const busy = quantiles((await observer.during(() => Promise.race([send(), pause(most)]))).observation)
    void send()
    await pause(50)
    const before = performance.now()
    const stopped = await Effect.runPromise(ForcedStop.run(place))
    const took = performance.now() - before
    const by = stopped === undefined || stopped === "running" ? String(stopped) : stopped.by
    process.stdout.write(row([poison.name, ...quiet, ...busy, took, by, loadavg()[0]?.toFixed(1) ?? ""]))
  })
})

/** Prints a row for each poison, in milliseconds. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    process.stdout.write(
      row(["poison", "quiet p50", "p99", "max", "with it p50", "p99", "max", "forced stop", "by", "load"])
    )
    process.stdout.write(row(["---", ...Array.from({ length: 9 }, () => "---:")]))
    for (const [index, one] of chosen.entries()) yield* Effect.scoped(measure(one, join(root, String(index))))
    return []
  }).pipe(Effect.scoped, Effect.runPromise)
