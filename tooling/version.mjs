// `npm run version`: `changeset version` sets the versions in the manifests of published packages; this writes their changelogs, and sets
// the same version in the manifest of the tooling and in `Version.ts`, which the thin client reads at every command without reading a
// manifest.
import { spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as Changelog from "./changelog.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

const run = (command, ...args) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: false })
  if (status !== 0) process.exit(status ?? 1)
}

const edit = (path, change) => {
  const file = `${root}${path}`
  const before = readFileSync(file, "utf8")
  const after = change(before)
  if (after === before) return
  writeFileSync(file, after)
}

const changesets = Changelog.all(`${root}.changeset`)
run("changeset", "version")
const { version } = JSON.parse(readFileSync(`${root}apps/cli/package.json`, "utf8"))
for (const path of globSync("{packages,apps}/*/package.json", { cwd: root })) {
  const { name, private: isPrivate } = JSON.parse(readFileSync(`${root}${path}`, "utf8"))
  if (isPrivate) continue
  const file = `${root}${dirname(path)}/CHANGELOG.md`
  const before = existsSync(file) ? readFileSync(file, "utf8") : undefined
  writeFileSync(file, Changelog.extended(name, Changelog.section(name, version, changesets), before))
}
edit("packages/host/src/daemon/Version.ts", (text) =>
  text.replace(/^export const product = ".*"$/m, `export const product = "${version}"`)
)
for (const path of ["tooling/package.json", "apps/web/package.json"]) {
  edit(path, (text) => text.replace(/"version": ".*"/, `"version": "${version}"`))
}
run("bun", "install", "--lockfile-only", "--silent")
run("oxfmt")
