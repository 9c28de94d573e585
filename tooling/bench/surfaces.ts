// Round trips of one call over each surface, to one daemon with a session that has stopped: one call after another on one
// connection. The socket carries what every other surface adds to.
import { awaitOutput, child, directory } from "@sigtrap/host/testing"
import { Effect } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import * as Clients from "./Clients.ts"
import { latencies, type Table } from "./Harness.ts"

const bundle = fileURLToPath(new URL("../../apps/cli/dist/sigtrap.js", import.meta.url))

/** The configuration of the user, so that its cost is measured too. */
const configuration = `[output]\nlines = 3\n[timeouts]\nwait = "30s"\n`

const smallest = fileURLToPath(new URL("./SmallestServers.ts", import.meta.url))

/** Makes the hops of the calls with the smallest servers: what is left of a ratio when a server computes nothing. */
const floors = (root: string) =>
  Effect.gen(function* () {
    const path = join(root, "smallest.sock")
    const conditions = process.execArgv
    const printed = yield* awaitOutput(
      yield* child(process.execPath, [...conditions, smallest, "daemon", path]),
      "port"
    )
    const socket = Clients.socket(path)
    const http = Clients.http(`http://127.0.0.1:${/"port":(\d+)/.exec(printed)?.[1] ?? ""}`, "none")
    const mcp = yield* Effect.promise(() => Clients.mcp(process.execPath, [...conditions, smallest, "mcp", path]))
    const base = "smallest: socket"
    const table = yield* Effect.promise(() =>
      latencies(
        "The same hops in the smallest programs",
        [
          { name: base, run: async () => void (await socket.call("status", {})) },
          { name: "smallest: MCP", run: async () => void (await mcp.request("tools/call")), floor: base },
          { name: "smallest: HTTP", run: async () => void (await http.post("/", "{}")), floor: base }
        ],
        { calls: 25, rounds: 20, warmup: 20 }
      )
    )
    yield* Effect.promise(() => Promise.all([mcp.close(), http.close(), socket.close()]))
    return { ...table, notes: notesOf(table) }
  })

/** Says which rows have a long tail. */
const notesOf = ({ rows }: Table): ReadonlyArray<string> => {
  const jumpy = rows.filter(({ median, p99 = 0 }) => p99 > 4 * median).map(({ name }) => name)
  return jumpy.length === 0 ? [] : [`p99 above 4 × p50: ${jumpy.join(", ")}.`]
}

/** Calls `status` over each surface. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const root = yield* directory
    mkdirSync(join(root, "config/sigtrap"), { recursive: true })
    writeFileSync(join(root, "config/sigtrap/config.toml"), configuration)
    writeFileSync(join(root, "loop.c"), "int main(void) {\n  for (volatile int n = 0;; n++) {\n  }\n}\n")
    RealDaemon.compile(root, join(root, "loop.c"))
    const { place } = yield* RealDaemon.start(root, "main")
    const served = RealDaemon.serve(root)
    const socket = Clients.socket(place.socket)
    const env = { ...process.env, SIGTRAP_RUNTIME_DIR: place.directory, XDG_CONFIG_HOME: join(root, "config") }
    const mcp = yield* Effect.promise(() => Clients.mcp(process.execPath, [bundle, "mcp"], { env, cwd: root }))
    const http = Clients.http(served.url, readFileSync(served.token_file, "utf8"))
    const line = Clients.commandLine(["status"], root, { XDG_CONFIG_HOME: join(root, "config") })
    const base = "socket: status"
    const table = yield* Effect.promise(() =>
      latencies(
        "Round trips of one call, with a stopped session",
        [
          { name: "socket: sessions", run: async () => void (await socket.call("sessions", {})) },
          { name: base, run: async () => void (await socket.call("status", {})) },
          { name: "MCP: ping", run: async () => void (await mcp.request("ping")) },
          {
            name: "MCP: status",
            run: async () => void (await mcp.request("tools/call", { name: "status", arguments: {} })),
            floor: base,
            target: 2.5
          },
          {
            name: "HTTP: status",
            run: async () => void (await http.post("/v1/status", "{}")),
            floor: base,
            target: 1.6
          },
          {
            name: "command line in the daemon: status",
            run: async () => void (await socket.call("cli.exec", line)),
            floor: base,
            target: 3.1
          }
        ],
        { calls: 25, rounds: 20, warmup: 20 }
      )
    )
    yield* Effect.promise(() => Promise.all([mcp.close(), http.close(), socket.close()]))
    return [{ ...table, notes: notesOf(table) }, yield* floors(root)]
  }).pipe(Effect.scoped, Effect.runPromise)
