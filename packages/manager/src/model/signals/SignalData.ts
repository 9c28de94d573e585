/**
 * Reads `siginfo_t` of a 64-bit Linux: what the kernel tells of a signal (sigaction(2)).
 */
import type { SignalInfo } from "../../ports/Faults.ts"
import * as SignalCodes from "./SignalCodes.ts"

/** Parses the data of a signal. `by` is where it was read. */
export const parse = (content: Uint8Array, little: boolean, by: SignalInfo["by"]): SignalInfo | undefined => {
  if (content.length < 24) return undefined
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const name = SignalCodes.names[view.getInt32(0, little)]
  const number = view.getInt32(8, little)
  if (name === undefined) return undefined
  const code = SignalCodes.nameOf(name, number)
  const isSent = number <= 0
  return {
    name,
    by,
    ...(code === undefined ? {} : { code }),
    ...(isSent ? { sent: true, sender: view.getInt32(16, little) } : {}),
    ...(code === SignalCodes.refusedCall && content.length >= 32
      ? { call: { number: view.getInt32(24, little), architecture: view.getUint32(28, little) } }
      : {}),
    ...(isSent || !SignalCodes.hasAddress.has(name) ? {} : { address: view.getBigUint64(16, little) })
  }
}
