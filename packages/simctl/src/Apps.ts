/**
 * Apps on a device: what is installed, what runs, and what a launch answered.
 *
 * A running app is a row of `launchctl list` inside the device. Bundle ids are compared whole: an app's extensions, its
 * watch app and its beta have ids that contain its own.
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
  /** Absolute path of its data container, where it has one. */
  readonly data?: string
}

/** A row of `launchctl list`. Without a pid it does not run. */
export interface Row {
  readonly pid?: number
  /** Last exit status; negative for a signal. */
  readonly status: number
  readonly label: string
  /** Bundle id, when the row is an app. */
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

/** An app in the words of its dictionary. */
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

/** The apps that `listapps` printed: the top level only, since groups have names like bundle ids. */
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

/** The rows that `launchctl list` printed; the header and anything else is passed over. */
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

/** The pids that a bundle id runs with; a label that is the id itself counts too. */
export const pidsOf = (rows: ReadonlyArray<Row>, bundle: string): ReadonlyArray<number> => [
  ...new Set(
    rows.flatMap((row) =>
      row.pid !== undefined && row.pid > 0 && (row.bundle === bundle || row.label === bundle) ? [row.pid] : []
    )
  )
]

/** The pid in what `launch` printed: the last line `BUNDLE: PID`. */
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
  /** When it started, as the system words it. */
  readonly started: string
  readonly command: string
}

/** The processes that `ps` printed. */
export const parseProcesses = (stdout: string): ReadonlyArray<HostProcess> =>
  stdout.split("\n").flatMap((line) => {
    const [, pid, started, command] = /^\s*(\d+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/.exec(line) ?? []
    return pid === undefined || started === undefined || command === undefined
      ? []
      : [{ pid: Number(pid), started, command }]
  })

const withoutPrivate = (text: string) => text.replace(/^\/private(?=\/)/, "")

/** The processes whose program is an app's executable; its extensions live in folders of their own and are others. */
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
