/** The JavaScript runtimes on which the packed packages are run. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Pack from "./Pack.ts"

/** A JavaScript runtime: its executable, and its arguments before the path of a script. */
export interface Runtime {
  readonly name: string
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** The Node that runs the tests. */
export const ownNode: Runtime = { name: "node", program: process.execPath, args: [] }

const modules = join(Pack.root, "node_modules")

/** Bun as the repository pins it. */
export const bun: Runtime = { name: "bun", program: realpathSync(join(modules, ".bin/bun")), args: [] }

/** Deno as the repository pins it. The `deno` in .bin is a script for Node. */
export const deno: Runtime = {
  name: "deno",
  program: Pack.run(join(modules, ".bin/deno"), ["eval", "console.log(Deno.execPath())"], Pack.root).trim(),
  args: ["run", "--allow-all"]
}

/** Returns the path of an executable in a package of npm, which is installed at the first use. */
export const executable = (name: string, version: string, path: string): string => {
  const folder = join(modules, ".cache/runtimes", version)
  const program = join(folder, "node_modules", name, path)
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), "{}")
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], { cwd: folder, stdio: "ignore" })
  }
  return program
}

/** This platform, as packages with executables name it. */
export const platform = `${process.platform}-${process.arch}`

/** Returns another version of Node, from the packages in which npm has its executables. */
export const node = (version: string): Runtime => ({
  name: `node ${version}`,
  program: executable(`node-${platform}`, version, "bin/node"),
  args: []
})
