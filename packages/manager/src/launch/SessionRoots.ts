/**
 * Finds the roots of a session's source text when the session starts: before its program runs, which could change them.
 *
 * The project of a directory is the nearest repository above it, else the nearest directory with a package file. The directory
 * of the program is a root if it has no project, because small programs are built beside their source.
 */
import { Errors, Hint, Roots, Settings } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as SourceRoots from "../model/sources/SourceRoots.ts"
import type { Machine } from "../model/permissions/Policy.ts"

/** Directories that decide the roots, as absolute paths. */
export interface Places {
  /** Directory of the caller; none for a caller without one. */
  readonly directory: string | undefined
  /** The program; "" if it is not known. */
  readonly program: string
  /** Directories that the caller named (`sources`). */
  readonly named: ReadonlyArray<string>
  /** Directories of the caller's source maps. One that is too wide does not become a root. */
  readonly mapped: ReadonlyArray<string>
  readonly settings: Settings.Values | undefined
  /** Directories of the policy `roots`. */
  readonly policy: ReadonlyArray<string>
  /** Homes of the user. */
  readonly homes: ReadonlyArray<string>
  /** The caller's directory for temporary files (`TMPDIR`), if it is set. */
  readonly temporary: string | undefined
}

const repositories = [".git", ".hg", ".svn", ".jj", ".sigtrap.toml"]

const packageFiles = [
  "package.json",
  "Cargo.toml",
  "go.mod",
  "pyproject.toml",
  "setup.py",
  "Package.swift",
  "CMakeLists.txt",
  "meson.build",
  "MODULE.bazel",
  "WORKSPACE",
  "build.zig",
  "composer.json",
  "Gemfile",
  "pom.xml",
  "build.gradle"
]

const problemOf = (named: string, found: string | undefined) =>
  found === undefined
    ? `${named} in sources does not exist`
    : `${named} in sources holds more than sources: name a directory of a project, not a home or a directory of the system`

/** Finds the roots. Fails for a named directory that is absent or too wide. */
export const find = Effect.fn("SessionRoots.find")(function* (places: Places, { fs, path }: Machine) {
  const real = (directory: string) =>
    fs.realPath(directory).pipe(
      Effect.map((found) => [found]),
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  const all = (directories: ReadonlyArray<string>) =>
    Effect.map(Effect.forEach(directories, real), (found) => found.flat())
  const homes = yield* all(places.homes)
  const temporary = yield* all(places.temporary === undefined ? [] : [places.temporary])
  const isAllowed = (directory: string) => !SourceRoots.isTooWide(directory, { homes, temporary })

  const holds = (directory: string, names: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(names, (name) => fs.exists(path.join(directory, name)).pipe(Effect.orElseSucceed(() => false)), {
        concurrency: "unbounded"
      }),
      (found) => found.includes(true)
    )
  const upward = (directory: string): ReadonlyArray<string> =>
    path.dirname(directory) === directory ? [] : [directory, ...upward(path.dirname(directory))]
  const nearest = Effect.fnUntraced(function* (directories: ReadonlyArray<string>, names: ReadonlyArray<string>) {
    for (const directory of directories) if (yield* holds(directory, names)) return [directory]
    return []
  })
  /** Returns the project of a directory; none if it would be too wide. */
  const project = Effect.fnUntraced(function* (directory: string) {
    const above = upward(directory).filter(isAllowed)
    const repository = yield* nearest(above, repositories)
    return repository.length > 0 ? repository : yield* nearest(above, packageFiles)
  })

  const policy = yield* all(places.policy)
  const directories = new Set<string>()
  const directory = places.directory === undefined ? [] : yield* real(places.directory)
  for (const at of directory) {
    for (const found of [...(yield* project(at)), ...[at].filter(isAllowed)]) directories.add(found)
  }
  const program = places.program === "" ? [] : yield* real(path.dirname(places.program))
  for (const at of program) {
    const found = yield* project(at)
    const own = isAllowed(at) && !SourceRoots.isPersonal(at, homes) ? [at] : []
    for (const one of found.length > 0 ? found : own) directories.add(one)
  }
  for (const named of yield* all(places.mapped)) if (isAllowed(named)) directories.add(named)
  for (const named of places.named) {
    const [found] = yield* real(named)
    if (found !== undefined && policy.length > 0 && !Roots.contain(policy, found)) {
      return yield* Roots.refusal(places.policy, found)
    }
    if (found !== undefined && isAllowed(found)) directories.add(found)
    else return yield* new Errors.Usage({ problem: problemOf(named, found), near: [], remedies: [Hint.help("start")] })
  }
  const configured = Settings.list(places.settings, "source.roots")
  // The user's configuration may name any directory.
  for (const one of yield* all(configured)) directories.add(one)
  const roots: SourceRoots.SourceRoots = {
    directories: [...directories],
    searched: configured,
    policy,
    homes
  }
  return roots
})
