/** The compiled executables: one package for each platform, which `sigtrap` names as optional dependencies. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Pack from "./Pack.ts"

/** A platform of the executables. */
interface Platform {
  /** The end of the package's name. */
  readonly name: string
  /** The target of `bun build --compile`. */
  readonly target: string
  readonly os: "linux" | "darwin"
  readonly cpu: "x64" | "arm64"
  readonly libc?: "glibc" | "musl"
  /** The dynamic loader that the executable names; Linux only. */
  readonly interpreter?: string
}

/** Every platform with an executable. */
export const platforms: ReadonlyArray<Platform> = [
  {
    name: "linux-x64",
    target: "bun-linux-x64",
    os: "linux",
    cpu: "x64",
    libc: "glibc",
    interpreter: "/lib64/ld-linux-x86-64.so.2"
  },
  {
    name: "linux-arm64",
    target: "bun-linux-arm64",
    os: "linux",
    cpu: "arm64",
    libc: "glibc",
    interpreter: "/lib/ld-linux-aarch64.so.1"
  },
  {
    name: "linux-x64-musl",
    target: "bun-linux-x64-musl",
    os: "linux",
    cpu: "x64",
    libc: "musl",
    interpreter: "/lib/ld-musl-x86_64.so.1"
  },
  {
    name: "linux-arm64-musl",
    target: "bun-linux-arm64-musl",
    os: "linux",
    cpu: "arm64",
    libc: "musl",
    interpreter: "/lib/ld-musl-aarch64.so.1"
  },
  { name: "darwin-x64", target: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  { name: "darwin-arm64", target: "bun-darwin-arm64", os: "darwin", cpu: "arm64" }
]

/** Returns the name of a platform's package. */
export const packageName = ({ name }: Platform): string => `@sigtrap/bin-${name}`

/** `e_machine` of ELF and `cputype` of Mach-O. */
const machines = { linux: { x64: 0x3e, arm64: 0xb7 }, darwin: { x64: 0x0100_0007, arm64: 0x0100_000c } }

/** The load command `LC_CODE_SIGNATURE` of Mach-O; see <mach-o/loader.h>. */
const codeSignature = 0x1d

/** Returns whether a Mach-O file has a code signature. */
const isSigned = (bytes: Buffer): boolean => {
  let place = 32
  for (let left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    if (bytes.readUInt32LE(place) === codeSignature) return true
    place += bytes.readUInt32LE(place + 4)
  }
  return false
}

/** Fails unless an executable is one of its platform; returns what was found. */
const check = (bytes: Buffer, { cpu, interpreter = "", os }: Platform): string => {
  const isElf = bytes.readUInt32BE(0) === 0x7f45_4c46
  const machine = os === "linux" ? bytes.readUInt16LE(18) : bytes.readUInt32LE(4)
  if (isElf !== (os === "linux") || machine !== machines[os][cpu])
    throw new Error(`the executable is not for ${os} ${cpu}`)
  if (os === "darwin") {
    if (!isSigned(bytes)) throw new Error("the executable has no code signature, so macOS would not start it")
    return "Mach-O, signed without an identity"
  }
  if (!bytes.subarray(0, 4096).includes(interpreter)) throw new Error(`the executable does not name ${interpreter}`)
  return `ELF, ${interpreter}`
}

const isOwn = ({ cpu, libc, os }: Platform) =>
  os === process.platform && cpu === process.arch && libc === (os === "linux" ? "glibc" : undefined)

/** Compiles, checks and packs the executable of a platform. */
const make = (
  platform: Platform,
  destination: string,
  version: string
): { readonly file: string; readonly note: string } => {
  const folder = mkdtempSync(join(tmpdir(), "sigtrap-binary-"))
  const executable = join(folder, "sigtrap")
  try {
    // Like `build:binary` of bundle.mjs, which compiles for this machine only.
    Pack.run(
      process.execPath,
      [join(Pack.root, "tooling/bundle.mjs"), "--binary", platform.target, executable],
      join(Pack.root, "apps/cli")
    )
    const found = check(readFileSync(executable), platform)
    const ran = isOwn(platform) ? `ran: ${Pack.run(executable, ["--version"], folder).trim()}` : "not run"
    const { cpu, libc, os } = platform
    const manifest = {
      name: packageName(platform),
      version,
      description: `sigtrap as an executable for ${platform.name}`,
      license: "MIT",
      os: [os],
      cpu: [cpu],
      ...(libc === undefined ? {} : { libc: [libc] }),
      files: ["sigtrap", "THIRD-PARTY-NOTICES"],
      publishConfig: { access: "public" }
    }
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
    cpSync(join(Pack.root, "LICENSE"), join(folder, "LICENSE"))
    Pack.writeNotices(folder)
    Pack.run("npm", ["pack", "--ignore-scripts", "--pack-destination", destination], folder)
    const file = join(destination, `sigtrap-bin-${platform.name}-${version}.tgz`)
    return { file, note: `| ${platform.name} | ${found} | ${ran} |` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the packages of all platforms in a folder; `notes` is a table for the release notes. */
export const all = (
  destination: string,
  version: string
): { readonly files: ReadonlyArray<string>; readonly notes: string } => {
  mkdirSync(destination, { recursive: true })
  const made = platforms.map((platform) => make(platform, destination, version))
  const rows = ["| platform | executable | tested |", "| --- | --- | --- |", ...made.map(({ note }) => note)]
  return { files: made.map(({ file }) => file), notes: `${rows.join("\n")}\n` }
}
