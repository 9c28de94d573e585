/**
 * Finds the C++ exception that a thread handles without a call of a function: in a core file, or in a program in which none may be called.
 *
 * The record of an exception is in front of its object (Itanium C++ ABI, `__cxa_exception`; 64-bit targets). It has a class that no
 * other memory has by chance. The stack below the function that threw has pointers to the object or to its record. The record of an
 * exception that was caught and destroyed has no count of references, because the allocator writes over it.
 */
import * as Effect from "effect/Effect"
import type { FileReader } from "../../ports/FileReader.ts"
import * as CoreFile from "./CoreFile.ts"

/** An exception object and its `std::type_info`, by addresses. */
export interface Thrown {
  readonly object: bigint
  readonly type: bigint
}

/** A part of a stack, by addresses. */
export interface Stack {
  readonly from: bigint
  readonly to: bigint
}

/** Bytes of the record in front of the object, with the count of references before it, and the offsets in it. */
const record = { size: 128n, type: 16, next: 48, handlers: 56, class: 96 } as const

/** Bytes from the part of the record that `next` names to the object. */
const linked = 112n

/** Distances to the object from what may point to it: itself, the part for the unwinder, the record, and the count before that. */
const distances = [0n, 32n, 112n, 128n] as const

/** The offset of the count of references by the class of exceptions: `GNUCC++` of libstdc++ and `CLNGC++` of libc++. */
const countOffsets: ReadonlyMap<bigint, number> = new Map([
  [0x474e5543432b2b00n, 0],
  [0x434c4e47432b2b00n, 8]
])

/** More references than an exception has. */
const tooMany = 1000n

/** Most bytes of the stack that are searched. */
const mostStack = 64n * 1024n

/** An exception whose record was read. */
interface Known extends Thrown {
  /** The record of the exception that was caught before. */
  readonly next: bigint
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const knownAt = (object: bigint, bytes: Uint8Array): Known | undefined => {
  if (BigInt(bytes.length) < record.size) return undefined
  const view = viewOf(bytes)
  const offset = countOffsets.get(view.getBigUint64(record.class, true))
  const count = offset === undefined ? 0n : view.getBigUint64(offset, true)
  return count === 0n || count > tooMany || view.getInt32(record.handlers, true) === 0
    ? undefined
    : { object, type: view.getBigUint64(record.type, true), next: view.getBigUint64(record.next, true) }
}

/** Reads memory; fewer bytes where it cannot be read. */
export type Memory = (address: bigint, length: bigint) => Effect.Effect<Uint8Array>

/** Returns the memory of a core file of a 64-bit machine; undefined for other files. */
export const memoryOf = Effect.fnUntraced(
  function* (file: string, files: FileReader["Service"]) {
    const read = yield* CoreFile.readerOf(files, file)
    const core = yield* CoreFile.parsed(read)
    return core?.core === true && core.wide && core.little ? CoreFile.memoryOf(core, read) : undefined
  },
  Effect.orElseSucceed(() => undefined)
)

/** Returns the newest exception of a thread that is still handled; undefined if none or more than one is found. */
export const find = ({ from, to }: Stack, memory: Memory): Effect.Effect<Thrown | undefined> =>
  Effect.gen(function* () {
    if (to <= from) return undefined
    const stack = yield* memory(from, to - from > mostStack ? mostStack : to - from)
    const view = viewOf(stack)
    const words = Array.from({ length: Math.floor(stack.length / 8) }, (_, index) => view.getBigUint64(index * 8, true))
    const objects = new Set(
      words
        .flatMap((word) => distances.map((distance) => word + distance))
        .filter((word) => word > record.size && word % 16n === 0n)
    )
    const found: Array<Known> = []
    for (const object of objects) {
      const known = knownAt(object, yield* memory(object - record.size, record.size))
      if (known !== undefined) found.push(known)
    }
    const newest = found.filter(({ object }) => !found.some(({ next }) => next === object - linked))
    const [first, other] = newest
    return other === undefined ? first : undefined
  })
