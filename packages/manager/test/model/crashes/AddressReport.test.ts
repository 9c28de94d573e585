/** Reports of AddressSanitizer in core files, as gcc 12 and clang 14 write them. */
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import * as AddressReport from "../../../src/model/crashes/AddressReport.ts"
import * as CoreText from "../../../src/model/cores/CoreText.ts"
import { FileReader } from "../../../src/index.ts"
import { DiskReader } from "../../../src/testing/index.ts"
import { file } from "../../support.ts"

const freed = `==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x603000000040 at pc 0x556737ea72e7 bp 0x7fff192941a0 sp 0x7fff19294198
READ of size 4 at 0x603000000040 thread T0
    #0 0x556737ea72e6 in total /src/uaf.c:7
    #1 0x7fd84a245249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58
    #2 0x556737ea7120 in _start (/src/uaf+0x1120)
0x603000000040 is located 0 bytes inside of 32-byte region [0x603000000040,0x603000000060)
freed by thread T2 here:
    #0 0x7fd84a4b76a8 in __interceptor_free ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52
    #1 0x556737ea72a7 in cancel /src/uaf.c:6:12
    #2 0x556737ea7326 in main /src/uaf.c:8
previously allocated by thread T0 (main) here:
    #0 0x7fd84a4b89cf in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x556737ea71fd in make /src/uaf.c:5
SUMMARY: AddressSanitizer: heap-use-after-free /src/uaf.c:7 in total
Shadow bytes around the buggy address:
`

it("reads the access, and where the memory was allocated and freed", () => {
  assert.deepStrictEqual(AddressReport.parse(freed), {
    kind: "heap-use-after-free",
    summary: "AddressSanitizer: heap-use-after-free /src/uaf.c:7 in total",
    object: "the beginning of a heap block of 32 bytes",
    access: "read",
    size: 4,
    address: 0x603000000040n,
    allocated: { thread: 0, frames: [{ function: "make", file: "/src/uaf.c", line: 5 }] },
    freed: {
      thread: 2,
      frames: [
        { function: "cancel", file: "/src/uaf.c", line: 6 },
        { function: "main", file: "/src/uaf.c", line: 8 }
      ]
    }
  })
})

it("reads errors without an access", () => {
  const bad = [
    "==9==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x604000000018 in thread T0",
    "SUMMARY: AddressSanitizer: bad-free ../asan_malloc_linux.cpp:52 in __interceptor_free"
  ].join("\n")
  assert.deepInclude(AddressReport.parse(bad), { kind: "bad-free", address: 0x604000000018n })
  const negative = "==9==ERROR: AddressSanitizer: negative-size-param: (size=-3)\n"
  assert.deepStrictEqual(
    AddressReport.parse(`${negative}SUMMARY: AddressSanitizer: negative-size-param a.c:2 in f\n`),
    {
      kind: "negative-size-param",
      summary: "AddressSanitizer: negative-size-param a.c:2 in f",
      detail: "size=-3"
    }
  )
  assert.isUndefined(AddressReport.parse(negative))
  assert.isUndefined(AddressReport.parse(""))
})

/** A report with a first line, and lines after it. */
const report = (first: string, kind: string, ...lines: ReadonlyArray<string>) =>
  AddressReport.inOutput(
    [`==9==ERROR: AddressSanitizer: ${first}`, ...lines, `SUMMARY: AddressSanitizer: ${kind} a.c:2 in f`, ""].join("\n")
  )

it("reads what the memory at the address is", () => {
  const at = "0x602000000014"
  const on = `on address ${at} at pc 0x1 bp 0x2 sp 0x3`
  const cases = [
    [
      `${at} is located 0 bytes to the right of 4-byte region [0x602000000010,${at})`,
      "0 bytes after a heap block of 4 bytes"
    ],
    [
      `${at} is located 1 byte before 4-byte region [0x602000000015,0x602000000019)`,
      "1 byte before a heap block of 4 bytes"
    ],
    [
      `${at} is located 8 bytes inside of 40-byte region [0x60200000000c,0x602000000034)`,
      "8 bytes inside a heap block of 40 bytes"
    ],
    [
      `${at} is located 44 bytes to the left of global variable 'kept' defined in 'a.cpp:25:12' (0x602000000040) of size 8\n${at} is located 4 bytes to the right of global variable 'ledger' defined in 'a.cpp:24:12' (0x602000000000) of size 16`,
      "4 bytes after global 'ledger' of 16 bytes"
    ],
    [
      `Address ${at} is located in stack of thread T0 at offset 36 in frame\n    #0 0x55bb8963715f in uas(int) /src/a.cpp:43\n\n  This frame has 2 object(s):\n    [16, 20) 'other' (line 3)\n    [32, 40) 'inner' (line 43) <== Memory access at offset 36 is inside this variable`,
      "inside 'inner' of uas(int), line 43"
    ],
    [
      `Address ${at} is located in stack of thread T1 at offset 40 in frame\n    #0 0x55bb8963715f in copy (/src/a+0x1f)\n\n  This frame has 1 object(s):\n    [32, 40) 'd' <== Memory access at offset 40 partially overflows this variable`,
      "partly beyond 'd' of copy"
    ],
    ["Address 0x1 is a wild pointer.", undefined]
  ] as const
  for (const [line, expected] of cases)
    assert.strictEqual(report(`some-error ${on}`, "some-error", line)?.object, expected)
})

