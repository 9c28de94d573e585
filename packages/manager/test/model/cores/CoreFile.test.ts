/** Warnings for core files, with small ELF files in memory. */
import { assert, describe, it } from "@effect/vitest"
import { Client, Hint, Operations, Payload } from "@sigtrap/protocol"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { IntentStore, Ledger, Local, Processes, Simulators } from "../../../src/index.ts"
import { DiskReader, FakeBackend } from "../../../src/testing/index.ts"
import { file, noPrograms } from "../../support.ts"

const bytesOf = (...numbers: ReadonlyArray<readonly [value: number, width: 2 | 4 | 8]>): Uint8Array => {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [, width]) => sum + width, 0)))
  let at = 0
  for (const [value, width] of numbers) {
    if (width === 2) view.setUint16(at, value, true)
    else if (width === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += width
  }
  return new Uint8Array(view.buffer)
}

const joined = (...parts: ReadonlyArray<Uint8Array>) => Uint8Array.from(parts.flatMap((part) => [...part]))
const text = (value: string) => new TextEncoder().encode(value)

const note = (owner: string, type: number, content: Uint8Array) => {
  const name = text(owner.padEnd(Math.ceil((owner.length + 1) / 4) * 4, "\0"))
  const pad = new Uint8Array((4 - (content.length % 4)) % 4)
  return joined(bytesOf([owner.length + 1, 4], [content.length, 4], [type, 4]), name, content, pad)
}

const segment = (type: number, offset: number, address: number, size: number) =>
  bytesOf([type, 4], [4, 4], [offset, 8], [address, 8], [address, 8], [size, 8], [size, 8], [8, 8])

const header = (type: number, entry: number, count: number) =>
  joined(
    Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    bytesOf([type, 2], [62, 2], [1, 4], [entry, 8], [64, 8], [0, 8], [0, 4], [64, 2], [56, 2], [count, 2]),
    bytesOf([0, 2], [0, 2], [0, 2])
  )

interface Build {
  readonly id?: string
  readonly entry: number
}

/** A position-independent program that begins with its headers and its build id. */
const program = ({ entry, id }: Build) => {
  const own = id === undefined ? new Uint8Array(0) : note("GNU", 3, text(id))
  return joined(header(3, entry, 2), segment(6, 64, 64, 112), segment(4, 176, 176, own.length), own)
}

const base = 0x5000_0000

/** The core file of a program that was loaded at `base`. */
const core = (build: Build, path: string) => {
  const first = program(build)
  const notes = joined(
    note("CORE", 6, bytesOf([3, 8], [base + 64, 8], [5, 8], [2, 8], [9, 8], [base + build.entry, 8], [0, 8], [0, 8])),
    note("CORE", 0x46494c45, joined(bytesOf([1, 8], [4096, 8], [base, 8], [base + 4096, 8], [0, 8]), text(`${path}\0`)))
  )
  return joined(
    header(4, 0, 2),
    segment(4, 176, 0, notes.length),
    segment(1, 176 + notes.length, base, first.length),
    notes,
    first
  )
}

/** The minidump of a program, as LLDB writes it: one stream, the list of modules, with the program first. */
const minidump = (path: string, id?: string) => {
  const name = joined(
    bytesOf([2 * path.length, 4]),
    Uint8Array.from([...path].flatMap((letter) => [letter.charCodeAt(0), 0]))
  )
  const record = id === undefined ? new Uint8Array(0) : joined(bytesOf([0x4270454c, 4]), text(id))
  // The header has 32 bytes, the directory 12, the list 4 and its module 108.
  const module = joined(
    bytesOf([base, 8], [4096, 4], [0, 4], [0, 4], [156, 4]),
    new Uint8Array(52),
    bytesOf([record.length, 4], [156 + name.length, 4]),
    new Uint8Array(24)
  )
  const head = joined(bytesOf([0x504d444d, 4], [0xa793, 4], [1, 4], [32, 4]), new Uint8Array(16))
  return joined(head, bytesOf([4, 4], [4 + module.length, 4], [44, 4]), bytesOf([1, 4]), module, name, record)
}

