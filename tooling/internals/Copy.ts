/**
 * A copy of the repository, in which a source can be changed while others work in the repository.
 *
 * It has the files that git knows or would add, and links to the installed dependencies. Links between the packages lead
 * to the copy.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { dirname, isAbsolute, join } from "node:path"
import { root } from "./Mutants.ts"

const lines = (text: string) => text.split("\n").filter((line) => line !== "")

/** Fills a folder of dependencies: relative links are repeated, so that a package of the workspace is that of the copy. */
const link = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === ".cache") continue
    const [source, target] = [join(from, name), join(to, name)]
    const isLink = lstatSync(source).isSymbolicLink()
    if (isLink && !isAbsolute(readlinkSync(source))) symlinkSync(readlinkSync(source), target)
    else if (!isLink && name.startsWith("@")) link(source, target)
    else symlinkSync(source, target)
  }
}

/** Creates a copy in a folder, which is emptied before. */
export const make = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  const git = (...args: ReadonlyArray<string>) => lines(execFileSync("git", args, { cwd: root, encoding: "utf8" }))
  const deleted = new Set(git("ls-files", "--deleted"))
  for (const path of git("ls-files", "--cached", "--others", "--exclude-standard")) {
    if (deleted.has(path)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true })
  }
  const workspaces = ["packages", "apps", "examples"].flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(parent, name))
      .filter((workspace) => existsSync(join(root, workspace, "node_modules")))
  )
  for (const workspace of ["", "tooling", ...workspaces]) {
    link(join(root, workspace, "node_modules"), join(folder, workspace, "node_modules"))
  }
}
