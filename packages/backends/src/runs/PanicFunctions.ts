/**
 * Finds the functions of Rust's standard library that show a panic and what catches it, in the symbols of a program: `rust_panic`,
 * through which every panic goes; the personality routine, which the unwinder calls for each frame; the functions that call
 * the code of the user; and the one that writes the error which `main` or a test returned.
 *
 * A panic that nothing catches unwinds the stack and then exits. A breakpoint at `rust_panic` stops the program before that.
 * Some names have a mangled form since Rust 1.87. Only 64-bit little-endian ELF files are read.
 */
import { FileReader } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A part of the program: distances of its first byte and of the byte behind it from the entry point. */
export interface Range {
  readonly start: bigint
  readonly end: bigint
}

/** Distances of the functions from the entry point of the program, in bytes. */
export interface PanicFunctions {
  readonly panic: bigint
  readonly personality: bigint | undefined
  /** The function that writes the error which `main` or a test returned. */
  readonly returnedError: bigint | undefined
  /** The functions in which the code of the user runs, for each thread. Their callers belong to a runtime. */
  readonly userCode: ReadonlyArray<Range>
}

const functions = {
  panic: "rust_panic",
  personality: "rust_eh_personality",
  userCode: "__rust_begin_short_backtrace",
  returnedError: "attempt_print_to_stderr"
}

/** The mangled name before the function's own: that of the crate for symbols of the compiler. */
const mangled = /^_RNvC\w+_7___rustc\d+_?$/

/** The legacy and the present mangled name of `std::io::stdio`, before the length of the function's own name. */
const standardOutput = /^(?:_ZN3std2io5stdio|_RNvNtNtCs\w+_3std2io5stdio)\d+$/

/** Sizes of a header of a section and of a symbol (ELF-64 Object File Format). */
const sizes = { header: 64, section: 64, symbol: 24 }

/** The type of a section that is a symbol table. */
const symbolTable = 2

/** Returns the offsets of the names in a string table that have a part, and that satisfy a test of what is before that part. */
const namesIn = (strings: string, part: string, test: (before: string) => boolean): ReadonlySet<number> => {
  const found = new Set<number>()
  for (let at = strings.indexOf(part); at >= 0; at = strings.indexOf(part, at + 1)) {
    const start = strings.lastIndexOf("\0", at - 1) + 1
    if (test(strings.slice(start, at))) found.add(start)
  }
  return found
}

/** Returns the offsets of the names of a function of the compiler. */
const ownNames = (strings: string, name: string): ReadonlySet<number> =>
  namesIn(strings, `${name}\0`, (before) => before === "" || mangled.test(before))

/** Returns the functions of a program; undefined if it has no `rust_panic`, is stripped, or cannot be read. */
export const find = Effect.fn("PanicFunctions.find")(
  function* (
    program: string
  ): Effect.fn.Return<PanicFunctions | undefined, FileReader.FileRefused, FileReader.FileReader | Scope.Scope> {
    const reader = yield* FileReader.FileReader
    const file = yield* reader.parts(program, FileReader.purposes.binary)
    const at = Effect.fnUntraced(function* (offset: number, size: number) {
      const bytes = yield* file.read(offset, size)
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    })
    const header = yield* at(0, sizes.header)
    if (header.byteLength < sizes.header || header.getUint32(0) !== 0x7f454c46 || header.getUint16(4) !== 0x0201) {
      return undefined
    }
    const count = header.getUint16(60, true)
    const table = yield* at(Number(header.getBigUint64(40, true)), sizes.section * count)
    const sections = Array.from({ length: Math.floor(table.byteLength / sizes.section) }, (_, index) => {
      const place = index * sizes.section
      return {
        type: table.getUint32(place + 4, true),
        offset: Number(table.getBigUint64(place + 24, true)),
        size: Number(table.getBigUint64(place + 32, true)),
        link: table.getUint32(place + 40, true)
      }
    })
    const symbols = sections.find(({ type }) => type === symbolTable)
    const strings = symbols === undefined ? undefined : sections[symbols.link]
    if (symbols === undefined || strings === undefined) return undefined
    const text = new TextDecoder("latin1").decode(yield* file.read(strings.offset, strings.size))
    const panics = ownNames(text, functions.panic)
    if (panics.size === 0) return undefined
    const personalities = ownNames(text, functions.personality)
    const callers = namesIn(text, functions.userCode, () => true)
    const writers = namesIn(text, functions.returnedError, (before) => standardOutput.test(before))
    const entry = header.getBigUint64(24, true)
    let panic: bigint | undefined
    let personality: bigint | undefined
    let returnedError: bigint | undefined
    const userCode: Array<Range> = []
    const all = yield* at(symbols.offset, symbols.size)
    for (let place = 0; place + sizes.symbol <= all.byteLength; place += sizes.symbol) {
      const name = all.getUint32(place, true)
      const value = all.getBigUint64(place + 8, true)
      if (value === 0n) continue
      const start = value - entry
      if (panics.has(name)) panic ??= start
      else if (personalities.has(name)) personality ??= start
      else if (writers.has(name)) returnedError ??= start
      else if (callers.has(name)) userCode.push({ start, end: start + all.getBigUint64(place + 16, true) })
    }
    return panic === undefined ? undefined : { panic, personality, returnedError, userCode }
  },
  Effect.scoped,
  Effect.orElseSucceed(() => undefined)
)
