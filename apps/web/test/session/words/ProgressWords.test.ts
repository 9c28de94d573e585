import { assert, it } from "@effect/vitest"
import { progressWords } from "../../../src/session/words/ProgressWords.ts"

it("what a debugger does is said in a few words", () => {
  for (const [title, words] of [
    ["Parsing symbol table: libfoo.so", "reading symbols of libfoo.so"],
    ["Manually indexing DWARF: big", "reading symbols of big"],
    ["Loading DWARF5 index for /usr/lib/libfoo.so", "reading symbols of libfoo.so"],
    ["Locating external symbol file: /usr/lib/libfoo.so", "reading symbols of libfoo.so"],
    ["Downloading symbol file for a b.so", "reading symbols of a b.so"],
    ["Attaching", "attaching"],
    ["JIT is compiled", "JIT is compiled"]
  ])
    assert.strictEqual(progressWords(title ?? ""), words)
})
