/**
 * `simctl spawn`: launchctl list, the log, and other programs.
 *
 * Evidence: `launchctl-list.*.txt`, `spawn-*` of `failures.json`. The layout of the log is inferred; tests may only rely on
 * the lines of an app's output in it.
 */
import { spawn as start } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { constants } from "node:os"
import { basename } from "node:path"
import { change, find, type Command, type Context, type Found } from "./Context.ts"
import { daemons } from "./Daemons.ts"
import { Stop, spawnBadProgram, spawnNotBooted, unknownToTheDouble, type Answer } from "./Failures.ts"
import { alive, childEnvironment, extra } from "./Processes.ts"
import { appOf, deviceFolder, pause, rows, setRows, shown, stateOf, type Row } from "./World.ts"

/** Returns a hash of a text. */
const hash = (text: string, below: number) => createHash("sha256").update(text).digest().readUInt32BE() % below

const label = (bundle: string, suffix: string) => `UIKitApplication:${bundle}[${suffix}][rb-legacy]`

/** Starts a process that is not the app, for misleading rows. */
const stranger = (context: Context, udid: string): Row =>
  rows(context.root).find((row) => row.kind === "stranger" && row.udid === udid && alive(row)) ??
  extra(context.root, udid, "stranger", ["/bin/sleep", "3600"])

/** Returns the rows of an app, as changed by a fault. */
const appRows = (context: Context, row: Row): ReadonlyArray<string> => {
  const { fault } = context
  const good = `${row.pid}\t0\t${label(row.bundleId, row.suffix)}`
  const other = () => stranger(context, row.udid).pid
  if (!alive(row)) return fault.pidReuse === true ? [`${other()}\t0\t${label(row.bundleId, row.suffix)}`] : []
  switch (fault.row) {
    case "missing":
      return []
    case "dash":
      return [`-\t0\t${label(row.bundleId, row.suffix)}`]
    case "duplicate":
      return [`${other()}\t0\t${label(row.bundleId, "0bad")}`, good]
    case "prefixSiblings":
      return [
        `-\t0\t${label(`${row.bundleId}.widget`, "51b1")}`,
        `${other()}\t0\t${label(`${row.bundleId}.watchkitapp`, "51b2")}`,
        `${other()}\t0\t${label(`${row.bundleId}-beta`, "51b3")}`,
        good
      ]
    case "oldLabel":
      return [`${row.pid}\t0\tUIKitApplication:${row.bundleId}[0x4f37]`]
    default:
      return [good]
  }
}

/** `launchctl list`: pids of daemons are constant during a boot; apps are listed anywhere between them. */
const list = (context: Context, { udid, state }: Found): Promise<Answer> =>
  change(context, () => {
    const { root, fault } = context
    const boot = `${udid} ${state.bootedAt}`
    const lines = daemons
      .toSorted(([a], [b]) => hash(a, 1e9) - hash(b, 1e9))
      .map(([name, runs]) => {
        // Above every pid of Linux, so that no lookup of it finds a process.
        const pid = runs ? String(5_000_000 + hash(boot + name, 1_000_000)) : "-"
        const status = name === "com.apple.SpringBoard" ? -9 : name === "com.apple.weatherd" ? 78 : 0
        return `${pid}\t${status}\t${name}`
      })
    const mine = rows(root).filter((row) => row.kind === "app" && row.udid === udid)
    for (const row of mine) {
      lines.splice(hash(row.suffix + row.pid, lines.length), 0, ...appRows(context, row))
    }
    const gone = mine.filter((row) => !alive(row) && fault.pidReuse !== true)
    setRows(
      root,
      rows(root).filter((row) => !gone.some((one) => one.pid === row.pid && one.startTime === row.startTime))
    )
    lines.splice(hash(boot, lines.length), 0, `${process.pid}\t0\tcom.apple.xpc.launchd.oneshot.0x10000050.launchctl`)
    return { stdout: `PID\tStatus\tLabel\n${lines.map((line) => `${line}\n`).join("")}` }
  })

/** The supported part of a predicate: comparisons of the process name or pid. */
const selected = (predicate: string | undefined, name: string, pid: number): boolean => {
  if (predicate === undefined) return true
  const test =
    /\b(process|processID|processImagePath|senderImagePath|sender)\s*(==|=|CONTAINS(?:\[c\])?|ENDSWITH(?:\[c\])?)\s*"?([^"\s)]+)"?/gi
  const all = [...predicate.matchAll(test)]
  if (all.length === 0 && !/\b(subsystem|category|eventMessage|messageType|eventType)\b/.test(predicate))
    throw new Stop(unknownToTheDouble(`log: predicate ${predicate}`))
  return (
    all.length === 0 ||
    all.some(([, key, , value = ""]) => (key === "processID" ? Number(value) === pid : name === basename(value)))
  )
}

