import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { directory } from "../../src/testing/Children.ts"
import * as SystemPrograms from "../../src/process/SystemPrograms.ts"

const uid = process.geteuid?.()

/** Creates a directory with an executable file `tool`. */
const withTool = (folder: string, mode = 0o755, folderMode = 0o755) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/tool`, "#!/bin/sh\n")
  chmodSync(`${folder}/tool`, mode)
  chmodSync(folder, folderMode)
  return folder
}

it.live("a helper is taken from the directories of the system before those of PATH", () =>
  Effect.gen(function* () {
    const root = yield* directory
    const [system, path] = [withTool(`${root}/system`), withTool(`${root}/path`)]
    const find = (directories: ReadonlyArray<string>) => SystemPrograms.find("tool", { directories, path, uid })
    assert.strictEqual(find([`${root}/absent`, system]), `${system}/tool`)
    assert.strictEqual(find([`${root}/absent`]), `${path}/tool`)
    assert.isUndefined(SystemPrograms.find("other", { directories: [system], path, uid }))
  })
)

it.live("relative and empty entries of PATH are ignored", () =>
  Effect.gen(function* () {
    const folder = withTool(`${yield* directory}/bin`)
    // Tests cannot change the directory of a worker, so the folder and the tool are named from where the worker is.
    const here = relative(process.cwd(), folder)
    const cases = [
      ...["", ".", ":", ":.:"].map((path) => ({ path, name: `${here}/tool` })),
      { path: "..", name: `${relative("..", folder)}/tool` },
      ...[here, `./${here}`, `${here}:.`].map((path) => ({ path, name: "tool" }))
    ]
    for (const { name, path } of cases) {
      const entries = path.split(":").map((entry) => join(entry, name))
      assert.isTrue(entries.some(existsSync), `${path} leads to ${name}`)
      assert.isUndefined(SystemPrograms.find(name, { directories: [], path, uid }), path)
    }
  })
)

it.live("a file that others can replace or that does not run is not used", () =>
  Effect.gen(function* () {
    const root = yield* directory
    const good = withTool(`${root}/good`)
    const linked = `${root}/linked`
    mkdirSync(linked)
    symlinkSync(`${withTool(`${root}/shared`, 0o755, 0o777)}/tool`, `${linked}/tool`)
    const open = withTool(`${root}/open`)
    rmSync(`${open}/tool`)
    symlinkSync(`${good}/tool`, `${open}/tool`)
    chmodSync(open, 0o777)
    for (const bad of [
      open,
      withTool(`${root}/writable`, 0o757),
      withTool(`${root}/group`, 0o775),
      withTool(`${root}/folder`, 0o755, 0o777),
      withTool(`${root}/plain`, 0o644),
      linked
    ]) {
      const machine = { directories: [], path: `${bad}:${good}`, uid }
      assert.strictEqual(SystemPrograms.find("tool", machine), `${good}/tool`, bad)
    }
    if (uid !== 0) return
    const foreign = withTool(`${root}/foreign`)
    chownSync(`${foreign}/tool`, 1234, 1234)
    assert.strictEqual(SystemPrograms.find("tool", { directories: [foreign], path: good, uid }), `${good}/tool`)
  })
)
