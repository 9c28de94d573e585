/** Packs every published workspace into a tarball: what users install, and what the packed tests install. */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Bundles from "./Bundles.ts"
import * as Downloads from "./Downloads.ts"
import * as Manifest from "./Manifest.ts"
import * as Notices from "./Notices.ts"
import * as Readme from "./Readme.ts"

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** A workspace that is published. */
export interface Workspace {
  readonly name: string
  /** Its folder below the root, such as `packages/dap`. */
  readonly directory: string
  readonly manifest: Manifest.Manifest
}

/** A packed workspace. */
export interface Packed {
  readonly name: string
  /** The tarball's path. */
  readonly file: string
  /** Bytes of the tarball, and of its files. */
  readonly bytes: number
  readonly unpacked: number
  /** The paths of its files. */
  readonly files: ReadonlyArray<string>
}

const read = (path: string): Manifest.Manifest => JSON.parse(readFileSync(path, "utf8"))

const text = (value: Manifest.Json | undefined): string => (typeof value === "string" ? value : "")

/** Returns the workspaces that are published: those of packages/ and apps/ that are not private. */
export const workspaces = (): ReadonlyArray<Workspace> =>
  ["packages", "apps"]
    .flatMap((group) =>
      readdirSync(join(root, group)).map((folder): Workspace => {
        const directory = `${group}/${folder}`
        const manifest = read(join(root, directory, "package.json"))
        return { name: text(manifest["name"]), directory, manifest }
      })
    )
    .filter(({ manifest }) => manifest["private"] !== true)

/** Returns what the manifests share. `executables` are the packages with compiled executables that are published too. */
export const shared = (executables: ReadonlyArray<string> = []): Manifest.Shared => {
  const manifest: {
    readonly workspaces: { readonly catalog: { readonly [name: string]: string } }
    readonly repository?: Manifest.Json
    readonly homepage?: string
  } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const {
    homepage,
    repository,
    workspaces: { catalog }
  } = manifest
  const own = text(read(join(root, "apps/cli/package.json"))["version"])
  return {
    version: own,
    catalog,
    executables,
    ...(repository === undefined ? {} : { repository }),
    ...(homepage === undefined ? {} : { homepage })
  }
}

/** The packages whose code is in the bundles of `sigtrap`; `thin` packages only start it. */
const thinCommands: {
  readonly [name: string]: { readonly command: string; readonly loading: string; readonly type: "module" | "commonjs" }
} = {
  // Node starts a CommonJS file some milliseconds earlier than a module, and an agent waits for this one.
  "@sigtrap/mcp": { command: "sigtrap-mcp", loading: 'const { run } = require("sigtrap/mcp")', type: "commonjs" },
  "@sigtrap/http": { command: "sigtrap-http", loading: 'import { run } from "sigtrap/http"', type: "module" }
}

const isShipped = (path: string): boolean => !path.endsWith(".map")

/** Runs a command and returns its standard output; fails with all its output if it fails. */
export const run = (
  command: string,
  args: ReadonlyArray<string>,
  folder: string,
  env: NodeJS.ProcessEnv = process.env
): string => {
  // `npm run --silent` would silence the errors of the npm that is started here.
  const environment = { ...env, npm_config_loglevel: "error" }
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    env: environment
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${folder}:\n${stdout}${stderr}`)
  return stdout
}

/** Returns where the documents and files of a version can be read. */
const placesOf = ({ homepage, repository, version }: Manifest.Shared): Readme.Places => {
  const page = Downloads.page(repository)
  return {
    ...(homepage === undefined ? {} : { site: homepage.replace(/\/$/, "") }),
    ...(page === undefined ? {} : { files: `${page}/blob/v${version}` })
  }
}

/** Writes the files of a package into an empty folder. */
const write = ({ directory, manifest, name }: Workspace, folder: string, facts: Manifest.Shared): void => {
  const source = join(root, directory)
  const thin = thinCommands[name]
  const own =
    thin === undefined
      ? Manifest.published(manifest, directory, facts)
      : { ...Manifest.thin(manifest, directory, thin.command, facts), type: thin.type }
  const bundles = name === "sigtrap"
  const optional = Object.fromEntries(facts.executables.map((one) => [one, facts.version]))
  const files = bundles
    ? {
        files: ["dist", "THIRD-PARTY-NOTICES"],
        ...(facts.executables.length === 0 ? {} : { optionalDependencies: optional })
      }
    : {}
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...own, ...files }, undefined, 2)}\n`)
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  const readme = join(source, "README.md")
  if (existsSync(readme)) {
    writeFileSync(join(folder, "README.md"), Readme.published(readFileSync(readme, "utf8"), directory, placesOf(facts)))
  }
  if (thin !== undefined) {
    const program = `#!/usr/bin/env node\n${thin.loading}\nrun(process.argv.slice(2))\n`
    writeFileSync(join(folder, `${thin.command}.js`), program, { mode: 0o755 })
    return
  }
  // The compiled executable, which `npm run build:binary` leaves in dist/, has packages of its own.
  const dist = join(source, "dist")
  const unused = new Set([join(dist, "sigtrap")])
  if (bundles) {
    const used = Bundles.used(dist)
    for (const file of readdirSync(dist)) if (!used.has(file)) unused.add(join(dist, file))
  }
  cpSync(dist, join(folder, "dist"), { recursive: true, filter: (path) => isShipped(path) && !unused.has(path) })
  if (bundles) writeNotices(folder)
}

/** Writes the notices of the libraries in the bundles into the folder of a package. */
export const writeNotices = (folder: string): void => writeFileSync(join(folder, "THIRD-PARTY-NOTICES"), Notices.text())

/** Packs a workspace into a folder. */
export const pack = (workspace: Workspace, destination: string, facts: Manifest.Shared): Packed => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-pack-"))
  try {
    write(workspace, folder, facts)
    const output = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", destination], folder)
    const [packed]: ReadonlyArray<{
      readonly filename: string
      readonly size: number
      readonly unpackedSize: number
      readonly files: ReadonlyArray<{ readonly path: string }>
    }> = JSON.parse(output)
    if (packed === undefined) throw new Error(`npm pack printed nothing for ${workspace.name}`)
    return {
      name: workspace.name,
      file: join(destination, packed.filename.replace("@", "").replace("/", "-")),
      bytes: packed.size,
      unpacked: packed.unpackedSize,
      files: packed.files.map(({ path }) => path)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs every published workspace into a folder, which is made if it is missing. The workspaces must be built. */
export const all = (destination: string, facts: Manifest.Shared): ReadonlyArray<Packed> => {
  mkdirSync(destination, { recursive: true })
  return workspaces().map((workspace) => pack(workspace, destination, facts))
}
