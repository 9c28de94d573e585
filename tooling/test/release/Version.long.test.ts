// `npm run version` in a copy of the repository: every version changes, and the checks of the versions pass in the copy.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Pack from "../../release/Pack.ts"

/** Copies the repository's own files and the links of its workspaces; the installed packages are linked. */
const copy = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sigtrap-version-")))
  for (const path of Pack.run("git", ["ls-files"], Pack.root).trimEnd().split("\n")) {
    const source = join(Pack.root, path)
    if (!existsSync(source) || lstatSync(source).isSymbolicLink()) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(source, join(folder, path))
  }
  for (const directory of [...Pack.workspaces().map((one) => one.directory), "tooling"]) {
    const modules = join(Pack.root, directory, "node_modules")
    cpSync(modules, join(folder, directory, "node_modules"), { recursive: true, verbatimSymlinks: true })
  }
  symlinkSync(join(Pack.root, "node_modules"), join(folder, "node_modules"))
  return folder
}

describe("npm run version", () => {
  let folder: string
  beforeAll(() => {
    folder = copy()
    const git = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    Pack.run("git", ["init", "--quiet"], folder)
    Pack.run("git", ["add", "--all"], folder)
    Pack.run("git", [...git, "commit", "--quiet", "--message", "start"], folder)
    const path = `${join(folder, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`
    Pack.run(process.execPath, ["tooling/version.mjs"], folder, { ...process.env, PATH: path })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const manifest = (directory: string): { readonly version: string } =>
    JSON.parse(readFileSync(join(folder, directory, "package.json"), "utf8"))

  it("sets the same version everywhere", () => {
    const { version } = manifest("apps/cli")
    assert.notStrictEqual(version, Pack.shared().version)
    for (const { directory } of Pack.workspaces()) assert.strictEqual(manifest(directory).version, version, directory)
    assert.strictEqual(manifest("tooling").version, version)
    const source = readFileSync(join(folder, "packages/host/src/daemon/Version.ts"), "utf8")
    assert.include(source, `export const product = "${version}"`)
    const changelog = (directory: string) => readFileSync(join(folder, directory, "CHANGELOG.md"), "utf8")
    assert.match(changelog("apps/cli"), new RegExp(`^# sigtrap\n\n## ${version}\n\n### Added\n\n- `))
    for (const { directory } of Pack.workspaces()) assert.include(changelog(directory), `\n## ${version}\n`, directory)
    assert.notInclude(changelog("packages/dap"), "`sigtrap ")
  })

  it("leaves a repository whose version checks pass", () => {
    const files = ["packages/host/test/daemon/Version.test.ts", "tooling/test/repository/repository.test.ts"]
    const vitest = join(folder, "node_modules/vitest/vitest.mjs")
    const { status, stderr, stdout } = spawnSync(process.execPath, [vitest, "run", "--project", "unit", ...files], {
      cwd: folder,
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
  })
})