/** Returns the warnings of `core` for these files. */
const warnings = (disk: { readonly [path: string]: Uint8Array }, named?: string) => {
  const files = FileSystem.layerNoop({
    exists: () => Effect.succeed(true),
    stat: () => Effect.succeed(file(0o755)),
    readFile: (path) => Effect.succeed(disk[path] ?? new Uint8Array(0))
  })
  const processes = Layer.succeed(Processes.Processes, {
    self: 1,
    identify: () => Effect.succeed(Option.none()),
    describe: () => Effect.succeed(Option.none()),
    named: () => Effect.succeed([]),
    descendants: () => Effect.succeed([]),
    carrying: () => Effect.succeed([]),
    kill: () => Effect.succeed(true),
    awaitExit: () => Effect.succeed(true)
  })
  const machine = Layer.mergeAll(
    FakeBackend.make().layer,
    Ledger.Ledger.layerNone,
    IntentStore.IntentStore.layerNone,
    processes,
    files,
    DiskReader.layer.pipe(Layer.provide(files)),
    Path.layer,
    noPrograms,
    Simulators.SimulatorAccess.layerNone("testing")
  )
  return Effect.gen(function* () {
    const input = { file: "/core", ...(named === undefined ? {} : { program: named }) }
    const client = yield* Client.Client
    const operation = Operations.find("core") ?? (yield* Effect.die("core"))
    const answer = yield* client.callAny(operation, yield* Payload.decode(operation, input))
    // The programs have no sections.
    const others = answer.warnings.filter(({ code }) => code !== "NO_DEBUG_INFORMATION")
    return others.map(({ code, message }) => `${code}: ${message}`).join("\n")
  }).pipe(Effect.provide(Local.layer.pipe(Layer.provide(machine))))
}

const dead: Build = { id: "deadbeef", entry: 0x1040 }
const other: Build = { id: "othertwo", entry: 0x1040 }

