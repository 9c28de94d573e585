// The folder of compiled code: only one that no other user can change.
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, mkdirSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import * as CompileCache from "../../src/runtime/CompileCache.ts"
import { directory } from "../../src/testing/Children.ts"

const uid = process.getuid?.() ?? -1

/** A home with a runtime directory. */
const home = Effect.map(directory, (path) => {
  const [own, run] = [join(path, "home"), join(path, "run")]
  mkdirSync(own, { mode: 0o700 })
  return { home: own, run, uid, environment: { SIGTRAP_RUNTIME_DIR: run } }
})

const mode = (path: string) => statSync(path).mode & 0o777

it.effect("is in the cache folder of the user, with mode 0700", () =>
  Effect.gen(function* () {
    const request = yield* home
    const own = join(request.home, ".cache/sigtrap/code")
    assert.strictEqual(CompileCache.folder(request), own)
    assert.deepStrictEqual([mode(own), mode(join(request.home, ".cache/sigtrap"))], [0o700, 0o700])
    assert.strictEqual(CompileCache.folder(request), own)
  })
)

it.effect("is in XDG_CACHE_HOME if that is an absolute path", () =>
  Effect.gen(function* () {
    const request = yield* home
    const named = (path: string) => ({ ...request, environment: { ...request.environment, XDG_CACHE_HOME: path } })
    const cache = join(request.home, "other")
    assert.strictEqual(CompileCache.folder(named(cache)), join(cache, "sigtrap/code"))
    assert.strictEqual(CompileCache.folder(named("other")), join(request.home, ".cache/sigtrap/code"))
  })
)

it.effect("is in the runtime directory if the home is a relative path", () =>
  Effect.gen(function* () {
    const request = yield* home
    for (const relative of ["", "relative"]) {
      assert.strictEqual(CompileCache.folder({ ...request, home: relative }), join(request.run, "code"), relative)
    }
  })
)

const unsafe: ReadonlyArray<readonly [string, (cache: string) => void]> = [
  ["others can write above it", (cache) => void (mkdirSync(cache, { recursive: true }), chmodSync(cache, 0o777))],
  [
    "others can enter it",
    (cache) => void (mkdirSync(join(cache, "code"), { recursive: true }), chmodSync(join(cache, "code"), 0o755))
  ],
  [
    "it is a link",
    (cache) => void (mkdirSync(cache, { recursive: true, mode: 0o700 }), symlinkSync("/tmp", join(cache, "code")))
  ]
]

it.effect.each(unsafe.map(([what, make]) => ({ what, make })))(
  "is in the runtime directory instead if $what",
  ({ make }) =>
    Effect.gen(function* () {
      const request = yield* home
      make(join(request.home, ".cache/sigtrap"))
      assert.strictEqual(CompileCache.folder(request), join(request.run, "code"))
      assert.strictEqual(mode(join(request.run, "code")), 0o700)
    })
)

it.effect("is none if the runtime directory is refused too", () =>
  Effect.gen(function* () {
    const request = yield* home
    mkdirSync(join(request.home, ".cache/sigtrap"), { recursive: true })
    chmodSync(join(request.home, ".cache/sigtrap"), 0o777)
    mkdirSync(request.run)
    chmodSync(request.run, 0o777)
    assert.isUndefined(CompileCache.folder(request))
  })
)
