/**
 * Checks that a program produced a core file, by reading both files. With the wrong program, debuggers show wrong
 * functions and values without a warning.
 *
 * Reads ELF programs, Linux core files and minidumps. There is no warning for other formats, for unreadable files, for cores
 * without the program's first page, and for minidumps without a build id.
 */
import { type Answer, Errors, Hint, ShellWords } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import { type FileReader, purposes } from "../../ports/FileReader.ts"
import * as Minidump from "./Minidump.ts"

/** Maximum size of a table or of notes, in bytes. */
const maxRead = 16 * 1024 * 1024

/** Largest file offset. */
const maxOffset = BigInt(Number.MAX_SAFE_INTEGER)

const types = { load: 1, note: 4, headers: 6 } as const
const notes = { files: 0x46494c45, auxiliary: 6, buildId: 3 } as const
const auxiliary = { headers: 3n, count: 5n, entry: 9n } as const

/** Reads bytes of a file at an offset; fewer at its end. */
type Read = (at: bigint, length: bigint) => Effect.Effect<Uint8Array>

/** Word size (64 bits if `wide`) and byte order of an ELF file. */
interface Words {
  readonly wide: boolean
  readonly little: boolean
}

/** A part of an ELF file: where it is in the file, and in the memory of the program. Sizes are those in the file, in bytes. */
export interface Segment {
  readonly type: number
  readonly offset: bigint
  readonly address: bigint
  readonly size: bigint
}

interface Elf extends Words {
  readonly core: boolean
  /** `e_machine`: 62 for x86-64, 183 for arm64. */
  readonly machine: number
  readonly entry: bigint
  readonly count: bigint
  readonly segments: ReadonlyArray<Segment>
}

interface Note {
  readonly owner: string
  readonly type: number
  readonly content: Uint8Array
}

