/**
 * The text of a value that a debug server has read, as `print` shows it.
 */
import type { TracedField } from "../ports/ProgramRuns.ts"

/** Returns the text of the bytes of a value, in the order of memory, the least significant first. */
export const textOf = ({ kind, size }: TracedField, bytes: Uint8Array): string => {
  if (bytes.length !== size) return "<unknown>"
  let value = 0n
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte)
  switch (kind) {
    case "signed":
      return `${BigInt.asIntN(size * 8, value)}`
    case "unsigned":
      return `${value}`
    case "bool":
      return value === 0n ? "false" : value === 1n ? "true" : "<unknown>"
    case "pointer":
      return `0x${value.toString(16).padStart(size * 2, "0")}`
  }
}
