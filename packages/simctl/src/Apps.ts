/**
 * Parsers for the apps of a device: installed apps, running apps, and the output of a launch.
 *
 * A running app is a row of `launchctl list` inside the device. Bundle ids must match exactly: the ids of an app's
 * extensions, watch app and beta contain the app's id.
 */
import * as Result from "effect/Result"
import * as Plist from "./Plist.ts"

/** An installed app. */
export interface App {
  readonly bundle: string
  readonly name: string
  readonly kind: "User" | "System" | (string & {})
  readonly version: string
  readonly executable: string
  /** Absolute path of the `.app` folder on the host. */
  readonly path: string
  /** Absolute path of its data container, if any. */
  readonly data?: string
}

/** A row of `launchctl list`; without a pid the job does not run. */
export interface Row {
  readonly pid?: number
  /** Last exit status; negative for a signal. */
  readonly status: number
  readonly label: string
  /** Bundle id, if the row is an app. */
  readonly bundle?: string
}

const path = (value: Plist.Value | undefined): string | undefined => {
  if (typeof value !== "string" || value === "") return undefined
  if (!value.startsWith("file://")) return value
  const plain = value.slice("file://".length).replace(/\/$/, "")
  return Result.getOrElse(
    Result.try(() => decodeURIComponent(plain)),
    () => plain
  )
}

const word = (value: Plist.Value | undefined): string | undefined => (typeof value === "string" ? value : undefined)

/** Returns the app of a dictionary. */
export const app = (key: string, entry: Plist.Dictionary): App => {
  const data = path(entry["DataContainer"])
  return {
    bundle: word(entry["CFBundleIdentifier"]) ?? key,
    name: word(entry["CFBundleDisplayName"]) ?? word(entry["CFBundleName"]) ?? key,
    kind: word(entry["ApplicationType"]) ?? "User",
    version: word(entry["CFBundleVersion"]) ?? "",
    executable: word(entry["CFBundleExecutable"]) ?? "",
    path: path(entry["Path"]) ?? path(entry["Bundle"]) ?? "",
    ...(data === undefined ? {} : { data })
  }
}

/** Parses the output of `listapps`: the top level only, since group names look like bundle ids. */
export const parseApps = (stdout: string): Result.Result<ReadonlyArray<App>, string> => {
  const start = stdout.search(/^\s*\{/m)
  return Result.flatMap(Plist.parse(start < 0 ? stdout : stdout.slice(start)), (value) =>
    Plist.isDictionary(value)
      ? Result.succeed(
          Object.entries(value).flatMap(([key, entry]) => (Plist.isDictionary(entry) ? [app(key, entry)] : []))
        )
      : Result.fail(stdout.slice(0, 300))
  )
}

/** Parses the output of `launchctl list`; the header and other lines are skipped. */
export const parseRows = (stdout: string): ReadonlyArray<Row> =>
  stdout.split(/\r?\n/).flatMap((line) => {
    const [, pid, status, label] = /^(\d+|-)\t(-?\d+)\t(.+)$/.exec(line) ?? []
    if (pid === undefined || label === undefined) return []
    const bundle = /^UIKitApplication:([^[]+)((?:\[[^\]]*\])*)$/.exec(label)?.[1]
    return [
      {
        ...(pid === "-" ? {} : { pid: Number(pid) }),
        status: Number(status),
        label,
        ...(bundle === undefined ? {} : { bundle })
      }
    ]
  })

/** Returns the pids of a bundle id; a label equal to the id counts too. */
export const pidsOf = (rows: ReadonlyArray<Row>, bundle: string): ReadonlyArray<number> => [
  ...new Set(
    rows.flatMap((row) =>
      row.pid !== undefined && row.pid > 0 && (row.bundle === bundle || row.label === bundle) ? [row.pid] : []
    )
  )
]

/** Parses the pid in the output of `launch`: the last line `BUNDLE: PID`. */
export const launchedPid = (stdout: string, bundle: string): number | undefined =>
  stdout
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, id, pid] = /^(\S.*): (\d+)$/.exec(line) ?? []
      return id === bundle && Number(pid) > 0 ? [Number(pid)] : []
    })
    .at(-1)

/** A process of the host, as `ps -o pid=,lstart=,command=` prints it. */
export interface HostProcess {
  readonly pid: number
  /** Its start time, in the system's format. */
  readonly started: string
  readonly command: string
}

/** Parses the output of `ps`. */
export const parseProcesses = (stdout: string): ReadonlyArray<HostProcess> =>
  stdout.split("\n").flatMap((line) => {
    const [, pid, started, command] = /^\s*(\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/.exec(line) ?? []
    return pid === undefined || started === undefined || command === undefined
      ? []
      : [{ pid: Number(pid), started, command }]
  })

const withoutPrivate = (text: string) => text.replace(/^\/private(?=\/)/, "")

/** Returns the processes that run an app's executable; those of its extensions are in other folders. */
export const runningFrom = (
  processes: ReadonlyArray<HostProcess>,
  folder: string,
  executable: string
): ReadonlyArray<HostProcess> => {
  const program = `${withoutPrivate(folder).replace(/\/$/, "")}/${executable}`
  return processes.filter(({ command }) => {
    const plain = withoutPrivate(command)
    return plain === program || plain.startsWith(`${program} `)
  })
}
