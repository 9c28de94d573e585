import { assert, describe, it } from "@effect/vitest"
import * as SignalFrame from "../../../src/model/crashes/SignalFrame.ts"
import type { Instruction } from "../../../src/ports/Faults.ts"

/** The bytes from `struct ucontext` on, as arch/x86/include/asm/sigframe.h and siginfo.h of Linux describe them. */
const bytes = (words: { readonly [offset: number]: bigint }): Uint8Array => {
  const view = new DataView(new ArrayBuffer(SignalFrame.size))
  for (const [offset, word] of Object.entries(words)) view.setBigUint64(Number(offset), word, true)
  return new Uint8Array(view.buffer)
}

/** `mov eax, dword ptr [rax + 8]` with rax = 0, and the data of SIGSEGV at 8. */
const fault = { 40: 0x1_0000_0002n, 144: 0n, 168: 0x40_1000n, 200: 14n, 216: 8n, 304: 11n, 312: 1n, 320: 8n }
const read: Instruction = {
  mnemonic: "mov",
  text: "mov eax, dword ptr [rax + 0x8]",
  operand: { base: "rax", scale: 1, displacement: 8n, size: 4 }
}

const faultOf = (words: { readonly [offset: number]: bigint }, instruction: Instruction | undefined = read) => {
  const frame = SignalFrame.parse(bytes(words))
  return frame === undefined ? undefined : SignalFrame.faultOf(frame, instruction)
}

describe("the frame of a signal", () => {
  it("has the registers of the interrupted code, and their parts", () => {
    const { registers } = SignalFrame.parse(bytes(fault)) ?? { registers: new Map<string, bigint>() }
    assert.strictEqual(registers.get("r8"), 0x1_0000_0002n)
    assert.strictEqual(registers.get("r8d"), 2n)
    assert.strictEqual(registers.get("rip"), 0x40_1000n)
  })

  it("tells the fault that the registers and the instruction show", () => {
    assert.deepStrictEqual(faultOf(fault), { name: "SIGSEGV", code: "SEGV_MAPERR", address: 8n, by: "memory" })
    const executed = { ...fault, 168: 8n }
    assert.strictEqual(faultOf(executed, { mnemonic: "ret", text: "ret" })?.address, 8n)
    const pushed = { ...fault, 160: 16n }
    assert.strictEqual(faultOf(pushed, { mnemonic: "push", text: "push rbx" })?.address, 8n)
    assert.strictEqual(faultOf({ ...fault, 304: 8n, 320: 0x40_1000n })?.code, "FPE_INTDIV")
  })

  it("tells no fault of memory that has the data of another signal", () => {
    assert.isUndefined(faultOf({ ...fault, 144: 4096n }), "the instruction accesses another address")
    assert.isUndefined(faultOf({ ...fault, 216: 16n }), "the last page fault was at another address")
    assert.isUndefined(faultOf({ ...fault, 200: 6n }), "the last exception was no page fault")
    assert.isUndefined(faultOf({ ...fault, 312: 0n }), "a process sent the signal")
    assert.isUndefined(faultOf({ ...fault, 304: 8n }), "another instruction divided")
    assert.isUndefined(faultOf({ ...fault, 304: 0n }), "there is no signal")
    assert.isUndefined(faultOf(fault, { mnemonic: "add", text: "add eax, ebx" }), "the instruction accesses no memory")
  })
})
