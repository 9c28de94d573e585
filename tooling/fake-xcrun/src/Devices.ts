/**
 * The commands for devices: boot and shutdown with the intermediate states, boot status, create, clone, erase, delete.
 *
 * Evidence: the table of commands in the facts, `bootstatus-*.txt`, `create-stdout-*.txt`, entries of `failures.json`.
 */
import { cpSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { all, change, find, noMore, readyAt, type Command, type Context, type Found } from "./Context.ts"
import {
  envelope,
  incompatible,
  invalidDeviceOrPair,
  noLaunchd,
  Stop,
  unknownToTheDouble,
  wrongState,
  type Answer
} from "./Failures.ts"
import { forget, kill } from "./Processes.ts"
import {
  deviceFolder,
  pause,
  places,
  read,
  rows,
  setState,
  shown,
  uuid,
  write,
  type Device,
  type DeviceState,
  type Phase,
  type Profile,
  type World
} from "./World.ts"

const stuck = ({ fault }: Context): Pick<DeviceState, "stuck"> =>
  fault.stuckState === undefined
    ? {}
    : { stuck: { state: fault.stuckState, until: Date.now() + (fault.ms ?? 86_400_000) } }

/** Starts a boot. Requires the lock. */
const begin = (context: Context, { udid, device, state }: Found): Answer | undefined => {
  const { fault, world } = context
  const now = shown(state)
  if (device.isAvailable === false) {
    // The code and its first words are in the facts; the rest of the sentence is inferred.
    const message = ["Unable to boot device because it cannot be located on disk."]
    return envelope({ domain: "com.apple.CoreSimulator.SimError", code: 163, message })
  }
  if (fault.launchdDead === true) return noLaunchd
  if (now !== "Shutdown") return wrongState("boot device", now, context.major)
  const at = Date.now()
  const booted = { state: "Booted", at: at + world.delays.boot }
  setState(context.root, udid, {
    ...(state.settings === undefined ? {} : { settings: state.settings }),
    ...(world.delays.boot === 0 ? { state: "Booted" } : { state: "Booting", next: booted }),
    ...stuck(context),
    bootedAt: at,
    lastBootedAt: new Date(at).toISOString().replace(/\.\d+Z$/, "Z"),
    plan: fault.slowBoot ?? world.bootPlan,
    ...(fault.bootFails === undefined ? {} : { failure: fault.bootFails })
  })
  return fault.alreadyRace === true ? wrongState("boot device", "Booted", context.major) : undefined
}

/** `boot D`. It returns when the list shows Booted; SpringBoard takes longer. */
export const boot: Command = async (context, [word, ...more]) => {
  noMore("boot", more)
  const failure = await change(context, () => begin(context, find(context, word, invalidDeviceOrPair)))
  if (failure === undefined) await pause(context.world.delays.boot)
  return failure ?? {}
}

const pad = (value: number) => String(value).padStart(2, "0")

const record = (status: number, terminal: boolean, message: string, began: number) => {
  const now = new Date().toISOString().replace("T", " ").replace(/\..*/, "")
  const seconds = Math.round((Date.now() - began) / 1000)
  const elapsed = `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`
  return `[${now} +0000] Status=${status}, isTerminal=${terminal ? "YES" : "NO"}, Elapsed=${elapsed}.\n\t${message}\n`
}

/** `bootstatus D [-b] [-c] [-d]`: prints the progress of a boot until it ends; a failed boot also exits with status 0. */
export const bootstatus: Command = async (context, words) => {
  const [word, ...more] = words.filter((flag) => !["-b", "-c", "-d"].includes(flag))
  noMore("bootstatus", more)
  const found = find(context, word, invalidDeviceOrPair)
  const { fault } = context
  if (words.includes("-b")) {
    const lost = await change(context, () => {
      const now = find(context, found.udid)
      const failure = shown(now.state) === "Shutdown" ? begin(context, now) : undefined
      return fault.alreadyRace === true
        ? wrongState("boot device", "Booted", context.major, "Device boot failed\n")
        : failure
    })
    if (lost !== undefined) return lost
  }
  if (fault.slowBoot !== undefined || fault.bootFails !== undefined) {
    await change(context, () => {
      const { state } = find(context, found.udid)
      const plan = fault.slowBoot === undefined ? {} : { plan: fault.slowBoot, bootedAt: Date.now() }
      setState(context.root, found.udid, {
        ...state,
        ...plan,
        ...(fault.bootFails === undefined ? {} : { failure: fault.bootFails })
      })
    })
  }
  context.print(`Monitoring boot status for ${found.device.name} (${found.udid}).\n`)
  // Without -b it waits for a boot that another command starts.
  while (!["Booted", "Booting"].includes(find(context, found.udid).state.state)) await pause(20)
  const { state } = find(context, found.udid)
  const ready = readyAt(state)
  if (ready !== undefined && Date.now() >= ready) return { stdout: "Device already booted, nothing to do.\n\n" }
  const began = state.bootedAt ?? Date.now()
  const plan: ReadonlyArray<Phase> = state.plan ?? []
  let ends = began
  for (const [status, message, ms] of plan) {
    ends += ms
    if (Date.now() >= ends) continue
    context.print(`${record(status, false, message, began)}\n`)
    await pause(ends - Date.now())
    if (find(context, found.udid).state.bootedAt !== state.bootedAt)
      return { exit: 1, stderr: "Device was shut down\n" }
  }
  const { failure } = state
  return {
    stdout: failure === undefined ? record(4294967295, true, "Finished", began) : record(3, true, failure, began)
  }
}

/** Ends all processes on devices. */
const stop = async (context: Context, devices: ReadonlyArray<Found>): Promise<void> => {
  const udids = new Set(devices.map(({ udid }) => udid))
  const mine = rows(context.root).filter(({ udid }) => udids.has(udid))
  await kill(mine)
  await change(context, () => forget(context.root, mine))
}

const shut = (context: Context, { udid, state }: Found) => {
  const { shutdown } = context.world.delays
  const { bootedAt: _, plan: __, failure: ___, stuck: ____, next: _____, ...kept } = state
  setState(context.root, udid, {
    ...kept,
    ...(shutdown === 0
      ? { state: "Shutdown" }
      : { state: "Shutting Down", next: { state: "Shutdown", at: Date.now() + shutdown } }),
    ...stuck(context)
  })
}

/** `shutdown D|all`. */
export const shutdown: Command = async (context, [word, ...more]) => {
  noMore("shutdown", more)
  const ended = await change(context, () => {
    const devices =
      word === "all" ? all(context).filter(({ state }) => shown(state) !== "Shutdown") : [find(context, word)]
    for (const found of devices) {
      const now = shown(found.state)
      if (word !== "all" && (now === "Shutdown" || now === "Shutting Down" || now === "Creating"))
        throw new Stop(wrongState("shutdown device", now, context.major))
      shut(context, found)
    }
    return devices
  })
  await stop(context, ended)
  if (ended.length > 0) await pause(context.world.delays.shutdown)
  return {}
}

/**
 * Changes the list of devices, which is read again since another call may have changed it. Requires the lock.
 */
const relist = ({ root }: Context, edit: (devices: World["devices"]) => World["devices"]) => {
  const path = join(root, "world.json")
  const now = read<{ readonly devices: World["devices"] }>(path, { devices: {} })
  write(path, { ...now, devices: edit(now.devices) })
}

/** Finds the devices of `erase` and `delete`. */
const meant = (context: Context, words: ReadonlyArray<string>): ReadonlyArray<Found> => {
  if (words[0] === "all") return all(context)
  if (words[0] === "unavailable") return all(context).filter(({ device }) => device.isAvailable === false)
  return words.map((word) => find(context, word))
}

/** `erase D…|all`. */
export const erase: Command = async (context, words) =>
  change(context, () => {
    const devices = meant(context, words)
    for (const { state } of devices) {
      const now = shown(state)
      if (now !== "Shutdown") throw new Stop(wrongState("erase contents and settings", now, context.major))
    }
    for (const { udid, state } of devices) {
      rmSync(deviceFolder(context.root, udid), { recursive: true, force: true })
      setState(context.root, udid, { state: state.state })
    }
    return {}
  })

/** `delete D…|all|unavailable`. A booted device is shut down. */
export const remove: Command = async (context, words) => {
  const gone = await change(context, () => {
    const devices = meant(context, words)
    const udids = new Set(devices.map(({ udid }) => udid))
    relist(context, (lists) =>
      Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, list.filter(({ udid }) => !udids.has(udid))]))
    )
    return devices
  })
  await stop(context, gone)
  for (const { udid } of gone) rmSync(deviceFolder(context.root, udid), { recursive: true, force: true })
  return {}
}

