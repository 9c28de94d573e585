// What can be at a path that a hostile folder or another user chooses: each kind is refused by its rule, and no read waits.
import { FileReader as Host } from "@sigtrap/host"
import { FileReader } from "@sigtrap/manager"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { execFileSync } from "node:child_process"
import {
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const { purposes } = FileReader

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sigtrap-files-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Makes one file of each kind, with the rule that refuses it. */
const kinds: {
  readonly [kind: string]: { readonly make: (path: string) => void; readonly rule: FileReader.Rule }
} = {
  "no file": { make: () => {}, rule: "absent" },
  "a named pipe": { make: (path) => void execFileSync("mkfifo", [path]), rule: "kind" },
  "a directory": { make: (path) => mkdirSync(path), rule: "kind" },
  "a cycle of links": { make: (path) => symlinkSync(path, path), rule: "link" },
  "a link to /dev/zero": { make: (path) => symlinkSync("/dev/zero", path), rule: "kind" },
  "a link to a terminal": { make: (path) => symlinkSync("/dev/tty", path), rule: "kind" },
  "a sparse file of 10 GB": {
    make: (path) => {
      writeFileSync(path, "")
      truncateSync(path, 10 * 1024 ** 3)
    },
    rule: "size"
  }
}

const ruleOf = <A>(read: Effect.Effect<A, FileReader.FileRefused>) =>
  Effect.map(Effect.result(read), (result) => (Result.isFailure(result) ? result.failure.rule : "read"))

/** Files that this process has open below a folder. */
const openBelow = (path: string) =>
  readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path)
    } catch {
      return false
    }
  })

describe("each purpose refuses", () => {
  for (const [kind, { make, rule }] of Object.entries(kinds)) {
    it.live(kind, () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "file")
        make(file)
        for (const [name, purpose] of Object.entries<FileReader.Purpose>(purposes)) {
          const expected = purpose.direct === true && kind.includes("link") ? "link" : rule
          if (kind.startsWith("a sparse") && name === "binary") continue
          assert.strictEqual(yield* ruleOf(Host.reader.text(file, purpose)), expected, name)
          if (rule !== "size") {
            assert.strictEqual(yield* ruleOf(Effect.scoped(Host.reader.parts(file, purpose))), expected, name)
          }
        }
        if (process.platform === "linux") assert.deepStrictEqual(openBelow(dirname(file)), [])
      })
    )
  }

  it.live("a path with a NUL byte", () =>
    Effect.gen(function* () {
      for (const purpose of Object.values<FileReader.Purpose>(purposes)) {
        assert.strictEqual(yield* ruleOf(Host.reader.text("/tmp/a\0b", purpose)), "absent")
      }
      assert.strictEqual(yield* Host.reader.owner("/tmp/a\0b"), "absent")
    })
  )

  it.live("a socket", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "socket")
      const server = createServer()
      yield* Effect.callback<void>((resume) => void server.listen(file, () => resume(Effect.void)))
      for (const purpose of Object.values<FileReader.Purpose>(purposes)) {
        assert.strictEqual(yield* ruleOf(Host.reader.bytes(file, purpose)), "kind")
      }
      server.close()
    })
  )
})

describe("a file that decides what is run", () => {
  /** A file of another user: root gives one away, another user takes the part of a third. */
  const stranger = (file: string) => {
    const own = process.getuid?.() ?? 0
    if (own !== 0) return Host.make(own + 1)
    chownSync(file, 65534, 65534)
    return Host.reader
  }

  it.live("must belong to the user or root, as must a link to it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const file = join(path, "config.toml")
      writeFileSync(file, "a = 1")
      assert.strictEqual(yield* Host.reader.text(file, purposes.settings), "a = 1")
      const link = join(path, "link.toml")
      symlinkSync(file, link)
      assert.strictEqual(yield* Host.reader.text(link, purposes.settings), "a = 1")
      for (const purpose of [purposes.launchJson, purposes.defaults, purposes.record, purposes.project]) {
        assert.strictEqual(yield* ruleOf(Host.reader.text(link, purpose)), "link")
      }
      const reader = stranger(file)
      for (const purpose of [purposes.settings, purposes.launchJson, purposes.defaults, purposes.record]) {
        assert.strictEqual(yield* ruleOf(reader.text(file, purpose)), "owner")
      }
      assert.strictEqual(yield* ruleOf(reader.text(link, purposes.settings)), "owner")
      assert.strictEqual(yield* reader.text(file, purposes.named), "a = 1")
      assert.strictEqual(yield* reader.owner(file), "other")
    })
  )

  it.live("is not searched above a folder of another user", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const below = join(path, "theirs", "own")
      mkdirSync(below, { recursive: true })
      const owner = (name: string) =>
        Effect.succeed(name === join(path, "theirs") ? ("other" as const) : ("user" as const))
      const found = yield* FileReader.searched({ owner }, below, dirname)
      assert.deepStrictEqual(
        found.map((one) => one.path),
        [below, join(path, "theirs")]
      )
      const all = yield* FileReader.searched(Host.reader, below, dirname)
      assert.strictEqual(all[0]?.path, below)
    })
  )
})

describe("a regular file", () => {
  it.live("is read whole, up to the limit", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "file")
      const purpose = { limit: 200_000 }
      for (const size of [0, 1, 65_536, 200_000]) {
        writeFileSync(file, "x".repeat(size))
        assert.strictEqual((yield* Host.reader.text(file, purpose)).length, size)
      }
      writeFileSync(file, "x".repeat(200_001))
      assert.strictEqual(yield* ruleOf(Host.reader.text(file, purpose)), "size")
      const hard = `${file}.hard`
      linkSync(file, hard)
      assert.strictEqual(yield* ruleOf(Host.reader.text(hard, purpose)), "size")
    })
  )

  it.live("is bounded although its size is not known", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      assert.include(yield* Host.reader.text("/proc/self/status", { limit: 65_536 }), "Pid:")
      assert.strictEqual(yield* ruleOf(Host.reader.text("/proc/self/status", { limit: 16 })), "size")
    })
  )

  it.live("of any size gives its parts", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "file")
      writeFileSync(file, "head")
      truncateSync(file, 10 * 1024 ** 3)
      const parts = yield* Host.reader.parts(file, purposes.binary)
      assert.strictEqual(parts.size, 10 * 1024 ** 3)
      assert.strictEqual(new TextDecoder().decode(yield* parts.read(0, 4)), "head")
      assert.lengthOf(yield* parts.read(10 * 1024 ** 3 - 2, 100), 2)
      assert.lengthOf(yield* parts.read(0, purposes.binary.limit + 1), 0)
      assert.lengthOf(yield* parts.read(11 * 1024 ** 3, 4), 0)
    })
  )
})
