import { assert, it } from "@effect/vitest"
import { Signals } from "../src/index.ts"

const output = (call: string) =>
  [
    "thread #1: tid = 7, 0x00007ffff7b1f829 libc.so.6`syscall + 25, name = 'app', stop reason = signal SIGSYS",
    "",
    "(__lldb_siginfo_t) __lldb_siginfo = {",
    "  si_signo = 31",
    "  si_errno = 0",
    "  si_code = 1",
    call,
    "}"
  ].join("\n")

it("a refused system call is read from members on one line, and on lines of their own", () => {
  const call = { number: 110, architecture: 3_221_225_534 }
  for (const members of [
    "    _sigsys = (_call_addr = 0x00007ffff7b1f829, _syscall = 110, _arch = 3221225534)",
    "    _sigsys = {_call_addr:0x7ffff7b1f829, …} {\n      _syscall = 110\n      _arch = 3221225534\n    }"
  ]) {
    assert.deepStrictEqual(
      Signals.parse(output(members), () => 31),
      { name: "SIGSYS", code: 1, call }
    )
  }
})
