/**
 * The text of the kernel's trace buffer (`trace` of tracefs) and of its statistics, for the probes of `KernelProbes`.
 *
 * A line is `COMM-TID (TGID) [CPU] FLAGS SECONDS: EVENT: (ADDRESS) ARGUMENTS`; the name of a thread may have any characters.
 */
import type { KernelProbes } from "@sigtrap/manager"

const line = /-(\d+)\s+\(\s*(\d+|-+)\) \[\d+\] (?:\S+ +)?(\d+\.\d+): p(\d+): \(0x[0-9a-f]+\)((?: v\d+=\d+)*)$/

/** Returns a number as bytes, the least significant first. */
const bytesOf = (value: bigint, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn))

/** Records of one process. `unknown` counts those whose process the kernel does not name, and lines in another form. */
export interface Parsed {
  readonly rows: ReadonlyArray<KernelProbes.Row>
  readonly unknown: number
}

/** Reads the records of a process. `sizes` returns the sizes of the values of a probe, in bytes. */
export const parse = (text: string, pid: number, sizes: (id: number) => ReadonlyArray<number> | undefined): Parsed => {
  let unknown = 0
  const rows = text.split("\n").flatMap((one): ReadonlyArray<KernelProbes.Row> => {
    if (one === "" || one.startsWith("#")) return []
    const [, thread, process = "", seconds = "", event, rest = ""] = line.exec(one) ?? []
    const id = Number(event)
    const widths = sizes(id)
    const values = [...rest.matchAll(/=(\d+)/g)].map(([, value = ""]) => BigInt(value))
    if (widths === undefined || process.startsWith("-") || values.length !== widths.length) {
      unknown++
      return []
    }
    if (Number(process) !== pid) return []
    const bytes = values.map((value, index) => bytesOf(value, widths[index] ?? 0))
    return [{ id, thread: Number(thread), time: Number(seconds) * 1000, values: bytes }]
  })
  return { rows, unknown }
}

/** Returns the number of the first line with a name. */
const field = (text: string, name: string): number =>
  Number(
    text
      .split("\n")
      .find((one) => one.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? 0
  )

/** The statistics of the buffer of one processor (`per_cpu/cpuN/stats`): records, records without room, milliseconds. */
export const statistics = (text: string) => ({
  entries: field(text, "entries"),
  lost: field(text, "overrun") + field(text, "commit overrun") + field(text, "dropped events"),
  now: field(text, "now ts") * 1000
})

/** A mapping of a file with code in a process: its range as `map_files` names it, and the offset in the file of an address. */
export interface Mapping {
  readonly range: string
  readonly offset: bigint
}

/** Finds the file and the offset of an instruction in the text of `/proc/PID/maps` (proc(5)). */
export const mappingOf = (maps: string, address: bigint): Mapping | undefined => {
  for (const one of maps.split("\n")) {
    const [, first = "0", last = "0", from = "0", inode] =
      /^([0-9a-f]+)-([0-9a-f]+) \S\Sx\S ([0-9a-f]+) \S+ (\d+)/.exec(one) ?? []
    const start = BigInt(`0x${first}`)
    if (address < start || address >= BigInt(`0x${last}`)) continue
    return inode === "0" ? undefined : { range: `${first}-${last}`, offset: address - start + BigInt(`0x${from}`) }
  }
  return undefined
}
