/**
 * Characters as GDB writes them: the number, then the character (`131 '\x83'`, `65 'A'`). LLDB writes only the character, which
 * hides the number of a `uint8_t`.
 */
import { CharacterEscapes } from "@sigtrap/manager"

/** Matches a character with the number that the formatters put behind it. */
const numbered = /^('\\x[0-9a-fA-F]{2}') (-?\d+)$/

const unsigned = /^(?:(?:const|volatile) )*(?:unsigned char|_{0,2}uint8_t|__u8|u8|u_char|std::byte)$/
const signed = /^(?:(?:const|volatile) )*(?:signed char|_{0,2}int8_t|__s8|i8)$/

/** Returns the byte of a character between quotes; undefined if it is not one byte. */
const byteOf = (written: string): number | undefined => {
  const hex = /^\\x([0-9a-fA-F]{2})$/.exec(written)?.[1]
  if (hex !== undefined) return Number.parseInt(hex, 16)
  const letter = /^\\(.)$/s.exec(written)?.[1]
  if (letter !== undefined)
    return Object.hasOwn(CharacterEscapes.bytes, letter) ? CharacterEscapes.bytes[letter] : undefined
  const code = written.codePointAt(0)
  return code !== undefined && code < 0x80 && written.length === 1 ? code : undefined
}

/**
 * Matches a wide character. LLDB writes its number or its bytes before it, lldb-dap both: `U+0061 u'a'`, `U+0061 U+0061 u'a'`,
 * `w\0\0\0 L'w'`.
 */
const wide = /^(?:[^\s'"{}]+ )*((?:u8|[uUL])'(.+)')$/su

/** Matches a character of Rust: its number, then the character. */
const scalar = /^U\+0x[\da-f]+ ('.+')$/su

/** Returns the code point of a wide character between quotes; undefined if it is not one. */
const codeOf = (written: string): number | undefined => {
  const hex = /^\\[xuU]([0-9a-fA-F]{2,8})$/.exec(written)?.[1]
  if (hex !== undefined) return Number.parseInt(hex, 16)
  return [...written].length === 1 ? written.codePointAt(0) : byteOf(written)
}

/**
 * Returns the text of a character with its number. For a byte from 0x80 on, the formatters add the number. Without
 * them one whose type does not tell its sign, such as `char`, stays as it is.
 */
export const withNumber = (text: string, type = ""): string => {
  const [, before, number] = numbered.exec(text) ?? []
  if (before !== undefined && number !== undefined) return `${number} ${before}`
  const [, character] = scalar.exec(text) ?? []
  if (character !== undefined) return character
  const [, quoted, inside] = wide.exec(text) ?? []
  if (quoted !== undefined && inside !== undefined) {
    const code = codeOf(inside)
    return code === undefined ? text : `${code} ${quoted}`
  }
  // The type of Rust's characters; those of C++ have a prefix.
  if (type === "char32_t") return text
  const written = /^'(.+)'$/s.exec(text)?.[1]
  const byte = written === undefined ? undefined : byteOf(written)
  if (byte === undefined) return text
  if (byte < 0x80 || unsigned.test(type)) return `${byte} ${text}`
  return signed.test(type) ? `${byte - 0x100} ${text}` : text
}
