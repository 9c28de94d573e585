/**
 * Memory through the command line: `memory read`, `memory region`, `memory write`.
 */

/** A mapped or unmapped range: `[from, to)`, and what may be done there. */
export interface Region {
  readonly from: bigint
  readonly to: bigint
  readonly readable: boolean
  readonly writable: boolean
  readonly name?: string
}

const hex = (address: bigint) => `0x${address.toString(16)}`

/** Reads `count` bytes; LLDB refuses more than 1024 without `--force`. */
export const read = (address: bigint, count: number): string =>
  `memory read --force --size 1 --format Y --num-per-line 16 --count ${count} ${hex(address)}`

/** Asks for the range in which an address lies. */
export const region = (address: bigint): string => `memory region ${hex(address)}`

/** Writes bytes. LLDB writes read-only memory and code as well: look at the region first. */
export const write = (address: bigint, bytes: Uint8Array): string =>
  `memory write --size 1 ${hex(address)} ${Array.from(bytes, (byte) => `0x${byte.toString(16).padStart(2, "0")}`).join(" ")}`

const row = /^0x([0-9a-fA-F]+): ((?:[0-9a-fA-F]{2} ){1,16})/

// LLDB prints zeros for what it could not read, and says how much is true below them.
const partly = /^warning: Not all bytes \((\d+)\/\d+\) were able to be read/m

/**
 * The bytes in the answer to `read`, from `address` on without a gap; fewer when LLDB could read fewer. Columns of
 * characters beside them are not looked at.
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

/** The range in the answer to `region`. */
export const regionOf = (output: string): Region | undefined => {
  const [, from, to, r, w, , name] = range.exec(output) ?? []
  if (from === undefined || to === undefined) return undefined
  return {
    from: BigInt(`0x${from}`),
    to: BigInt(`0x${to}`),
    readable: r === "r",
    writable: w === "w",
    ...(name === undefined || name === "" ? {} : { name: name.trim() })
  }
}
