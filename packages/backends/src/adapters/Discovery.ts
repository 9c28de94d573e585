/**
 * Finds adapters' files: the one that the caller or an environment variable names, otherwise those on PATH.
 *
 * Only absolute directories of PATH are searched. The real path is returned: changing a symbolic link later does not change
 * which file runs.
 */
import { Errors, type Hint } from "@sigtrap/protocol"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Found, Located, Machine, Search } from "./Adapter.ts"

/** Timeout of a program that prints its version. */
const timeout = "10 seconds"

/** Returns the variables whose names match. */
export const selected = (env: Readonly<Record<string, string>>, names: RegExp): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)))

/** Returns what a program prints; undefined if it cannot be run, fails or takes too long. */
export const outputOf = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.fn.Return<string | undefined, never, ChildProcessSpawner.ChildProcessSpawner> {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return yield* spawner
    .string(ChildProcess.make(command, args, { env, extendEnv: false, stdin: "ignore", stderr: "ignore" }))
    .pipe(
      Effect.timeout(timeout),
      Effect.orElseSucceed(() => undefined)
    )
})

/** Returns whether a program runs and succeeds; a clause that says why not otherwise. */
export const startProblem = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.fn.Return<string | undefined, never, ChildProcessSpawner.ChildProcessSpawner> {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const silent = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const
  return yield* spawner.exitCode(ChildProcess.make(command, args, { env, extendEnv: false, ...silent })).pipe(
    Effect.map((code) => (Number(code) === 0 ? undefined : `it exits with code ${Number(code)}`)),
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed("it does not answer") }),
    Effect.orElseSucceed(() => "it cannot be started")
  )
})

/** The directory whose owner is the user of this process (Linux). */
const ownDirectory = "/proc/self"

/**
 * Returns why a file must not be run as a debugger: its owner, or that of its directory, is neither root nor the user, or others
 * can write to it. Writing by a group counts for files of a user, unless the group is the private one with the user's number.
 */
export const trustProblem = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const user = Option.flatMap(yield* Effect.option(fs.stat(ownDirectory)), ({ uid }) => uid)
  const real = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
  for (const one of new Set([real, path.dirname(real), path.dirname(file)])) {
    const info = yield* Effect.option(fs.stat(one))
    if (Option.isNone(info)) continue
    const { gid, mode, uid } = info.value
    const owner = Option.getOrElse(uid, () => 0)
    if (Option.exists(user, (own) => owner !== own && owner !== 0)) return `${one} belongs to another user`
    const isForeignGroup = Option.isSome(user) && owner !== 0 && !Option.exists(gid, (group) => group === owner)
    if ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && isForeignGroup)) return `other users can write to ${one}`
  }
  return undefined
})

const versions = new Map<string, string>()

/** What programs have printed about their version; shared by the whole process unless a test provides another map. */
export const Versions = Context.Reference<Map<string, string>>("@sigtrap/backends/Versions", {
  defaultValue: () => versions
})

/**
 * Returns what a program prints about its version, like `outputOf`. An answer is kept until the file changes, since an LLDB takes 0.2 s
 * to print it.
 */
export const askVersion = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) {
  const fs = yield* FileSystem.FileSystem
  const known = yield* Versions
  const info = yield* Effect.option(fs.stat(command))
  if (Option.isNone(info)) return undefined
  const { ino, mtime, size } = info.value
  const changed = Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
  const state = [Option.getOrElse(ino, () => 0n), changed, size].join(" ")
  const key = JSON.stringify([command, state, args, env])
  const before = known.get(key)
  if (before !== undefined) return before
  const text = yield* outputOf(command, args, env)
  if (text !== undefined && text !== "") known.set(key, text)
  return text
})

/** Returns every executable with one of these names, in the order of PATH, then of the names. */
export const onPath = Effect.fnUntraced(function* (search: Search, names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directories = (search.env["PATH"] ?? "").split(":").filter((directory) => path.isAbsolute(directory))
  const found: Array<string> = []
  for (const directory of directories) {
    for (const name of names) {
      const file = path.join(directory, name)
      const runs = yield* fs.stat(file).pipe(
        Effect.map((info) => info.type === "File" && (info.mode & 0o111) !== 0),
        Effect.orElseSucceed(() => false)
      )
      if (runs && !found.includes(file)) found.push(file)
    }
  }
  return found
})

