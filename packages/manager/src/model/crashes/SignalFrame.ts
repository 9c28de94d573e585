/**
 * Reads the frame that the kernel of Linux puts on the stack for a handler of a signal on x86-64 (`struct rt_sigframe`): the registers of
 * the code that the signal interrupted, and what the signal is.
 *
 * The kernel writes `siginfo_t` only for a handler with `SA_SIGINFO`. So a fault is believed only if the registers and the instruction show
 * it too: the memory may have the data of an earlier signal.
 */
import type { Instruction, SignalInfo } from "../../ports/Faults.ts"
import * as FaultAddress from "./FaultAddress.ts"
import * as SignalCodes from "../signals/SignalCodes.ts"
import * as SignalData from "../signals/SignalData.ts"

/** The registers in the order of `struct sigcontext`, which is in `struct ucontext`. */
const names = "r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip".split(" ")
const registersOffset = 40
const trapOffset = 200
const faultOffset = 216
const signalOffset = 304
/** Size of what is read, from `struct ucontext` on. */
export const size = signalOffset + 32

/** The exceptions of the processor. */
const traps = { protection: 13n, page: 14n } as const

/** Size of the largest access of an instruction whose size is not known: a vector. */
const largest = 64n

/** What the kernel saved. `fault` is the address of the last page fault of the thread, `trap` its last exception. */
export interface SignalFrame {
  readonly registers: ReadonlyMap<string, bigint>
  readonly trap: bigint
  readonly fault: bigint
  readonly info?: SignalInfo
}

/** The names of a register, each with the number of its bits: `rax`, `eax` and `ax`, `r8`, `r8d` and `r8w`. */
const partsOf = (name: string): ReadonlyArray<readonly [name: string, bits: number]> =>
  /\d/.test(name)
    ? [
        [name, 64],
        [`${name}d`, 32],
        [`${name}w`, 16]
      ]
    : [
        [name, 64],
        [`e${name.slice(1)}`, 32],
        [name.slice(1), 16]
      ]

/** Parses the bytes from `struct ucontext` on. */
export const parse = (bytes: Uint8Array): SignalFrame | undefined => {
  if (bytes.length < size) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (offset: number) => view.getBigUint64(offset, true)
  const info = SignalData.parse(bytes.subarray(signalOffset), true, "memory")
  return {
    registers: new Map(
      names.flatMap((name, index) =>
        partsOf(name).map(([part, bits]) => [part, BigInt.asUintN(bits, word(registersOffset + 8 * index))])
      )
    ),
    trap: word(trapOffset),
    fault: word(faultOffset),
    ...(info === undefined ? {} : { info })
  }
}

/** True if an instruction accesses an address, as far as its text tells. */
const accesses = ({ operand, text }: Instruction, registers: ReadonlyMap<string, bigint>, address: bigint): boolean => {
  const target = operand === undefined ? undefined : FaultAddress.effective(operand, registers)?.address
  const isPushed = /^(?:push|call)/.test(text)
  const pointers = text.startsWith("rep") ? ["rdi", "rsi"] : isPushed ? ["rsp"] : []
  const starts = [target, ...pointers.map((name) => registers.get(name))].filter((one) => one !== undefined)
  const length = operand?.size === undefined ? largest : BigInt(operand.size)
  return starts.some((start) => start - (isPushed ? largest : 0n) <= address && address < start + length)
}

/** Returns the fault for which the handler was called, if the saved registers and the instruction show that it is one. */
export const faultOf = (
  { fault, info, registers, trap }: SignalFrame,
  instruction: Instruction | undefined
): SignalInfo | undefined => {
  if (info?.code === undefined || info.sent === true) return undefined
  const { address, code, name } = info
  const pc = registers.get("rip")
  if (name === "SIGFPE" || name === "SIGILL") return address === pc ? info : undefined
  if (name !== "SIGSEGV" && name !== "SIGBUS") return undefined
  if (code === SignalCodes.kernel) {
    const { operand } = instruction ?? {}
    const target = operand === undefined ? undefined : FaultAddress.effective(operand, registers)?.address
    const isShown = trap === traps.protection && target !== undefined && FaultAddress.isNotCanonical(target, 48n)
    return isShown ? info : undefined
  }
  if (trap !== traps.page || address === undefined || address !== fault) return undefined
  if (address === pc) return info
  return instruction !== undefined && accesses(instruction, registers, address) ? info : undefined
}
