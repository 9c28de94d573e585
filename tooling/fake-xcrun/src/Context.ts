/** What a command of simctl is given, and what nearly all of them ask first: which device, and is it booted. */
import { invalidDevice, noneBooted, Stop, unknownToTheDouble, wrongState, type Answer } from "./Failures.ts"
import type { Fault, Applied } from "./Faults.ts"
import { locked, shown, stateOf, type Device, type DeviceState, type World } from "./World.ts"

/** One call of simctl. */
export interface Context {
  /** Folder of the devices: the state directory, or what `--set` names. */
  readonly root: string
  readonly world: World
  /** Major version of Xcode: texts differ. */
  readonly major: number
  readonly fault: Fault
  readonly applied?: Applied
  /** Prints before the command ends. */
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
}

/** A command: its words, without its name. */
export type Command = (context: Context, words: ReadonlyArray<string>) => Answer | Promise<Answer>

/** A device with the runtime it is listed under and what it does now. */
export interface Found {
  readonly device: Device
  readonly udid: string
  readonly runtime: string
  readonly state: DeviceState
}

/** All devices. */
export const all = ({ root, world }: Context): ReadonlyArray<Found> =>
  Object.entries(world.devices).flatMap(([runtime, list]) =>
    list.map((device) => ({ device, udid: device.udid, runtime, state: stateOf(root, device) }))
  )

/**
 * The device that a word names: a UDID as it is listed, `booted`, or an exact name. A UDID in lower case is not known to
 * be understood.
 */
export const find = (context: Context, word: string | undefined, invalid = invalidDevice): Found => {
  const devices = all(context)
  if (word === "booted") {
    const booted = devices.find(({ state }) => state.state === "Booted")
    if (booted === undefined) throw new Stop(noneBooted)
    return booted
  }
  const found = devices.find(({ udid }) => udid === word) ?? devices.find(({ device }) => device.name === word)
  if (found === undefined) throw new Stop(invalid(word ?? ""))
  return found
}

/** The device that a word names, which must be booted. */
export const booted = (context: Context, word: string | undefined): Found => {
  const found = find(context, word)
  const state = shown(found.state)
  if (state !== "Booted") throw new Stop(wrongState("lookup", state))
  return found
}

/** When a device's boot is over; undefined when it failed or never began. */
export const readyAt = ({ bootedAt, plan = [], failure }: DeviceState): number | undefined =>
  failure === undefined ? plan.reduce((at, [, , ms]) => at + ms, bootedAt ?? 0) : undefined

/** Changes the state directory alone. */
export const change = <T>({ root }: Context, body: () => T): Promise<T> => locked(root, body)

/** Fails on words after those that a command knows. */
export const noMore = (command: string, words: ReadonlyArray<string>): void => {
  const [word] = words
  if (word !== undefined) throw new Stop(unknownToTheDouble(`simctl ${command}: argument ${word}`))
}
