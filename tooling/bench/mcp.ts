// Measures the MCP server as a whole process: the time from its start to the answer of `initialize`, its memory then and when it
// is loaded, the first list of tools, and later lists.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Candidate, measure, type Table } from "./Harness.ts"
import * as Starts from "./Starts.ts"

const binary = Starts.built("cli/dist/sigtrap")

const servers: ReadonlyArray<{ readonly name: string; readonly file: string; readonly words: ReadonlyArray<string> }> =
  [
    { name: "sigtrap-mcp", file: process.execPath, words: [Starts.built("mcp/dist/sigtrap-mcp.js")] },
    { name: "sigtrap mcp", file: process.execPath, words: [Starts.built("cli/dist/sigtrap.js"), "mcp"] },
    {
      name: "sigtrap-mcp --profile full",
      file: process.execPath,
      words: [Starts.built("mcp/dist/sigtrap-mcp.js"), "--profile", "full"]
    },
    ...(existsSync(binary) ? [{ name: "sigtrap mcp (executable)", file: binary, words: ["mcp"] }] : [])
  ]

/** Starts servers in a private runtime directory; these measurements need no daemon. */
export const run = async (): Promise<ReadonlyArray<Table>> => {
  const runtime = mkdtempSync(join(tmpdir(), "sigtrap-bench-"))
  const env = { ...process.env, SIGTRAP_RUNTIME_DIR: runtime, XDG_CACHE_HOME: runtime }
  const start = ({ file, words }: (typeof servers)[number]) => Starts.mcp(file, words, env)
  try {
    const facts: Array<string> = []
    for (const each of servers) {
      const server = await start(each)
      const first = Starts.megabytes(server.child.pid)
      server.initialized()
      const list = await server.request(2, "tools/list")
      await server.request(3, "ping")
      const loaded = Starts.megabytes(server.child.pid)
      facts.push(
        `${each.name}: ${JSON.stringify(JSON.parse(list).result).length} bytes, ${first} MB, loaded ${loaded} MB`
      )
      await server.stop()
    }
    const floor: Candidate = { name: "node -e 0", run: () => void spawnSync(process.execPath, ["-e", "0"]) }
    const started = await measure(
      `MCP server, start to the answer of initialize and its end (tools/list and memory, aim ≤ 62 MB: ${facts.join("; ")})`,
      [
        floor,
        ...servers.map((each) => ({
          name: each.name,
          run: async () => (await start(each)).stop(),
          floor: floor.name,
          target: 1.8
        }))
      ],
      { rounds: 20, warmup: 2 }
    )
    const two = await Promise.all(servers.slice(0, 3).map(start))
    let id = 10
    const listed = await measure(
      "MCP server, one later tools/list against a ping",
      two.flatMap((server, at): ReadonlyArray<Candidate> => {
        const name = servers[at]?.name ?? ""
        const ask = (method: string) => async () => void (await server.request((id += 1), method))
        return [
          { name: `${name}: ping`, run: ask("ping") },
          { name: `${name}: tools/list`, run: ask("tools/list"), beside: `${name}: ping` }
        ]
      })
    )
    await Promise.all(two.map(({ stop }) => stop()))
    return [started, listed]
  } finally {
    rmSync(runtime, { recursive: true, force: true })
  }
}
