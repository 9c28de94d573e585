/**
 * Reads the report of AddressSanitizer, which writes its text and keeps it in the memory of the program, with that of LeakSanitizer, which
 * it contains. A core file has no other form of it, and the debugger knows a part of it only.
 *
 * The format is that of compiler-rt (asan_errors.cpp, asan_descriptions.cpp).
 */
import type { Explanation } from "@sigtrap/protocol"
import * as SanitizerStack from "./SanitizerStack.ts"

/**
 * A report. `kind` is the word of the sanitizer, `summary` the line that names the error. `detail` is what it says of the error beside that:
 * the functions or the sizes that do not match. `object` is the memory at the address.
 */
export interface AddressReport {
  readonly kind: string
  readonly summary: string
  readonly detail?: string
  readonly object?: string
  readonly access?: "read" | "write"
  readonly size?: number
  readonly address?: bigint
  readonly allocated?: Explanation.MemoryEvent
  readonly freed?: Explanation.MemoryEvent
}

/** The first characters of the report of a process; LeakSanitizer is a part of AddressSanitizer, which keeps its text too. */
export const begin = (pid: number, tool: "AddressSanitizer" | "LeakSanitizer"): string => `==${pid}==ERROR: ${tool}: `

/** The longest report that is read, in bytes. */
export const longest = 64 * 1024

const eventIn = (lines: ReadonlyArray<string>, header: RegExp): Explanation.MemoryEvent | undefined => {
  const at = lines.findIndex((line) => header.test(line))
  const thread = header.exec(lines[at] ?? "")?.[1]
  const frames = at < 0 ? [] : SanitizerStack.parse(lines.slice(at + 1))
  return thread === undefined || frames.length === 0 ? undefined : { thread: Number(thread), frames }
}

/** What the first line says beside the kind of the error and the address. */
const details: ReadonlyArray<RegExp> = [
  /: alloc-dealloc-mismatch \((.+)\) on 0x/,
  /: \S+-param-overlap: (memory ranges .+ overlap)/,
  /: negative-size-param: \((size=-?\d+)\)/,
  /: ((?:requested|calloc) .+?)(?: \(thread T\d+\))?:?$/
]

/** The sizes in a report of `operator delete` with another size than that of the object. */
const typeSizes = /^ *size of the allocated type: +(\d+ bytes?);\n *size of the deallocated type: +(\d+ bytes?)\.$/m

const detailIn = (text: string): string | undefined => {
  const [first = ""] = text.split("\n", 1)
  const [, allocated, freed] = typeSizes.exec(text) ?? []
  if (allocated !== undefined) return `${allocated} allocated, ${freed} deleted`
  return details.map((pattern) => pattern.exec(first)?.[1]).find((found) => found !== undefined)
}

/** Where an address is by its words; versions 16 and later of LLVM have shorter ones. */
const sides: { readonly [words: string]: string } = {
  "to the left of": "before",
  before: "before",
  "to the right of": "after",
  after: "after",
  "inside of": "inside",
  inside: "inside"
}

const region =
  /^0x[0-9a-f]+ is located (\d+) bytes? (to the left of|to the right of|inside of|inside|before|after) (\d+)-byte region/m
const global =
  /^0x[0-9a-f]+ is located (\d+) bytes? (to the left of|to the right of|inside of|inside|before|after) global variable '(.+?)' defined in '.*?' \(0x[0-9a-f]+\) of size (\d+)/gm
const stack =
  /^Address 0x[0-9a-f]+ is located in stack of thread T\d+ at offset \d+ in frame\n +#0 0x[0-9a-f]+ in (.+)$/m
const variable =
  /^ +\[\d+, \d+\) '(.+?)'(?: \(line (\d+)\))? <== Memory access at offset -?\d+ (?:is )?(\S+(?: \S+flows)?) this variable/m

const places: { readonly [words: string]: string } = {
  inside: "inside",
  overflows: "beyond",
  underflows: "before",
  "partially overflows": "partly beyond",
  "partially underflows": "partly before"
}