it("reads what the report says of the error beside its kind", () => {
  const cases = [
    ["alloc-dealloc-mismatch (malloc vs operator delete []) on 0x602000000010", "malloc vs operator delete []"],
    [
      "memcpy-param-overlap: memory ranges [0x2,0x4) and [0x1, 0x3) overlap",
      "memory ranges [0x2,0x4) and [0x1, 0x3) overlap"
    ],
    [
      "requested allocation size 0x7f (0x80 after adjustments) exceeds maximum supported size of 0x10 (thread T0)",
      "requested allocation size 0x7f (0x80 after adjustments) exceeds maximum supported size of 0x10"
    ],
    [
      "calloc parameters overflow: count * size (4 * 16) cannot be represented in type size_t (thread T0)",
      "calloc parameters overflow: count * size (4 * 16) cannot be represented in type size_t"
    ],
    ["heap-use-after-free on address 0x1 at pc 0x2 bp 0x3 sp 0x4", undefined]
  ] as const
  for (const [first, expected] of cases) assert.strictEqual(report(first, "some-error")?.detail, expected)
  const sizes = [
    "  object passed to delete has wrong type:",
    "  size of the allocated type:   8 bytes;",
    "  size of the deallocated type: 24 bytes."
  ]
  const found = report("new-delete-type-mismatch on 0x602000000010 in thread T0:", "new-delete-type-mismatch", ...sizes)
  assert.deepInclude(found, { detail: "8 bytes allocated, 24 bytes deleted", address: 0x602000000010n })
})

it("reads the sum of leaks, and where the largest was allocated", () => {
  const leaks = [
    "==9==ERROR: LeakSanitizer: detected memory leaks",
    "",
    "Direct leak of 64 byte(s) in 2 object(s) allocated from:",
    "    #0 0x7f0c in __interceptor_malloc ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:69",
    "    #1 0x561d in make /src/leak.c:3",
    "",
    "Indirect leak of 1 byte(s) in 1 object(s) allocated from:",
    "    #0 0x561d in other /src/leak.c:9",
    "",
    "SUMMARY: AddressSanitizer: 65 byte(s) leaked in 3 allocation(s).",
    ""
  ].join("\n")
  assert.deepStrictEqual(AddressReport.parse(leaks), {
    kind: "detected memory leaks",
    summary: "AddressSanitizer: 65 byte(s) leaked in 3 allocation(s)",
    detail: "65 bytes leaked in 3 allocations",
    allocated: { frames: [{ function: "make", file: "/src/leak.c", line: 3 }] }
  })
  const one =
    "==9==ERROR: LeakSanitizer: detected memory leaks\nSUMMARY: LeakSanitizer: 1 byte(s) leaked in 1 allocation(s).\n"
  assert.deepInclude(AddressReport.parse(one), { detail: "1 byte leaked in 1 allocation" })
  assert.isUndefined(AddressReport.parse("==9==ERROR: LeakSanitizer: detected memory leaks\n"))
})

it("takes the newest of several reports in the output of a program", () => {
  const first = "==9==ERROR: AddressSanitizer: bad-free\nSUMMARY: AddressSanitizer: bad-free a.c:1 in f\n"
  const last = "==9==ERROR: AddressSanitizer: double-free\nSUMMARY: AddressSanitizer: double-free a.c:2 in g\n"
  assert.deepInclude(AddressReport.inOutput(`begin\n${first}${last}end\n`), { kind: "double-free" })
  assert.isUndefined(AddressReport.inOutput("==9==WARNING: nothing\n"))
})

/** A core file with two segments of memory, of which the second one has the bytes. */
const core = (bytes: Uint8Array, type = 4): Uint8Array => {
  const start = 64 + 2 * 56 + 16
  const written = new Uint8Array(start + bytes.length)
  const view = new DataView(written.buffer)
  written.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  view.setUint16(16, type, true)
  view.setBigUint64(32, 64n, true)
  view.setUint16(56, 2, true)
  for (const [index, offset, size] of [
    [0, start - 16, 16],
    [1, start, bytes.length]
  ] as const) {
    view.setUint32(64 + index * 56, 1, true)
    view.setBigUint64(64 + index * 56 + 8, BigInt(offset), true)
    view.setBigUint64(64 + index * 56 + 32, BigInt(size), true)
  }
  written.set(bytes, start)
  return written
}

const found = (bytes: Uint8Array, begin: string) => {
  const files = FileSystem.layerNoop({
    exists: () => Effect.succeed(true),
    stat: () => Effect.succeed(file(0o755)),
    readFile: () => Effect.succeed(bytes)
  })
  return Effect.flatMap(FileReader.FileReader, (reader) => CoreText.find("/core", begin, 40, reader)).pipe(
    Effect.provide(DiskReader.layer.pipe(Layer.provide(files)))
  )
}

it.effect("is found in a core file, also across two reads, and ends with its zero byte", () =>
  Effect.gen(function* () {
    const step = 4 * 1024 * 1024
    const text = new TextEncoder().encode("==77==77==ERROR: of this process\0rest")
    for (const place of [0, 100, step - 9, step]) {
      const memory = new Uint8Array(step + 200)
      memory.set(text, place)
      assert.strictEqual(yield* found(core(memory), "==77==ERROR: "), "==77==ERROR: of this process", `${place}`)
    }
    const long = new TextEncoder().encode(`==77==ERROR: ${"x".repeat(100)}`)
    assert.strictEqual((yield* found(core(long), "==77==ERROR: "))?.length, 40)
    assert.isUndefined(yield* found(core(text), "==7==ERROR: "))
    assert.isUndefined(yield* found(core(text, 2), "==77==ERROR: "))
    assert.isUndefined(yield* found(text, "==77==ERROR: "))
  })
)
