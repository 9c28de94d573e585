// Other debuggers for agents beside sigtrap, in one run: the MCP servers that npm has, installed into a temporary folder, and the
// batch modes of LLDB and GDB. A peer that cannot be installed or does not answer is named with the reason.
import { directory } from "@sigtrap/host/testing"
import { Effect, Predicate } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { fileURLToPath } from "node:url"
import * as RealDaemon from "../src/poison/RealDaemon.ts"
import * as Clients from "./Clients.ts"
import { ratiosTo, rowOf, type Row, type Table } from "./Harness.ts"
import { find, overrun } from "./oneshot.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bun = join(root, "node_modules/.bin/bun")
const own = join(root, "apps/cli/dist/sigtrap.js")

/** Time in which a server must answer, in milliseconds. */
const patience = 30_000

const rounds = 5

/** The line of the question: what are `i` and `count` when the element is read? */
const line = 5

/** One call of a tool. `from` takes fields from the text of the first answer. */
interface Call {
  readonly name: string
  readonly input: (first: string) => object
}

/** A server with its calls of the hunt; none if it cannot debug this program. */
interface Server {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env?: NodeJS.ProcessEnv
  readonly hunt?: (folder: string) => ReadonlyArray<Call>
  /** Why it has no hunt. */
  readonly without?: string
}

const call = (name: string, input: object): Call => ({ name, input: () => input })

const sessionOf = (text: string) => /"sessionId":\s*"([^"]+)"/.exec(text)?.[1] ?? ""

/** The calls of mcp-debugger for the same question. */
const calls = (folder: string): ReadonlyArray<Call> => {
  const withSession = (name: string, input: object = {}): Call => ({
    name,
    input: (first) => ({ sessionId: sessionOf(first), ...input })
  })
  return [
    call("create_debug_session", { language: "cpp", name: "hunt" }),
    withSession("set_breakpoint", { file: join(folder, "sum.c"), line }),
    withSession("start_debugging", { scriptPath: join(folder, "app") }),
    withSession("get_local_variables"),
    withSession("close_debug_session")
  ]
}

/** The npm packages of the peers. */
const packages = ["@debugmcp/mcp-debugger", "xcodebuildmcp"]

