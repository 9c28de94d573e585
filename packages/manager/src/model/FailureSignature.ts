/**
 * The signature of a failure: its reason, and the three innermost frames that are shown to the user, by short names:
 * a name with the hash of a build would be another one after the next build.
 */
import { FunctionName, type Stop } from "@sigtrap/protocol"

/** A signature. Equal failures have the same id. */
export interface FailureSignature {
  readonly id: string
  readonly reason: string
  readonly frames: ReadonlyArray<string>
}

/** The number of frames of a signature. */
const depth = 3

/** A short name of a text: 32 bits of FNV-1a as hexadecimal digits. */
const shortened = (text: string): string => {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, "0")
}

/** Makes a signature. */
export const make = (reason: string, frames: ReadonlyArray<string>): FailureSignature => {
  const top = frames.slice(0, depth)
  return { id: shortened([reason, ...top].join("\n")), reason, frames: top }
}

/** Returns a signature as reports show it, such as `SIGSEGV push < worker`. */
const textOf = ({ frames, reason }: Pick<FailureSignature, "reason" | "frames">): string =>
  [reason, frames.map((frame) => FunctionName.short(frame)).join(" < ")].filter((part) => part !== "").join(" ")

/** True for the signature with this id or this text; true for each if nothing is wanted. */
export const matches = (signature: FailureSignature, wanted: string | undefined): boolean =>
  wanted === undefined || wanted === signature.id || wanted.trim() === textOf(signature)

/** Returns the words for the reason of a stop: what the debugger knows, else the signal. */
const reasonOf = ({ reason, signal }: Stop.StopReport): string =>
  reason === "assert" || reason === "panic" || reason === "sanitizer" ? reason : (signal ?? reason ?? "stop")

/** Makes the signature of a stop. `known` is the reason if the run had it: an exit, a hang or output. */
export const ofStop = (report: Stop.StopReport, known?: string): FailureSignature =>
  make(
    known ?? reasonOf(report),
    (report.frames ?? []).filter(({ hidden }) => hidden !== true).map((frame) => FunctionName.short(frame.function))
  )
