/**
 * The state directory: what the machine has (`world.json`, written once and by `create`, `delete`, `clone`), what each
 * device does (`Devices/UDID/state.json`), its apps, and what runs. It outlives every call; whoever changes it holds the
 * lock. Simulated times are kept as moments, so nothing has to run for a boot to go on.
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

/** How an app waits for its debugger; the README says what a debugger sees of each. */
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

/** The machine. The four sections are printed as they stand here; a captured list may be written in their place. */
export interface World {
  readonly xcode: { readonly version: string; readonly build: string; readonly developerDir: string }
  /** Paths of tools; one that is null or absent cannot be found. */
  readonly tools: { readonly [tool: string]: string | null }
  readonly licenseAccepted: boolean
  readonly developerMode: boolean
  readonly sdks: { readonly [sdk: string]: { readonly path: string; readonly version: string } }
  readonly locale: string
  readonly hold: Hold
  /** Milliseconds between the start of a boot and `Booted` in the list; the same for ends and new devices. */
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

/** What a device does. */
export interface DeviceState {
  readonly state: string
  /** The state it will be in from a moment on. */
  readonly next?: { readonly state: string; readonly at: number }
  /** When its boot began. */
  readonly bootedAt?: number
  readonly lastBootedAt?: string
  readonly plan?: ReadonlyArray<Phase>
  /** The boot ends with this message instead of `Finished`. */
  readonly failure?: string
  /** A state that the list shows until a moment. */
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

/** A process of ours: an app, or one that only stands in for something (a stranger with a reused pid, a timer). */
export interface Row {
  readonly kind: "app" | "stranger" | "timer"
  readonly udid: string
  readonly bundleId: string
  readonly pid: number
  /** Start time in ticks since the machine's boot; with the pid it names the process. */
  readonly startTime: string
  readonly suffix: string
  readonly stdout: string
  readonly stderr: string
  readonly held: boolean
}

/** Reads a file of JSON; what it holds is what was written there. */
export const read = <T>(path: string, absent: T): T => {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch (error) {
    if (error instanceof SyntaxError) throw error
    return absent
  }
}

/** Writes a file of JSON so that a reader sees the old text or the new one. */
export const write = (path: string, value: unknown): void => {
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(own, path)
}

/** The folder of a device. The facts want `/Devices/UDID/` in the command line of an app. */
export const deviceFolder = (root: string, udid: string): string => join(root, "Devices", udid)

/** A new identifier as simctl writes them. */
export const uuid = (): string => randomUUID().toUpperCase()

/** Where a device of a new world keeps its files. */
export const places = (root: string, udid: string) => ({
  dataPath: `${deviceFolder(root, udid)}/data`,
  dataPathSize: 18337792,
  logPath: `${root}/Logs/${udid}`
})

export const stateOf = (root: string, device: Device): DeviceState => {
  const stored = read<DeviceState>(`${deviceFolder(root, device.udid)}/state.json`, { state: device.state })
  const { next, ...rest } = stored
  return next === undefined || Date.now() < next.at ? stored : { ...rest, state: next.state }
}

/** What the list shows. */
export const shown = ({ stuck, state }: DeviceState): string =>
  stuck !== undefined && Date.now() < stuck.until ? stuck.state : state

export const setState = (root: string, udid: string, state: DeviceState): void => {
  mkdirSync(`${deviceFolder(root, udid)}/data`, { recursive: true })
  write(`${deviceFolder(root, udid)}/state.json`, state)
}

const appsFolder = (root: string, udid: string) => `${deviceFolder(root, udid)}/apps`

export const appOf = (root: string, udid: string, bundle: string): App | undefined =>
  bundle.includes("/") ? undefined : read<App | undefined>(`${appsFolder(root, udid)}/${bundle}.json`, undefined)

export const appsOf = (root: string, udid: string): ReadonlyArray<App> => {
  const folder = appsFolder(root, udid)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => read<ReadonlyArray<App>>(join(folder, name), []))
}

export const setApp = (root: string, udid: string, app: App): void => {
  mkdirSync(appsFolder(root, udid), { recursive: true })
  write(`${appsFolder(root, udid)}/${app.bundleId}.json`, app)
}

export const removeApp = (root: string, udid: string, bundle: string): void => {
  const app = appOf(root, udid, bundle)
  if (app === undefined) return
  rmSync(`${appsFolder(root, udid)}/${bundle}.json`)
  rmSync(join(app.appPath, ".."), { recursive: true, force: true })
  rmSync(app.dataPath, { recursive: true, force: true })
}

export const rows = (root: string): ReadonlyArray<Row> => read<ReadonlyArray<Row>>(join(root, "processes.json"), [])

export const setRows = (root: string, all: ReadonlyArray<Row>): void => write(join(root, "processes.json"), all)

/** Waits in the unlocked parts of a command: simulated slowness, and processes of which nobody tells that they ended. */
export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/**
 * Runs a change alone, over all processes that use this state. The lock is a socket name in the kernel: it is free the
 * moment its holder ends, however that ends, and who waits is connected to the holder and told so.
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
