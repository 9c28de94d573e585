import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Disassembly, Frames, Memory, Symbols } from "../src/index.ts"

const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 }))
const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

/** What LLDB 19 prints for `memory read --format Y --num-per-line 16`. */
const dump = (address: bigint, bytes: ReadonlyArray<number>) =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) => {
    const part = bytes.slice(row * 16, row * 16 + 16)
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ")
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("")
    return `0x${(address + BigInt(row * 16)).toString(16)}: ${hex.padEnd(47)}  ${text}\n`
  }).join("")

describe("memory", () => {
  it.prop(
    "is parsed as it was printed, whatever its characters look like",
    [place, Schema.NonEmptyArray(byte)],
    ([at, bytes]) => {
      const address = BigInt(at)
      assert.deepStrictEqual<ReadonlyArray<number>>(
        [...Memory.bytes(dump(address, bytes), address, bytes.length)],
        bytes
      )
    }
  )

  it("does not confuse characters with bytes", () => {
    const bytes = [...new TextEncoder().encode("aa bb cc dd")]
    assert.deepStrictEqual([...Memory.bytes(dump(0x1000n, bytes), 0x1000n, bytes.length)], bytes)
  })

  it("ends where LLDB reports that the rest was not read", () => {
    const text = `${dump(
      0xff0n,
      Array.from({ length: 64 }, (_, i) => (i < 16 ? 7 : 0))
    )}warning: Not all bytes (16/64) were able to be read from 0xff0.\n`
    assert.deepStrictEqual(
      [...Memory.bytes(text, 0xff0n, 64)],
      Array.from({ length: 16 }, () => 7)
    )
  })

  it("is empty if LLDB refuses", () => {
    assert.strictEqual(Memory.bytes("error: memory read failed for 0x0\n", 0x10n, 4).length, 0)
    assert.strictEqual(Memory.bytes(dump(0x2000n, [1, 2]), 0x1000n, 2).length, 0)
  })

  it("has regions with permissions", () => {
    assert.deepStrictEqual(Memory.regionOf("[0x00007ffffffde000-0x00007ffffffff000) rw- [stack]\n"), {
      from: 0x7ffffffde000n,
      to: 0x7ffffffff000n,
      readable: true,
      writable: true,
      executable: false,
      name: "[stack]"
    })
    assert.deepInclude(Memory.regionOf("[0x0000000000000010-0x0000555555554000) ---\n"), {
      readable: false,
      writable: false
    })
    assert.isUndefined(Memory.regionOf("error: invalid\n"))
  })

  it("is written byte by byte", () => {
    assert.strictEqual(Memory.write(0x10n, Uint8Array.of(1, 255)), "memory write --size 1 0x10 0x01 0xff")
  })
})

const record = (...fields: ReadonlyArray<string>) => `  * \u001e${fields.map((field) => `${field}\u001f`).join("")}\n`

