// Which files are written, and what a refused call leaves.
import { assert, describe, it } from "@effect/vitest"
import { Errors, Hint } from "@sigtrap/protocol"
import * as Writer from "@sigtrap/manager/model/FileWriter"
import { Effect, FileSystem, Path } from "effect"
import * as PlatformError from "effect/PlatformError"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileWriter } from "../../src/index.ts"
import * as NodeServices from "../../src/runtime/NodeServices.ts"

const place = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-written-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const retry = Hint.again("report", { force: true }, "to replace it")

const write = (file: string, content: string, force = false) => FileWriter.write(file, content, { force, retry })

describe("a file that the caller named", () => {
  it.effect("is created; one that exists is refused with the call that replaces it", () =>
    Effect.gen(function* () {
      const file = join(yield* place, "stop.md")
      yield* write(file, "one")
      chmodSync(file, 0o640)
      const error = yield* Effect.flip(write(file, "two"))
      assert.deepStrictEqual([error._tag, Errors.meta(error).code], ["FileExists", "FILE_EXISTS"])
      assert.deepStrictEqual(error.hints, [retry, Hint.remedy("name another file")])
      assert.strictEqual(readFileSync(file, "utf8"), "one")
      yield* write(file, "three", true)
      assert.strictEqual(readFileSync(file, "utf8"), "three")
      assert.strictEqual(statSync(file).mode & 0o777, 0o640)
    })
  )

  it.effect("is refused if it is empty too, and a hard link to it keeps the content", () =>
    Effect.gen(function* () {
      const directory = yield* place
      const [file, second] = [join(directory, "a"), join(directory, "b")]
      writeFileSync(file, "")
      assert.strictEqual((yield* Effect.flip(write(file, "x")))._tag, "FileExists")
      linkSync(file, second)
      yield* write(second, "new", true)
      assert.deepStrictEqual([readFileSync(file, "utf8"), readFileSync(second, "utf8")], ["", "new"])
    })
  )

  it.effect("is not written through a link, into a pipe or device, or over a directory, also with force", () =>
    Effect.gen(function* () {
      const directory = yield* place
      const target = join(directory, "target")
      writeFileSync(target, "mine")
      symlinkSync(target, join(directory, "link"))
      symlinkSync(join(directory, "absent"), join(directory, "dangling"))
      mkdirSync(join(directory, "folder"))
      execFileSync("mkfifo", [join(directory, "pipe")])
      for (const force of [false, true]) {
        for (const [name, rule, detail] of [
          ["link", "link", `it is a symbolic link to ${target}`],
          ["dangling", "link", "it is a symbolic link"],
          ["folder", "kind", "it is a directory"],
          ["pipe", "kind", "it is a named pipe"],
          ["target/x", "absent", `${target} is not a directory`],
          ["none/x", "absent", `the directory ${join(directory, "none")} does not exist`],
          ["x".repeat(300), "unwritable", "its name is too long"]
        ] as const) {
          const error = yield* Effect.flip(write(join(directory, name), "x", force))
          if (!(error instanceof Errors.FileNotWritten)) return assert.fail(`${name}: ${error._tag}`)
          assert.strictEqual(error.rule, rule, name)
          assert.include(error.detail, detail)
        }
      }
      const absent = yield* Effect.flip(write(join(directory, "no ne/x"), "x"))
      assert.deepStrictEqual(absent.hints[0], Hint.remedy(`mkdir -p '${join(directory, "no ne")}'`))
      assert.strictEqual(readFileSync(target, "utf8"), "mine")
      assert.isTrue(lstatSync(join(directory, "link")).isSymbolicLink())
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["dangling", "folder", "link", "pipe", "target"])
    })
  )

  it.effect("keeps its content on a full disk, and no part of a new one stays", () =>
    Effect.gen(function* () {
      const directory = yield* place
      const fs = yield* FileSystem.FileSystem
      const full = PlatformError.systemError({
        _tag: "Unknown",
        module: "FileSystem",
        method: "write",
        cause: Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
      })
      const fullDisk: FileSystem.FileSystem = {
        ...fs,
        open: (path, options) =>
          Effect.map(fs.open(path, options), (file) => Object.assign(file, { writeAll: () => Effect.fail(full) }))
      }
      const machine = { fs: fullDisk, path: yield* Path.Path }
      writeFileSync(join(directory, "old"), "old")
      for (const name of ["old", "new"]) {
        const error = yield* Effect.flip(Writer.write(join(directory, name), "x", { force: true, retry }, machine))
        assert.include(error.message, `${name} was not written: the file system of ${directory} is full`)
      }
      assert.deepStrictEqual(readdirSync(directory), ["old"])
      assert.strictEqual(readFileSync(join(directory, "old"), "utf8"), "old")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("that appears while it is written is not lost", () =>
    Effect.gen(function* () {
      const file = join(yield* place, "raced")
      const fs = yield* FileSystem.FileSystem
      const late: FileSystem.FileSystem = {
        ...fs,
        lstat: (path) =>
          Effect.tap(Effect.result(fs.lstat(path)), () => Effect.sync(() => writeFileSync(file, "other"))).pipe(
            Effect.flatMap(Effect.fromResult)
          )
      }
      const error = yield* Effect.flip(
        Writer.write(file, "x", { force: false, retry }, { fs: late, path: yield* Path.Path })
      )
      assert.strictEqual(error._tag, "FileExists")
      assert.strictEqual(readFileSync(file, "utf8"), "other")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
