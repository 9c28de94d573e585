/**
 * Makes the commands that install and remove an adapter: those of the system's package manager, or those of its language
 * if the caller names a directory. Runs none of them.
 */
import type * as Adapters from "@sigtrap/host/Adapters"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"
import type { Place } from "./ClientCommand.ts"

/** An adapter and how it is installed. */
export type Source = (typeof Adapters.installations)[number]

/** How an adapter is installed into a directory. */
type Into = NonNullable<Source["into"]>

/** A command and the variables added to the caller's environment. */
export interface Step {
  readonly command: ReadonlyArray<string>
  readonly env?: { readonly [name: string]: string }
}

/** Returns the command after which sigtrap finds an adapter in the directory it was installed into. */
export const findingCommand = (name: string, { foundBy }: Into, directory: string): string =>
  "variable" in foundBy
    ? `export ${foundBy.variable}=${directory}`
    : `sigtrap config set adapters.${name}.path ${join(directory, foundBy.file)}`

const onPath = (name: string, place: Place): boolean =>
  (place.environment["PATH"] ?? "")
    .split(delimiter)
    .some((directory) => isAbsolute(directory) && existsSync(join(directory, name)))

/** Arguments of package managers for installing and removing, and the separator before a version. */
const managers: {
  readonly [program: string]: {
    readonly install: ReadonlyArray<string>
    readonly remove: ReadonlyArray<string>
    readonly version?: string
  }
} = {
  "apt-get": { install: ["install", "--yes"], remove: ["remove", "--yes"], version: "=" },
  dnf: { install: ["install", "--assumeyes"], remove: ["remove", "--assumeyes"], version: "-" },
  pacman: { install: ["--sync", "--noconfirm"], remove: ["--remove", "--noconfirm"] },
  apk: { install: ["add"], remove: ["del"], version: "=" },
  zypper: { install: ["--non-interactive", "install"], remove: ["--non-interactive", "remove"], version: "=" }
}

/**
 * Returns the package of Debian's index whose version is the newest up to the tested one; if all are newer, the oldest. A newer
 * version than the tested one may have unknown defects.
 */
const testedPackage = (named: string, tested: number, place: Place): string => {
  const found = spawnSync("apt-cache", ["search", "--names-only", `^${named}-[0-9]+$`], {
    encoding: "utf8",
    env: place.environment,
    timeout: 30_000
  })
  const versions = (found.stdout ?? "")
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "")
    .filter((name) => name.startsWith(`${named}-`))
    .map((name) => Number(name.slice(named.length + 1)))
    .filter((version) => Number.isInteger(version))
  const known = versions.filter((version) => version <= tested)
  if (versions.length === 0) return named
  return `${named}-${known.length > 0 ? Math.max(...known) : Math.min(...versions)}`
}

const managed = (source: Source, place: Place) => {
  const program = Object.keys(managers).find((name) => onPath(name, place))
  const words = program === undefined ? undefined : managers[program]
  const named = program === undefined ? undefined : source.packages[program]
  return program === undefined || words === undefined || named === undefined
    ? undefined
    : { program, words, named, versioned: source.versioned?.managers.includes(program) ? source.versioned : undefined }
}

/** Returns the command that installs an adapter; absent if no package manager can install this version. */
export const installation = (source: Source, version: string | undefined, place: Place): Step | undefined => {
  const found = managed(source, place)
  if (found === undefined) {
    const xcode = source.name === "lldb-dap" && onPath("xcode-select", place)
    return xcode ? { command: ["xcode-select", "--install"] } : undefined
  }
  const { named, program, versioned, words } = found
  if (versioned !== undefined) {
    const wanted = version === undefined ? testedPackage(named, versioned.tested, place) : `${named}-${version}`
    return { command: [program, ...words.install, wanted] }
  }
  if (version !== undefined && words.version === undefined) return undefined
  const wanted = version === undefined ? named : `${named}${words.version ?? ""}${version}`
  return { command: [program, ...words.install, wanted] }
}

/** Returns the command that removes an adapter; `path` is its executable. */
export const removal = (source: Source, path: string, place: Place): Step | undefined => {
  const found = managed(source, place)
  if (found === undefined) return undefined
  const { named, program, versioned, words } = found
  const version = /llvm-(\d+)|-(\d+)$/.exec(existsSync(path) ? realpathSync(path) : path)
  const number = version?.[1] ?? version?.[2]
  return {
    command: [program, ...words.remove, versioned !== undefined && number !== undefined ? `${named}-${number}` : named]
  }
}

/** Returns the files of an adapter in a directory. */
export const installedFiles = ({ files }: Into, directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => files.test(name))
        .map((name) => join(directory, name))
    : []
