/**
 * The commands for apps: install, launch, terminate, containers.
 *
 * Evidence: `listapps.ios18.4.txt`, `appinfo-user-app.txt`, `launch-stdout.assembled.txt`, entries of `failures.json`. The
 * effect of `-w` on a running app, and the exit status of `--console`, are inferred.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { booted, change, noMore, readyAt, type Command, type Context, type Found } from "./Context.ts"
import {
  builtForDevice,
  launchDenied,
  launchRefused,
  noBundleId,
  noContainer,
  noSuchBundle,
  nothingToTerminate,
  Stop,
  unknownScheme,
  unknownToTheDouble
} from "./Failures.ts"
import { infoPlist, openStep, type Plist } from "./Layout.ts"
import { alive, extra, forget, kill, running, start, traced, waiting } from "./Processes.ts"
import {
  appOf,
  appsOf,
  deviceFolder,
  pause,
  removeApp,
  rows,
  setApp,
  setRows,
  uuid,
  type App,
  type Row
} from "./World.ts"

const word = (value: Plist | undefined): string => (typeof value === "string" ? value : "")
const words = (value: Plist | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : []

/** Terminates an app that is to be replaced; waits if a debugger is attached or the app waits for one. */
const makeWay = async (context: Context, udid: string, bundle: string): Promise<void> => {
  for (;;) {
    const row = running(context.root, udid, bundle)
    if (row === undefined) return
    if (!traced(row) && !waiting(row) && context.fault.installBlocks !== true) {
      await kill([row])
      return change(context, () => forget(context.root, [row]))
    }
    await pause(20)
  }
}

/** `install D PATH`. */
export const install: Command = async (context, [device, path = "", ...more]) => {
  noMore("install", more)
  const { udid } = booted(context, device)
  const from = resolve(path)
  if (!existsSync(from)) return noSuchBundle(path, context.major)
  const file = join(from, "Info.plist")
  const info = existsSync(file) ? infoPlist(readFileSync(file, "utf8")) : undefined
  const bundleId = word(info?.["CFBundleIdentifier"])
  if (info === undefined || bundleId === "") return noBundleId(basename(from))
  const name = word(info["CFBundleName"]) || basename(from, ".app")
  const platforms = words(info["CFBundleSupportedPlatforms"])
  if (platforms.length > 0 && !platforms.some((platform) => platform.endsWith("Simulator")))
    return builtForDevice(name, context.world.locale)
  await makeWay(context, udid, bundleId)
  return change(context, () => {
    const containers = `${deviceFolder(context.root, udid)}/data/Containers`
    const old = appOf(context.root, udid, bundleId)
    const appPath = `${containers}/Bundle/Application/${uuid()}/${basename(from)}`
    const types = Array.isArray(info["CFBundleURLTypes"]) ? info["CFBundleURLTypes"] : []
    const app: App = {
      bundleId,
      appPath,
      // The data of the app is kept when it is updated.
      dataPath: old?.dataPath ?? `${containers}/Data/Application/${uuid()}`,
      executable: word(info["CFBundleExecutable"]) || basename(from, ".app"),
      name,
      displayName: word(info["CFBundleDisplayName"]) || name,
      version: word(info["CFBundleVersion"]) || "1",
      groups: Object.fromEntries(
        words(info["SigtrapGroups"]).map((group) => [
          group,
          old?.groups[group] ?? `${containers}/Shared/AppGroup/${uuid()}`
        ])
      ),
      type: "User",
      schemes: types.flatMap((type: Plist) =>
        typeof type === "object" && !Array.isArray(type) && "CFBundleURLSchemes" in type
          ? words(type.CFBundleURLSchemes)
          : []
      )
    }
    if (old !== undefined) removeApp(context.root, udid, bundleId)
    mkdirSync(dirname(appPath), { recursive: true })
    for (const folder of [app.dataPath, ...Object.values(app.groups)]) mkdirSync(folder, { recursive: true })
    cpSync(from, appPath, { recursive: true })
    setApp(context.root, udid, app)
    return {}
  })
}

/** `uninstall D B`: also succeeds if the app is not installed. */
export const uninstall: Command = async (context, [device, bundle = "", ...more]) => {
  noMore("uninstall", more)
  const { udid } = booted(context, device)
  const row = running(context.root, udid, bundle)
  if (row !== undefined) await kill([row])
  return change(context, () => {
    if (row !== undefined) forget(context.root, [row])
    removeApp(context.root, udid, bundle)
    return {}
  })
}

