/** Source text: windows and ranges of small and large files. */
import { assert, it } from "@effect/vitest"
import { ByteSize, Effect, FileSystem, Layer, Option } from "effect"
import { SourceFiles } from "../../src/model/SourceFiles.ts"

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
    readFileString: () => Effect.succeed(text)
  })
  const write = (next: string) => {
    text = next
    written += 1000
  }
  return { layer: SourceFiles.layer.pipe(Layer.provide(files)), write }
}

it.effect("source text is limited to the lines of the file, with any line ending", () =>
  Effect.gen(function* () {
    const sources = yield* SourceFiles
    assert.deepStrictEqual(yield* sources.window("/a.c", 1, 1), Option.some({ first: 1, lines: ["one", "two"] }))
    const all = Option.some({ first: 1, lines: ["one", "two", "three"] })
    assert.deepStrictEqual(yield* sources.window("/a.c", 3, 5), all)
    assert.deepStrictEqual(yield* sources.window("/a.c", 4, 1), Option.none())
    assert.deepStrictEqual(yield* sources.range("/a.c", 2, 9), Option.some(["two", "three"]))
    assert.deepStrictEqual(yield* sources.range("/a.c", 4, 9), Option.none())
  }).pipe(Effect.provide(disk("one\r\ntwo\nthree").layer))
)

it.effect("source text of a file of many megabytes is read, and read again after a change", () => {
  const many = 400_000
  const { layer, write } = disk(Array.from({ length: many }, (_, n) => `  int generated_${n} = ${n};`).join("\n"))
  return Effect.gen(function* () {
    const sources = yield* SourceFiles
    const last = [`  int generated_${many - 1} = ${many - 1};`]
    assert.deepStrictEqual(yield* sources.range("/a.c", many, many), Option.some(last))
    write("int changed;")
    assert.deepStrictEqual(yield* sources.range("/a.c", 1, 1), Option.some(["int changed;"]))
  }).pipe(Effect.provide(layer))
})