/** `4 bytes after global 'ledger' of 16 bytes`: what is at the address, in words. */
const objectIn = (text: string): string | undefined => {
  const bytes = (count: string | undefined) => `${count} byte${count === "1" ? "" : "s"}`
  const [, far, where = "", size] = region.exec(text) ?? []
  const isBegin = far === "0" && sides[where] === "inside"
  if (size !== undefined) {
    return `${isBegin ? "the beginning of" : `${bytes(far)} ${sides[where]}`} a heap block of ${bytes(size)}`
  }
  // The report names each variable near the address.
  const near = [...text.matchAll(global)].toSorted(([, one], [, other]) => Number(one) - Number(other))
  const [, off, beside = "", name, whole] = near[0] ?? []
  if (whole !== undefined) return `${bytes(off)} ${sides[beside]} global '${name}' of ${bytes(whole)}`
  const owner = stack.exec(text)?.[1]
  const [, local, line, words = ""] = owner === undefined ? [] : (variable.exec(text) ?? [])
  const place = places[words]
  if (owner === undefined || local === undefined || place === undefined) return undefined
  const [, of = owner] = /^(.+?)(?: \(?\/.*)?$/.exec(owner) ?? []
  return `${place} '${local}' of ${of}${line === undefined ? "" : `, line ${line}`}`
}

/** Returns the newest report in the output of a program. */
export const inOutput = (output: string): AddressReport | undefined => {
  const start = [...output.matchAll(/^==\d+==ERROR: (?:Address|Leak)Sanitizer: /gm)].at(-1)?.index
  return start === undefined ? undefined : parse(output.slice(start))
}

/** Parses a report of leaks. The first one that it lists is the largest. */
const leaksIn = (text: string, lines: ReadonlyArray<string>): AddressReport | undefined => {
  const [, summary, leaked] =
    /^SUMMARY: (\w+Sanitizer: (\d+ byte\(s\) leaked in \d+ allocation\(s\))).*$/m.exec(text) ?? []
  if (summary === undefined || leaked === undefined) return undefined
  const at = lines.findIndex((line) => /^(?:Direct|Indirect) leak of .* allocated from:$/.test(line))
  const frames = at < 0 ? [] : SanitizerStack.parse(lines.slice(at + 1))
  return {
    kind: "detected memory leaks",
    summary,
    detail: leaked.replaceAll("(s)", "s").replace(/\b1 (byte|allocation)s\b/g, "1 $1"),
    ...(frames.length === 0 ? {} : { allocated: { frames } })
  }
}

/** Parses a report; undefined without its last line, which names the error. */
export const parse = (text: string): AddressReport | undefined => {
  const lines = text.split("\n")
  if (/^==\d+==ERROR: LeakSanitizer: /.test(text)) return leaksIn(text, lines)
  const [, summary, kind] = /^SUMMARY: (AddressSanitizer: (\S+).*)$/m.exec(text) ?? []
  if (summary === undefined || kind === undefined) return undefined
  const [, address] = /(?: address| on| malloc\(\)-ed:) (0x[0-9a-f]+)/.exec(lines[0] ?? "") ?? []
  const [, access, size] = /^(READ|WRITE) of size (\d+) /m.exec(text) ?? []
  const allocated = eventIn(lines, /^(?:previously )?allocated by thread T(\d+)\b.* here:$/)
  const freed = eventIn(lines, /^freed by thread T(\d+)\b.* here:$/)
  const detail = detailIn(text)
  const object = objectIn(text)
  return {
    kind,
    summary,
    ...(detail === undefined ? {} : { detail }),
    ...(object === undefined ? {} : { object }),
    ...(access === undefined ? {} : { access: access === "READ" ? ("read" as const) : ("write" as const) }),
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(address === undefined ? {} : { address: BigInt(address) }),
    ...(allocated === undefined ? {} : { allocated }),
    ...(freed === undefined ? {} : { freed })
  }
}