/** How the files of one adapter are found. */
export interface Kind {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  /** The environment variable that names the file; absent if none does. */
  readonly variable?: string
  /** Names on PATH, the preferred one first. */
  readonly names: ReadonlyArray<string>
  /** Further files, examined after those on PATH if they exist. */
  readonly places?: (search: Search) => ReadonlyArray<string>
  /** A hint that installs it, or uses another adapter. */
  readonly remedy: Hint.Hint
  /** Returns a file's version, or why it cannot be used. */
  readonly examine: (file: string, search: Search) => Effect.Effect<Located, never, Machine>
}

const variableOf = ({ variable }: Kind, { env }: Search) => (variable === undefined ? undefined : env[variable])

/** Returns the files to examine: the named one, otherwise those on PATH and in `places`. */
const candidates = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const path = yield* Path.Path
  const own = search.adapter === undefined || search.adapter === kind.name || kind.aliases.includes(search.adapter)
  const named = own ? variableOf(kind, search) : search.adapter
  if (named === undefined || named === "") {
    const fs = yield* FileSystem.FileSystem
    const existing = yield* Effect.filter(kind.places?.(search) ?? [], (file) =>
      Effect.orElseSucceed(fs.exists(file), () => false)
    )
    return [...(yield* onPath(search, kind.names)), ...existing]
  }
  return named.includes("/") ? [path.resolve(search.cwd, named)] : yield* onPath(search, [named])
})

/** A file of this kind, before it is examined. */
interface Candidate {
  /** The path to run. */
  readonly path: string
  readonly exists: boolean
}

/** Returns the files of this kind without duplicates. */
const distinct = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const seen = new Set<string>()
  const found: Array<Candidate> = []
  for (const file of yield* candidates(kind, search)) {
    const real = yield* fs.realPath(file).pipe(Effect.orElseSucceed(() => undefined))
    if (real !== undefined && seen.has(real)) continue
    if (real !== undefined) seen.add(real)
    // The Python of a virtual environment is a symbolic link; it finds its environment by the path it is run with.
    const called = real !== undefined && path.basename(real) === path.basename(file) ? real : file
    found.push({ path: called, exists: real !== undefined })
  }
  return found
})

const examined = Effect.fnUntraced(function* (kind: Kind, search: Search, { exists, path }: Candidate) {
  if (!exists) return { path, problem: "no such file" }
  const problem = yield* trustProblem(path)
  return problem === undefined ? { ...(yield* kind.examine(path, search)), path } : { path, problem, untrusted: true }
})

interface Examined extends Located {
  readonly path: string
  /** True if it was not examined, because others can change it. */
  readonly untrusted?: boolean
}

/** Names a file that was not used, and why. */
export const skippedText = ({ path, problem = "" }: { readonly path?: string; readonly problem?: string }): string =>
  `${path ?? ""}: ${problem}`

/** Finds and examines every file of this kind. */
export const all = (
  kind: Kind,
  search: Search
): Effect.Effect<ReadonlyArray<Located & { readonly path: string }>, never, Machine> =>
  Effect.flatMap(distinct(kind, search), (files) =>
    Effect.forEach(files, (file) => examined(kind, search, file), { concurrency: 4 })
  )

/** Finds the first usable file. Fails with the examined files and their problems. */
export const find = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const found: Array<Examined> = []
  for (const file of yield* distinct(kind, search)) {
    const one: Examined = yield* examined(kind, search, file)
    if (one.problem === undefined) {
      const major = Number.parseInt(one.version ?? "", 10)
      const skipped = found.filter(({ untrusted }) => untrusted === true).map(skippedText)
      const answer: Found = {
        path: one.path,
        ...(skipped.length === 0 ? {} : { skipped }),
        ...(one.version === undefined ? {} : { version: one.version }),
        ...(Number.isNaN(major) ? {} : { major })
      }
      return answer
    }
    found.push(one)
  }
  const old = found.find(({ needed }) => needed !== undefined)
  if (old?.needed !== undefined) {
    const { needed, path, version = "" } = old
    return yield* new Errors.VersionTooOld({ adapter: kind.name, path, version, needed, remedies: [kind.remedy] })
  }
  return yield* new Errors.AdapterNotFound({
    adapter: kind.name,
    looked: [
      ...(kind.variable === undefined
        ? []
        : [variableOf(kind, search) === undefined ? `${kind.variable} (not set)` : kind.variable]),
      ...found.map(({ path, problem }) => `${path} (${problem ?? ""})`),
      ...(found.length === 0
        ? [...(kind.names.length === 0 ? [] : [`PATH (${kind.names.join(", ")})`]), ...(kind.places?.(search) ?? [])]
        : [])
    ],
    remedies: [kind.remedy]
  })
})
