// Which program opens an address, what other users see of it, and when there is no browser.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Browser from "../../src/process/Browser.ts"
import { directory } from "../../src/testing/Children.ts"

const url = "http://127.0.0.1:4711/#code=0123456789abcdef0123456789abcdef&session=web"

/** Makes a folder with a program that writes its arguments and its input, and ends with a code. */
const machine = Effect.fnUntraced(function* (name: string, code = 0) {
  const folder = yield* directory
  const bin = join(folder, "bin")
  mkdirSync(bin, { mode: 0o755 })
  const script = `#!/bin/sh\necho "$#: $*" > ${folder}/args\n/bin/cat > ${folder}/input\nexit ${code}\n`
  writeFileSync(join(bin, name), script, { mode: 0o755 })
  const read = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : undefined)
  return { directories: [bin], read }
})

describe("a browser", () => {
  it.live("is opened by xdg-open on a screen of Linux, with the address as its one argument", () =>
    Effect.gen(function* () {
      for (const name of ["DISPLAY", "WAYLAND_DISPLAY"]) {
        const { directories, read } = yield* machine("xdg-open")
        assert.isTrue(yield* Browser.open(url, { platform: "linux", environment: { [name]: ":0" }, directories }))
        assert.strictEqual(read("args"), `1: ${url}\n`)
        assert.strictEqual(read("input"), "")
      }
    })
  )

  it.live("gets the address on macOS without an argument that others can read", () =>
    Effect.gen(function* () {
      const { directories, read } = yield* machine("osascript")
      assert.isTrue(yield* Browser.open(url, { platform: "darwin", environment: {}, directories }))
      assert.strictEqual(read("args"), "1: -\n")
      assert.strictEqual(read("input"), `open location "${url}"\n`)
    })
  )

  it.live("is absent without a screen, without the program, or if the program fails", () =>
    Effect.gen(function* () {
      const { directories, read } = yield* machine("xdg-open")
      const screen = { DISPLAY: ":0" }
      assert.isFalse(yield* Browser.open(url, { platform: "linux", environment: {}, directories }))
      assert.isFalse(yield* Browser.open(url, { platform: "linux", environment: { DISPLAY: "" }, directories }))
      assert.isFalse(yield* Browser.open(url, { platform: "linux", environment: screen, directories: [] }))
      assert.isFalse(yield* Browser.open(url, { platform: "darwin", environment: {}, directories }))
      assert.isUndefined(read("args"))
      const failing = yield* machine("xdg-open", 3)
      const system = { platform: "linux", environment: screen, directories: failing.directories }
      assert.isFalse(yield* Browser.open(url, system))
    })
  )

  it.live("is not given an address that could be more than an address", () =>
    Effect.gen(function* () {
      const { directories, read } = yield* machine("osascript")
      for (const odd of [`${url}"\ndo shell script "id`, "file:///etc/passwd", `${url} x`, "-a", `${url}\\`]) {
        assert.isFalse(yield* Browser.open(odd, { platform: "darwin", environment: {}, directories }), odd)
      }
      assert.isUndefined(read("args"))
    })
  )
})