describe("frames", () => {
  it("are parsed from records, with or without source", () => {
    const text =
      "* thread #1, name = 'app', stop reason = breakpoint 1.1\n" +
      record(
        "1",
        "4711",
        "0",
        "0x0000555555555154",
        "/tmp/app",
        "f(int, char)",
        "/src/a b.c",
        "12",
        "7",
        "0x00007ffc"
      ) +
      record("1", "4711", "1", "0x00007ffff7dfc24a", "/lib/libc.so.6", "", "", "", "", "")
    assert.deepStrictEqual(Frames.frames(text), [
      {
        thread: 1,
        tid: 4711,
        index: 0,
        address: "0x555555555154",
        module: "/tmp/app",
        function: "f(int, char)",
        file: "/src/a b.c",
        line: 12,
        column: 7,
        stackPointer: "0x7ffc"
      },
      { thread: 1, tid: 4711, index: 1, address: "0x7ffff7dfc24a", module: "/lib/libc.so.6" }
    ])
    assert.deepStrictEqual(Frames.frames('error: no thread with index: "9"\n'), [])
  })

  it("are printed between setting the format and resetting it", () => {
    const [before, question, after] = Frames.stack(3, 40, 20)
    assert.match(before, /^settings set frame-format "/)
    assert.notMatch(before, /[\u0000-\u001f]/)
    assert.strictEqual(question, "thread backtrace -c 20 -s 40 3")
    assert.strictEqual(after, "settings clear frame-format")
  })

  it("of threads have a stop reason", () => {
    const text =
      "Process 1 stopped\n" +
      record("2", "4712", "breakpoint 1.1", "0x10", "/tmp/app", "work", "/src/t.c", "24") +
      record("1", "4711", "", "0x20", "/lib/libc.so.6", "futex", "", "")
    assert.deepStrictEqual(
      Frames.threadList(text).map(({ index, tid, stopReason, line }) => [index, tid, stopReason, line]),
      [
        [2, 4712, "breakpoint 1.1", 24],
        [1, 4711, undefined, undefined]
      ]
    )
  })
})

describe("instructions", () => {
  const line = (rest: string) => `\u001e0x555555555164\u001fsum\u001f+27\u001f/src/a.c\u001f14\u001f${rest}\n`

  it.each([
    ["8b 45 f8              movl   -0x8(%rbp), %eax", "8b 45 f8", "movl   -0x8(%rbp), %eax"],
    [" 55                    pushq  %rbp", "55", "pushq  %rbp"],
    ["0xd10083ff   sub    sp, sp, #0x20", "0xd10083ff", "sub    sp, sp, #0x20"],
    ["f3 0f 1e fa           endbr64", "f3 0f 1e fa", "endbr64"]
  ])("have bytes and text: %s", (rest, bytes, text) => {
    assert.deepStrictEqual(Disassembly.instructions(line(rest)), [
      { address: "0x555555555164", text, bytes, symbol: "sum", offset: 27, file: "/src/a.c", line: 14 }
    ])
  })

  it("of a function are requested by a quoted name", () => {
    assert.deepStrictEqual(Disassembly.ofFunction('a"b', 19), Result.succeed('disassemble -b -n "a\\"b"'))
    assert.isTrue(Result.isFailure(Disassembly.ofFunction("a\nb", 19)))
  })
})

describe("symbols", () => {
  it("of types have a definition over several lines", () => {
    const text =
      'Best match found in /tmp/app:\nid = {0x0000029a}, name = "item", byte-size = 32, decl = app.c:4:8, compiler_type = "struct item {\n    int id;\n}"\n\n'
    assert.deepStrictEqual(Symbols.types(text), [
      { name: "item", size: 32, definition: "struct item {\n    int id;\n}" }
    ])
    assert.deepStrictEqual(Symbols.types(""), [])
  })

  it("of a typedef include its target", () => {
    const text = `Best match found in /src/app:
id = {0x000065fa}, name = "Vdbe", byte-size = 320, decl = app.c:17514:21, compiler_type = "typedef Vdbe"
     typedef 'Vdbe': id = {0x00006606}, name = "Vdbe", byte-size = 320, decl = app.c:24721:8, compiler_type = "struct Vdbe {
    int pc;
}"
`
    assert.deepStrictEqual(Symbols.types(text), [
      { name: "Vdbe", definition: "typedef Vdbe", size: 320 },
      { name: "Vdbe", definition: "struct Vdbe {\n    int pc;\n}", size: 320 }
    ])
  })

  it("of functions have their start", () => {
    const text = `1 match found in /tmp/app:
        Address: app[0x1149] (app.PT_LOAD[1]..text + 233)
       Function: id = {0x000003a7}, name = "sum_scores", range = [0x0000555555555149-0x0000555555555194)
      LineEntry: [0x0000555555555149-0x0000555555555154): /src/app.c:11:1
`
    assert.deepStrictEqual(Symbols.functions(text), [{ function: "sum_scores", file: "/src/app.c", line: 11 }])
  })

  it("of files are listed once each", () => {
    const unit = `0x560a: CompileUnit{0x00000000}, language = "c11", file = '/src/app.c'\n`
    assert.deepStrictEqual(Symbols.dumpedFiles(unit + unit), ["/src/app.c"])
  })

  it("of the files of all modules are parsed from the line that lists them", () => {
    const list = `(lldb) script print(x)\n[["/tmp/app", ["/src/a \\"b\\".c", "/src/[c.c"]], ["/lib/libc.so", []]]\n`
    assert.deepStrictEqual(Symbols.listedFiles(list), [
      ["/tmp/app", ['/src/a "b".c', "/src/[c.c"]],
      ["/lib/libc.so", []]
    ])
    assert.strictEqual(Symbols.listedFiles("error: there is no embedded script interpreter in this mode.\n"), undefined)
    assert.strictEqual(Symbols.listedFiles("[[1, 2]]\n"), undefined)
  })

  it.each([
    ["(int) $1 = 0x00000003", { type: "int", name: "$1", value: "0x00000003" }],
    ["(int (*)(int)) f = 0x0010 (app`f)", { type: "int (*)(int)", name: "f", value: "0x0010 (app`f)" }],
    ["(item) a = {\n  id = 1\n}", { type: "item", name: "a", value: "{\n  id = 1\n}" }],
    ["error: nothing", undefined]
  ] as const)("of values are taken apart: %s", (text, expected) => {
    assert.deepStrictEqual(Symbols.result(text), expected)
  })

  it.each([
    ["strlen", "libc.so.6`strlen", true],
    ["strlen", "libc.so.6`strlen_ifunc [inlined] selector at ifunc.h:40:7", true],
    ["run", "app`run at app.c:11:46", false],
    ["run", "app`Class::run(int) at app.cpp:11:46", true]
  ])("of functions are bare where no debug information describes them: %s in %s", (name, summary, bare) => {
    const text = `1 symbols match '${name}' in /m:\n        Address: m[0x1] (m..text + 1)\n        Summary: ${summary}\n`
    assert.strictEqual(Symbols.isBare(text, name), bare)
    assert.isFalse(Symbols.isBare("1 symbols match 'x' in /m:\n        Name: x@GLIBC_2\n        Value: 0x0\n", "x"))
  })

  it("of indirect functions are in the symbol table", () => {
    const row = (kind: string, name: string) =>
      `[ 1396]   1397     ${kind}        0x000000000009be70 0x00007ffff7e70e70 0x0000000000000109 0x0000000a ${name}\n`
    const text = row("Resolver", "memcpy@@GLIBC_2.14") + row("Code", "qsort") + row("X Resolver", "strlen")
    assert.deepStrictEqual(Symbols.resolvers(text), ["memcpy", "strlen"])
  })

  it("of arguments are distinguished from locals", () => {
    const text = "ARG: (const item *) items = 0x10{...}\nARG: (int) n = 3\nLOCAL: (int) total = 1\n"
    assert.deepStrictEqual(Symbols.argumentNames(text), ["items", "n"])
  })
})
