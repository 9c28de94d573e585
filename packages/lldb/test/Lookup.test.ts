// Functions whose names have a tag of the ABI. The output is that of LLDB 19 for a program of gcc 12.
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { Lookup } from "../src/index.ts"

const output = `2 matches found in /app/abi:
        Address: abi[0x00000000000022b9] (abi.PT_LOAD[1]..text + 233)
        Summary: abi\`greet[abi:cxx11](int) at abi.cpp:3:26
         Module: file = "/app/abi", arch = "x86_64"
       Function: id = {0x00005cb1}, name = "greet[abi:cxx11](int)", mangled = "_Z5greetB5cxx11i", range = [0x00005555555562b9-0x0000555555556302)
         Blocks: id = {0x00005cb1}, range = [0x5555555562b9-0x555555556302)
      LineEntry: [0x00005555555562b9-0x00005555555562ca): /app/abi.cpp:3:26
        Address: abi[0x000000000000273a] (abi.PT_LOAD[1]..text + 1386)
        Summary: abi\`K::greet[abi:cxx11]() const at abi.cpp:4:24
         Module: file = "/app/abi", arch = "x86_64"
       Function: id = {0x00005cd1}, name = "K::greet[abi:cxx11]() const", mangled = "_ZNK1K5greetB5cxx11Ev", range = [0x000055555555673a-0x00005555555567a3)
         Blocks: id = {0x00005cd1}, range = [0x55555555673a-0x5555555567a3)
      LineEntry: [0x000055555555673a-0x000055555555674b): /app/abi.cpp:4:24
`

it("searches functions by their name and any tag", () => {
  const commandOf = (name: string) => Result.getOrElse(Lookup.tagged(name, 19), () => "")
  assert.include(commandOf("K::operator()"), "(^|::)K::operator")
  assert.strictEqual(commandOf("greet[abi:cxx11]"), commandOf("greet"))
})

it("parses each function that was found", () => {
  const found = Lookup.parseAll(output).map(({ fileAddress, ranges, row }) => [
    fileAddress,
    ranges[0]?.start,
    row?.line
  ])
  assert.deepStrictEqual(found, [
    [0x22b9n, 0x5555555562b9n, 3],
    [0x273an, 0x55555555673an, 4]
  ])
})

it("names the modules that have code of a file", () => {
  assert.strictEqual(
    Result.getOrElse(Lookup.file("/app/my file.h", 19), () => ""),
    'image lookup -l 1 -f "/app/my file.h"'
  )
  const found = `1 match found in /app/shared.h:1 in /app/program:
        Address: program[0x0000000000001149] (program.PT_LOAD[1]..text + 233)
        Summary: program\`first at shared.h:1:56
2 matches found in /app/shared.h:1 in /app/lib one.so:
        Address: lib one.so[0x0000000000001109] (lib one.so.PT_LOAD[1]..text + 233)
`
  assert.deepStrictEqual(Lookup.modulesOf(found), ["/app/program", "/app/lib one.so"])
  assert.deepStrictEqual(Lookup.modulesOf("error: no matches\n"), [])
})

it("names the innermost inlined function at an address", () => {
  const inlined = (blocks: string) =>
    Lookup.parse(`      Address: i[0x0000000000001143] (i.PT_LOAD[1]..text + 250)
     Function: id = {0x00000768}, name = "ns_f(int, char const*)", mangled = "_Z4ns_fiPKc", range = [0x1139-0x115d)
       Blocks: id = {0x00000768}, range = [0x1139-0x115d)
${blocks}    LineEntry: [0x0000000000001143-0x0000000000001152): /app/i.cpp:7:5
`)?.inlined
  const outer = `               id = {0x00000779}, range = [0x1140-0x1155), name = "outer", decl = i.cpp:4:13
`
  const put = `               id = {0x0000079e}, ranges = [0x1139-0x1139)[0x1143-0x1152), name = "put", decl = i.cpp:5:46, mangled = _ZN2ns3boxIlE3putEl, demangled = ns::box<long>::put(long)
`
  assert.strictEqual(inlined(""), undefined)
  assert.strictEqual(inlined(outer), "outer")
  assert.strictEqual(inlined(outer + put), "ns::box<long>::put(long)")
  assert.strictEqual(
    inlined(`${put}               id = {0x000007a0}, range = [0x1143-0x1152)
`),
    "ns::box<long>::put(long)"
  )
})
