/**
 * A text that is equal only for stops with equal stacks: the address of the instruction, and each word of the stack that points to code
 * or into the stack, with its place. Unwinding reads nothing else, so equal fingerprints have equal frames. It names no functions.
 *
 * The stack of a thread is the mapping of its stack pointer in `/proc/PID/maps` (proc(5)).
 */
import { Hex, Registers, type Client } from "@sigtrap/rsp"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** The largest stack that is read, in bytes. A deeper one has no fingerprint. */
const largest = 128 * 1024

/** Bytes that are read at once. */
const piece = 16 * 1024

/** Bytes of a word. */
const word = 8

interface Range {
  readonly start: bigint
  readonly end: bigint
  readonly isCode: boolean
}

const rangesOf = (maps: string): ReadonlyArray<Range> =>
  [...maps.matchAll(/^([0-9a-f]+)-([0-9a-f]+) \S\S(\S)/gm)].map(([, start = "0", end = "0", execute]) => ({
    start: BigInt(`0x${start}`),
    end: BigInt(`0x${end}`),
    isCode: execute === "x"
  }))

const has = (address: bigint) => (range: Range) => address >= range.start && address < range.end

/** Makes the fingerprint of a stack from its bytes. */
export const make = (
  maps: string,
  { fp, pc, sp }: { readonly fp: bigint; readonly pc: bigint; readonly sp: bigint },
  stack: Uint8Array
): string => {
  const code = rangesOf(maps).filter(({ isCode }) => isCode)
  const end = sp + BigInt(stack.length)
  const view = new DataView(stack.buffer, stack.byteOffset, stack.byteLength)
  const inStack = (value: bigint) => value >= sp && value < end
  const parts = [pc.toString(16), inStack(fp) ? `${fp - sp}` : "-"]
  for (let offset = 0; offset + word <= stack.length; offset += word) {
    const value = view.getBigUint64(offset, true)
    if (inStack(value)) parts.push(`${offset}s${value - sp}`)
    else if (code.some(has(value))) parts.push(`${offset}c${value.toString(16)}`)
  }
  return parts.join(" ")
}

/** Reads the fingerprint of a stopped thread; undefined if its stack is too large or cannot be read. */
export const read = Effect.fn("StackFingerprint.read")(
  function* (client: Client.Client, pid: number, thread: number) {
    const fs = yield* FileSystem.FileSystem
    const known = yield* client.registers
    const value = Effect.fnUntraced(function* (role: string) {
      const register = Registers.find(known, role)
      return register?.bits === 64 ? Hex.toBigInt(yield* client.readRegister(register.number, thread)) : undefined
    })
    const [fp, pc, sp] = [yield* value("fp"), yield* value("pc"), yield* value("sp")]
    const maps = yield* fs.readFileString(`/proc/${pid}/maps`)
    if (fp === undefined || pc === undefined || sp === undefined || sp % BigInt(word) !== 0n) return undefined
    const range = rangesOf(maps).find(has(sp))
    if (range === undefined || range.end - sp > BigInt(largest)) return undefined
    const stack = new Uint8Array(Number(range.end - sp))
    for (let at = 0; at < stack.length; at += piece) {
      const bytes = yield* client.readMemory(sp + BigInt(at), Math.min(piece, stack.length - at))
      if (bytes.length < Math.min(piece, stack.length - at)) return undefined
      stack.set(bytes, at)
    }
    return make(maps, { fp, pc, sp }, stack)
  },
  Effect.orElseSucceed(() => undefined)
)
