/**
 * Reads the report of AddressSanitizer, which keeps its text in the memory of the program. A core file has no other form of it.
 *
 * The format is that of compiler-rt (asan_errors.cpp, asan_descriptions.cpp).
 */
import type { Explanation } from "@sigtrap/protocol"
import * as SanitizerStack from "./SanitizerStack.ts"

/** A report. `kind` is the word of the sanitizer, `summary` the line that names the error. */
export interface AddressReport {
  readonly kind: string
  readonly summary: string
  readonly access?: "read" | "write"
  readonly size?: number
  readonly address?: bigint
  readonly allocated?: Explanation.MemoryEvent
  readonly freed?: Explanation.MemoryEvent
}

/** The first characters of the report of a process. */
export const begin = (pid: number): string => `==${pid}==ERROR: AddressSanitizer: `

/** The longest report that is read, in bytes. */
export const longest = 64 * 1024

const eventIn = (lines: ReadonlyArray<string>, header: RegExp): Explanation.MemoryEvent | undefined => {
  const at = lines.findIndex((line) => header.test(line))
  const thread = header.exec(lines[at] ?? "")?.[1]
  const frames = at < 0 ? [] : SanitizerStack.parse(lines.slice(at + 1))
  return thread === undefined || frames.length === 0 ? undefined : { thread: Number(thread), frames }
}

/** Parses a report; undefined without its last line, which names the error. */
export const parse = (text: string): AddressReport | undefined => {
  const lines = text.split("\n")
  const [, summary, kind] = /^SUMMARY: (AddressSanitizer: (\S+).*)$/m.exec(text) ?? []
  if (summary === undefined || kind === undefined) return undefined
  const [, address] = /(?: address| on| malloc\(\)-ed:) (0x[0-9a-f]+)/.exec(lines[0] ?? "") ?? []
  const [, access, size] = /^(READ|WRITE) of size (\d+) /m.exec(text) ?? []
  const allocated = eventIn(lines, /^(?:previously )?allocated by thread T(\d+)\b.* here:$/)
  const freed = eventIn(lines, /^freed by thread T(\d+)\b.* here:$/)
  return {
    kind,
    summary,
    ...(access === undefined ? {} : { access: access === "READ" ? ("read" as const) : ("write" as const) }),
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(address === undefined ? {} : { address: BigInt(address) }),
    ...(allocated === undefined ? {} : { allocated }),
    ...(freed === undefined ? {} : { freed })
  }
}
