/**
 * Apps as local processes: each is started in a new session, optionally stopped before its first line, and killed with all
 * its descendants. A later process with the same pid is not mistaken for it.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { pause, rows, setRows, type App, type Hold, type Row } from "./World.ts"

const native = join(import.meta.dirname, "../native")

/** Returns state letter, start time and tracer of a running process. A zombie does not count. */
const look = (pid: number): { state: string; startTime: string; name: string; tracer: number } | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name is in parentheses and may contain any character, also a parenthesis.
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

/** Returns whether the process of a row runs. */
export const alive = (row: Row): boolean => look(row.pid)?.startTime === row.startTime

/** Returns whether a debugger is attached. */
export const traced = (row: Row): boolean => (look(row.pid)?.tracer ?? 0) !== 0

/** Returns whether it still waits for its debugger; such an app cannot be replaced. */
export const waiting = (row: Row): boolean => {
  const process = look(row.pid)
  return (
    row.held &&
    process !== undefined &&
    process.tracer === 0 &&
    (process.name === "_dyld_start" || process.state === "T")
  )
}

/** Returns the row of a running app. */
export const running = (root: string, udid: string, bundleId: string): Row | undefined =>
  rows(root).find((row) => row.kind === "app" && row.udid === udid && row.bundleId === bundleId && alive(row))

const cache = join(import.meta.dirname, "../../../node_modules/.cache/fake-xcrun")

/** Compiles a helper, unless an earlier call did after its latest change. If two calls do so at once, the last file is kept. */
const built = (name: string, flags: ReadonlyArray<string>): string => {
  const path = join(cache, name.replace(/\.c$/, ""))
  const isNew = (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > statSync(join(native, name)).mtimeMs
  if (isNew) return path
  mkdirSync(cache, { recursive: true })
  const own = `${path}.${process.pid}`
  execFileSync("cc", ["-O1", ...flags, join(native, name), "-o", own], { stdio: ["ignore", "ignore", "inherit"] })
  renameSync(own, path)
  return path
}

/** How an app is started. */
export interface Start {
  readonly udid: string
  readonly deviceName: string
  readonly app: App
  readonly args: ReadonlyArray<string>
  /** Undefined if it does not wait for a debugger. */
  readonly hold?: Hold
  readonly stdout: string
  readonly stderr: string
  /** Runs this program instead of the app. */
  readonly instead?: ReadonlyArray<string>
}

const childPrefix = "SIMCTL_CHILD_"

/** Returns the environment variables for the app. */
export const childEnvironment = (): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith(childPrefix) && value !== undefined ? [[name.slice(childPrefix.length), value]] : []
    )
  )

/** Starts an app and returns when it runs or waits; the caller stores the row. */
export const start = async (what: Start): Promise<Row> => {
  const { udid, app, hold } = what
  const command = what.instead ?? [join(app.appPath, app.executable), ...what.args]
  const shell = ["/bin/sh", "-c", 'kill -STOP $$; exec "$0" "$@"', ...command]
  const [program = "", ...args] = hold === "shellstop" ? shell : command
  const env = {
    PATH: "/usr/bin:/bin",
    ...childEnvironment(),
    HOME: app.dataPath,
    SIMULATOR_UDID: udid,
    SIMULATOR_DEVICE_NAME: what.deviceName,
    LD_PRELOAD: built("hold.c", ["-shared", "-fPIC", "-Wl,-z,initfirst"]),
    ...(hold === "wait" ? { SIGTRAP_SIM_HOLD: "1" } : {})
  }
  mkdirSync(app.dataPath, { recursive: true })
  const out = openSync(what.stdout, "a")
  const err = openSync(what.stderr, "a")
  let pid: number | undefined
  if (hold === "execstop") {
    const helper = built("execstop.c", [])
    // The library must be preloaded into the app, not into the helper that starts it.
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
  // No process has the start time 0: the row of an app that has already exited has no running process.
  const made = row(look(pid)?.startTime ?? "0")
  // A debugger may attach as soon as the pid is printed, so the app must be waiting by then.
  if (made.held) for (let tries = 0; alive(made) && !waiting(made) && tries < 500; tries++) await pause(2)
  return made
}

/** Starts a process that is not an app and ends with its device. */
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

/** Kills processes with their process groups, and waits until they have exited. */
export const kill = async (ended: ReadonlyArray<Row>): Promise<void> => {
  for (const row of ended) {
    if (!alive(row)) continue
    try {
      process.kill(-row.pid, "SIGKILL")
    } catch {
      // It has exited in the meantime.
    }
  }
  while (ended.some(alive)) await pause(2)
}

/** Removes rows. Requires the lock. */
export const forget = (root: string, gone: ReadonlyArray<Row>): void => {
  const same = (row: Row) => gone.some((one) => one.pid === row.pid && one.startTime === row.startTime)
  setRows(
    root,
    rows(root).filter((row) => !same(row))
  )
}