/** Identifies one build of a program. */
interface Identity {
  readonly build?: string
  readonly entry: bigint
  /** Number of program headers. */
  readonly count: bigint
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const word = (view: DataView, { little, wide }: Words, at: number): bigint =>
  wide ? view.getBigUint64(at, little) : BigInt(view.getUint32(at, little))

const size = ({ wide }: Words) => (wide ? 8 : 4)

const segmentsOf = (bytes: Uint8Array, words: Words): ReadonlyArray<Segment> => {
  const view = viewOf(bytes)
  const entry = words.wide ? 56 : 32
  return Array.from({ length: Math.floor(bytes.length / entry) }, (_, index) => {
    const at = index * entry
    const field = (wide: number, narrow: number) => word(view, words, at + (words.wide ? wide : narrow))
    return {
      type: view.getUint32(at, words.little),
      offset: field(8, 4),
      address: field(16, 8),
      size: field(32, 16)
    }
  })
}

/** Parses the header and the table of segments; undefined for another format. */
export const parsed = Effect.fnUntraced(function* (read: Read) {
  const header = yield* read(0n, 64n)
  const view = viewOf(header)
  if (header.length < 52 || view.getUint32(0) !== 0x7f454c46) return undefined
  const words = { wide: header[4] === 2, little: header[5] === 1 }
  if (words.wide && header.length < 64) return undefined
  const count = view.getUint16(words.wide ? 56 : 44, words.little)
  const table = yield* read(word(view, words, words.wide ? 32 : 28), BigInt(count * (words.wide ? 56 : 32)))
  const elf: Elf = {
    ...words,
    core: view.getUint16(16, words.little) === 4,
    machine: view.getUint16(18, words.little),
    entry: word(view, words, 24),
    count: BigInt(count),
    segments: segmentsOf(table, words)
  }
  return elf
})

/** True for a segment of notes, which has the registers of a core file. */
export const isNote = ({ type }: Segment): boolean => type === types.note

const notesOf = (bytes: Uint8Array, { little }: Words): ReadonlyArray<Note> => {
  const view = viewOf(bytes)
  const found: Array<Note> = []
  const padded = (length: number) => Math.ceil(length / 4) * 4
  for (let at = 0; at + 12 <= bytes.length;) {
    const owner = at + 12
    const content = owner + padded(view.getUint32(at, little))
    const end = content + view.getUint32(at + 4, little)
    if (end > bytes.length) break
    found.push({
      owner: new TextDecoder().decode(bytes.subarray(owner, content)).replace(/\0+$/, ""),
      type: view.getUint32(at + 8, little),
      content: bytes.subarray(content, end)
    })
    at = content + padded(end - content)
  }
  return found
}

/** Reads the notes of all segments. */
export const allNotes = (elf: Elf, read: (segment: Segment) => Effect.Effect<Uint8Array>) =>
  Effect.forEach(elf.segments.filter(isNote), (segment) =>
    Effect.map(read(segment), (bytes) => notesOf(bytes, elf))
  ).pipe(Effect.map((lists) => lists.flat()))

const buildOf = (all: ReadonlyArray<Note>): Pick<Identity, "build"> => {
  const content = all.find(({ owner, type }) => owner === "GNU" && type === notes.buildId)?.content
  return content === undefined ? {} : { build: [...content].map((byte) => byte.toString(16).padStart(2, "0")).join("") }
}

/** Returns the file that was mapped at an address, from the list of mappings in a core. */
const mapped = (content: Uint8Array, words: Words, address: bigint): string | undefined => {
  const view = viewOf(content)
  const step = size(words)
  if (content.length < 2 * step) return undefined
  const count = Number(word(view, words, 0))
  const names = (2 + 3 * count) * step
  if (names > content.length) return undefined
  const paths = new TextDecoder().decode(content.subarray(names)).split("\0")
  return paths.slice(0, count).find((_, index) => {
    const at = (2 + 3 * index) * step
    return word(view, words, at) <= address && address < word(view, words, at + step)
  })
}

/** Returns a reader of the memory in a core; it reads nothing where the core has no such memory. */
export const memoryOf =
  (core: Elf, read: Read) =>
  (address: bigint, length: bigint): Effect.Effect<Uint8Array> => {
    const within = core.segments.find(
      (one) => one.type === types.load && one.address <= address && address + length <= one.address + one.size
    )
    return within === undefined
      ? Effect.succeed(new Uint8Array(0))
      : read(within.offset + address - within.address, length)
  }

/** Reads from a core the identity and path of the program that produced it. */
const dumped = Effect.fnUntraced(function* (core: Elf, read: Read) {
  const all = yield* allNotes(core, ({ offset, size }) => read(offset, size))
  const vector = all.find(({ owner, type }) => owner === "CORE" && type === notes.auxiliary)?.content
  if (vector === undefined) return undefined
  const view = viewOf(vector)
  const step = size(core)
  const values = new Map(
    Array.from({ length: Math.floor(vector.length / (2 * step)) }, (_, index) => [
      word(view, core, index * 2 * step),
      word(view, core, index * 2 * step + step)
    ])
  )
  const at = values.get(auxiliary.headers)
  const count = values.get(auxiliary.count)
  const entry = values.get(auxiliary.entry)
  if (at === undefined || count === undefined || entry === undefined) return undefined
  const memory = memoryOf(core, read)
  const segments = segmentsOf(yield* memory(at, count * (core.wide ? 56n : 32n)), core)
  const headers = segments.find(({ type }) => type === types.headers)
  // Only a position-independent program has this header; it gives the unrelocated address.
  const moved = headers === undefined ? 0n : at - headers.address
  const build = buildOf(yield* allNotes({ ...core, segments }, ({ address, size }) => memory(address + moved, size)))
  const files = all.find(({ owner, type }) => owner === "CORE" && type === notes.files)?.content
  const file = files === undefined ? undefined : mapped(files, core, at)
  const identity: Identity = { ...build, entry, count }
  return { identity, ...(file === undefined ? {} : { file }) }
})

/** Returns a reader of a file. */
export const readerOf = (files: FileReader["Service"], file: string) =>
  Effect.map(
    files.parts(file, purposes.binary),
    (opened): Read =>
      (at, length) =>
        length > BigInt(maxRead) || at > maxOffset
          ? Effect.succeed(new Uint8Array(0))
          : opened.read(Number(at), Number(length))
  )

/** Compares build ids; without them, the page offset of the entry point and the number of headers. */
const differ = (one: Partial<Identity>, other: Identity): boolean => {
  if (one.build !== undefined && other.build !== undefined) return one.build !== other.build
  if (one.entry === undefined || one.count === undefined) return false
  return (one.entry & 0xfffn) !== (other.entry & 0xfffn) || one.count !== other.count
}

/** Returns the first 12 digits of a build id. */
const shortened = (build: string) => build.slice(0, 12)

/** Returns the build id of a program; none if it has none or is not an ELF file. */
export const buildId = (program: string, files: FileReader["Service"]): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const read = yield* readerOf(files, program)
    const elf = yield* parsed(read)
    return elf === undefined ? undefined : buildOf(yield* allNotes(elf, ({ offset, size }) => read(offset, size))).build
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined)
  )