const versions = (one: Profile) => String(one["version"]).split(".").map(Number)

const newest = (a: Profile, b: Profile) => {
  const [left, right] = [versions(a), versions(b)]
  const at = left.findIndex((part, index) => part !== right[index])
  return (right[at] ?? 0) - (left[at] ?? 0)
}

const supports = (runtime: Profile, type: Profile) =>
  JSON.stringify(runtime["supportedDeviceTypes"] ?? "").includes(`"${type.identifier}"`)

const described = (runtime: Profile) =>
  `${runtime.name} (${String(runtime["version"])} - ${String(runtime["buildversion"])}) - ${runtime.identifier}`

const add = (context: Context, runtime: string, device: Device) => {
  relist(context, (lists) => ({ ...lists, [runtime]: [...(lists[runtime] ?? []), device] }))
  const { create: delay } = context.world.delays
  setState(context.root, device.udid, {
    ...(delay === 0
      ? { state: "Shutdown" }
      : { state: "Creating", next: { state: "Shutdown", at: Date.now() + delay } }),
    ...stuck(context)
  })
}

/** `create NAME TYPE [RUNTIME]`. The exit statuses for an unknown type or runtime are inferred. */
export const create: Command = async (context, [name, kind, asked, ...more]) => {
  noMore("create", more)
  if (name === undefined || kind === undefined) return unknownToTheDouble("simctl create without a name and a type")
  return change(context, () => {
    const { devicetypes, runtimes } = context.world
    const type = devicetypes.find((one) => one.identifier === kind || one.name === kind)
    if (type === undefined) return { exit: 145, stderr: `Invalid device type: ${kind}\n` }
    const usable = runtimes.filter((one) => one["isAvailable"] !== false)
    const runtime =
      asked === undefined
        ? usable.filter((one) => supports(one, type)).toSorted(newest)[0]
        : usable.find((one) => one.identifier === asked || one.name === asked)
    if (runtime === undefined) return { exit: 146, stderr: `Invalid runtime: ${asked ?? ""}\n` }
    if (!supports(runtime, type)) return incompatible(`${type.name} (${type.identifier})`, described(runtime))
    const udid = uuid()
    add(context, runtime.identifier, {
      ...places(context.root, udid),
      udid,
      isAvailable: true,
      deviceTypeIdentifier: type.identifier,
      state: "Shutdown",
      name
    })
    const notice = asked === undefined ? `No runtime specified, using '${described(runtime)}'\n` : ""
    return { stdout: `${notice}${udid}\n` }
  })
}

/** `clone D NAME`: prints the new UDID. */
export const clone: Command = async (context, [word, name, ...more]) => {
  noMore("clone", more)
  if (name === undefined) return unknownToTheDouble("simctl clone without a name")
  return change(context, () => {
    const { device, runtime, state } = find(context, word)
    const now = shown(state)
    if (now !== "Shutdown") return wrongState("clone device", now, context.major)
    const udid = uuid()
    const { lastBootedAt: _, ...rest } = device
    const from = `${deviceFolder(context.root, device.udid)}/data`
    if (existsSync(from)) cpSync(from, `${deviceFolder(context.root, udid)}/data`, { recursive: true })
    add(context, runtime, { ...rest, ...places(context.root, udid), udid, name, state: "Shutdown" })
    return { stdout: `${udid}\n` }
  })
}
