/**
 * The state directory: the machine (`world.json`, changed by `create`, `delete`, `clone`), the state of each device
 * (`Devices/UDID/state.json`), its apps, and the running processes. It persists between calls; changes require the lock.
 * Simulated times are stored as points in time, so a boot progresses without a process.
 */
import { createHash, randomUUID } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import type { Json } from "./Layout.ts"

/** A step of a boot: status number, message, and how long it lasts in milliseconds. */
export type Phase = readonly [status: number, message: string, ms: number]

/** How an app waits for its debugger; the README describes what a debugger sees of each. */
export type Hold = "wait" | "execstop" | "shellstop"

/** A device as `list -j` prints it. */
export interface Device {
  readonly udid: string
  readonly name: string
  readonly state: string
  readonly isAvailable?: boolean
  readonly availabilityError?: string
  readonly deviceTypeIdentifier?: string
  readonly [field: string]: Json | undefined
}

/** A runtime or device type as `list -j` prints it. */
export interface Profile {
  readonly identifier: string
  readonly name: string
  readonly [field: string]: Json | undefined
}

/** The machine. `list` prints the four sections unchanged; a captured list can replace them. */
export interface World {
  readonly xcode: { readonly version: string; readonly build: string; readonly developerDir: string }
  /** Paths of tools; a tool that is null or absent cannot be found. */
  readonly tools: { readonly [tool: string]: string | null }
  readonly licenseAccepted: boolean
  readonly developerMode: boolean
  readonly sdks: { readonly [sdk: string]: { readonly path: string; readonly version: string } }
  readonly locale: string
  readonly hold: Hold
  /** Milliseconds from the start of a boot to `Booted` in the list; the same for shutdown and creation. */
  readonly delays: {
    readonly boot: number
    readonly shutdown: number
    readonly create: number
    readonly screen: number
  }
  readonly bootPlan: ReadonlyArray<Phase>
  readonly devicetypes: ReadonlyArray<Profile>
  readonly runtimes: ReadonlyArray<Profile>
  readonly devices: { readonly [runtime: string]: ReadonlyArray<Device> }
  readonly pairs: { readonly [pair: string]: Json }
}

/** The state of a device. */
export interface DeviceState {
  readonly state: string
  /** The next state, and when it starts. */
  readonly next?: { readonly state: string; readonly at: number }
  /** When its boot started. */
  readonly bootedAt?: number
  readonly lastBootedAt?: string
  readonly plan?: ReadonlyArray<Phase>
  /** The boot ends with this message instead of `Finished`. */
  readonly failure?: string
  /** A state that the list shows until a time. */
  readonly stuck?: { readonly state: string; readonly until: number }
  readonly settings?: { readonly [name: string]: string }
}

/** An installed app. */
export interface App {
  readonly bundleId: string
  readonly appPath: string
  readonly dataPath: string
  readonly executable: string
  readonly name: string
  readonly displayName: string
  readonly version: string
  readonly groups: { readonly [group: string]: string }
  readonly type: "User" | "System"
  readonly schemes: ReadonlyArray<string>
}

/** A process of the simulation: an app, or a stand-in (a process with a reused pid, a timer). */
export interface Row {
  readonly kind: "app" | "stranger" | "timer"
  readonly udid: string
  readonly bundleId: string
  readonly pid: number
  /** Start time in ticks since the machine's boot; with the pid it identifies the process. */
  readonly startTime: string
  readonly suffix: string
  readonly stdout: string
  readonly stderr: string
  readonly held: boolean
}

/** Reads a JSON file without checking its type. */
export const read = <T>(path: string, absent: T): T => {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    if (error instanceof SyntaxError) throw error
    return absent
  }
}

/** Writes a JSON file atomically. */
export const write = (path: string, value: unknown): void => {
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(own, path)
}

/** Returns the folder of a device. By the facts, the command line of an app contains `/Devices/UDID/`. */
export const deviceFolder = (root: string, udid: string): string => join(root, "Devices", udid)

