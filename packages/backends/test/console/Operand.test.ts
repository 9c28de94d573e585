/** The memory operand of an instruction, by its text. */
import { assert, it } from "@effect/vitest"
import type { Faults } from "@sigtrap/manager"
import * as Operand from "../../src/console/lldb/Operand.ts"

const check = (text: string, expected: Partial<Faults.MemoryOperand> | undefined) => {
  const found = Operand.parse(text)?.operand
  if (expected === undefined) assert.isUndefined(found, text)
  else assert.deepStrictEqual(found, { scale: 1, displacement: 0n, ...expected }, text)
}

it("has registers, distance, size and direction of x86-64", () => {
  check("mov    eax, dword ptr [rax + 0x8]", { base: "rax", displacement: 8n, size: 4, access: "read" })
  check("vpcmpeqb ymm1, ymm0, ymmword ptr [rdi]", { base: "rdi", size: 32, access: "read" })
  check("pminub xmm0, xmmword ptr [rax + 0x10]", {
    base: "rax",
    displacement: 16n,
    size: 16,
    access: "read",
    aligned: true
  })
  check("mov    byte ptr [rdi], 0x61", { base: "rdi", size: 1, access: "write" })
  check("mov    qword ptr [rbp - 0x18], rax", { base: "rbp", displacement: -24n, size: 8, access: "write" })
  check("movss  xmm0, dword ptr [rcx + 4*rdx]", { base: "rcx", index: "rdx", scale: 4, size: 4, access: "read" })
  check("mov    eax, dword ptr [8*rax + 0x10]", { index: "rax", scale: 8, displacement: 16n, size: 4, access: "read" })
  check("movaps xmmword ptr [rsp + 0x10], xmm0", {
    base: "rsp",
    displacement: 16n,
    size: 16,
    access: "write",
    aligned: true
  })
  check("call   qword ptr [rax + 0x10] ; comment", { base: "rax", displacement: 16n, size: 8, access: "read" })
  check("vmovdqu8 zmmword ptr [rax], zmm16", { base: "rax", size: 64, access: "write" })
  check("vmovdqu8 zmmword ptr [rax] {k1}, zmm16", { base: "rax", access: "write" })
  check("add    eax, dword ptr [rdx]", { base: "rdx", size: 4, access: "read" })
})

it("has no direction for an instruction that reads and writes", () => {
  check("add    dword ptr [rdx], eax", { base: "rdx", size: 4 })
  check("lock xadd dword ptr [rdx], eax", { base: "rdx", size: 4 })
})

it("is absent where the text does not show the address", () => {
  check("rep movsb byte ptr es:[rdi], byte ptr [rsi]", undefined)
  check("movsd  dword ptr [rdi], dword ptr [rsi]", undefined)
  check("mov    eax, dword ptr fs:[0x28]", undefined)
  check("mov    eax, dword ptr [rip + 0x2f0]", undefined)
  check("lea    rax, [rdi + 0x8]", undefined)
  check("mov    eax, ebx", undefined)
})

it("has the address of an operand relative to the instruction pointer", () => {
  const written = Operand.parse("mov    dword ptr [rip + 0xee4], 0x7 ; table + 8", 0x1000n)?.operand
  assert.deepStrictEqual(written, { scale: 1, displacement: 0x1ee4n, size: 4, access: "write" })
  const read = Operand.parse("mov    eax, dword ptr [rip - 0x10]", 0x1000n)?.operand
  assert.deepStrictEqual(read, { scale: 1, displacement: 0xff0n, size: 4, access: "read" })
})

it("has registers, distance, size and direction of arm64", () => {
  check("ldr    w8, [x8, #0x4]", { base: "x8", displacement: 4n, size: 4, access: "read" })
  check("strb   w9, [sp, #12]", { base: "sp", displacement: 12n, size: 1, access: "write" })
  check("ldr    x0, [x1, x2, lsl #3]", { base: "x1", index: "x2", scale: 8, size: 8, access: "read" })
  // These change the base.
  check("ldr    x0, [x1], #0x8", undefined)
  check("stp    x29, x30, [sp, #-0x10]!", undefined)
})

it("is the divisor of a division in a register", () => {
  assert.strictEqual(Operand.parse("idiv   ecx")?.divisor, "ecx")
  assert.isUndefined(Operand.parse("idiv   dword ptr [rbp - 0x8]")?.divisor)
})

it("has the register that is called, and the number of a trap", () => {
  assert.strictEqual(Operand.parse("call   rdx")?.target, "rdx")
  assert.strictEqual(Operand.parse("jmp    rax")?.target, "rax")
  assert.isUndefined(Operand.parse("call   0x1030 ; symbol stub for: strcpy")?.target)
  assert.isUndefined(Operand.parse("mov    rdx, rax")?.target)
  assert.strictEqual(Operand.parse("ud1    eax, dword ptr [eax + 0x13]")?.trap, 0x13)
  assert.strictEqual(Operand.parse("ud1    eax, dword ptr [eax]")?.trap, 0)
  assert.strictEqual(Operand.parse("brk    #0x5512")?.trap, 0x5512)
  assert.isUndefined(Operand.parse("ud2")?.trap)
})