const within = <A>(work: Promise<A>, what: string): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} has no answer after ${patience / 1000} s`)), patience)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Returns the resident memory of a process and its descendants in MB. */
const memoryOf = (pid: number): number => {
  const field = (of: string, pattern: RegExp) => {
    try {
      return Number(pattern.exec(readFileSync(`/proc/${of}/status`, "utf8"))?.[1] ?? 0)
    } catch {
      return 0
    }
  }
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const parents = new Map(all.map((one) => [one, field(one, /PPid:\s+(\d+)/)]))
  const below = (one: string): boolean => {
    if (Number(one) === pid) return true
    const parent = parents.get(one) ?? 0
    return parent > 1 && below(String(parent))
  }
  return all.filter(below).reduce((sum, one) => sum + field(one, /VmRSS:\s+(\d+)/), 0) / 1024
}

interface Start {
  readonly millis: number
  readonly bytes: number
  readonly memory: number
}

/** Starts a server, lists its tools and ends it. */
const started = async ({ args, env, name, program }: Server, cwd: string): Promise<Start> => {
  const begun = performance.now()
  const client = await within(Clients.mcp(program, args, { cwd, env: { ...process.env, ...env } }), name)
  try {
    const millis = performance.now() - begun
    const list = await within(client.request("tools/list"), `tools/list of ${name}`)
    return { millis, bytes: JSON.stringify(JSON.parse(list).result).length, memory: memoryOf(client.pid ?? 0) }
  } finally {
    client.kill()
  }
}

interface Hunt {
  readonly calls: number
  readonly bytes: number
  readonly millis: number
  readonly isFound: boolean
}

/** Answers the question: stop at the line, and see the variables. */
const hunted = async (server: Server, folder: string): Promise<Hunt> => {
  const { args, env, hunt, name, program } = server
  const client = await within(Clients.mcp(program, args, { cwd: folder, env: { ...process.env, ...env } }), name)
  try {
    const begun = performance.now()
    let [bytes, count, first, all] = [0, 0, "", ""]
    for (const { input, name: tool } of hunt?.(folder) ?? []) {
      const answer = await within(
        client.request("tools/call", { name: tool, arguments: input(first) }),
        `${tool} of ${name}`
      )
      const { result } = JSON.parse(answer)
      const text: string = Predicate.isReadonlyObject(result) ? JSON.stringify(result["content"]) : answer
      bytes += answer.length
      if (count === 0) first = text.replaceAll('\\"', '"')
      all += text
      count += 1
    }
    return {
      calls: count,
      bytes,
      millis: performance.now() - begun,
      isFound: /\bcount\b/.test(all) && /\b4\b/.test(all)
    }
  } finally {
    client.kill()
  }
}

/** Asks a debugger's batch mode. */
const batch = (program: string, args: ReadonlyArray<string>, cwd: string): Hunt => {
  const begun = performance.now()
  const { stdout } = spawnSync(program, args, { cwd, encoding: "utf8", timeout: patience })
  return { calls: 1, bytes: stdout.length, millis: performance.now() - begun, isFound: /count\s*=\s*4/.test(stdout) }
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""

/** Installs the peers; returns what could not be installed. */
const install = (folder: string): ReadonlyArray<string> =>
  packages.flatMap((name) => {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n', { flag: "a+" })
    const { status, stderr } = spawnSync(bun, ["add", "--cwd", folder, "--ignore-scripts", "--silent", name], {
      encoding: "utf8",
      timeout: 300_000
    })
    return status === 0 ? [] : [`${name} was not installed: ${stderr.trim().split("\n").at(-1) ?? ""}`]
  })

const micros = (values: ReadonlyArray<number>) => values.map((value) => value * 1000)

/** Measures servers and hunts. */
export const run = (): Promise<ReadonlyArray<Table>> =>
  Effect.gen(function* () {
    const folder = yield* directory
    const place = yield* directory
    const missing = install(place)
    writeFileSync(join(folder, "sum.c"), overrun)
    RealDaemon.compile(folder, join(folder, "sum.c"))
    const bin = (name: string) => join(place, "node_modules/.bin", name)
    const servers: ReadonlyArray<Server> = [
      {
        name: "sigtrap mcp",
        program: process.execPath,
        args: [own, "mcp"],
        env: { SIGTRAP_RUNTIME_DIR: join(folder, "run") },
        hunt: () => [call("run", { program: "./app", break: [`sum.c:${line}`], max_stops: 1 })]
      },
      { name: "mcp-debugger", program: process.execPath, args: [bin("mcp-debugger"), "stdio"], hunt: calls },
      {
        name: "xcodebuildmcp",
        program: process.execPath,
        args: [bin("xcodebuildmcp"), "mcp"],
        without: "it debugs apps of iOS simulators only"
      }
    ]
    yield* RealDaemon.launch(folder)
    return yield* Effect.promise(async () => {
      const failures = new Map<string, string>()
      const starts = new Map<string, Array<Start>>(servers.map(({ name }) => [name, []]))
      const hunts = new Map<string, Array<Hunt>>()
      const keep = (name: string, hunt: Hunt) => hunts.set(name, [...(hunts.get(name) ?? []), hunt])
      const gdb = find("gdb")
      const lldb = find("lldb") ?? find("lldb-19")
      for (let round = -1; round < rounds; round++) {
        for (const server of servers) {
          if (failures.has(server.name)) continue
          try {
            const start = await started(server, folder)
            if (round >= 0) starts.get(server.name)?.push(start)
            if (server.hunt === undefined) continue
            const hunt = await hunted(server, folder)
            if (!hunt.isFound) throw new Error("its answers do not have the value of count")
            if (round >= 0) keep(server.name, hunt)
          } catch (error) {
            failures.set(server.name, reason(error))
          }
        }
        if (round < 0) continue
        if (gdb !== undefined) {
          const args = [
            "-nx",
            "-batch",
            "-ex",
            `break sum.c:${line}`,
            "-ex",
            "run",
            "-ex",
            "info args",
            "-ex",
            "info locals",
            "./app"
          ]
          keep("gdb -batch", batch(gdb, args, folder))
        }
        if (lldb !== undefined) {
          const args = ["-x", "-b", "-o", `b sum.c:${line}`, "-o", "run", "-o", "frame variable", "./app"]
          keep("lldb -b", batch(lldb, args, folder))
        }
      }
      const measured = servers.filter(({ name }) => (starts.get(name)?.length ?? 0) > 0)
      const values = (name: string, field: keyof Start) => (starts.get(name) ?? []).map((one) => one[field])
      const ofHunt = (name: string, field: "calls" | "bytes" | "millis") =>
        (hunts.get(name) ?? []).map((one) => one[field])
      const without = servers.flatMap(({ name, without: why }) =>
        why === undefined ? [] : [`${name} has no hunt: ${why}.`]
      )
      const failed = [...failures].map(([name, why]) => `${name}: ${why}.`)
      const ratios = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> =>
        rows.map((row) => ({ ...row, ...ratiosTo(row, rows[0]) }))
      return [
        {
          title: "MCP servers, spawn to the answer of initialize",
          rounds,
          rows: ratios(measured.map(({ name }) => rowOf(name, micros(values(name, "millis"))))),
          notes: [...missing, ...failed]
        },
        {
          title: "MCP servers, bytes of tools/list",
          rounds,
          rows: ratios(measured.map(({ name }) => rowOf(name, values(name, "bytes"), { unit: "bytes" })))
        },
        {
          title: "MCP servers, resident memory of their processes after tools/list",
          rounds,
          rows: ratios(measured.map(({ name }) => rowOf(name, values(name, "memory"), { unit: "MB" })))
        },
        {
          title: "One hunt: stop where the element is read, see the variables, end",
          rounds,
          rows: [...hunts.keys()].flatMap((name) => [
            rowOf(`${name}: time`, micros(ofHunt(name, "millis"))),
            rowOf(`${name}: calls`, ofHunt(name, "calls"), { unit: "count" }),
            rowOf(`${name}: bytes that the agent reads`, ofHunt(name, "bytes"), { unit: "bytes" })
          ]),
          notes: without
        }
      ] satisfies ReadonlyArray<Table>
    })
  }).pipe(Effect.scoped, Effect.runPromise)
