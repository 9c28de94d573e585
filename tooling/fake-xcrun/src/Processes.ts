/**
 * Apps as local processes: started in a session of their own and held before their first line when asked, ended with all
 * that they started, and never mistaken for another that got the same pid.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { pause, rows, setRows, type App, type Hold, type Row } from "./World.ts"

const native = join(import.meta.dirname, "../native")

/** State letter, start time and tracer of a living process. A zombie is not alive, whoever has still to collect it. */
const look = (pid: number): { state: string; startTime: string; name: string; tracer: number } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name stands in parentheses and may hold any character, a parenthesis too.
    const end = stat.lastIndexOf(")")
    const fields = stat.slice(end + 2).split(" ")
    const state = fields[0] ?? ""
    if (state === "Z" || state === "X") return undefined
    const tracer = /^TracerPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return {
      state,
      startTime: fields[19] ?? "",
      name: stat.slice(stat.indexOf("(") + 1, end),
      tracer: Number(tracer ?? 0)
    }
  } catch {
    return undefined
  }
}

/** Whether a row's own process is alive. */
export const alive = (row: Row): boolean => look(row.pid)?.startTime === row.startTime

/** Whether a debugger holds it. */
export const traced = (row: Row): boolean => (look(row.pid)?.tracer ?? 0) !== 0

/** Whether it still waits for its debugger, so that nothing can be installed over it. */
export const waiting = (row: Row): boolean => {
  const process = look(row.pid)
  return (
    row.held &&
    process !== undefined &&
    process.tracer === 0 &&
    (process.name === "_dyld_start" || process.state === "T")
  )
}

/** The living row of an app. */
export const running = (root: string, udid: string, bundleId: string): Row | undefined =>
  rows(root).find((row) => row.kind === "app" && row.udid === udid && row.bundleId === bundleId && alive(row))

/** Compiles a helper once for a state directory. Two calls may do so at once; the last one's file stays. */
const built = (root: string, name: string, flags: ReadonlyArray<string>): string => {
  const path = join(root, name.replace(/\.c$/, ""))
  if (existsSync(path)) return path
  const own = `${path}.${process.pid}`
  execFileSync("cc", ["-O1", ...flags, join(native, name), "-o", own], { stdio: ["ignore", "ignore", "inherit"] })
  renameSync(own, path)
  return path
}

/** How an app is started. */
export interface Start {
  readonly root: string
  readonly udid: string
  readonly deviceName: string
  readonly app: App
  readonly args: ReadonlyArray<string>
  /** Undefined when it does not wait for a debugger. */
  readonly hold?: Hold
  readonly stdout: string
  readonly stderr: string
  /** Runs this in place of the app. */
  readonly instead?: ReadonlyArray<string>
}

const childPrefix = "SIMCTL_CHILD_"

/** The variables that the caller gives the app. */
export const childEnvironment = (): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith(childPrefix) && value !== undefined ? [[name.slice(childPrefix.length), value]] : []
    )
  )

/** Starts an app and answers when it runs or waits; the row is not yet written down. */
export const start = async (what: Start): Promise<Row> => {
  const { root, udid, app, hold } = what
  const command = what.instead ?? [join(app.appPath, app.executable), ...what.args]
  const shell = ["/bin/sh", "-c", 'kill -STOP $$; exec "$0" "$@"', ...command]
  const [program = "", ...args] = hold === "shellstop" ? shell : command
  const env = {
    PATH: "/usr/bin:/bin",
    ...childEnvironment(),
    HOME: app.dataPath,
    SIMULATOR_UDID: udid,
    SIMULATOR_DEVICE_NAME: what.deviceName,
    LD_PRELOAD: built(root, "hold.c", ["-shared", "-fPIC", "-Wl,-z,initfirst"]),
    ...(hold === "wait" ? { SIGTRAP_SIM_HOLD: "1" } : {})
  }
  mkdirSync(app.dataPath, { recursive: true })
  const out = openSync(what.stdout, "a")
  const err = openSync(what.stderr, "a")
  let pid: number | undefined
  if (hold === "execstop") {
    const helper = built(root, "execstop.c", [])
    // The helper itself must not be preloaded: what it starts is an app, it is not.
    const { LD_PRELOAD: _, ...clean } = env
    const result = spawnSync(helper, [program, ...args], {
      cwd: "/",
      env: clean,
      stdio: ["ignore", "pipe", "inherit", out, err]
    })
    pid = result.status === 0 ? Number(result.stdout.toString()) : undefined
  } else {
    const child = spawn(program, args, { cwd: "/", env, detached: true, stdio: ["ignore", out, err] })
    child.on("error", () => undefined)
    child.unref()
    pid = child.pid
  }
  closeSync(out)
  closeSync(err)
  if (pid === undefined) throw new Error(`${program} cannot be started`)
  const row = (startTime: string): Row => ({
    kind: "app",
    udid,
    bundleId: app.bundleId,
    pid: pid ?? 0,
    startTime,
    suffix: Math.floor(Math.random() * 65536)
      .toString(16)
      .padStart(4, "0"),
    stdout: what.stdout,
    stderr: what.stderr,
    held: hold !== undefined
  })
  // Zero is the start time of nobody: an app that is gone by now is a row whose process is gone.
  const made = row(look(pid)?.startTime ?? "0")
  // Whoever attaches the moment the pid is printed must find the app where it waits.
  if (made.held) for (let tries = 0; alive(made) && !waiting(made) && tries < 500; tries++) await pause(2)
  return made
}

/** Starts something that is no app and ends with its device. */
export const extra = (root: string, udid: string, kind: "stranger" | "timer", command: ReadonlyArray<string>): Row => {
  const [program = "", ...args] = command
  const child = spawn(program, args, { cwd: "/", env: { PATH: "/usr/bin:/bin" }, detached: true, stdio: "ignore" })
  child.unref()
  const pid = child.pid ?? 0
  const row: Row = {
    kind,
    udid,
    bundleId: "",
    pid,
    startTime: look(pid)?.startTime ?? "0",
    suffix: "",
    stdout: "",
    stderr: "",
    held: false
  }
  setRows(root, [...rows(root), row])
  return row
}

/** Ends these processes with everything in their groups, and waits until they are gone. */
export const kill = async (ended: ReadonlyArray<Row>): Promise<void> => {
  for (const row of ended) {
    if (!alive(row)) continue
    try {
      process.kill(-row.pid, "SIGKILL")
    } catch {
      // Gone in between.
    }
  }
  while (ended.some(alive)) await pause(2)
}

/** Forgets rows; only under the lock. */
export const forget = (root: string, gone: ReadonlyArray<Row>): void => {
  const same = (row: Row) => gone.some((one) => one.pid === row.pid && one.startTime === row.startTime)
  setRows(
    root,
    rows(root).filter((row) => !same(row))
  )
}