interface LaunchWords {
  readonly flags: ReadonlySet<string>
  readonly stdout?: string
  readonly stderr?: string
  readonly device: string
  readonly bundle: string
  readonly args: ReadonlyArray<string>
}

const known = ["-w", "--wait-for-debugger", "--console", "--console-pty", "--terminate-running-process"]

const launchWords = (all: ReadonlyArray<string>): LaunchWords => {
  const flags = new Set<string>()
  const files: Record<string, string> = {}
  let at = 0
  for (; all[at]?.startsWith("-") === true; at++) {
    const flag = all[at] ?? ""
    const [, name, path] = /^--(stdout|stderr)=(\/.*)$/s.exec(flag) ?? []
    if (name !== undefined && path !== undefined) files[name] = path
    else if (known.includes(flag)) flags.add(flag === "-w" ? "--wait-for-debugger" : flag)
    else throw new Stop(unknownToTheDouble(`simctl launch: option ${flag} (files are --stdout=/absolute/path)`))
  }
  const console_ = flags.has("--console") || flags.has("--console-pty")
  if (console_ && (files["stdout"] ?? files["stderr"]) !== undefined)
    throw new Stop(unknownToTheDouble("simctl launch: --console together with --stdout or --stderr"))
  return { flags, ...files, device: all[at] ?? "", bundle: all[at + 1] ?? "", args: all.slice(at + 2) }
}

const shells: { readonly [fault: string]: ReadonlyArray<string> } = {
  exitsAtOnce: ["/bin/sh", "-c", "exit 1"],
  crashesAtOnce: [
    "/bin/sh",
    "-c",
    'echo "dyld[$$]: Library not loaded: @rpath/Missing.framework/Missing" >&2; kill -ABRT $$'
  ]
}

/** Starts the app and writes its row. */
const run = async (context: Context, { udid, device }: Found, app: App, asked: LaunchWords): Promise<Row> => {
  const { fault, root, world } = context
  const own = `${deviceFolder(root, udid)}/logs`
  mkdirSync(own, { recursive: true })
  const instead = shells[fault.launch ?? ""]
  const stdout = asked.stdout ?? `${own}/${app.bundleId}.stdout`
  const stderr = asked.stderr ?? `${own}/${app.bundleId}.stderr`
  for (const [path, given] of [
    [stdout, asked.stdout],
    [stderr, asked.stderr]
  ] as const)
    if (given === undefined && existsSync(path)) truncateSync(path)
  const row = await start({
    udid,
    deviceName: device.name,
    app,
    args: asked.args,
    stdout,
    stderr,
    ...(instead === undefined ? {} : { instead }),
    ...(asked.flags.has("--wait-for-debugger") && instead === undefined ? { hold: world.hold } : {})
  })
  await change(context, () => {
    setRows(root, [
      ...rows(root).filter((old) => old.kind !== "app" || old.udid !== udid || old.bundleId !== app.bundleId),
      row
    ])
    if (fault.appDies !== undefined) {
      const signal = (fault.signal ?? "SIGKILL").replace("SIG", "")
      extra(root, udid, "timer", ["/bin/sh", "-c", `sleep ${fault.appDies / 1000}; kill -${signal} ${row.pid}`])
    }
  })
  // With this fault the app has exited before its pid is printed.
  if (instead !== undefined) while (alive(row)) await pause(2)
  return row
}

/** `launch [flags] D B [args…]`. */
export const launch: Command = async (context, all) => {
  const asked = launchWords(all)
  const { bundle } = asked
  const { fault, root, applied } = context
  const found = booted(context, asked.device)
  const { udid } = found
  const ready = readyAt(found.state)
  const denied = Number(/^denied:(\d+)$/.exec(fault.launch ?? "")?.[1] ?? 0)
  if (ready === undefined || Date.now() < ready || (applied?.applied ?? 0) < denied) return launchDenied(bundle)
  const app = appOf(root, udid, bundle)
  if (fault.launch === "notInstalled") await change(context, () => removeApp(root, udid, bundle))
  if (app === undefined || fault.launch === "refused" || fault.launch === "notInstalled") return launchRefused(bundle)
  if (!existsSync(join(app.appPath, app.executable))) return launchRefused(bundle)
  let row = running(root, udid, bundle)
  if (row !== undefined && asked.flags.has("--terminate-running-process") && fault.launch !== "samePid") {
    const old = row
    await kill([old])
    await change(context, () => forget(root, [old]))
    row = undefined
  }
  row ??= await run(context, found, app, asked)
  const console_ = asked.flags.has("--console") || asked.flags.has("--console-pty")
  if (console_) return follow(context, row)
  const late = /^latePid:(\d+)$/.exec(fault.launch ?? "")?.[1]
  if (late !== undefined) await pause(Number(late))
  return fault.launch === "printsNoPid" ? {} : { stdout: `${bundle}: ${row.pid}\n` }
}

