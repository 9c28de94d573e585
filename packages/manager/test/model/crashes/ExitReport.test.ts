/** What a runtime wrote before the program ended, as the runtimes of clang 14, gcc 12, Rust 1.95 and Go 1.19 write it. */
import { assert, it } from "@effect/vitest"
import * as ExitReport from "../../../src/model/crashes/ExitReport.ts"

const memory = (last: string) =>
  [
    "==2931==WARNING: MemorySanitizer: use-of-uninitialized-value",
    "    #0 0x5555556034c3 in main /src/sn.cpp:18:361",
    "",
    "SUMMARY: MemorySanitizer: use-of-uninitialized-value /src/sn.cpp:18:361 in main",
    last,
    ""
  ].join("\n")

it("names the report of a sanitizer that ended the program", () => {
  assert.deepStrictEqual(ExitReport.of(memory("Exiting"), 1), {
    what: "sanitizer",
    summary: "MemorySanitizer: use-of-uninitialized-value",
    text: "MemorySanitizer: use-of-uninitialized-value /src/sn.cpp:18:361 in main",
    sanitizer: { tool: "MemorySanitizer", kind: "use-of-uninitialized-value" }
  })
  // The program continued after the report, or ended for another reason.
  assert.isUndefined(ExitReport.of(memory("done"), 1))
  assert.isUndefined(ExitReport.of(memory("Exiting"), 3))
  const race = "SUMMARY: ThreadSanitizer: data race /src/a.c:9 in main\n"
  assert.strictEqual(ExitReport.of(race, 66)?.summary, "ThreadSanitizer: data race")
  assert.isUndefined(ExitReport.of(race, 1))
  // The program continues after a report of UndefinedBehaviorSanitizer.
  assert.isUndefined(ExitReport.of("SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior /src/a.c:9:3 in\n", 1))
  const leak = "SUMMARY: AddressSanitizer: 20 byte(s) leaked in 1 allocation(s).\n"
  assert.strictEqual(ExitReport.of(leak, 23)?.summary, "AddressSanitizer: 20 byte(s) leaked in 1 allocation(s)")
})

it("names the last traceback of Python, without the frames of debugpy", () => {
  const text = [
    "Traceback (most recent call last):",
    '  File "/src/rec.py", line 5, in <module>',
    "    main()",
    '  File "/src/rec.py", line 2, in depth',
    "    return depth(n + 1) + 1",
    "           ^^^^^^^^^^^^",
    "  [Previous line repeated 985 more times]",
    '  File "_pydevd_bundle/pydevd_cython.pyx", line 1457, in _pydevd_bundle.pydevd_cython.SafeCallWrapper.__call__',
    "RecursionError: maximum recursion depth exceeded",
    ""
  ].join("\n")
  assert.deepStrictEqual(ExitReport.of(text, 1), {
    what: "exit",
    summary: "exited with code 1; the last traceback is of RecursionError: maximum recursion depth exceeded",
    text: "RecursionError: maximum recursion depth exceeded, in depth /src/rec.py:2"
  })
  assert.isUndefined(ExitReport.of(text, 0))
  assert.isUndefined(ExitReport.of("Traceback (most recent call last):\nnothing\n", 1))
})

it("says that LeakSanitizer ended the program because of the debugger", () => {
  const text =
    "==7==LeakSanitizer has encountered a fatal error.\n==7==HINT: LeakSanitizer does not work under ptrace\n"
  assert.match(ExitReport.of(text, 23)?.summary ?? "", /^exited with code 23: LeakSanitizer does not work/)
  assert.isUndefined(ExitReport.of(text, 0))
})

it("names a panic of Rust or Go only with the exit code of a panic", () => {
  const rust = "thread 'main' (7) panicked at src/main.rs:3:5:\nthe limit is 5\nnote: run with RUST_BACKTRACE=1\n"
  assert.deepStrictEqual(ExitReport.of(rust, 101), {
    what: "crash",
    summary: "panic: the limit is 5",
    text: "thread 'main' (7) panicked at src/main.rs:3:5"
  })
  assert.isUndefined(ExitReport.of(rust, 1))
  const go = "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/app.go:7 +0x2d\n"
  assert.deepStrictEqual(ExitReport.of(go, 2), {
    what: "crash",
    summary: "panic: assignment to entry in nil map",
    text: "/src/app.go:7"
  })
  assert.isUndefined(ExitReport.of(go, 1))
  assert.isUndefined(ExitReport.of("panic: not of the runtime\n", 2))
  const all = "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n"
  assert.strictEqual(ExitReport.of(all, 2)?.summary, "fatal error: all goroutines are asleep - deadlock!")
})

it("names the accesses of the data race that Go found", () => {
  const text = [
    "==================",
    "WARNING: DATA RACE",
    "Read at 0x000000614680 by goroutine 8:",
    "  main.main.func5()",
    "      /src/main.go:108 +0x111",
    "",
    "Previous write at 0x000000614680 by goroutine 7:",
    "  example.com/bank/ledger.(*Ledger).Add()",
    "      /src/ledger.go:12 +0x12e",
    "  main.main.func5()",
    "      /src/main.go:109 +0x12e",
    "",
    "Goroutine 8 (running) created at:",
    "  main.main()",
    "      /src/main.go:108 +0x3344",
    "==================",
    "Found 1 data race(s)",
    ""
  ].join("\n")
  assert.deepStrictEqual(ExitReport.of(text, 66), {
    what: "sanitizer",
    summary: "Go race detector: data race",
    text: "read in main.main.func5 /src/main.go:108, previous write in example.com/bank/ledger.(*Ledger).Add /src/ledger.go:12",
    sanitizer: { tool: "Go race detector", kind: "data race" }
  })
  assert.isUndefined(ExitReport.of(text, 0))
  assert.isUndefined(ExitReport.of(text.replace("Found 1 data race(s)", ""), 66))
})
