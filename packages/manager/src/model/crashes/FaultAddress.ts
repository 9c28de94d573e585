/**
 * The meaning of an address that faulted, from the regions of memory around it and the registers of the instruction.
 */
import type { MemoryOperand, Region } from "../../ports/Faults.ts"

/** The highest address at which nothing is mapped by default (`vm.mmap_min_addr` of Linux). */
const firstMapped = 0x10000n

/** Distance at which memory counts as near an end of a region, in bytes. */
const near = 0x10000n

/** Distance of the stack pointer from the end of a stack that is used up, in bytes. */
const stackRest = 0x8000n

const word = 0xffff_ffff_ffff_ffffn

/** What is known of a fault. */
export interface Fault {
  readonly address: bigint
  /** The region of the address, and the ones below and above it. */
  readonly region?: Region
  readonly below?: Region
  readonly above?: Region
  readonly pc?: bigint
  readonly sp?: bigint
  /** The stack pointer of the outermost frame that is known. */
  readonly outerSp?: bigint
  /** The stack pointer of the caller of the innermost function, and the region of it. */
  readonly caller?: { readonly sp: bigint; readonly stack: Region }
  readonly access?: "read" | "write"
  readonly operand?: MemoryOperand
  /** Values of the registers of the operand. */
  readonly base?: bigint
  readonly index?: bigint
  /** Name of the kernel's code, such as `SEGV_MAPERR`. */
  readonly code?: string
}

/** The kinds of meaning. */
type Kind =
  | "null"
  | "stack-overflow"
  | "execute"
  | "read-only"
  | "no-access"
  | "not-canonical"
  | "misaligned"
  | "end-of-file"
  | "unmapped"
  | "unknown"

/** The meaning as a clause that follows the address, and how the address is written. `cause` is why the stack is full, if that is known. */
export interface Meaning {
  readonly kind: Kind
  readonly address: string
  readonly text: string
  readonly cause?: string
}

const hex = (value: bigint) => `0x${value.toString(16)}`

/** Returns the address that an operand has with these registers; undefined if a register is unknown. */
export const effective = (
  operand: MemoryOperand,
  registers: ReadonlyMap<string, bigint>
): { readonly address: bigint; readonly base?: bigint; readonly index?: bigint } | undefined => {
  const base = operand.base === undefined ? 0n : registers.get(operand.base)
  const index = operand.index === undefined ? 0n : registers.get(operand.index)
  if (base === undefined || index === undefined) return undefined
  const address = (base + index * BigInt(operand.scale) + operand.displacement) & word
  return {
    address,
    ...(operand.base === undefined ? {} : { base }),
    ...(operand.index === undefined ? {} : { index })
  }
}

/** True if the upper bits of an address differ from each other: 8 with 57-bit addresses, 17 with 48-bit ones. */
export const isNotCanonical = (address: bigint, bits: bigint): boolean => {
  const upper = address >> (bits - 1n)
  return upper !== 0n && upper !== word >> (bits - 1n)
}

const isAccessible = (region: Region | undefined): region is Region =>
  region !== undefined && (region.readable || region.writable || region.executable)

const nameOf = (region: Region): string => {
  const shown = region.name?.replace(/ PT_\w+\[\d+\]$/, "")
  // A core file has no names of what was mapped, only of its own parts.
  const name = shown !== undefined && /^PT_\w+\[\d+\]$/.test(shown) ? undefined : shown
  return name === undefined ? `${hex(region.from)}-${hex(region.to)}` : name.slice(name.lastIndexOf("/") + 1)
}

const sizeText = (bytes: bigint): string =>
  bytes < 1024n
    ? `${bytes} byte${bytes === 1n ? "" : "s"}`
    : bytes >= 1_048_576n
      ? `${(Number(bytes) / 1_048_576).toFixed(1).replace(/\.0$/, "")} MiB`
      : `${bytes / 1024n} KiB`

/** True if the stack pointer is at the end of a stack, and the address beyond it. */
/** The gap that Linux keeps below a stack, in bytes: an address farther below it does not show that the stack is full. */
const mostGuarded = 1n << 20n

const isStackOverflow = ({ above, address, outerSp, region, sp }: Fault): boolean => {
  if (sp === undefined || outerSp === undefined || region === undefined) return false
  if (isAccessible(region) || !isAccessible(above) || !above.writable) return false
  const isStack = above.from <= outerSp && outerSp < above.to
  const isNear = address <= sp + near && sp <= address + near
  return isStack && isNear && sp < above.from + stackRest
}

