/**
 * Reads and writes memory by LLDB commands.
 */
import { Memory } from "@sigtrap/lldb"
import type { Backend, Inspection } from "@sigtrap/manager"
import { Errors } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"

/** The parts of a connection that this module uses. */
export interface Options {
  /** Runs a command and returns its output, also if it failed. */
  readonly commandText: (line: string) => Effect.Effect<string, Backend.Failure>
  /** Runs a command and returns its output. Fails if the command fails. */
  readonly command: (line: string) => Effect.Effect<string, Backend.Failure>
}

/** The most bytes that one command writes; it keeps the line short. */
const writtenAtOnce = 512

/** Reads memory. One unreadable byte makes LLDB's command fail; then each memory region is read by its own command. */
export const read = ({ commandText }: Options): Inspection.Inspection["memory"] =>
  Effect.fnUntraced(function* (address, count) {
    const range = (from: bigint, length: number) =>
      Effect.map(commandText(Memory.read(from, length)), (text) => Memory.bytes(text, from, length))
    const whole = yield* range(address, count)
    if (whole.length === count) return { bytes: whole, unreadable: [], by: "lldb" as const }
    const bytes = new Uint8Array(count)
    const unreadable: Array<readonly [number, number]> = []
    const gap = (from: number, to: number) => {
      const last = unreadable.at(-1)
      if (last !== undefined && last[1] === from) unreadable[unreadable.length - 1] = [last[0], to]
      else unreadable.push([from, to])
    }
    let offset = 0
    while (offset < count) {
      const at = address + BigInt(offset)
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      const left = BigInt(count - offset)
      const length = Number(region === undefined || region.to <= at || region.to - at > left ? left : region.to - at)
      const found = region?.readable === true ? yield* range(at, length) : new Uint8Array(0)
      bytes.set(found, offset)
      if (found.length < length) gap(offset + found.length, offset + length)
      offset += length
    }
    return { bytes, unreadable, by: "lldb" as const }
  })

/** Writes memory; nothing is written unless all of it is writable. */
export const write = ({ command, commandText }: Options): Inspection.Inspection["write"] =>
  Effect.fnUntraced(function* (address, bytes) {
    for (let at = address; at < address + BigInt(bytes.length);) {
      const region = Memory.regionOf(yield* commandText(Memory.region(at)))
      if (region === undefined || !region.writable || region.to <= at) {
        return yield* new Errors.AdapterError({
          command: "memory write",
          detail: `0x${at.toString(16)} is not writable${region?.name === undefined ? "" : ` (${region.name})`}`
        })
      }
      at = region.to
    }
    for (let offset = 0; offset < bytes.length; offset += writtenAtOnce) {
      yield* command(Memory.write(address + BigInt(offset), bytes.subarray(offset, offset + writtenAtOnce)))
    }
    return "lldb" as const
  })
