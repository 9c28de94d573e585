/** Source text: windows and ranges of small and large files. */
import { assert, it } from "@effect/vitest"
import { TestClock } from "effect/testing"
import { ByteSize, Effect, FileSystem, Layer, Option } from "effect"
import { SourceFiles } from "../../../src/model/sources/SourceFiles.ts"
import * as SourceRoots from "../../../src/model/sources/SourceRoots.ts"
import { DiskReader } from "../../../src/testing/index.ts"

/** A disk with one file, whose text can change. */
const disk = (initial: string) => {
  let text = initial
  let written = 0
  const files = FileSystem.layerNoop({
    stat: () =>
      Effect.succeed({
        type: "File",
        mtime: Option.some(new Date(written)),
        atime: Option.none(),
        birthtime: Option.none(),
        dev: 0n,
        ino: Option.none(),
        mode: 0o644,
        nlink: Option.none(),
        uid: Option.none(),
        gid: Option.none(),
        rdev: Option.none(),
        size: ByteSize.bytes(text.length),
        blksize: Option.none(),
        blocks: Option.none()
      }),
    realPath: (path) => Effect.succeed(path),
    readFileString: () => Effect.succeed(text)
  })
  const write = (next: string) => {
    text = next
    written += 1000
  }
  return { layer: SourceFiles.layer.pipe(Layer.provide([files, DiskReader.layer.pipe(Layer.provide(files))])), write }
}

it.effect("source text is limited to the lines of the file, with any line ending", () =>
  Effect.gen(function* () {
    const sources = (yield* SourceFiles).within({ ...SourceRoots.none, directories: ["/src"] })
    assert.deepStrictEqual(yield* sources.window("/src/a.c", 1, 1), { first: 1, lines: ["one", "two"] })
    const all = { first: 1, lines: ["one", "two", "three"] }
    assert.deepStrictEqual(yield* sources.window("/src/a.c", 3, 5), all)
    assert.strictEqual((yield* Effect.flip(sources.window("/src/a.c", 4, 1))).refused, "absent")
    assert.deepStrictEqual(yield* sources.range("/src/a.c", 2, 9), ["two", "three"])
    assert.strictEqual((yield* Effect.flip(sources.range("/src/a.c", 4, 9))).refused, "absent")
  }).pipe(Effect.provide(disk("one\r\ntwo\nthree").layer))
)

it.effect("source text has the lines that its language has", () =>
  Effect.gen(function* () {
    const sources = (yield* SourceFiles).within({ ...SourceRoots.none, directories: ["/src"] })
    const linesOf = (file: string) => Effect.map(sources.whole(file), ({ lines }) => lines)
    assert.deepStrictEqual(yield* linesOf("/src/a.py"), ["a", "b", "c\u2028d", "", "e"])
    assert.deepStrictEqual(yield* linesOf("/src/a.mjs"), ["a", "b", "c", "d", "", "e"])
    assert.deepStrictEqual(yield* linesOf("/src/a.go"), ["a\rb", "c\u2028d\r", "e"])
    assert.deepStrictEqual(yield* sources.range("/src/a.py", 2, 3), ["b", "c\u2028d"])
  }).pipe(Effect.provide(disk("a\rb\r\nc\u2028d\r\r\ne").layer))
)

it.effect("source text of a file of a megabyte is read, and read again after a change", () => {
  const many = 40_000
  const { layer, write } = disk(Array.from({ length: many }, (_, n) => `  int generated_${n} = ${n};`).join("\n"))
  return Effect.gen(function* () {
    const sources = (yield* SourceFiles).within({ ...SourceRoots.none, directories: ["/src"] })
    const last = [`  int generated_${many - 1} = ${many - 1};`]
    assert.deepStrictEqual(yield* sources.range("/src/a.c", many, many), last)
    write("int changed;")
    assert.deepStrictEqual(yield* sources.range("/src/a.c", 1, 1), ["int changed;"])
  }).pipe(Effect.provide(layer))
})

it.effect("a line for a breakpoint is at most 50 ms old", () => {
  const { layer, write } = disk("one\ntwo\n")
  return Effect.gen(function* () {
    const sources = (yield* SourceFiles).within({ ...SourceRoots.none, directories: ["/src"] })
    assert.strictEqual(yield* sources.line("/src/a.c", 1), "one")
    write("changed\ntwo\n")
    assert.strictEqual(yield* sources.line("/src/a.c", 1), "one")
    assert.deepStrictEqual(yield* sources.range("/src/a.c", 1, 1), ["changed"])
    yield* TestClock.adjust("50 millis")
    assert.strictEqual(yield* sources.line("/src/a.c", 1), "changed")
    assert.strictEqual((yield* Effect.flip(sources.line("/src/a.c", 9))).refused, "absent")
    assert.strictEqual((yield* Effect.flip(sources.line("/other/a.c", 1))).refused, "outside")
  }).pipe(Effect.provide(layer))
})

it.effect("a whole file has a hash that changes with its text", () => {
  const { layer, write } = disk("one\ntwo\n")
  return Effect.gen(function* () {
    const sources = (yield* SourceFiles).within({ ...SourceRoots.none, directories: ["/src"] })
    const first = yield* sources.whole("/src/a.c")
    assert.deepStrictEqual(first.lines, ["one", "two", ""])
    assert.strictEqual(yield* sources.count("/src/a.c"), 3)
    assert.deepStrictEqual(yield* sources.whole("/src/a.c"), first)
    write("one\nTwo\n")
    assert.notStrictEqual((yield* sources.whole("/src/a.c")).hash, first.hash)
    write("one\ntwo\n")
    assert.strictEqual((yield* sources.whole("/src/a.c")).hash, first.hash)
  }).pipe(Effect.provide(layer))
})
