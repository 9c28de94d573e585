import { RuntimePath } from "@sigtrap/host"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { directory } from "../../src/testing/Children.ts"

const uid = process.getuid?.() ?? -1
const resolve = (explicit: string, as = uid) => RuntimePath.resolve({ explicit, environment: {}, uid: as })

describe("an explicit directory", () => {
  const rows: ReadonlyArray<{
    readonly what: string
    readonly make: (path: string) => void
    readonly problem?: RegExp
  }> = [
    { what: "absent is made", make: () => {} },
    { what: "of our own with mode 0700 is used", make: (path) => mkdirSync(path, { mode: 0o700 }) },
    {
      what: "that others may enter",
      make: (path) => void (mkdirSync(path), chmodSync(path, 0o750)),
      problem: /mode is 0750/
    },
    { what: "that we may not write", make: (path) => mkdirSync(path, { mode: 0o500 }), problem: /mode is 0500/ },
    { what: "that is a file", make: (path) => writeFileSync(path, ""), problem: /not a directory/ },
    {
      what: "that is a link",
      make: (path) => void (mkdirSync(`${path}-real`, { mode: 0o700 }), symlinkSync(`${path}-real`, path)),
      problem: /symbolic link/
    }
  ]
  for (const { what, make, problem } of rows) {
    it.effect(`${what}${problem === undefined ? "" : " is refused and left alone"}`, () =>
      Effect.gen(function* () {
        const path = join(yield* directory, "run")
        make(path)
        const mode = problem === undefined ? undefined : lstatSync(path).mode
        const resolved = resolve(path)
        if (problem === undefined) {
          assert.strictEqual(resolved._tag, "Place")
          assert.strictEqual(statSync(path).mode & 0o777, 0o700)
          return
        }
        assert(resolved._tag === "Refusal")
        assert.match(resolved.problem, problem)
        assert.match(resolved.problem, /uid/)
        assert.include(resolved.remedy, "SIGTRAP_RUNTIME_DIR")
        assert.strictEqual(lstatSync(path).mode, mode)
      })
    )
  }

  it.effect("of another user is refused with the uid of the owner", () =>
    Effect.gen(function* () {
      const path = join(yield* directory, "run")
      mkdirSync(path, { mode: 0o700 })
      const resolved = resolve(path, uid + 4711)
      assert(resolved._tag === "Refusal")
      assert.include(resolved.problem, `uid ${uid}`)
    })
  )

  it.effect("below a folder of another user is refused (needs root to give a folder away)", () =>
    Effect.gen(function* () {
      if (uid !== 0) return
      const parent = yield* directory
      mkdirSync(join(parent, "run"), { mode: 0o700 })
      chownSync(parent, 1234, 1234)
      const resolved = resolve(join(parent, "run"))
      assert(resolved._tag === "Refusal")
      assert.include(resolved.problem, "is owned by uid 1234")
    })
  )

  it.effect("below a folder that other users can write to is refused, unless that folder is sticky", () =>
    Effect.gen(function* () {
      const parent = yield* directory
      chmodSync(parent, 0o777)
      assert.strictEqual(resolve(join(parent, "run"))._tag, "Refusal")
      assert.deepStrictEqual(readdirSync(parent), [])
      chmodSync(parent, 0o1777)
      assert.strictEqual(resolve(join(parent, "run"))._tag, "Place")
    })
  )

  it.effect("with a long path has its socket in another directory, under a short unique name", () =>
    Effect.gen(function* () {
      const parent = yield* directory
      const sockets = ["a", "b"].map((letter) => {
        const resolved = resolve(join(parent, letter.repeat(90)))
        assert(resolved._tag === "Place")
        assert.isTrue(resolved.lock.startsWith(resolved.directory))
        return resolved.socket
      })
      assert.isTrue(sockets.every((socket) => socket.length <= RuntimePath.SOCKET_PATH_LIMIT))
      assert.notStrictEqual(sockets[0], sockets[1])
    })
  )
})

it.effect("the order is the user's runtime directory, then the user's temporary directory", () =>
  Effect.gen(function* () {
    const [xdg, tmp] = [yield* directory, yield* directory]
    const at = (environment: Record<string, string>) => {
      const resolved = RuntimePath.resolve({ environment, uid })
      return resolved.directory
    }
    assert.strictEqual(at({ XDG_RUNTIME_DIR: xdg, TMPDIR: tmp }), join(xdg, "sigtrap"))
    assert.strictEqual(at({ XDG_RUNTIME_DIR: `${xdg}/missing`, TMPDIR: tmp }), join(tmp, `sigtrap-${uid}`))
    assert.strictEqual(at({ XDG_RUNTIME_DIR: "relative", TMPDIR: tmp }), join(tmp, `sigtrap-${uid}`))
    assert.strictEqual(at({ SIGTRAP_RUNTIME_DIR: join(tmp, "own"), XDG_RUNTIME_DIR: xdg }), join(tmp, "own"))
  })
)

const Kind = Schema.Literals(["absent", "private", "open", "file", "link"])
const Mode = Schema.Literals([0o700, 0o755, 0o777, 0o1777])

it.effect.prop(
  "whatever exists at the path, the result is a private directory or a failure",
  [Kind, Mode, Schema.Boolean],
  ([kind, parentMode, explicit]) =>
    Effect.gen(function* () {
      const parent = yield* directory
      const path = join(parent, "sigtrap")
      if (kind === "private") mkdirSync(path, { mode: 0o700 })
      if (kind === "open") void (mkdirSync(path), chmodSync(path, 0o755))
      if (kind === "file") writeFileSync(path, "")
      if (kind === "link") symlinkSync("/tmp", path)
      chmodSync(parent, parentMode)
      const resolved = RuntimePath.resolve(
        explicit
          ? { explicit: path, environment: {}, uid }
          : { environment: { XDG_RUNTIME_DIR: parent, TMPDIR: "" }, uid }
      )
      if (resolved._tag === "Refusal") return
      const facts = lstatSync(resolved.directory)
      assert.isTrue(facts.isDirectory())
      assert.strictEqual(facts.uid, uid)
      assert.strictEqual(facts.mode & 0o777, 0o700)
      if (resolved.directory === path) assert.notStrictEqual(parentMode, 0o777)
    }).pipe(Effect.scoped)
)
