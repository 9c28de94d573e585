/**
 * `npm run release -- --dry`: packs every package, checks the tarballs, publishes them to a registry on the loopback, and runs
 * what users run from it. Without `--dry` the same tarballs are published to the registry that npm is configured for; the root's
 * manifest must then name the repository, which npm needs for provenance. `--tag vVERSION` fails unless the packages have that
 * version.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import * as Changelog from "../changelog.mjs"
import * as Bill from "./Bill.ts"
import * as Binaries from "./Binaries.ts"
import * as Consumers from "./Consumers.ts"
import * as Downloads from "./Downloads.ts"
import * as FileServer from "./FileServer.ts"
import * as Pack from "./Pack.ts"
import * as Publish from "./Publish.ts"
import * as Registry from "./Registry.ts"

const { values: options } = parseArgs({
  options: { dry: { type: "boolean", default: false }, tag: { type: "string" } }
})
const say = (text: string) => process.stdout.write(`release: ${text}\n`)

/** Packages whose types are checked; the others have no types. */
const hasTypes = ({ files }: Pack.Packed) => files.some((file) => file.endsWith(".d.ts"))

/** Checks a tarball with publint and, if it has types, attw. */
const check = (packed: Pack.Packed, folder: string): void => {
  const { bytes, file, files, name, unpacked } = packed
  const wrong = files.filter((path) => path.endsWith(".map") || path.includes("node_modules/"))
  if (wrong.length > 0) throw new Error(`${name} has ${wrong.join(", ")}`)
  Pack.run("npm", ["exec", "--yes", "--package=publint@0.3.25", "--", "publint", "--strict", file], folder)
  if (hasTypes(packed)) {
    const attw = [
      "exec",
      "--yes",
      "--package=@arethetypeswrong/cli@0.18.5",
      "--",
      "attw",
      file,
      "--profile",
      "esm-only"
    ]
    Pack.run("npm", attw, folder)
  }
  say(`${name}: ${bytes} bytes packed, ${unpacked} unpacked, ${files.length} files; publint and attw found nothing`)
}

/** Runs what users run first, from the registry in an empty folder with an empty HOME. */
const consume = (address: string, version: string): void => {
  const home = realpathSync(mkdtempSync("/tmp/sr-"))
  const runtimeDirectory = join(home, "run")
  mkdirSync(runtimeDirectory, { mode: 0o700 })
  const bin = join(Pack.root, "node_modules/.bin")
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    SIGTRAP_RUNTIME_DIR: runtimeDirectory,
    NPM_CONFIG_REGISTRY: address,
    npm_config_registry: address,
    BUN_CONFIG_REGISTRY: address,
    DENO_NO_UPDATE_CHECK: "1"
  }
  const deno = ["deno", "run", "--allow-all", "--minimum-dependency-age=0", `npm:sigtrap@${version}`]
  const commands = [
    ["npx", "-y", `sigtrap@${version}`],
    ["npx", "-y", `@sigtrap/mcp@${version}`],
    ["bunx", "--bun", `sigtrap@${version}`],
    deno
  ]
  try {
    for (const [command = "", ...args] of commands) {
      const text = Pack.run(command, [...args, "--version"], home, env)
      if (!text.includes(version)) throw new Error(`${command} ${args.join(" ")} --version printed ${text}`)
      if (args.some((word) => word.includes("mcp"))) continue
      Pack.run(command, [...args, "sessions"], home, env)
      Pack.run(command, [...args, "daemon", "stop"], home, env)
      say(`${command} ${args.join(" ")}: starts a daemon and ends it`)
    }
  } finally {
    // A command that failed may have started a daemon.
    const own = join(Pack.root, "apps/cli/dist/sigtrap.js")
    Pack.run(process.execPath, [own, "daemon", "stop", "--force"], home, env)
    rmSync(home, { recursive: true, force: true })
  }
}

/** Installs the executable of this machine with the script of the release, which downloads from the loopback. */
const install = async (folder: string, version: string): Promise<void> => {
  const server = await FileServer.start(folder)
  const bin = mkdtempSync(join(tmpdir(), "sigtrap-bin-"))
  try {
    const args = [join(folder, "install.sh"), "--from", server.address, "--to", bin]
    // Not synchronous: the server is in this process.
    const { stdout } = await promisify(execFile)("sh", args)
    if (!stdout.includes(version)) throw new Error(`install.sh printed ${stdout}`)
    say(stdout.split("\n")[0] ?? "")
  } finally {
    server.end()
    rmSync(bin, { recursive: true, force: true })
  }
}

const folder = join(Pack.root, ".artifacts/release")
rmSync(folder, { recursive: true, force: true })
const facts = Pack.shared(Binaries.platforms.map(Binaries.packageName))
if (options.tag !== undefined && options.tag !== `v${facts.version}`) {
  throw new Error(
    `the tag is ${options.tag}, but the packages have version ${facts.version}; run npm run version first`
  )
}
if (!options.dry && facts.repository === undefined) {
  throw new Error("the root's package.json has no field `repository`, which npm publish --provenance needs")
}
const packages = Pack.all(folder, facts)
const empty = mkdtempSync(join(tmpdir(), "sigtrap-release-"))
for (const packed of packages) check(packed, empty)
const executables = Binaries.all(folder, facts.version)
const changelog = join(Pack.root, "apps/cli/CHANGELOG.md")
const changes = existsSync(changelog) ? Changelog.part(readFileSync(changelog, "utf8"), facts.version) : ""
writeFileSync(join(folder, "NOTES.md"), `${changes}\n\n### Executables\n\n${executables.notes}`.trimStart())
process.stdout.write(executables.notes)
// The executables first: npm looks for them when it installs `sigtrap`.
const files = [...executables.files, ...packages.map(({ file }) => file)]
writeFileSync(join(folder, "bill.cdx.json"), `${JSON.stringify(Bill.cyclone(facts.version), undefined, 2)}\n`)
const from = Downloads.address(facts.repository, facts.version, folder)
const homepage = Downloads.page(facts.repository) ?? from
writeFileSync(join(folder, "install.sh"), Downloads.script(from))
writeFileSync(join(folder, "sigtrap.rb"), Downloads.formula(Bill.sums(files), facts.version, from, homepage))
const records = ["NOTES.md", "bill.cdx.json", "install.sh", "sigtrap.rb"]
writeFileSync(join(folder, "SHA256SUMS"), Bill.sums([...files, ...records.map((name) => join(folder, name))]))

if (options.dry) {
  const registry = await Registry.start(join(empty, "registry"))
  try {
    Publish.all(folder, { registry: ["--registry", registry.address, "--userconfig", registry.settings] }, say)
    consume(registry.address, facts.version)
    Consumers.run(["--registry", registry.address], facts, say)
  } finally {
    registry.end()
  }
  await install(folder, facts.version)
} else Publish.all(folder, { publish: ["--provenance"] }, say)
rmSync(empty, { recursive: true, force: true })
say(`${files.length} packages, SHA256SUMS, ${records.join(", ")} are in ${folder}`)
