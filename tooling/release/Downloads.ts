/** What a release offers beside npm: a script that installs an executable, and a formula for Homebrew. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Json } from "./Manifest.ts"

/** Returns the address of a repository's page: that of its git URL, read with HTTPS; undefined if it has no host. */
export const page = (repository: Json | undefined): string | undefined => {
  const url = typeof repository === "object" && repository !== null && "url" in repository ? repository["url"] : ""
  const [, host, path] =
    /^(?:git\+)?(?:https|ssh|git):\/\/(?:[^@/]+@)?([^/:]+)(?::\d+)?\/(.+?)(?:\.git)?$/.exec(String(url)) ?? []
  return host === undefined || path === undefined ? undefined : `https://${host}/${path}`
}

/** Returns where the files of a version are: on the repository's page, as GitHub places them, or else in a folder. */
export const address = (repository: Json | undefined, version: string, folder: string): string => {
  const own = page(repository)
  return own === undefined ? `file://${folder}` : `${own}/releases/download/v${version}`
}

/** Returns the script `install.sh` with the address of its release. */
export const script = (from: string): string => {
  if (!/^[\w:/.@%+~-]+$/.test(from)) throw new Error(`the address of the release has characters of a shell: ${from}`)
  return readFileSync(join(import.meta.dirname, "install.sh"), "utf8").replace(/^from=""$/m, `from="${from}"`)
}

/** Returns the digest of the executable of a platform from the text of SHA256SUMS. */
const digest = (sums: string, file: string): string => {
  const [, found] = new RegExp(`^([0-9a-f]{64}) {2}${file.replaceAll(".", "\\.")}$`, "m").exec(sums) ?? []
  if (found === undefined) throw new Error(`SHA256SUMS has no ${file}`)
  return found
}

/** Returns the formula for Homebrew. See https://docs.brew.sh/Formula-Cookbook. On Linux, Homebrew uses glibc. */
export const formula = (sums: string, version: string, from: string, homepage: string): string => {
  const source = (platform: string) => {
    const file = `sigtrap-bin-${platform}-${version}.tgz`
    return [`url "${from}/${file}"`, `sha256 "${digest(sums, file)}"`]
  }
  const block = (head: string, lines: ReadonlyArray<string>) => [
    `${head} do`,
    ...lines.map((line) => `  ${line}`),
    "end"
  ]
  const system = (name: string, os: string) =>
    block(name, [...block("on_arm", source(`${os}-arm64`)), ...block("on_intel", source(`${os}-x64`))])
  const body = [
    'desc "Debugger sessions that a shell, coding agents and programs share"',
    `homepage "${homepage}"`,
    `version "${version}"`,
    'license "MIT"',
    "",
    ...system("on_macos", "darwin"),
    "",
    ...system("on_linux", "linux"),
    "",
    "def install",
    '  bin.install "sigtrap"',
    '  generate_completions_from_executable(bin/"sigtrap", "completion")',
    "end",
    "",
    ...block("test", ['assert_match version.to_s, shell_output("#{bin}/sigtrap --version")'])
  ]
  const lines = ["class Sigtrap < Formula", ...body.map((line) => (line === "" ? "" : `  ${line}`)), "end"]
  return `${lines.join("\n")}\n`
}
