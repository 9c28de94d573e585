// A newer sigtrap meets the daemon of an older one: a daemon that has nothing to do is replaced, one with a session is not.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Version } from "@sigtrap/host"
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Runtimes from "../../release/Runtimes.ts"
import * as Packages from "./packages.ts"

const newer = "99.0.0"

/** Makes a copy of the installed package that has another version. */
const upgrade = (installation: Packages.Installation): string => {
  const name = "sigtrap-newer"
  const folder = installation.file(name)
  cpSync(installation.file("sigtrap"), folder, { recursive: true })
  for (const file of readdirSync(join(folder, "dist")).filter((path) => /\.[cm]?js$/.test(path))) {
    const path = join(folder, "dist", file)
    // The answer to `--version` is written by the build.
    const text = readFileSync(path, "utf8").replaceAll(`sigtrap ${Version.product} (`, `sigtrap ${newer} (`)
    writeFileSync(path, text.replaceAll(`"${Version.product}"`, `"${newer}"`))
  }
  return `${name}/dist/sigtrap.js`
}

describe("an upgrade", () => {
  let installation: Packages.Installation
  let script: string
  beforeAll(async () => {
    installation = await Packages.install(["sigtrap"])
    script = upgrade(installation)
  })
  afterAll(() => installation.remove(Runtimes.ownNode))

  const older = (...words: ReadonlyArray<string>) => installation.sigtrap(Runtimes.ownNode, ...words).text
  const newest = (...words: ReadonlyArray<string>) => installation.run(Runtimes.ownNode, script, ...words).text

  it("replaces a daemon that has nothing to do, and prints its own version without one", () => {
    assert.include(newest("--no-daemon-start", "--version"), `sigtrap ${newer} `)
    assert.include(older("sessions"), "no sessions")
    assert.include(older("daemon", "status"), `version ${Version.product}`)
    assert.include(newest("sessions"), "no sessions")
    assert.include(newest("daemon", "status"), `version ${newer}`)
  })

  it("says once that a daemon with a session is older, and loses nothing", () => {
    older("daemon", "stop")
    assert.include(older("start", "./app", "--break", "square"), "n=7")
    const first = newest("status")
    assert.include(first, `the daemon still has version ${Version.product}, this sigtrap ${newer}`)
    assert.include(first, "stopped #1")
    assert.notInclude(newest("print", "n"), "still has version")
    assert.include(newest("stop"), "stopped default")
    assert.include(newest("sessions"), "no sessions")
    assert.include(newest("daemon", "status"), `version ${newer}`)
  })

  it("leaves a daemon alone if it may not start another", () => {
    newest("daemon", "stop")
    older("sessions")
    assert.include(newest("--no-daemon-start", "sessions"), "no sessions")
    assert.include(older("daemon", "status"), `version ${Version.product}`)
  })
})
