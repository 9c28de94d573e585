/**
 * Texts of integers of C whose type a debugger does not read in an expression: atomic ones, and those of 128 bits.
 */

/** Names of signed and unsigned integers without characters, whose text has the character too. */
const signed = /^(?:(?:signed )?(?:short|int|long|long int|long long|long long int|short int|__int128)|__int128_t)$/
const unsigned =
  /^(?:unsigned(?: (?:short|int|long|long int|long long|long long int|short int|__int128))?|__uint128_t|unsigned __int128)$/

/** Returns a type without what does not change its text: `int` of `volatile _Atomic(int)`. */
const plain = (type: string): string => {
  const own = type.replace(/\b(?:const|volatile)\b ?/g, "").trim()
  const inner = /^_Atomic\((.+)\)$/.exec(own)?.[1] ?? /^_Atomic (.+)$/.exec(own)?.[1]
  return inner === undefined ? own : plain(inner)
}

/** Returns the text of an integer with these bytes, the lowest first; undefined for other types. */
export const of = (type: string, bytes: Uint8Array): string | undefined => {
  const name = plain(type)
  const number = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  if (/^(?:_Bool|bool)$/.test(name)) return bytes.length === 1 && number <= 1n ? String(number === 1n) : undefined
  if (unsigned.test(name)) return String(number)
  return signed.test(name) ? String(BigInt.asIntN(bytes.length * 8, number)) : undefined
}