/** `log stream|show`: the output lines of the apps; `stream` runs until it is killed or the device shuts down. */
const log = async (context: Context, { udid, device }: Found, words: ReadonlyArray<string>): Promise<Answer> => {
  const [mode, ...rest] = words
  if (mode !== "stream" && mode !== "show") return unknownToTheDouble(`simctl spawn log ${mode ?? ""}`)
  const options: Record<string, string> = {}
  // The two commands have different options.
  const flags = mode === "stream" ? ["level", "timeout"] : ["last", "start", "end"]
  const bare = mode === "stream" ? ["source"] : ["source", "info", "debug", "no-info", "no-debug"]
  for (let at = 0; at < rest.length; at++) {
    const [, name = "", joined] = /^--([a-z-]+)(?:=(.*))?$/s.exec(rest[at] ?? "") ?? []
    if (bare.includes(name)) continue
    const flag = ["style", "predicate", "process", "type", "color", ...flags].includes(name) ? name : ""
    if (flag === "") return unknownToTheDouble(`simctl spawn log ${mode}: argument ${rest[at]}`)
    options[flag] = joined ?? rest[++at] ?? ""
  }
  const { predicate, style = "default", process: only } = options
  if (predicate !== undefined) context.print(`Filtering the log data using "${predicate}"\n`)
  if (style === "default" || style === "syslog")
    context.print("Timestamp                       Thread     Type        Activity             PID    TTL  \n")
  if (style === "compact") context.print("Timestamp               Ty Process[PID:TID]\n")
  const line = (row: Row, name: string, text: string) => {
    const time = new Date().toISOString().replace("T", " ").replace("Z", "000+0000")
    if (style === "ndjson" || style === "json") {
      const path = appOf(context.root, udid, row.bundleId)?.appPath ?? ""
      const event = { timestamp: time, messageType: "Default", eventType: "logEvent", processID: row.pid }
      return `${JSON.stringify({ ...event, processImagePath: `${path}/${name}`, subsystem: "", category: "", eventMessage: text })}\n`
    }
    return style === "compact"
      ? `${time.slice(0, 23)} Df ${name}[${row.pid}:1] ${text}\n`
      : `${time} 0x1        Default     0x0                  ${row.pid}  0    ${name}: ${text}\n`
  }
  const seen = new Map<string, number>()
  // A stream starts with new lines; `show` prints the earlier ones.
  for (let first = mode === "stream"; ; first = false) {
    for (const row of rows(context.root)) {
      if (row.kind !== "app" || row.udid !== udid) continue
      const name = appOf(context.root, udid, row.bundleId)?.executable ?? row.bundleId
      if (!selected(predicate, name, row.pid) || (only !== undefined && only !== name && Number(only) !== row.pid))
        continue
      for (const path of new Set([row.stdout, row.stderr])) {
        if (!existsSync(path)) continue
        const text = readFileSync(path, "utf8")
        const key = `${row.pid} ${path}`
        const end = text.lastIndexOf("\n") + 1
        const from = seen.get(key) ?? 0
        seen.set(key, end)
        if (first) continue
        for (const one of text.slice(from, end).split("\n")) if (one !== "") context.print(line(row, name, one))
      }
    }
    if (mode === "show" || shown(stateOf(context.root, device)) !== "Booted") return {}
    await pause(50)
  }
}

/** Runs any other program on this machine. */
const program = (context: Context, { udid }: Found, [name = "", ...args]: ReadonlyArray<string>): Promise<Answer> =>
  new Promise((done) => {
    if (!existsSync(name)) return done(spawnBadProgram)
    const child = start(name, args, {
      cwd: "/",
      env: {
        PATH: "/usr/bin:/bin",
        ...childEnvironment(),
        SIMULATOR_UDID: udid,
        HOME: `${deviceFolder(context.root, udid)}/data`
      },
      stdio: "inherit"
    })
    const pass = (signal: NodeJS.Signals) => () => child.kill(signal)
    process.removeAllListeners("SIGTERM").on("SIGTERM", pass("SIGTERM"))
    process.removeAllListeners("SIGINT").on("SIGINT", pass("SIGINT"))
    child.on("error", () => done(spawnBadProgram))
    child.on("exit", (code, signal) => {
      const number = signal === null ? 0 : (constants.signals[signal] ?? 0)
      const words: { readonly [signal: string]: string } = {
        SIGSEGV: "Segmentation fault",
        SIGABRT: "Abort trap",
        SIGKILL: "Killed",
        SIGTERM: "Terminated"
      }
      if (signal === null) return done({ exit: code ?? 0 })
      done({
        exit: 128 + number,
        stderr: `Child process terminated with signal ${number}: ${words[signal] ?? signal}\n`
      })
    })
  })

/** `spawn D PROGRAM [args…]`. */
export const spawn: Command = (context, words) => {
  const [device, ...command] = words.filter((word, at) => at > 1 || !["-s", "--standalone", "-w"].includes(word))
  const found = find(context, device)
  if (shown(found.state) !== "Booted") return spawnNotBooted(found.udid)
  const [name, ...rest] = command
  if (name === undefined) return spawnBadProgram
  if (name === "log") return log(context, found, rest)
  if (name !== "launchctl") return program(context, found, command)
  if (rest[0] === "list" && rest.length === 1) return list(context, found)
  if (rest[0] === "print" && rest[1] === "system")
    return { stdout: "com.apple.CoreSimulator.SimDevice = {\n\ttype = system\n\thandle = 0\n\tactive count = 1\n}\n" }
  return unknownToTheDouble(`simctl spawn launchctl ${rest.join(" ")}`)
}
