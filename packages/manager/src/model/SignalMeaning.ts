/**
 * What a signal of the kernel means for the program that gets it (signal(7), seccomp(2), setrlimit(2)).
 */
import type { SignalInfo } from "../ports/Faults.ts"
import * as SignalCodes from "./SignalCodes.ts"
import * as SystemCallNames from "./SystemCallNames.ts"

/** A function of the C library that writes to a descriptor. */
const writes =
  /^_*(?:GI_+)?(?:libc_)?(write|writev|pwrite|pwrite64|pwritev|pwritev2|send|sendto|sendmsg|sendmmsg|sendfile|sendfile64|splice|tee|vmsplice)(?:_nocancel)?$/

/** A function of the C library that makes a file larger. */
const enlarges = /^_*(?:GI_+)?(?:libc_)?(f?truncate(?:64)?|(?:posix_)?fallocate(?:64)?)$/

/**
 * Returns the meaning of a signal as a clause; undefined if it is not known. `name` is the innermost function, `pid` the program. The
 * kernel names the program itself as the sender of `SIGPIPE` and `SIGXFSZ`.
 */
export const of = (info: SignalInfo, name: string, pid: number | undefined): string | undefined => {
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
  if (code !== "SI_USER" || sender !== pid) return undefined
  const written = writes.exec(name)?.[1]
  if (signal === "SIGPIPE" && written !== undefined) {
    return `${written} to a pipe or socket whose other end is closed for reading`
  }
  const larger = written ?? enlarges.exec(name)?.[1]
  return signal === "SIGXFSZ" && larger !== undefined
    ? `${larger} beyond the largest size of a file (RLIMIT_FSIZE)`
    : undefined
}
