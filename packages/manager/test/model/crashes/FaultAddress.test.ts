/** The meaning of an address that faulted. */
import { assert, it } from "@effect/vitest"
import * as FaultAddress from "../../../src/model/crashes/FaultAddress.ts"
import type { Region } from "../../../src/ports/Faults.ts"

const region = (from: bigint, to: bigint, access: "rw" | "rx" | "r" | "none" | "w", name?: string): Region => ({
  from,
  to,
  readable: access.includes("r") && access !== "none",
  writable: access.includes("w"),
  executable: access.includes("x"),
  ...(name === undefined ? {} : { name })
})

const low = region(0n, 0x55_0000n, "none")

const check = (
  fault: FaultAddress.Fault,
  kind: FaultAddress.Meaning["kind"],
  address: string,
  text: string | RegExp
) => {
  const found = FaultAddress.meaningOf(fault)
  assert.strictEqual(found.kind, kind)
  assert.strictEqual(found.address, address)
  if (typeof text === "string") assert.strictEqual(found.text, text)
  else assert.match(found.text, text)
}

it("is a null pointer only if the register of the operand is 0", () => {
  check({ address: 0n, region: low }, "null", "NULL", "a null pointer")
  check({ address: 16n, region: low, base: 0n }, "null", "NULL + 16", "a null pointer")
  // An index makes the distance unknown, and so does another base.
  check({ address: 16n, region: low, base: 0n, index: 4n }, "null", "0x10", "not mapped, close to NULL")
  check({ address: 16n, region: low, base: 8n }, "null", "0x10", "not mapped, close to NULL")
  check({ address: 0x20_0000n, region: low, base: 0n }, "unmapped", "0x200000", "not mapped")
})

it("is not mapped if the kernel says so, also if a debugger has mapped memory there since", () => {
  const since = region(0x7000_0000n, 0x7000_1000n, "rw")
  check(
    { address: 0x7000_0010n, region: since, code: "SEGV_MAPERR" },
    "unmapped",
    "0x70000010",
    "not mapped at the fault"
  )
  check(
    { address: 0x7000_0010n, region: since, code: "SEGV_MAPERR", pc: 0x7000_0010n },
    "execute",
    "0x70000010",
    "no code: not mapped at the fault"
  )
})

it("is a stack that is full only near the stack pointer, at the end of the stack of the outermost frame", () => {
  const stack = region(0x7000_0000n, 0x7080_0000n, "rw", "[stack]")
  const gap = region(0x6000_0000n, 0x7000_0000n, "none")
  const full = { address: 0x6fff_fff8n, region: gap, above: stack, sp: 0x7000_0000n, outerSp: 0x707f_0000n }
  check(full, "stack-overflow", "0x6ffffff8", "below the stack of 8 MiB, which is full")
  // One frame that is larger than the rest of the stack.
  const far = { ...full, address: 0x6c00_0000n, sp: 0x6c00_0000n }
  check(far, "stack-overflow", "0x6c000000", "64 MiB below the stack of 8 MiB")
  const { outerSp: _, ...unknown } = full
  check(unknown, "unmapped", "0x6ffffff8", /^not mapped/)
  check({ ...full, outerSp: 0x9000_0000n }, "unmapped", "0x6ffffff8", /^not mapped/)
  check({ ...full, sp: 0x7040_0000n }, "unmapped", "0x6ffffff8", /^not mapped/)
  check({ ...full, above: { ...stack, writable: false } }, "unmapped", "0x6ffffff8", /^not mapped/)
})

