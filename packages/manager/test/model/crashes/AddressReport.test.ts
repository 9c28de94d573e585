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
      summary: "AddressSanitizer: negative-size-param a.c:2 in f"
    }
  )
  assert.isUndefined(AddressReport.parse(negative))
  assert.isUndefined(AddressReport.parse(""))
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
