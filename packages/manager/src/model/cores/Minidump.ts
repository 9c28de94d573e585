/**
 * Reads from a minidump which program left it. LLDB's `process save-core` writes one on Linux; the format is that of Windows
 * (`minidumpapiset.h`), with build ids as LLDB and Breakpad write them.
 */
import * as Effect from "effect/Effect"

/** Reads bytes of a file at an offset; fewer at its end. */
type Read = (at: bigint, length: bigint) => Effect.Effect<Uint8Array>

/** The program that left a minidump: its path, and the build id if it has one. */
interface DumpedProgram {
  readonly file: string
  readonly build?: string
}

const signature = 0x504d444d
const moduleList = 4
const elfBuildId = 0x4270454c

/** Offsets and sizes in bytes. */
const sizes = { header: 32, entry: 12, module: 108, moduleName: 20, moduleRecord: 76 } as const

/** Most streams of a file, and most bytes of a path or a build id. */
const most = { streams: 1000, bytes: 32_768 } as const

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads a text with its length before it, in UTF-16. */
const textAt = Effect.fnUntraced(function* (read: Read, at: number) {
  const head = yield* read(BigInt(at), 4n)
  if (head.length < 4) return undefined
  const length = viewOf(head).getUint32(0, true)
  if (length > most.bytes) return undefined
  return new TextDecoder("utf-16le").decode(yield* read(BigInt(at + 4), BigInt(length)))
})

/** Reads the build id in a record of a module; undefined for another record. */
const buildAt = Effect.fnUntraced(function* (read: Read, at: number, size: number) {
  if (size <= 4 || size > most.bytes) return undefined
  const record = yield* read(BigInt(at), BigInt(size))
  if (record.length < size || viewOf(record).getUint32(0, true) !== elfBuildId) return undefined
  return [...record.subarray(4)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
})

/** Returns the program that left a minidump, which is the first of its modules; undefined for another format. */
export const program = Effect.fn("Minidump.program")(function* (read: Read) {
  const header = yield* read(0n, BigInt(sizes.header))
  if (header.length < sizes.header || viewOf(header).getUint32(0, true) !== signature) return undefined
  const count = Math.min(viewOf(header).getUint32(8, true), most.streams)
  const directory = yield* read(BigInt(viewOf(header).getUint32(12, true)), BigInt(count * sizes.entry))
  const entries = viewOf(directory)
  for (let at = 0; at + sizes.entry <= directory.length; at += sizes.entry) {
    if (entries.getUint32(at, true) !== moduleList) continue
    const list = entries.getUint32(at + 8, true)
    const first = yield* read(BigInt(list + 4), BigInt(sizes.module))
    if (first.length < sizes.module) return undefined
    const view = viewOf(first)
    const file = yield* textAt(read, view.getUint32(sizes.moduleName, true))
    const recordSize = view.getUint32(sizes.moduleRecord, true)
    const build = yield* buildAt(read, view.getUint32(sizes.moduleRecord + 4, true), recordSize)
    if (file === undefined) return undefined
    const found: DumpedProgram = { file, ...(build === undefined ? {} : { build }) }
    return found
  }
  return undefined
})
