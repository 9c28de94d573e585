// Memory of an idle daemon beside that of an idle Node, the growth by sessions, and the sizes of what is shipped.
import { directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import { ratiosTo, type Row, rowOf, type Table } from "./Harness.ts"

const dist = fileURLToPath(new URL("../../apps/cli/dist", import.meta.url))

const KiB = 1024

/** Returns the resident memory of a process in MB. */
export const resident = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / KiB

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/** Starts daemons and idle Nodes in turn. */
const idle = Effect.fnUntraced(function* (rounds: number) {
  const daemons: Array<number> = []
  const nodes: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const root = yield* directory
        const { pid } = yield* RealDaemon.launch(root)
        const node = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
        yield* Effect.promise(() => pause(1500))
        daemons.push(resident(pid))
        nodes.push(resident(node.pid))
        node.kill()
      })
    )
  }
  return { daemons, nodes }
})

const filesIn = (folder: string, accepts: (name: string) => boolean): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => join(folder, name))
        .filter((file) => accepts(file) && statSync(file).isFile())
    : []

const sizeOf = (files: ReadonlyArray<string>) => files.reduce((sum, file) => sum + statSync(file).size, 0)

const gzipped = (files: ReadonlyArray<string>) =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).length, 0)

/** What is shipped, in bytes. */
const sizes = (): ReadonlyArray<Row> => {
  const binary = join(dist, "sigtrap")
  const page = filesIn(join(dist, "page"), (name) => !name.endsWith(".map"))
  const bundles = filesIn(dist, (name) => /\.m?js$/.test(name) && !name.includes("/page/"))
  return [
    rowOf("bundles of the package", [sizeOf(bundles)], { unit: "bytes" }),
    rowOf("bundles of the package, gzip", [gzipped(bundles)], { unit: "bytes" }),
    rowOf("the page, gzip", [gzipped(page)], { unit: "bytes", limit: 150_000 }),
    ...(existsSync(binary)
      ? [
          rowOf("compiled executable", [sizeOf([binary]) / KiB / KiB], { unit: "MB" }),
          rowOf("runtime of Bun alone", [sizeOf([realBun()]) / KiB / KiB], { unit: "MB" })
        ]
      : [])
  ]
}

const realBun = () => fileURLToPath(new URL("../../node_modules/.bin/bun", import.meta.url))

/** Measures memory and sizes. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const rounds = 5
    const { daemons, nodes } = yield* idle(rounds)
    const node = rowOf("idle Node", nodes, { unit: "MB" })
    const daemon = rowOf("idle daemon, before its first session", daemons, { unit: "MB", limit: 85 })
    return [
      { title: "Memory of an idle daemon", rounds, rows: [node, { ...daemon, ...ratiosTo(daemon, node) }] },
      {
        title: "Sizes",
        rounds: 1,
        rows: sizes(),
        notes: existsSync(join(dist, "sigtrap")) ? [] : ["The executable was not compiled: npm run build:binary."]
      }
    ]
  }).pipe(Effect.runPromise)