/** The first bytes of compressed files, and what decompresses them. systemd stores core files so. */
const compressed: ReadonlyArray<readonly [first: string, command: string]> = [
  ["28b52ffd", "zstd -d"],
  ["04224d18", "lz4 -d"],
  ["fd377a58", "xz -dk"],
  ["1f8b", "gzip -dk"]
]

/** Returns why a file is not a core file, and what to do; undefined if it is one, or has a format that the debugger may know. */
const otherThanCore = Effect.fnUntraced(function* (file: string, isSwapped: boolean, program: string, read: Read) {
  const elf = yield* parsed(read)
  const swapped = isSwapped ? Hint.again("core", { file: program, program: file }) : Hint.help("core")
  if (elf !== undefined)
    return elf.core ? undefined : { problem: `${file} is a program, not a core file`, hint: swapped }
  const first = yield* read(0n, 64n)
  const hex = Array.from(first.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("")
  const [, command] = compressed.find(([start]) => hex.startsWith(start)) ?? []
  if (command !== undefined) {
    return {
      problem: `${file} is compressed; decompress it first`,
      hint: Hint.remedy(ShellWords.join([...command.split(" "), file]))
    }
  }
  const isText = first.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
  if (first.length > 0 && !isText) return undefined
  return { problem: `${file} is ${first.length === 0 ? "empty" : "a text"}, not a core file`, hint: swapped }
})

/** True for a readable core file. */
const isCore = (file: string, files: FileReader["Service"]): Effect.Effect<boolean> =>
  file === ""
    ? Effect.succeed(false)
    : Effect.flatMap(readerOf(files, file), parsed).pipe(
        Effect.map((elf) => elf?.core === true),
        Effect.scoped,
        Effect.orElseSucceed(() => false)
      )

/** Fails for a file that is not a core file: often it and the program are in the wrong order. Other formats are left to the debugger. */
export const refuseProgram = (file: string, program: string, files: FileReader["Service"]) =>
  Effect.gen(function* () {
    const read = yield* readerOf(files, file)
    return yield* otherThanCore(file, yield* isCore(program, files), program, read)
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => undefined),
    Effect.flatMap((found) =>
      found === undefined
        ? Effect.void
        : Effect.fail(new Errors.Usage({ problem: found.problem, near: [], remedies: [found.hint] }))
    )
  )

/** The program that left a core, as far as the core tells. */
interface Dumped {
  readonly identity: Partial<Identity>
  readonly file?: string
}

/** Reads from a core or a minidump the identity and path of the program that left it. */
const programOf = Effect.fnUntraced(function* (read: Read): Effect.fn.Return<Dumped | undefined> {
  const dump = yield* parsed(read)
  if (dump !== undefined) return dump.core ? yield* dumped(dump, read) : undefined
  const found = yield* Minidump.program(read)
  return found === undefined
    ? undefined
    : { identity: found.build === undefined ? {} : { build: found.build }, file: found.file }
})

/** Returns a warning if a program did not produce a core file; none if it did, or if that is unknown. */
export const mismatch = (
  core: string,
  program: string,
  files: FileReader["Service"]
): Effect.Effect<ReadonlyArray<Answer.Warning>> =>
  Effect.gen(function* () {
    const readCore = yield* readerOf(files, core)
    const dumpedProgram = yield* programOf(readCore)
    const compared = program === "" ? dumpedProgram?.file : program
    if (dumpedProgram === undefined || compared === undefined) return []
    const readProgram = yield* readerOf(files, compared)
    const given = yield* parsed(readProgram)
    if (given === undefined || given.core) return []
    const build = buildOf(yield* allNotes(given, ({ offset, size }) => readProgram(offset, size)))
    if (!differ(dumpedProgram.identity, { ...build, entry: given.entry, count: given.count })) return []
    const known = dumpedProgram.identity.build
    const ids =
      known === undefined || build.build === undefined
        ? ""
        : ` (build id ${shortened(build.build)}, the core has ${shortened(known)})`
    const author =
      dumpedProgram.file === undefined || dumpedProgram.file === compared ? "another build of it" : dumpedProgram.file
    const message =
      program === ""
        ? `${compared} was built anew since it left this core${ids}; name the old file with --program`
        : `the core was left by ${author}, not by ${compared}${ids}: functions, lines and values may be wrong`
    return [{ code: "CORE_OF_ANOTHER_PROGRAM", message }]
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => [])
  )
