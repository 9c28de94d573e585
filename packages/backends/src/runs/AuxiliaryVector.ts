/**
 * The auxiliary vector that the kernel gives a 64-bit program (getauxval(3)).
 */
import { Hex } from "@sigtrap/rsp"

/** The tag of the entry point of the program. */
export const entry = 9n

/** The tag of the address of 16 random bytes. */
export const random = 25n

const word = (bytes: Uint8Array, at: number): bigint => Hex.toBigInt(bytes.subarray(at, at + 8))

/** Returns the value of an entry; undefined if the vector has none. */
export const find = (vector: Uint8Array, tag: bigint): bigint | undefined => {
  for (let at = 0; at + 16 <= vector.length; at += 16) if (word(vector, at) === tag) return word(vector, at + 8)
  return undefined
}
