/**
 * `simctl list`: the four sections as JSON or text, filtered.
 *
 * Evidence: `list-full.*.json`, `list-devices.*.json`, `list-full-text.*.txt`, `list-devices-text.*.txt`. It is inferred that
 * a filter keeps the empty lists of runtimes.
 */
import { all, type Command, type Context } from "./Context.ts"
import { Stop, unknownToTheDouble } from "./Failures.ts"
import { json, type Json } from "./Layout.ts"
import { shown, type Device } from "./World.ts"

const sections = ["devicetypes", "runtimes", "devices", "pairs"] as const
type Section = (typeof sections)[number]

const available = (device: Device) =>
  device.isAvailable ?? /^\(available\)$/.test(String(device["availability"]).trim())

/** Returns the devices of each runtime with their current state. */
const devices = (
  context: Context,
  filter: string | undefined
): { readonly [runtime: string]: ReadonlyArray<Device> } => {
  const { fault, applied, world } = context
  const lists: Record<string, Array<Device>> = {}
  for (const runtime of Object.keys(world.devices)) lists[runtime] = []
  for (const { device, runtime, state } of all(context)) {
    const meant = fault.udid === undefined ? state.bootedAt !== undefined : fault.udid === device.udid
    const stuck = fault.stuckState !== undefined && meant && Date.now() < (applied?.first ?? 0) + (fault.ms ?? Infinity)
    const now: Device = {
      ...(state.lastBootedAt === undefined ? {} : { lastBootedAt: state.lastBootedAt }),
      ...device,
      ...(state.lastBootedAt === undefined ? {} : { lastBootedAt: state.lastBootedAt }),
      state: stuck ? (fault.stuckState ?? "") : shown(state)
    }
    const fits =
      filter === undefined ||
      (filter === "available" && available(device)) ||
      (filter === "booted" && now.state === "Booted") ||
      (filter !== "available" && filter !== "booted" && (device.name.includes(filter) || device.udid === filter))
    if (fits) lists[runtime]?.push(now)
  }
  return lists
}

const runtimeText = (runtime: { readonly [field: string]: Json | undefined }) => {
  const { name, version, buildversion, identifier, isAvailable, availabilityError } = runtime
  return `${name} (${version} - ${buildversion}) - ${identifier}${isAvailable === false ? ` (unavailable, ${availabilityError})` : ""}`
}

const text = (context: Context, selected: ReadonlyArray<Section>, filter: string | undefined): string => {
  const { world } = context
  const lines: Array<string> = []
  if (selected.includes("devicetypes"))
    lines.push("== Device Types ==", ...world.devicetypes.map(({ name, identifier }) => `${name} (${identifier})`))
  if (selected.includes("runtimes")) lines.push("== Runtimes ==", ...world.runtimes.map(runtimeText))
  if (selected.includes("devices")) {
    lines.push("== Devices ==")
    for (const [key, list] of Object.entries(devices(context, filter))) {
      const runtime = world.runtimes.find(({ identifier, name }) => identifier === key || name === key)
      if (runtime === undefined && list.length === 0) continue
      lines.push(`-- ${runtime?.name ?? `Unavailable: ${key}`} --`)
      for (const device of list) {
        const reason = available(device)
          ? ""
          : `(unavailable, ${device.availabilityError ?? "runtime profile not found"})`
        lines.push(`    ${device.name} (${device.udid}) (${device.state}) ${reason}`)
      }
    }
  }
  if (selected.includes("pairs")) {
    lines.push("== Device Pairs ==")
    for (const [pair, value] of Object.entries(world.pairs)) {
      const { state, watch, phone }: { state?: string; watch?: Device; phone?: Device } = JSON.parse(
        JSON.stringify(value)
      )
      lines.push(`${pair} ${state}`)
      for (const [role, device] of [
        ["Watch", watch],
        ["Phone", phone]
      ] as const)
        if (device !== undefined) lines.push(`    ${role}: ${device.name} (${device.udid}) (${device.state})`)
    }
  }
  return `${lines.join("\n")}\n`
}

/** `list [-j] [devices|runtimes|devicetypes|pairs] [FILTER]`. */
export const list: Command = (context, words) => {
  const asJson = words.some((word) => word === "-j" || word === "--json")
  const rest = words.filter((word) => word !== "-j" && word !== "--json" && word !== "-v")
  const flag = rest.find((word) => word.startsWith("-"))
  const [first, ...others] = rest
  const section = sections.find((name) => name === first)
  const [filter, more] = section === undefined ? rest : others
  if (flag !== undefined || more !== undefined)
    throw new Stop(unknownToTheDouble(`simctl list: argument ${flag ?? more}`))
  // A captured list keeps the order of its sections.
  const present = Object.keys(context.world).flatMap((key) => sections.filter((name) => name === key))
  const selected = section === undefined ? present : [section]
  if (!asJson) return { stdout: text(context, selected, filter) }
  const value = Object.fromEntries(
    selected.map((name): [string, Json] => {
      if (name === "devices") return [name, devices(context, filter)]
      if (name === "pairs") return [name, context.world.pairs]
      const profiles = context.world[name]
      const known =
        filter === undefined || filter === "booted"
          ? profiles
          : profiles.filter((one) => filter !== "available" || one["isAvailable"] !== false)
      return [name, known]
    })
  )
  return { stdout: `${json(value)}\n` }
}
