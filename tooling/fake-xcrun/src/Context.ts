/** The context of a simulated simctl command, and finding its device. */
import { invalidDevice, noneBooted, Stop, unknownToTheDouble, wrongState, type Answer } from "./Failures.ts"
import type { Fault, Applied } from "./Faults.ts"
import { locked, shown, stateOf, type Device, type DeviceState, type World } from "./World.ts"

/** One call of simctl. */
export interface Context {
  /** Folder of the devices: the state directory, or the folder of `--set`. */
  readonly root: string
  readonly world: World
  /** Major version of Xcode; texts depend on it. */
  readonly major: number
  readonly fault: Fault
  readonly applied?: Applied
  /** Prints before the command ends. */
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
}

/** A command, called with its arguments. */
export type Command = (context: Context, words: ReadonlyArray<string>) => Answer | Promise<Answer>

/** A device with its runtime and its current state. */
export interface Found {
  readonly device: Device
  readonly udid: string
  readonly runtime: string
  readonly state: DeviceState
}

/** Returns all devices. */
export const all = ({ root, world }: Context): ReadonlyArray<Found> =>
  Object.entries(world.devices).flatMap(([runtime, list]) =>
    list.map((device) => ({ device, udid: device.udid, runtime, state: stateOf(root, device) }))
  )

/**
 * Finds a device by its UDID as listed, by `booted`, or by its exact name. Whether simctl accepts a UDID in lower case is
 * not known.
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

/** Finds a device that must be booted. */
export const booted = (context: Context, word: string | undefined): Found => {
  const found = find(context, word)
  const state = shown(found.state)
  if (state !== "Booted") throw new Stop(wrongState("lookup", state))
  return found
}

/** Returns when the boot of a device ends; undefined if it failed or was not started. */
export const readyAt = ({ bootedAt, plan = [], failure }: DeviceState): number | undefined =>
  failure === undefined ? plan.reduce((at, [, , ms]) => at + ms, bootedAt ?? 0) : undefined

/** Changes the state directory under the lock. */
export const change = <T>({ root }: Context, body: () => T): Promise<T> => locked(root, body)

/** Fails on further arguments. */
export const noMore = (command: string, words: ReadonlyArray<string>): void => {
  const [word] = words
  if (word !== undefined) throw new Stop(unknownToTheDouble(`simctl ${command}: argument ${word}`))
}
