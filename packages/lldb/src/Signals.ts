/**
 * The command for the details of a thread's signal (`thread siginfo`), and the parser of its output.
 *
 * The first line has the stop reason, which LLDB took at the stop. The structure after it is read when the command runs. It is
 * another one if LLDB has run a system call in the program meanwhile, as it does to get memory for an expression. So the
 * structure counts only where it agrees with the stop reason.
 */

/**
 * The details of a signal. `words` is LLDB's text for its code. `code`, `sender` and `call` are from the structure; `call` has a meaning
 * for a signal of a system call only.
 */
export interface SignalInfo {
  readonly name: string
  readonly words?: string
  readonly address?: bigint
  readonly code?: number
  readonly sender?: number
  readonly call?: { readonly number: number; readonly architecture: number }
}

/** Prints the details of the selected thread's signal. */
export const info = "thread siginfo"

/** LLDB's words for codes of the kernel (sigaction(2)). */
const codes: { readonly [words: string]: string } = {
  "address not mapped to object": "SEGV_MAPERR",
  "invalid permissions for mapped object": "SEGV_ACCERR",
  "failed address bounds checks": "SEGV_BNDERR",
  "invalid address": "SI_KERNEL",
  "illegal alignment": "BUS_ADRALN",
  "illegal address": "BUS_ADRERR",
  "hardware error": "BUS_OBJERR",
  "integer divide by zero": "FPE_INTDIV",
  "integer overflow": "FPE_INTOVF",
  "floating point divide by zero": "FPE_FLTDIV",
  "illegal opcode": "ILL_ILLOPC",
  "illegal operand": "ILL_ILLOPN",
  "illegal addressing mode": "ILL_ILLADR",
  "illegal trap": "ILL_ILLTRP",
  "privileged opcode": "ILL_PRVOPC",
  "privileged register": "ILL_PRVREG"
}

/** Returns the name of the kernel's code for LLDB's words; undefined if they are unknown. */
export const codeOf = (words: string): string | undefined => codes[words]

const header = /stop reason = signal (SIG[A-Z0-9]+)(?:: ([^\n]*?))?(?: \(fault address[:=] ?(0x[0-9a-fA-F]+)\))?\s*$/m

/** Parses the output of `info`; undefined if the thread did not stop at a signal. `number` is the number of a signal's name. */
export const parse = (output: string, number: (name: string) => number | undefined): SignalInfo | undefined => {
  const [, name, words, address] = header.exec(output) ?? []
  if (name === undefined) return undefined
  const signal = /\bsi_signo = (\d+)\b/.exec(output)?.[1]
  const code = /\bsi_code = (-?\d+)\b/.exec(output)?.[1]
  const sender = /\bsi_pid = (\d+)\b/.exec(output)?.[1]
  const [, call, architecture] = /\b_syscall = (\d+),?\s+_arch = (\d+)\b/.exec(output) ?? []
  const isSent = code !== undefined && Number(code) <= 0
  // A signal that a process sent has no address, and a fault has one.
  const agrees = Number(signal) === number(name) && !(isSent && address !== undefined)
  return {
    name,
    ...(words === undefined ? {} : { words }),
    ...(address === undefined ? {} : { address: BigInt(address) }),
    ...(agrees && code !== undefined ? { code: Number(code) } : {}),
    ...(agrees && call !== undefined ? { call: { number: Number(call), architecture: Number(architecture) } } : {}),
    ...(agrees && isSent && sender !== undefined ? { sender: Number(sender) } : {})
  }
}