/** Copies an app's output until it ends; the line with the pid comes last, as if stdout is not a terminal. */
const follow = async ({ print, printError }: Context, row: Row) => {
  const end = (signal: NodeJS.Signals) => () => process.kill(row.pid, signal)
  process.removeAllListeners("SIGINT").on("SIGINT", end("SIGINT"))
  process.removeAllListeners("SIGTERM").on("SIGTERM", end("SIGTERM"))
  let [out, err] = [0, 0]
  for (let last = false; ;) {
    const [stdout, stderr] = [readFileSync(row.stdout, "utf8"), readFileSync(row.stderr, "utf8")]
    print(stdout.slice(out))
    printError(stderr.slice(err))
    ;[out, err] = [stdout.length, stderr.length]
    if (last) return { stdout: `${row.bundleId}: ${row.pid}\n` }
    last = !alive(row)
    if (!last) await pause(20)
  }
}

/** `terminate D B`. */
export const terminate: Command = async (context, [device, bundle = "", ...more]) => {
  noMore("terminate", more)
  const { udid } = booted(context, device)
  const row = running(context.root, udid, bundle)
  if (row === undefined) return nothingToTerminate(bundle, context.major)
  await kill([row])
  await change(context, () => forget(context.root, [row]))
  return {}
}

/** `get_app_container D B [app|data|groups|GROUP]`. */
export const container: Command = (context, [device, bundle = "", kind = "app", ...more]) => {
  noMore("get_app_container", more)
  const { udid } = booted(context, device)
  const app = appOf(context.root, udid, bundle)
  if (app === undefined) return noContainer
  if (kind === "app") return { stdout: `${app.appPath}\n` }
  if (kind === "data") return { stdout: `${app.dataPath}\n` }
  if (kind === "groups")
    return {
      stdout: Object.entries(app.groups)
        .map(([group, path]) => `${group}\t${path}\n`)
        .join("")
    }
  const path = app.groups[kind]
  return path === undefined ? noContainer : { stdout: `${path}\n` }
}

const url = (path: string) => `file://${encodeURI(path)}/`

const described = (app: App): Plist => ({
  ApplicationType: app.type,
  Bundle: url(app.appPath),
  BundleContainer: url(dirname(app.appPath)),
  CFBundleDisplayName: app.displayName,
  CFBundleExecutable: app.executable,
  CFBundleIdentifier: app.bundleId,
  CFBundleName: app.name,
  CFBundleVersion: app.version,
  DataContainer: url(app.dataPath),
  GroupContainers: Object.fromEntries(Object.entries(app.groups).map(([group, path]) => [group, url(path)])),
  Path: app.appPath,
  SBAppTags: []
})

/** `listapps D`. */
export const listapps: Command = (context, [device, ...more]) => {
  noMore("listapps", more)
  const { udid } = booted(context, device)
  const apps = appsOf(context.root, udid).map((app) => [app.bundleId, described(app)])
  return { stdout: `${openStep(Object.fromEntries(apps))}\n` }
}

/** `appinfo D B`; the answer for an app that is not installed is inferred from `get_app_container`. */
export const appinfo: Command = (context, [device, bundle = "", ...more]) => {
  noMore("appinfo", more)
  const { udid } = booted(context, device)
  const app = appOf(context.root, udid, bundle)
  return app === undefined ? noContainer : { stdout: `${openStep(described(app))}\n` }
}

/** `openurl D URL`: web URLs and the schemes of the apps. */
export const openurl: Command = (context, [device, address = "", ...more]) => {
  noMore("openurl", more)
  const { udid } = booted(context, device)
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase()
  const schemes = ["http", "https", "tel", "mailto", ...appsOf(context.root, udid).flatMap((app) => app.schemes)]
  if (scheme === undefined || !schemes.includes(scheme)) return unknownScheme(address)
  writeFileSync(`${deviceFolder(context.root, udid)}/opened`, `${address}\n`, { flag: "a" })
  return {}
}