it("is a stack that has no room for a frame only if the stack pointer has left the stack of the caller", () => {
  const stack = region(0x5000_0000n, 0x5001_0000n, "rw")
  const gap = region(0x4000_0000n, 0x5000_0000n, "none")
  const fault = {
    address: 0x4ffd_0010n,
    sp: 0x4ffd_0000n,
    region: gap,
    above: stack,
    caller: { sp: 0x5000_ff00n, stack }
  }
  const meaning = FaultAddress.meaningOf(fault)
  assert.strictEqual(meaning.kind, "stack-overflow")
  assert.strictEqual(meaning.cause, "the frame of 255 KiB is larger than the rest of the stack")
  // The debugger maps memory of its own there after the fault.
  const mapped = { ...fault, region: region(0x4ffd_0000n, 0x5000_0000n, "rw"), code: "SEGV_MAPERR" }
  assert.strictEqual(FaultAddress.meaningOf(mapped).kind, "stack-overflow")
  check({ ...fault, sp: 0x5000_8000n, outerSp: 0n }, "unmapped", "0x4ffd0010", /^not mapped/)
  check({ ...fault, address: 0x4ff0_0000n }, "unmapped", "0x4ff00000", /^not mapped/)
  const other = { sp: 0x6000_0000n, stack }
  check({ ...fault, caller: other }, "unmapped", "0x4ffd0010", /^not mapped/)
  check({ ...fault, pc: fault.address }, "execute", "0x4ffd0010", /^no code/)
})

it("says what the memory at the address forbids", () => {
  const text = region(0x40_0000n, 0x40_1000n, "r", "/bin/app PT_LOAD[0]")
  check({ address: 0x40_0010n, region: text, access: "write" }, "read-only", "0x400010", "read-only memory (app)")
  check({ address: 0x40_0010n, region: text, access: "read" }, "unknown", "0x400010", "in app")
  check({ address: 0x40_0010n, region: text, pc: 0x40_0010n }, "execute", "0x400010", "no code: not executable (app)")
  const guard = region(0x50_0000n, 0x50_1000n, "none")
  check(
    { address: 0x50_0000n, region: guard, code: "SEGV_ACCERR" },
    "no-access",
    "0x500000",
    "mapped without access, as a guard page is"
  )
})

it("is not canonical by the width of addresses that the kernel's code says", () => {
  check({ address: 0x7071_7273_7475_7677n }, "not-canonical", "0x7071727374757677", /not canonical/)
  check({ address: 0x1_0000_0000_0000n, code: "SI_KERNEL" }, "not-canonical", "0x1000000000000", /not canonical/)
  check({ address: 0x1_0000_0000_0000n }, "unknown", "0x1000000000000", "")
})

it("names the memory below by the distance from its end", () => {
  const heap = region(0x60_0000n, 0x62_1000n, "rw", "[heap]")
  const gap = region(0x62_1000n, 0x7000_0000n, "none")
  check(
    { address: 0x62_1000n, region: gap, below: heap },
    "unmapped",
    "0x621000",
    "not mapped, 1 byte past the end of [heap]"
  )
  check(
    { address: 0x62_1007n, region: gap, below: heap },
    "unmapped",
    "0x621007",
    "not mapped, 8 bytes past the end of [heap]"
  )
})

it("does not name the parts of a core file", () => {
  const part = region(0x60_0000n, 0x62_1000n, "rw", "PT_LOAD[3]")
  const gap = region(0x40_0000n, 0x60_0000n, "none")
  check(
    { address: 0x50_0000n, region: gap, above: part },
    "unmapped",
    "0x500000",
    "not mapped (below 0x600000-0x621000)"
  )
})

it("computes an address only from registers that are known", () => {
  const operand = { base: "rax", index: "rcx", scale: 4, displacement: -8n }
  const registers = new Map([
    ["rax", 0x1000n],
    ["rcx", 2n]
  ])
  assert.deepStrictEqual(FaultAddress.effective(operand, registers), { address: 0x1000n, base: 0x1000n, index: 2n })
  assert.isUndefined(FaultAddress.effective({ ...operand, index: "rdx" }, registers))
  assert.isUndefined(FaultAddress.effective({ ...operand, base: "rdx" }, registers))
  assert.strictEqual(
    FaultAddress.effective({ ...operand, index: "rax" }, new Map([["rax", 0n]]))?.address,
    (1n << 64n) - 8n
  )
})