/** Returns a new identifier in simctl's form. */
export const uuid = (): string => randomUUID().toUpperCase()

/** Returns the paths of a device in a new world. */
export const places = (root: string, udid: string) => ({
  dataPath: `${deviceFolder(root, udid)}/data`,
  dataPathSize: 18337792,
  logPath: `${root}/Logs/${udid}`
})

/** Returns the state of a device, also one that it has reached meanwhile. */
export const stateOf = (root: string, device: Device): DeviceState => {
  const stored = read<DeviceState>(`${deviceFolder(root, device.udid)}/state.json`, { state: device.state })
  const { next, ...rest } = stored
  return next === undefined || Date.now() < next.at ? stored : { ...rest, state: next.state }
}

/** Returns the state that the list shows. */
export const shown = ({ stuck, state }: DeviceState): string =>
  stuck !== undefined && Date.now() < stuck.until ? stuck.state : state

/** Stores the state of a device. */
export const setState = (root: string, udid: string, state: DeviceState): void => {
  mkdirSync(`${deviceFolder(root, udid)}/data`, { recursive: true })
  write(`${deviceFolder(root, udid)}/state.json`, state)
}

const appsFolder = (root: string, udid: string) => `${deviceFolder(root, udid)}/apps`

/** Returns an installed app of a device; undefined if it has none of this bundle id. */
export const appOf = (root: string, udid: string, bundle: string): App | undefined =>
  bundle.includes("/") ? undefined : read<App | undefined>(`${appsFolder(root, udid)}/${bundle}.json`, undefined)

/** Returns the installed apps of a device, ordered by bundle id. */
export const appsOf = (root: string, udid: string): ReadonlyArray<App> => {
  const folder = appsFolder(root, udid)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => read<ReadonlyArray<App>>(join(folder, name), []))
}

/** Stores an installed app. */
export const setApp = (root: string, udid: string, app: App): void => {
  mkdirSync(appsFolder(root, udid), { recursive: true })
  write(`${appsFolder(root, udid)}/${app.bundleId}.json`, app)
}

/** Removes an app with its files and its data. */
export const removeApp = (root: string, udid: string, bundle: string): void => {
  const app = appOf(root, udid, bundle)
  if (app === undefined) return
  rmSync(`${appsFolder(root, udid)}/${bundle}.json`)
  rmSync(join(app.appPath, ".."), { recursive: true, force: true })
  rmSync(app.dataPath, { recursive: true, force: true })
}

/** Returns the table of processes. */
export const rows = (root: string): ReadonlyArray<Row> => read<ReadonlyArray<Row>>(join(root, "processes.json"), [])

/** Stores the table of processes. */
export const setRows = (root: string, all: ReadonlyArray<Row>): void => write(join(root, "processes.json"), all)

/** Waits in the unlocked parts of a command: for simulated slowness, and to poll processes that are not children. */
export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/**
 * Runs a change under a lock of all processes that use this state. The lock is an abstract socket name: the kernel frees it
 * when its holder ends, and waiting processes are connected to the holder, so they notice that.
 */
export const locked = async <T>(root: string, change: () => T): Promise<T> => {
  const name = `\0fake-xcrun-${createHash("sha256").update(realpathSync(root)).digest("hex")}`
  for (;;) {
    const waiting = new Set<Socket>()
    const server = createServer((socket) => {
      waiting.add(socket)
      socket.on("error", () => socket.destroy())
    })
    const held = await new Promise<boolean>((done, fail) => {
      server.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? done(false) : fail(error)))
      server.listen(name, () => done(true))
    })
    if (held) {
      try {
        return change()
      } finally {
        server.close()
        for (const socket of waiting) socket.destroy()
      }
    }
    await new Promise<void>((done) => {
      const socket = connect(name)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => done())
      socket.resume()
    })
  }
}
