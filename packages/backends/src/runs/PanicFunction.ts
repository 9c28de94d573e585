/**
 * Finds the function through which every panic of Rust goes, `rust_panic` of its standard library, in the symbols of a program.
 *
 * A panic that nothing catches unwinds the stack and then exits. A breakpoint at the function stops the program before that.
 * Its name has a mangled form since Rust 1.87. Only 64-bit little-endian ELF files are read.
 */
import { FileReader } from "@sigtrap/manager"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const functionName = "rust_panic"

/** The mangled name before the function's own: that of the crate for symbols of the compiler. */
const mangled = /^_RNvC\w+_7___rustc10$/

/** Sizes of a header of a section and of a symbol (ELF-64 Object File Format). */
const sizes = { header: 64, section: 64, symbol: 24 }

/** The type of a section that is a symbol table. */
const symbolTable = 2

/** Returns the offsets of the function's names in a string table. */
const namesIn = (strings: string): ReadonlySet<number> => {
  const found = new Set<number>()
  const wanted = `${functionName}\0`
  for (let at = strings.indexOf(wanted); at >= 0; at = strings.indexOf(wanted, at + 1)) {
    const start = strings.lastIndexOf("\0", at - 1) + 1
    if (start === at || mangled.test(strings.slice(start, at))) found.add(start)
  }
  return found
}

/**
 * Returns the distance of the function from the entry point of a program, in bytes; undefined if the program has none, is
 * stripped, or cannot be read.
 */
export const find = Effect.fn("PanicFunction.find")(
  function* (
    program: string
  ): Effect.fn.Return<bigint | undefined, FileReader.FileRefused, FileReader.FileReader | Scope.Scope> {
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
    const names = namesIn(new TextDecoder("latin1").decode(yield* file.read(strings.offset, strings.size)))
    if (names.size === 0) return undefined
    const all = yield* at(symbols.offset, symbols.size)
    for (let place = 0; place + sizes.symbol <= all.byteLength; place += sizes.symbol) {
      const value = all.getBigUint64(place + 8, true)
      if (names.has(all.getUint32(place, true)) && value !== 0n) return value - header.getBigUint64(24, true)
    }
    return undefined
  },
  Effect.scoped,
  Effect.orElseSucceed(() => undefined)
)
