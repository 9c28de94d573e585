/** What a signal means, by what the kernel says of it and the function that made the call. */
import { assert, it } from "@effect/vitest"
import * as SignalMeaning from "../../../src/model/signals/SignalMeaning.ts"

it("names the system call that a filter refused", () => {
  const of = (number: number, architecture: number) =>
    SignalMeaning.of(
      { name: "SIGSYS", by: "kernel", code: "SYS_SECCOMP", call: { number, architecture } },
      { name: "getppid", pid: 7 }
    )
  assert.strictEqual(of(110, 0xc000_003e), "a filter (seccomp) refused the system call getppid (110)")
  assert.strictEqual(of(435, 0xc000_003e), "a filter (seccomp) refused the system call clone3 (435)")
  assert.strictEqual(of(110, 0xc000_00b7), "a filter (seccomp) refused the system call 110")
  assert.strictEqual(of(9999, 0xc000_003e), "a filter (seccomp) refused the system call 9999")
})

it("explains a write that failed only if the kernel sent the signal for it", () => {
  const failed: { readonly [signal: string]: bigint } = { SIGPIPE: -32n, SIGXFSZ: -27n }
  const of = (name: string, call: string, code = "SI_USER", sender = 7, result = failed[name]) =>
    SignalMeaning.of({ name, by: "kernel", code, sent: true, sender }, { name: call, pid: 7, result })
  assert.strictEqual(
    of("SIGPIPE", "__GI___libc_write"),
    "write to a pipe or socket whose other end is closed for reading"
  )
  assert.strictEqual(of("SIGPIPE", "__send"), "send to a pipe or socket whose other end is closed for reading")
  assert.strictEqual(of("SIGXFSZ", "ftruncate64"), "ftruncate64 beyond the largest size of a file (RLIMIT_FSIZE)")
  // Another process sent it, the program itself did, or the function does not write.
  assert.isUndefined(of("SIGPIPE", "write", "SI_USER", 8))
  assert.isUndefined(of("SIGPIPE", "raise", "SI_TKILL"))
  assert.isUndefined(of("SIGPIPE", "kill"))
  assert.isUndefined(of("SIGTERM", "write"))
  // A thread of the program sent it while the call was interrupted or succeeded, or the result is not known.
  for (const result of [-512n, 5n]) assert.isUndefined(of("SIGPIPE", "write", "SI_USER", 7, result))
  const kernel = { name: "SIGPIPE", by: "kernel", code: "SI_USER", sent: true, sender: 7 } as const
  assert.isUndefined(SignalMeaning.of(kernel, { name: "write", pid: 7 }))
  assert.match(of("SIGXCPU", "main", "SI_KERNEL") ?? "", /RLIMIT_CPU/)
  assert.isUndefined(of("SIGXCPU", "main"))
})
