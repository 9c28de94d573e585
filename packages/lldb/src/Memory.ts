/**
 * Commands for memory (`memory read`, `memory region`, `memory write`), and parsers of their output.
 */

/** A mapped or unmapped range `[from, to)` and its permissions. */
export interface Region {
  readonly from: bigint
  readonly to: bigint
  readonly readable: boolean
  readonly writable: boolean
  readonly executable: boolean
  readonly name?: string
}

const hex = (address: bigint) => `0x${address.toString(16)}`

/** Reads `count` bytes; LLDB needs `--force` for more than 1024. */
export const read = (address: bigint, count: number): string =>
  `memory read --force --size 1 --format Y --num-per-line 16 --count ${count} ${hex(address)}`

/** Prints the range that contains an address. */
export const region = (address: bigint): string => `memory region ${hex(address)}`

/** Writes bytes. LLDB also writes read-only memory and code, so check the region first. */
export const write = (address: bigint, bytes: Uint8Array): string =>
  `memory write --size 1 ${hex(address)} ${Array.from(bytes, (byte) => `0x${byte.toString(16).padStart(2, "0")}`).join(" ")}`

const row = /^0x([0-9a-fA-F]+): ((?:[0-9a-fA-F]{2} ){1,16})/

// LLDB prints zeros for unreadable bytes, and below them the number of bytes that it has read.
const partly = /^warning: Not all bytes \((\d+)\/\d+\) were able to be read/m

/**
 * Parses the bytes in the output of `read`, from `address` without a gap; fewer if LLDB has read fewer. The column of
 * characters is ignored.
 */
export const bytes = (output: string, address: bigint, count: number): Uint8Array => {
  const found = new Uint8Array(Math.min(count, Number(partly.exec(output)?.[1] ?? count)))
  let used = 0
  for (const line of output.split("\n")) {
    const [, at, pairs] = row.exec(line) ?? []
    if (at === undefined || pairs === undefined || BigInt(`0x${at}`) !== address + BigInt(used)) continue
    for (const pair of pairs
      .trimEnd()
      .split(" ")
      .slice(0, found.length - used))
      found[used++] = Number.parseInt(pair, 16)
  }
  return found.subarray(0, used)
}

const range = /^\[0x([0-9a-fA-F]+)-0x([0-9a-fA-F]+)\) ([r-])([w-])([x-])(?: (.*))?$/m

/** Parses the output of `region`. */
export const regionOf = (output: string): Region | undefined => {
  const [, from, to, r, w, x, name] = range.exec(output) ?? []
  if (from === undefined || to === undefined) return undefined
  return {
    from: BigInt(`0x${from}`),
    to: BigInt(`0x${to}`),
    readable: r === "r",
    writable: w === "w",
    executable: x === "x",
    ...(name === undefined || name === "" ? {} : { name: name.trim() })
  }
}
