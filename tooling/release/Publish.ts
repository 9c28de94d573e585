/**
 * Publishes the tarballs of a release folder in the order of its SHA256SUMS. A tarball that the registry has already is skipped,
 * so a release that failed half-way is repeated. It needs Node 24 and npm only:
 * `node tooling/release/Publish.ts FOLDER [OPTION OF NPM]...`.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/** A line of SHA256SUMS. */
interface Sum {
  readonly sha256: string
  readonly name: string
}

/** The result of a command. */
interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly text: string
}

/** Runs a command outside the repository, whose manifest npm would read. */
const run = (command: string, args: ReadonlyArray<string>): Outcome => {
  // `npm run --silent` would silence the errors of the npm that is started here.
  const env = { ...process.env, npm_config_loglevel: "error" }
  const options = { cwd: tmpdir(), encoding: "utf8", env, maxBuffer: 64 << 20 } as const
  const { error, status, stderr, stdout } = spawnSync(command, args, options)
  if (error !== undefined) throw error
  return { code: status, stdout, text: `${stdout}${stderr}` }
}

/** Returns the lines of SHA256SUMS, and fails if a file differs from its line. */
const verified = (folder: string): ReadonlyArray<Sum> => {
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Sum => {
      const [, sha256 = "", name = ""] = /^([0-9a-f]{64}) {2}([\w.-]+)$/.exec(line) ?? []
      if (name === "") throw new Error(`SHA256SUMS has a line that cannot be read: ${line}`)
      return { sha256, name }
    })
  for (const { name, sha256 } of sums) {
    const found = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex")
    if (found !== sha256) throw new Error(`${name} differs from its line in SHA256SUMS; make the release again`)
  }
  return sums
}

/** Returns the integrity of a published version as npm writes it; undefined if the registry does not have it. */
const publishedIntegrity = (id: string, options: ReadonlyArray<string>): string | undefined => {
  const { code, stdout, text } = run("npm", ["view", id, "dist.integrity", "--json", ...options])
  if (code === 0) return stdout.trim() === "" ? undefined : JSON.parse(stdout)
  if (/\bE404\b/.test(text)) return undefined
  throw new Error(`npm view ${id} failed:\n${text}`)
}

/** Publishes the tarballs of a folder. `registry` are options of `npm` that name the registry, `publish` those of `npm publish`. */
export const all = (
  folder: string,
  options: { readonly registry?: ReadonlyArray<string>; readonly publish?: ReadonlyArray<string> },
  say: (text: string) => void
): void => {
  const { publish = [], registry = [] } = options
  for (const { name } of verified(folder)) {
    if (!name.endsWith(".tgz")) continue
    const file = join(folder, name)
    const manifest: { readonly name: string; readonly version: string } = JSON.parse(
      run("tar", ["-xOzf", file, "package/package.json"]).stdout
    )
    const id = `${manifest.name}@${manifest.version}`
    const found = publishedIntegrity(id, registry)
    const own = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`
    if (found !== undefined && found !== own) throw new Error(`${id} is published already, with other contents`)
    if (found === own) {
      say(`${name} is published already`)
      continue
    }
    const { code, text } = run("npm", ["publish", file, "--fetch-retries", "0", ...publish, ...registry])
    if (code !== 0) throw new Error(`npm publish ${name} failed:\n${text}`)
    say(`published ${name}`)
  }
}

if (process.argv[1] === import.meta.filename) {
  const [folder, ...publish] = process.argv.slice(2)
  if (folder === undefined) throw new Error("the folder of the release is missing")
  all(resolve(folder), { publish }, (text) => process.stdout.write(`${text}\n`))
}