describe("a core file and a program", () => {
  it.effect("give no warning when they belong together", () =>
    Effect.gen(function* () {
      const disk = { "/core": core(dead, "/bin/server"), "/bin/server": program(dead), "/bin/copy": program(dead) }
      assert.strictEqual(yield* warnings(disk, "/bin/server"), "")
      assert.strictEqual(yield* warnings(disk, "/bin/copy"), "")
      assert.strictEqual(yield* warnings(disk), "")
    })
  )

  it.effect("give a warning when memory is missing at the end of the core, and fail when registers are", () =>
    Effect.gen(function* () {
      const whole = core(dead, "/bin/server")
      const cutTo = (size: number) =>
        warnings({ "/core": whole.subarray(0, size), "/bin/server": program(dead) }, "/bin/server")
      assert.strictEqual(
        yield* cutTo(whole.length - 1),
        `CORE_CUT: the core file is cut: ${whole.length - 1} of ${whole.length} bytes are there. ` +
          "The debugger may show missing memory as zeros, and the stack may be cut"
      )
      const { message } = yield* Effect.flip(cutTo(200))
      assert.strictEqual(
        message,
        `the core file /core is cut before its registers: 200 of ${whole.length} bytes are there`
      )
      const cutTable = yield* Effect.flip(cutTo(100))
      assert.strictEqual(cutTable.message, "the core file /core is cut before its registers: 100 bytes are there")
    })
  )

  it.effect("give a warning when the core is from another program, another build, or a rebuilt file", () =>
    Effect.gen(function* () {
      const disk = { "/core": core(dead, "/bin/server"), "/bin/server": program(other), "/bin/other": program(other) }
      const ids = "(build id 6f7468657274, the core has 646561646265)"
      const doubt = "functions, lines and values may be wrong"
      assert.strictEqual(
        yield* warnings(disk, "/bin/other"),
        `CORE_OF_ANOTHER_PROGRAM: the core was left by /bin/server, not by /bin/other ${ids}: ${doubt}`
      )
      assert.strictEqual(
        yield* warnings(disk, "/bin/server"),
        `CORE_OF_ANOTHER_PROGRAM: the core was left by another build of it, not by /bin/server ${ids}: ${doubt}`
      )
      assert.strictEqual(
        yield* warnings(disk),
        `CORE_OF_ANOTHER_PROGRAM: /bin/server was built anew since it left this core ${ids}; name the old file with --program`
      )
    })
  )

  it.effect("give a warning when a minidump is from another program, and none if it has no build id", () =>
    Effect.gen(function* () {
      const disk = {
        "/core": minidump("/bin/server", "deadbeef"),
        "/bin/copy": program(dead),
        "/bin/other": program(other)
      }
      assert.strictEqual(yield* warnings(disk, "/bin/copy"), "")
      assert.strictEqual(
        yield* warnings(disk, "/bin/other"),
        "CORE_OF_ANOTHER_PROGRAM: the core was left by /bin/server, not by /bin/other " +
          "(build id 6f7468657274, the core has 646561646265): functions, lines and values may be wrong"
      )
      assert.strictEqual(yield* warnings({ ...disk, "/core": minidump("/bin/server") }, "/bin/other"), "")
    })
  )

  it.effect("are refused in the wrong order, with the call in the right one", () =>
    Effect.gen(function* () {
      const disk = { "/core": program(dead), "/bin/server": core(dead, "/bin/server") }
      const swapped = yield* Effect.flip(warnings(disk, "/bin/server"))
      assert.strictEqual(swapped.message, "/core is a program, not a core file")
      assert.deepInclude(swapped.hints[0], { operation: "core", input: { file: "/bin/server", program: "/core" } })
      assert.strictEqual((yield* Effect.flip(warnings(disk)))._tag, "Usage")
      const both = { "/core": program(dead), "/bin/server": program(other) }
      assert.deepStrictEqual((yield* Effect.flip(warnings(both, "/bin/server"))).hints, [Hint.help("core")])
    })
  )

  it.effect("are refused if they are a text, empty or compressed", () =>
    Effect.gen(function* () {
      const refused = (...bytes: ReadonlyArray<number>) =>
        Effect.map(Effect.flip(warnings({ "/core": Uint8Array.from(bytes) })), ({ hints, message }) => [message, hints])
      assert.deepStrictEqual(yield* refused(...new TextEncoder().encode("int main(void) {\n}\n")), [
        "/core is a text, not a core file",
        [Hint.help("core")]
      ])
      assert.deepStrictEqual((yield* refused())[0], "/core is empty, not a core file")
      assert.deepStrictEqual(yield* refused(0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2), [
        "/core is compressed; decompress it first",
        [Hint.remedy("zstd -d /core")]
      ])
      // A minidump is the debugger's to read.
      assert.strictEqual(yield* warnings({ "/core": Uint8Array.from([0x4d, 0x44, 0x4d, 0x50, 0x93, 0xa7]) }), "")
    })
  )

  it.effect("are compared by entry point when there are no build ids", () =>
    Effect.gen(function* () {
      const disk = {
        "/core": core({ entry: 0x1040 }, "/bin/server"),
        "/bin/same": program({ entry: 0x1040 }),
        "/bin/other": program({ entry: 0x1088 })
      }
      assert.strictEqual(yield* warnings(disk, "/bin/same"), "")
      assert.include(yield* warnings(disk, "/bin/other"), "the core was left by /bin/server, not by /bin/other:")
    })
  )

  it.effect("give no warning of another program when a file is not an ELF file, or is truncated", () =>
    Effect.gen(function* () {
      const whole = core(dead, "/bin/server")
      for (let length = 7; length < whole.length; length += 7) {
        const disk = { "/core": whole.slice(0, length), "/bin/server": program(dead) }
        const found = yield* warnings(disk, "/bin/server").pipe(
          Effect.catchTag("Usage", ({ message }) => Effect.succeed(message))
        )
        assert.match(found, /^$|^CORE_CUT: |is cut before its registers/)
      }
      assert.strictEqual(yield* warnings({ "/core": whole, "/script": text("#!/bin/sh\n") }, "/script"), "")
    })
  )
})
