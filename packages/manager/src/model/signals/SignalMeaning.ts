/**
 * What a signal of the kernel means for the program that gets it (signal(7), seccomp(2), setrlimit(2)).
 */
import type { SignalInfo } from "../../ports/Faults.ts"
import * as SignalCodes from "./SignalCodes.ts"
import * as SystemCallNames from "../waits/SystemCallNames.ts"

/** A function of the C library that writes to a descriptor. */
const writes =
  /^_*(?:GI_+)?(?:libc_)?(write|writev|pwrite|pwrite64|pwritev|pwritev2|send|sendto|sendmsg|sendmmsg|sendfile|sendfile64|splice|tee|vmsplice)(?:_nocancel)?$/

/** A function of the C library that makes a file larger. */
const enlarges = /^_*(?:GI_+)?(?:libc_)?(f?truncate(?:64)?|(?:posix_)?fallocate(?:64)?)$/

/** What the kernel returns from a call for which it sends a signal: `-EPIPE` and `-EFBIG` of Linux (errno(3)). */
const results: { readonly [signal: string]: bigint } = { SIGPIPE: -32n, SIGXFSZ: -27n }

/** True if the kernel sends a signal for a call that fails, so that its meaning depends on what the call returns. */
export const dependsOnResult = ({ name }: SignalInfo): boolean => name in results

/** True if the kernel sends a signal for what the program did, and the program may continue after the signal. */
export const isExplained = (signal: string | undefined): boolean =>
  signal !== undefined && (signal in results || signal === "SIGXCPU")

/** The program at a signal: the innermost function, its pid, and what the system call there returned, as far as they are known. */
interface Stopped {
  readonly name: string
  readonly pid: number | undefined
  readonly result?: bigint | undefined
}

/**
 * Returns the meaning of a signal as a clause; undefined if it is not known. The kernel names the program itself as the sender of
 * `SIGPIPE` and `SIGXFSZ`, as it does for one that a thread of the program sends. Only the result of the call shows that it failed.
 */
export const of = (info: SignalInfo, { name, pid, result }: Stopped): string | undefined => {
  const { call, code, name: signal, sender } = info
  if (call !== undefined) {
    const known = SystemCallNames.of(call.number, call.architecture)
    return `a filter (seccomp) refused the system call ${known === undefined ? call.number : `${known} (${call.number})`}`
  }
  if (signal === "SIGXCPU") {
    return code === SignalCodes.kernel
      ? "the processor time of the program has reached its limit (RLIMIT_CPU)"
      : undefined
  }
  if (code !== "SI_USER" || sender !== pid || result !== results[signal]) return undefined
  const written = writes.exec(name)?.[1]
  if (signal === "SIGPIPE" && written !== undefined) {
    return `${written} to a pipe or socket whose other end is closed for reading`
  }
  const larger = written ?? enlarges.exec(name)?.[1]
  return signal === "SIGXFSZ" && larger !== undefined
    ? `${larger} beyond the largest size of a file (RLIMIT_FSIZE)`
    : undefined
}
