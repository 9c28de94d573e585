/**
 * The meaning of `si_code` of a signal on Linux (sigaction(2)). Codes up to 0 say that a process sent the signal.
 */

const segmentation: { readonly [code: number]: string } = {
  1: "SEGV_MAPERR",
  2: "SEGV_ACCERR",
  3: "SEGV_BNDERR",
  4: "SEGV_PKUERR",
  9: "SEGV_MTESERR"
}

const bus: { readonly [code: number]: string } = {
  1: "BUS_ADRALN",
  2: "BUS_ADRERR",
  3: "BUS_OBJERR",
  4: "BUS_MCEERR_AR"
}

const arithmetic: { readonly [code: number]: string } = {
  1: "FPE_INTDIV",
  2: "FPE_INTOVF",
  3: "FPE_FLTDIV",
  4: "FPE_FLTOVF",
  5: "FPE_FLTUND",
  6: "FPE_FLTRES",
  7: "FPE_FLTINV"
}

const instruction: { readonly [code: number]: string } = {
  1: "ILL_ILLOPC",
  2: "ILL_ILLOPN",
  3: "ILL_ILLADR",
  4: "ILL_ILLTRP",
  5: "ILL_PRVOPC",
  6: "ILL_PRVREG"
}

const system: { readonly [code: number]: string } = { 1: "SYS_SECCOMP", 2: "SYS_USER_DISPATCH" }

const sent: { readonly [code: number]: string } = { 0: "SI_USER", [-1]: "SI_QUEUE", [-2]: "SI_TIMER", [-6]: "SI_TKILL" }

const bySignal: { readonly [signal: string]: { readonly [code: number]: string } } = {
  SIGSEGV: segmentation,
  SIGBUS: bus,
  SIGFPE: arithmetic,
  SIGILL: instruction,
  SIGSYS: system
}

/** The name of the code of a signal for a system call that a filter refused (seccomp(2)). */
export const refusedCall = "SYS_SECCOMP"

/** The number and the name of the code of a fault for which the kernel gives no address. */
const kernelCode = 128
/** The name of the code of a fault for which the kernel gives no address. */
export const kernel = "SI_KERNEL"

/** Returns the name of a code; undefined if it is not known. */
export const nameOf = (signal: string, code: number): string | undefined =>
  code <= 0 ? sent[code] : code === kernelCode ? kernel : bySignal[signal]?.[code]

/** Signals with the address of a fault. */
export const hasAddress: ReadonlySet<string> = new Set(["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE"])

/** Signals that a fault of the program causes, or that end it by its own call. */
export const crashes: ReadonlySet<string> = new Set([
  "SIGSEGV",
  "SIGBUS",
  "SIGFPE",
  "SIGILL",
  "SIGABRT",
  "SIGSYS",
  "SIGTRAP",
  "SIGEMT"
])

/** Signals with the same number on every system. */
export const common: { readonly [number: number]: string } = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  5: "SIGTRAP",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM"
}

/** The signals of Linux by number, which are the same on x86-64 and arm64. */
export const names: { readonly [number: number]: string } = {
  ...common,
  7: "SIGBUS",
  10: "SIGUSR1",
  12: "SIGUSR2",
  16: "SIGSTKFLT",
  17: "SIGCHLD",
  18: "SIGCONT",
  19: "SIGSTOP",
  20: "SIGTSTP",
  21: "SIGTTIN",
  22: "SIGTTOU",
  23: "SIGURG",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  26: "SIGVTALRM",
  27: "SIGPROF",
  28: "SIGWINCH",
  29: "SIGIO",
  30: "SIGPWR",
  31: "SIGSYS"
}
