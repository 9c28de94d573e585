/**
 * Tells whether a program looks for leaks at its end: its dynamic symbols or its libraries are those of LeakSanitizer, which is a part of
 * AddressSanitizer too. Only 64-bit little-endian ELF files are read.
 */
import { FileReader } from "@sigtrap/manager"
import * as Effect from "effect/Effect"

/** Sizes of a header of a file and of a section (ELF-64 Object File Format). */
const sizes = { header: 64, section: 64 }

/** The type of a section of strings, and the flag of one that is loaded: that of the dynamic symbols and libraries. */
const strings = { type: 3, loaded: 2n }

/** Names in the strings of a program with LeakSanitizer: of clang, which links it, and of gcc. */
const names = /__lsan_|__asan_init|liblsan\.so/

/** An option of the user that turns the search for leaks off. */
const off = /(?:^|[:\s,])detect_leaks=(?:0|no|false)/

/** True if a program with an environment looks for leaks at its end. */
export const isIn = (program: string, env: Readonly<Record<string, string>>) =>
  off.test(`${env["ASAN_OPTIONS"] ?? ""}:${env["LSAN_OPTIONS"] ?? ""}`)
    ? Effect.succeed(false)
    : Effect.gen(function* () {
        const file = yield* (yield* FileReader.FileReader).parts(program, FileReader.purposes.binary)
        const at = Effect.fnUntraced(function* (offset: number, size: number) {
          const bytes = yield* file.read(offset, size)
          return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        })
        const header = yield* at(0, sizes.header)
        if (header.byteLength < sizes.header || header.getUint32(0) !== 0x7f454c46 || header.getUint16(4) !== 0x0201) {
          return false
        }
        const count = header.getUint16(60, true)
        const table = yield* at(Number(header.getBigUint64(40, true)), sizes.section * count)
        for (let place = 0; place + sizes.section <= table.byteLength; place += sizes.section) {
          const isLoaded = (table.getBigUint64(place + 8, true) & strings.loaded) !== 0n
          if (table.getUint32(place + 4, true) !== strings.type || !isLoaded) continue
          const [offset, size] = [table.getBigUint64(place + 24, true), table.getBigUint64(place + 32, true)]
          if (names.test(new TextDecoder("latin1").decode(yield* file.read(Number(offset), Number(size))))) return true
        }
        return false
      }).pipe(
        Effect.scoped,
        Effect.orElseSucceed(() => false)
      )
