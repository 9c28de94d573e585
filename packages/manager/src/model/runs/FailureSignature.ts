/**
 * The signature of a failure: its reason, the three innermost frames that are shown to the user, by short names, and of a crash the line of the
 * innermost one. A name with the hash of a build would be another one after the next build. A hang, an exit and a signal from outside
 * have no line: the program may be anywhere then. Output is noticed after the program has written it, so it has no frames either.
 */
import { FunctionName, type Stop } from "@sigtrap/protocol"

/** A signature. Equal failures have the same id. */
export interface FailureSignature {
  readonly id: string
  readonly reason: string
  readonly frames: ReadonlyArray<string>
  readonly line?: number
}

/** The number of frames of a signature. */
const depth = 3

/** A short name of a text: 32 bits of FNV-1a as hexadecimal digits. */
const shortened = (text: string): string => {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash.toString(16).padStart(8, "0")
}

/** The signals that the instruction of the program raises. */
const own = new Set(["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"])

/** Makes a signature. `line` is that of the innermost frame. */
export const make = (reason: string, frames: ReadonlyArray<string>, line?: number): FailureSignature => {
  const top = frames.slice(0, depth)
  const parts = [reason, ...top, ...(line === undefined ? [] : [`${line}`])]
  return { id: shortened(parts.join("\n")), reason, frames: top, ...(line === undefined ? {} : { line }) }
}

/** Returns a signature as reports show it, such as `SIGSEGV push < worker`, or with its line: `SIGSEGV push:12 < worker`. */
const textOf = ({ frames, reason }: Pick<FailureSignature, "reason" | "frames">, line?: number): string => {
  const names = frames.map((frame, index) =>
    index === 0 && line !== undefined ? `${FunctionName.short(frame)}:${line}` : FunctionName.short(frame)
  )
  return [reason, names.join(" < ")].filter((part) => part !== "").join(" ")
}

/** True for the signature with this id or this text, with or without the line; true for each if nothing is wanted. */
export const matches = (signature: FailureSignature, wanted: string | undefined): boolean =>
  wanted === undefined ||
  wanted === signature.id ||
  [textOf(signature), textOf(signature, signature.line)].includes(wanted.trim())

/** Returns the words for the reason of a stop: what the debugger knows, else the signal. */
const reasonOf = ({ reason, signal }: Stop.StopReport): string =>
  reason === "assert" || reason === "panic" || reason === "sanitizer" ? reason : (signal ?? reason ?? "stop")

/** Makes the signature of a stop. `known` is the reason if the run had it: an exit, a hang or output. */
export const ofStop = (report: Stop.StopReport, known?: string): FailureSignature => {
  if (known === "output") return make(known, [])
  const frames = (report.frames ?? []).filter(({ hidden }) => hidden !== true)
  const isOwn = known === undefined && (report.signal === undefined || own.has(report.signal))
  return make(
    known ?? reasonOf(report),
    frames.map((frame) => FunctionName.short(frame.function)),
    isOwn ? frames[0]?.line : undefined
  )
}
