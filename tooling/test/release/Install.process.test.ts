// Runs install.sh as a user does: with a shell, tar and a program that downloads, from an HTTP server on the loopback.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Bill from "../../release/Bill.ts"
import * as FileServer from "../../release/FileServer.ts"
import * as Pack from "../../release/Pack.ts"

const script = join(Pack.root, "tooling/release/install.sh")

/** What the script may use, beside the shell and one of curl and wget. */
const tools = ["cat", "chmod", "cp", "mkdir", "mktemp", "mv", "rm", "sed", "sha256sum", "shasum", "tar", "gzip"]

const pathOf = (name: string) =>
  spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim() || undefined

/** A machine for the script: what `uname` and `ldd` print, and the programs on PATH. */
interface Machine {
  readonly system?: string
  readonly processor?: string
  readonly ldd?: string
  readonly downloads?: "curl" | "wget"
}

describe("install.sh", () => {
  let top: string
  let server: FileServer.FileServer
  let count = 0

  /** Packs a script as the executable of a platform, as a release does. */
  const executable = (platform: string, ...lines: ReadonlyArray<string>): string => {
    const source = join(top, `source-${platform}`)
    mkdirSync(join(source, "package"), { recursive: true })
    writeFileSync(join(source, "package/sigtrap"), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 })
    const file = join(top, "release", `sigtrap-bin-${platform}-1.2.3.tgz`)
    Pack.run("tar", ["-czf", file, "package"], source)
    return file
  }

  beforeAll(async () => {
    top = mkdtempSync(join(tmpdir(), "sigtrap-install-"))
    mkdirSync(join(top, "release"))
    const files = ["linux-x64", "linux-x64-musl", "linux-arm64", "darwin-x64"].map((platform) =>
      executable(platform, `echo "sigtrap 1.2.3 for ${platform}"`)
    )
    const broken = executable("linux-arm64-musl", "exit 1")
    writeFileSync(join(top, "release/SHA256SUMS"), Bill.sums([...files, broken]))
    // Packed again, so its sum is not that of the release.
    executable("darwin-x64", "echo changed")
    server = await FileServer.start(join(top, "release"))
  })
  afterAll(() => {
    server.end()
    rmSync(top, { recursive: true, force: true })
  })

  /** Runs the script on a machine that has nothing else than what is named. */
  const install = (machine: Machine, ...words: ReadonlyArray<string>) => {
    const { downloads = "curl", ldd = "ldd (GNU libc) 2.36", processor = "x86_64", system = "Linux" } = machine
    count += 1
    const bin = join(top, `bin-${count}`)
    const home = join(top, `home-${count}`)
    for (const path of [bin, home]) mkdirSync(path)
    for (const name of [...tools, downloads]) {
      const path = pathOf(name)
      if (path !== undefined) symlinkSync(path, join(bin, name))
    }
    const fake = (name: string, text: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    fake("uname", `if [ "$1" = -m ]; then echo ${processor}; else echo ${system}; fi`)
    fake("ldd", `echo "${ldd}" >&2; exit 1`)
    fake("sysctl", "exit 1")
    const args = [script, ...(words.includes("--from") ? [] : ["--from", server.address]), ...words]
    return new Promise<{ readonly code: number; readonly text: string; readonly home: string }>((resolve) => {
      const env = { PATH: bin, HOME: home, TMPDIR: home }
      execFile(pathOf("sh") ?? "/bin/sh", args, { env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, text: `${stdout}${stderr}`, home })
      })
    })
  }

  const left = (home: string) => (existsSync(home) ? readdirSync(home, { recursive: true }).map(String).toSorted() : [])

  it.each([
    ["linux-x64", {}],
    ["linux-x64", { downloads: "wget" }],
    ["linux-x64-musl", { ldd: "musl libc (x86_64)" }],
    ["linux-arm64", { processor: "aarch64" }]
  ] as const)("installs the executable of the platform: %s %o", async (platform, machine) => {
    const { code, home, text } = await install(machine)
    assert.strictEqual(code, 0, text)
    assert.include(text, `installed ${home}/.local/bin/sigtrap (sigtrap 1.2.3 for ${platform})`)
    assert.include(text, "is not on PATH")
    assert.deepStrictEqual(left(home), [".local", ".local/bin", ".local/bin/sigtrap"])
  })

  it("installs into the folder that --to names", async () => {
    const to = join(top, "a folder")
    assert.include((await install({}, "--to", to)).text, `installed ${to}/sigtrap`)
    assert.include(readFileSync(join(to, "sigtrap"), "utf8"), "linux-x64")
  })

  it.each([
    ["a file that differs from its sum", { system: "Darwin" }, /has the SHA-256 .*; nothing was installed/],
    [
      "an executable that does not run",
      { processor: "aarch64", ldd: "musl libc" },
      /does not run .* nothing was installed/
    ],
    ["a platform without an executable", { system: "Darwin", processor: "arm64" }, /no executable for darwin-arm64/],
    ["a system without executables", { system: "FreeBSD" }, /no executable for FreeBSD; use Node/],
    ["a processor without executables", { processor: "riscv64" }, /no executable for riscv64; use Node/]
  ] as const)("refuses %s, and leaves nothing", async (_, machine, expected) => {
    const { code, home, text } = await install(machine)
    assert.notStrictEqual(code, 0)
    assert.match(text, expected)
    assert.notInclude(left(home).join(), "sigtrap")
  })

  it("keeps the installed executable if the new one is refused", async () => {
    const to = join(top, "kept")
    await install({}, "--to", to)
    await install({ system: "Darwin" }, "--to", to)
    await install({ processor: "aarch64", ldd: "musl libc" }, "--to", to)
    assert.deepStrictEqual(left(to), ["sigtrap"])
    assert.include(readFileSync(join(to, "sigtrap"), "utf8"), "linux-x64")
  })

  it.each([
    [["--from", "http://127.0.0.1:1"], /SHA256SUMS cannot be downloaded/],
    [["--from", ""], /belongs to no release/],
    [["--into", "x"], /unknown option --into/],
    [["--to"], /--to needs a value/]
  ] as const)("says what is wrong: %s", async (words, expected) => {
    const { code, text } = await install({}, ...words)
    assert.notStrictEqual(code, 0)
    assert.match(text, expected)
  })
})
