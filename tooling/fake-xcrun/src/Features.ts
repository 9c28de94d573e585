/**
 * Further commands: each needs a booted device, checks its arguments, and stores what it sets, so that it can be read back.
 * The only evidence is the table of commands in the facts; other arguments are refused with status 70.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { deflateSync, crc32 } from "node:zlib"
import { booted, change, find, noMore, type Command, type Context, type Found } from "./Context.ts"
import { envelope, noScreen, unknownToTheDouble, type Answer } from "./Failures.ts"
import { appOf, deviceFolder, pause, setState, shown } from "./World.ts"

const set = (context: Context, { udid }: Found, name: string, value: string | undefined) =>
  change(context, () => {
    const { state } = find(context, udid)
    const { [name]: _, ...others } = state.settings ?? {}
    setState(context.root, udid, { ...state, settings: value === undefined ? others : { ...others, [name]: value } })
  })

const sizes =
  "extra-small small medium large extra-large extra-extra-large extra-extra-extra-large accessibility-medium accessibility-large accessibility-extra-large accessibility-extra-extra-large accessibility-extra-extra-extra-large"
const options: { readonly [option: string]: readonly [values: ReadonlyArray<string>, initial: string] } = {
  appearance: [["light", "dark"], "light"],
  increase_contrast: [["enabled", "disabled"], "disabled"],
  content_size: [[...sizes.split(" "), "increment", "decrement"], "large"]
}

/** `ui D OPTION [VALUE]`. An invalid value exits with 0 and prints a message to stderr. */
export const ui: Command = async (context, [device, option = "", value, ...more]) => {
  noMore("ui", more)
  const found = booted(context, device)
  const [values, initial] = options[option] ?? []
  if (values === undefined || initial === undefined) return unknownToTheDouble(`simctl ui ${option}`)
  if (value === undefined) return { stdout: `${found.state.settings?.[option] ?? initial}\n` }
  if (!values.includes(value)) return { stderr: "Invalid argument\n" }
  await set(context, found, option, value)
  return {}
}

const services =
  "all calendar contacts-limited contacts location location-always photos-add photos media-library microphone motion reminders siri camera"

/** `privacy D grant|revoke|reset SERVICE [B]`. */
export const privacy: Command = async (context, [device, action = "", service = "", bundle, ...more]) => {
  noMore("privacy", more)
  const found = booted(context, device)
  if (!["grant", "revoke", "reset"].includes(action)) return unknownToTheDouble(`simctl privacy ${action}`)
  if (!services.split(" ").includes(service)) return unknownToTheDouble(`simctl privacy: service ${service}`)
  if (bundle === undefined && action !== "reset") return unknownToTheDouble(`simctl privacy ${action} without an app`)
  await set(context, found, `privacy ${service} ${bundle ?? ""}`, action === "reset" ? undefined : action)
  return {}
}

/** `push D [B] FILE|-`. */
export const push: Command = async (context, [device, ...words]) => {
  const found = booted(context, device)
  const [file = "", bundle, ...more] = words.toReversed()
  noMore("push", more)
  if (file !== "-" && !existsSync(file)) return noFile(file)
  let payload: { readonly aps?: unknown; readonly "Simulator Target Bundle"?: string }
  try {
    payload = JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"))
  } catch {
    return envelope({
      domain: "NSCocoaErrorDomain",
      code: 3840,
      message: ["The data couldn’t be read because it isn’t in the correct format."]
    })
  }
  const target = bundle ?? payload["Simulator Target Bundle"]
  if (target === undefined || appOf(context.root, found.udid, target) === undefined || payload.aps === undefined)
    return envelope({
      domain: "com.apple.CoreSimulator.SimError",
      code: 22,
      message: ["Invalid push payload or target."]
    })
  await set(context, found, `push ${target}`, JSON.stringify(payload))
  return { stdout: `Notification sent to '${target}'\n` }
}

const noFile = (path: string): Answer =>
  envelope({
    domain: "NSPOSIXErrorDomain",
    code: 2,
    message: [`The file “${path}” couldn’t be opened.`, "No such file or directory"]
  })

const bars = "time dataNetwork wifiMode wifiBars cellularMode cellularBars operatorName batteryState batteryLevel"

/** `status_bar D override …|list|clear`. */
export const statusBar: Command = async (context, [device, action = "", ...words]) => {
  const found = booted(context, device)
  if (action === "list") {
    noMore("status_bar list", words)
    const lines = Object.entries(found.state.settings ?? {}).flatMap(([name, value]) =>
      name.startsWith("bar ") ? [`${name.slice(4)}: ${value}\n`] : []
    )
    return { stdout: `Current Status Bar Overrides:\n=============================\n${lines.join("")}` }
  }
  if (action === "clear") {
    noMore("status_bar clear", words)
    for (const name of bars.split(" ")) await set(context, found, `bar ${name}`, undefined)
    return {}
  }
  if (action !== "override" || words.length === 0 || words.length % 2 === 1)
    return unknownToTheDouble(`simctl status_bar ${[action, ...words].join(" ")}`)
  for (let at = 0; at < words.length; at += 2) {
    const name = (words[at] ?? "").replace(/^--/, "")
    if (!bars.split(" ").includes(name)) return unknownToTheDouble(`simctl status_bar: option ${words[at]}`)
    await set(context, found, `bar ${name}`, words[at + 1])
  }
  return {}
}

