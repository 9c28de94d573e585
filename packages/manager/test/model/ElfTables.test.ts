/** Tables of program and core files that claim a size which no real file has: they are not read. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CoreFile from "../../src/model/cores/CoreFile.ts"
import * as ProgramFile from "../../src/model/ProgramFile.ts"
import type { FileReader } from "../../src/ports/FileReader.ts"

const mebibyte = 1024 * 1024

/** A 64-bit ELF file with one segment of notes and one section, both of `size` bytes. */
const elf = (size: number): Uint8Array => {
  const bytes = new Uint8Array(256)
  const view = new DataView(bytes.buffer)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  view.setUint16(16, 3, true)
  view.setUint16(18, 62, true)
  view.setBigUint64(32, 64n, true)
  view.setBigUint64(40, 128n, true)
  for (const [at, value] of [
    [54, 56],
    [56, 1],
    [58, 64],
    [60, 1],
    [62, 0]
  ] as const)
    view.setUint16(at, value, true)
  view.setUint32(64, 4, true)
  view.setBigUint64(64 + 32, BigInt(size), true)
  view.setBigUint64(128 + 32, BigInt(size), true)
  return bytes
}

/** A reader of one file, and the lengths that were asked of it. */
const readerOf = (content: Uint8Array) => {
  const lengths: Array<number> = []
  const unused = Effect.die("the file is read in parts")
  const reader: FileReader["Service"] = {
    home: undefined,
    bytes: () => unused,
    text: () => unused,
    owner: () => unused,
    parts: () =>
      Effect.succeed({
        size: content.length,
        read: (offset, length) => {
          lengths.push(length)
          return Effect.succeed(content.subarray(offset, offset + length))
        }
      })
  }
  return { lengths, reader }
}

it.effect("notes of more than 16 MiB are not read", () =>
  Effect.gen(function* () {
    for (const [size, most] of [
      [16 * mebibyte, 16 * mebibyte],
      [16 * mebibyte + 1, 64]
    ] as const) {
      const { lengths, reader } = readerOf(elf(size))
      yield* CoreFile.buildId("/app", reader)
      assert.strictEqual(Math.max(...lengths), most)
    }
  })
)

it.effect("a table of more than 1 MiB in a program is not read", () =>
  Effect.gen(function* () {
    for (const [size, most] of [
      [mebibyte, mebibyte],
      [mebibyte + 1, 64]
    ] as const) {
      const { lengths, reader } = readerOf(elf(size))
      const machine = { platform: "linux", arch: "x64" } as const
      const request = { program: "/app", args: [], cwd: "/", env: {}, stopOnEntry: false }
      yield* ProgramFile.checkRunnable(request, reader, machine, () => Effect.succeed(true))
      assert.strictEqual(Math.max(...lengths), most)
    }
  })
)