/**
 * Returns the size of the innermost frame if it does not fit into what is left of the stack: the stack pointer has left the region of its
 * caller's, and the fault is in the part of the frame that is outside.
 */
const tooLarge = ({ address, caller, sp }: Fault): bigint | undefined => {
  if (sp === undefined || caller === undefined || !caller.stack.writable) return undefined
  const { from, to } = caller.stack
  const isStack = from <= caller.sp && caller.sp <= to
  return isStack && sp < from && sp <= address + near && address < from ? caller.sp - sp : undefined
}

const between = ({ above, address, below, region }: Fault): string => {
  const after = isAccessible(below) ? nameOf(below) : undefined
  const before = isAccessible(above) ? nameOf(above) : undefined
  if (region !== undefined && after !== undefined && address - region.from < near) {
    return `, ${address - region.from + 1n} byte${address === region.from ? "" : "s"} past the end of ${after}`
  }
  if (region !== undefined && before !== undefined && region.to - address <= near) {
    return `, ${region.to - address} bytes before ${before}`
  }
  if (after !== undefined && before !== undefined) return ` (between ${after} and ${before})`
  return before === undefined ? "" : ` (below ${before})`
}

/** Returns the meaning of a fault. */
export const meaningOf = (fault: Fault): Meaning => {
  const { above, address, base, code, index, operand, region } = fault
  const plain = hex(address)
  if (code === "BUS_ADRALN") return { kind: "misaligned", address: plain, text: "not aligned" }
  if (code === "BUS_ADRERR") {
    const file = region?.name === undefined ? "a mapped file" : nameOf(region)
    return { kind: "end-of-file", address: plain, text: `beyond the end of ${file}` }
  }
  if (isNotCanonical(address, code === "SI_KERNEL" ? 48n : 57n))
    return { kind: "not-canonical", address: plain, text: "not a valid address (not canonical)" }
  if (
    operand?.aligned === true &&
    operand.size !== undefined &&
    address % BigInt(operand.size) !== 0n &&
    code === "SI_KERNEL"
  ) {
    return { kind: "misaligned", address: plain, text: `not aligned to ${operand.size} bytes` }
  }
  const isExecuted = fault.pc === address
  const frame = isExecuted ? undefined : tooLarge(fault)
  if (frame !== undefined && !isStackOverflow(fault)) {
    const cause = `the frame of ${sizeText(frame)} is larger than the rest of the stack`
    return { kind: "stack-overflow", address: plain, text: `below the stack: ${cause}`, cause }
  }
  // What is there now was mapped after the fault: by the debugger, which needs memory for expressions, or by another thread.
  if (code === "SEGV_MAPERR" && isAccessible(region)) {
    const text = "not mapped at the fault"
    return isExecuted
      ? { kind: "execute", address: plain, text: `no code: ${text}` }
      : { kind: "unmapped", address: plain, text }
  }
  if (address < firstMapped && !isAccessible(region)) {
    const offset = base === 0n && index === undefined && address !== 0n
    const shown = address === 0n ? "NULL" : offset ? `NULL + ${address}` : plain
    return {
      kind: "null",
      address: shown,
      text: address === 0n || offset ? "a null pointer" : "not mapped, close to NULL"
    }
  }
  if (isExecuted) {
    const where = isAccessible(region) ? `not executable (${nameOf(region)})` : `not mapped${between(fault)}`
    return { kind: "execute", address: plain, text: `no code: ${where}` }
  }
  if (isStackOverflow(fault)) {
    const size = above === undefined ? "" : ` of ${sizeText(above.to - above.from)}`
    const gap = above === undefined ? 0n : above.from - address
    // A stack grows by pages while it is used; far below it, one frame is larger than the rest of the stack.
    const text = gap > mostGuarded ? `${sizeText(gap)} below the stack${size}` : `below the stack${size}, which is full`
    return { kind: "stack-overflow", address: plain, text }
  }
  if (isAccessible(region)) {
    if (fault.access === "write" && !region.writable) {
      return { kind: "read-only", address: plain, text: `read-only memory (${nameOf(region)})` }
    }
    if (!region.readable) return { kind: "no-access", address: plain, text: `not readable (${nameOf(region)})` }
    return { kind: "unknown", address: plain, text: `in ${nameOf(region)}` }
  }
  if (code === "SEGV_ACCERR") {
    return { kind: "no-access", address: plain, text: `mapped without access, as a guard page is${between(fault)}` }
  }
  if (region === undefined) return { kind: "unknown", address: plain, text: "" }
  return { kind: "unmapped", address: plain, text: `not mapped${between(fault)}` }
}