/** `location D set LAT,LON|clear|list|run SCENARIO`. */
export const location: Command = async (context, [device, action = "", place, ...more]) => {
  noMore("location", more)
  const found = booted(context, device)
  if (action === "list") return { stdout: "City Run\nCity Bicycle Ride\nFreeway Drive\nApple\n" }
  if (action === "clear") {
    await set(context, found, "location", undefined)
    return {}
  }
  const known =
    action === "set" ? /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/.test(place ?? "") : action === "run" && place !== undefined
  if (!known) return unknownToTheDouble(`simctl location ${action} ${place ?? ""}`)
  await set(context, found, "location", place)
  return {}
}

/** `getenv D NAME`: at most 127 bytes of a variable of the device's launchd. */
export const getenv: Command = (context, [device, name = "", ...more]) => {
  noMore("getenv", more)
  const found = booted(context, device)
  const variables: { readonly [name: string]: string } = {
    HOME: `${deviceFolder(context.root, found.udid)}/data`,
    SIMULATOR_UDID: found.udid,
    SIMULATOR_DEVICE_NAME: found.device.name
  }
  return { stdout: `${(variables[name] ?? "").slice(0, 127)}\n` }
}

/** `pbcopy D` and `pbpaste D`. */
export const pasteboard =
  (copies: boolean): Command =>
  async (context, [device, ...more]) => {
    noMore(copies ? "pbcopy" : "pbpaste", more)
    const found = booted(context, device)
    if (!copies) return { stdout: found.state.settings?.["pasteboard"] ?? "" }
    await set(context, found, "pasteboard", readFileSync(0, "utf8"))
    return {}
  }

/** `addmedia D FILE…`. */
export const addmedia: Command = (context, [device, ...files]) => {
  booted(context, device)
  const missing = files.find((file) => !existsSync(file))
  if (files.length === 0) return unknownToTheDouble("simctl addmedia without a file")
  return missing === undefined ? {} : noFile(missing)
}

/** `keychain D add-root-cert|add-cert FILE|reset`. */
export const keychain: Command = (context, [device, action = "", file, ...more]) => {
  noMore("keychain", more)
  booted(context, device)
  if (action === "reset" && file === undefined) return {}
  if (!["add-root-cert", "add-cert"].includes(action) || file === undefined)
    return unknownToTheDouble(`simctl keychain ${action}`)
  return existsSync(file) ? {} : noFile(file)
}

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Returns a grey picture of the size of a phone in points. */
const png = (): Buffer => {
  const [width, height] = [402, 874]
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of grey; each line starts with its filter type, 0.
  header[8] = 8
  const line = Buffer.alloc(width + 1, 0x80)
  line[0] = 0
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => line)))
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))])
}

/** `io D screenshot [--type=png] FILE`, `io D recordVideo FILE`. */
export const io: Command = async (context, [device, action = "", ...words]) => {
  const found = find(context, device)
  const flags = words.filter((word) => word.startsWith("--"))
  const [file = "", ...more] = words.filter((word) => !word.startsWith("--"))
  noMore(`io ${action}`, more)
  const strange = flags.find(
    (flag) => !/^--(type=(png|jpeg|tiff|bmp)|codec=\w+|display=\w+|mask=\w+|force)$/.test(flag)
  )
  if (strange !== undefined || !["screenshot", "recordVideo"].includes(action))
    return unknownToTheDouble(`simctl io ${action} ${strange ?? ""}`)
  const video = action === "recordVideo"
  const isBooted = shown(found.state) === "Booted"
  if (!isBooted && !video) {
    await pause(context.world.delays.screen)
    return noScreen
  }
  if (!isAbsolute(file)) return unknownToTheDouble(`simctl io ${action}: ${file} is not an absolute path`)
  const note =
    "Note: No display specified. Defaulting to display: 6E1F0C62-6B3B-4B5C-9D65-3C7B6D0B4E51 (screenID: 1, name: LCD)\n"
  if (!video) {
    if (!existsSync(join(file, ".."))) return noFile(file)
    writeFileSync(file, png())
    return {
      stderr: `${flags.length === 0 ? "Detected file type 'PNG' from extension\n" : ""}${note}Wrote screenshot to: ${file}\n`
    }
  }
  if (existsSync(file) && !flags.includes("--force"))
    return envelope({ domain: "NSPOSIXErrorDomain", code: 17, message: [`The file ${file} exists.`, "File exists"] })
  writeFileSync(file, "")
  context.printError(`${note}Recording started\n`)
  await new Promise<void>((done) => {
    const idle = setInterval(() => undefined, 60_000)
    process.removeAllListeners("SIGINT").once("SIGINT", () => {
      clearInterval(idle)
      done()
    })
  })
  if (isBooted) writeFileSync(file, "simulated video\n")
  return { stderr: `Recording completed. Writing to disk.\nWrote video to: ${file}\n` }
}
