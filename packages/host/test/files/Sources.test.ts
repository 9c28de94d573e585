// The roots of a session on a real disk, and what is shown below them: links, other kinds of files, large ones.
import { FileReader as Host } from "@sigtrap/host"
import { SessionRoots, SourceFiles, SourceRoots } from "@sigtrap/manager"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, Result } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** A home with a project, another one, and a key. */
const disk = Effect.acquireRelease(
  Effect.sync(() => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-roots-")))
    for (const [file, text] of Object.entries({
      ".ssh/id_rsa": "KEY",
      ".git/HEAD": "dotfiles",
      "notes.txt": "PRIVATE",
      "work/repo/.git/HEAD": "",
      "work/repo/package.json": "{}",
      "work/repo/packages/a/package.json": "{}",
      "work/repo/packages/a/a.c": "a",
      "work/repo/packages/b/b.c": "b",
      "work/plain/main.c": "plain",
      "work/other/other.c": "other",
      "Downloads/tool.c": "tool"
    })) {
      mkdirSync(dirname(join(home, file)), { recursive: true })
      writeFileSync(join(home, file), text)
    }
    return home
  }),
  (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
)

const places: SessionRoots.Places = {
  directory: undefined,
  program: "",
  named: [],
  mapped: [],
  settings: undefined,
  policy: [],
  homes: [],
  temporary: undefined
}

const rootsOf = Effect.fnUntraced(function* (home: string, some: Partial<SessionRoots.Places>) {
  const machine = { fs: yield* FileSystem.FileSystem, path: yield* Path.Path }
  const found = yield* SessionRoots.find({ ...places, homes: [home], ...some }, machine)
  return found.directories.map((one) => one.slice(home.length + 1))
})

const live = SourceFiles.SourceFiles.layer.pipe(Layer.provideMerge([NodeServices.layer, Host.layer]))

describe("the roots of a session", () => {
  it.live("are the repository of the caller and of the program, and the caller's directory", () =>
    Effect.gen(function* () {
      const home = yield* disk
      const a = join(home, "work/repo/packages/a")
      assert.deepStrictEqual(yield* rootsOf(home, { directory: a }), ["work/repo", "work/repo/packages/a"])
      assert.deepStrictEqual(yield* rootsOf(home, { program: join(a, "app") }), ["work/repo"])
      assert.deepStrictEqual(yield* rootsOf(home, { program: join(home, "work/plain/app") }), ["work/plain"])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("are never a home, although it is a repository and the caller's directory", () =>
    Effect.gen(function* () {
      const home = yield* disk
      assert.deepStrictEqual(yield* rootsOf(home, { directory: home, program: join(home, "app") }), [])
      assert.deepStrictEqual(yield* rootsOf(home, { program: join(home, "Downloads/app") }), [])
      assert.deepStrictEqual(yield* rootsOf(home, { directory: join(home, "Downloads") }), ["Downloads"])
      assert.deepStrictEqual(yield* rootsOf(home, { directory: tmpdir(), temporary: tmpdir() }), [])
      assert.deepStrictEqual(yield* rootsOf(home, { directory: "/" }), [])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("are the directories that the caller names; one that is too wide or absent is refused", () =>
    Effect.gen(function* () {
      const home = yield* disk
      const other = join(home, "work/other")
      assert.deepStrictEqual(yield* rootsOf(home, { named: [other] }), ["work/other"])
      assert.deepStrictEqual(yield* rootsOf(home, { mapped: [other, home] }), ["work/other"])
      assert.deepStrictEqual(yield* rootsOf(home, { settings: { "source.roots": [other] } }), ["work/other"])
      for (const named of [home, "/", "/etc", "/tmp", join(home, "absent")]) {
        assert.strictEqual((yield* Effect.flip(rootsOf(home, { named: [named] })))._tag, "Usage", named)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("source text", () => {
  it.live("is that of regular files below a root, with links resolved", () =>
    Effect.gen(function* () {
      const home = yield* disk
      const project = join(home, "work/plain")
      const sources = (yield* SourceFiles.SourceFiles).within({
        ...SourceRoots.none,
        directories: [project],
        homes: [home]
      })
      const shown = (file: string) =>
        Effect.map(Effect.result(sources.window(file, 1, 0)), (text) =>
          Result.isSuccess(text) ? text.success.lines[0] : text.failure.refused
        )
      const at = (name: string) => join(project, name)
      symlinkSync(join(home, ".ssh/id_rsa"), at("key.c"))
      symlinkSync(join(home, "notes.txt"), at("notes.c"))
      symlinkSync(home, at("up"))
      symlinkSync("/dev/zero", at("zero.c"))
      symlinkSync("/proc/self/environ", at("environ.c"))
      symlinkSync(at("main.c"), at("inside.c"))
      symlinkSync(at("loop.c"), at("loop.c"))
      execFileSync("mkfifo", [at("pipe.c")])
      mkdirSync(at("folder.c"))
      writeFileSync(at("large.c"), "")
      truncateSync(at("large.c"), 16 * 1024 * 1024 + 1)
      writeFileSync(at("generated.c"), "int x;\n".repeat(400_000))
      const table = {
        "main.c": "plain",
        "inside.c": "plain",
        "../plain/main.c": "plain",
        "key.c": "secret",
        "../../.ssh/id_rsa": "secret",
        "notes.c": "outside",
        "up/notes.txt": "outside",
        "up/work/plain/main.c": "plain",
        "../../notes.txt": "outside",
        "zero.c": "system",
        "environ.c": "system",
        "loop.c": "absent",
        "pipe.c": "kind",
        "folder.c": "kind",
        "large.c": "size",
        "generated.c": "int x;",
        "absent.c": "absent"
      }
      for (const [name, expected] of Object.entries(table)) {
        assert.strictEqual(yield* shown(`${project}/${name}`), expected, name)
      }
      const whole = yield* Effect.flip(sources.whole(at("generated.c")))
      assert.strictEqual(whole.refused, "size", "a large file is shown in parts")
      assert.strictEqual(yield* shown("main.c"), "absent", "a relative name is not read from the daemon's directory")
    }).pipe(Effect.provide(live))
  )
})
