/**
 * Looking for the programs that adapters are: named by the caller, by an environment variable, or on PATH.
 *
 * Only absolute directories of PATH count, and what is answered is the real file, so that what runs later is what was
 * looked at now.
 */
import { Errors, Hint } from "@sigtrap/protocol"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type { Found, Located, Machine, Search } from "./Adapter.ts"

/** How long a program may take to say its version. */
const within = "10 seconds"

/** Runs a program for what it prints; absent when it cannot be run, fails or takes too long. */
export const ask = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.fn.Return<string | undefined, never, ChildProcessSpawner.ChildProcessSpawner> {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  return yield* spawner
    .string(ChildProcess.make(command, args, { env, extendEnv: false, stdin: "ignore", stderr: "ignore" }))
    .pipe(
      Effect.timeout(within),
      Effect.orElseSucceed(() => undefined)
    )
})

/** Every program of one of these names, in the order of PATH, names in the order given. */
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

/** How one kind of adapter is looked for. */
export interface Kind {
  readonly name: string
  readonly aliases: ReadonlyArray<string>
  /** The environment variable that names the file. */
  readonly variable: string
  /** Names on PATH, the preferred first. */
  readonly names: ReadonlyArray<string>
  /** Files beside those of PATH, looked at after them where they are there. */
  readonly places?: (search: Search) => ReadonlyArray<string>
  /** A command that gets it, or goes without it. */
  readonly remedy: Hint.Hint
  /** Looks at a file: its version, or why it will not do. */
  readonly examine: (file: string, search: Search) => Effect.Effect<Located, never, Machine>
}

/** Files in which the adapter may be, those that were named before those on PATH. */
const candidates = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const path = yield* Path.Path
  const own = search.adapter === undefined || search.adapter === kind.name || kind.aliases.includes(search.adapter)
  const named = own ? search.env[kind.variable] : search.adapter
  if (named === undefined || named === "") {
    const fs = yield* FileSystem.FileSystem
    const there = yield* Effect.filter(kind.places?.(search) ?? [], (file) =>
      Effect.orElseSucceed(fs.exists(file), () => false)
    )
    return [...(yield* onPath(search, kind.names)), ...there]
  }
  return named.includes("/") ? [path.resolve(search.cwd, named)] : yield* onPath(search, [named])
})

/** Everything of this kind, each looked at. */
export const all = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = yield* candidates(kind, search)
  const seen = new Set<string>()
  const located: Array<Located & { readonly path: string }> = []
  for (const file of files) {
    const real = yield* fs.realPath(file).pipe(Effect.orElseSucceed(() => undefined))
    if (real === undefined) {
      located.push({ path: file, problem: "no such file" })
      continue
    }
    // An interpreter is known by the name it is called by, which for a virtual environment is a link.
    const called = path.basename(real) === path.basename(file) ? real : file
    if (seen.has(real)) continue
    seen.add(real)
    located.push({ ...(yield* kind.examine(called, search)), path: called })
  }
  return located
})

/** The first one that will do; fails with what was looked at and what was wrong with it. */
export const find = Effect.fnUntraced(function* (kind: Kind, search: Search) {
  const found = yield* all(kind, search)
  const good = found.find((one) => one.problem === undefined)
  if (good !== undefined) {
    const major = Number.parseInt(good.version ?? "", 10)
    const answer: Found = {
      path: good.path,
      ...(good.version === undefined ? {} : { version: good.version }),
      ...(Number.isNaN(major) ? {} : { major })
    }
    return answer
  }
  const old = found.find(({ needed }) => needed !== undefined)
  if (old?.needed !== undefined && found.every(({ problem }) => problem !== undefined)) {
    const { needed, path, version = "" } = old
    return yield* new Errors.VersionTooOld({ adapter: kind.name, path, version, needed, remedies: [kind.remedy] })
  }
  return yield* new Errors.AdapterNotFound({
    adapter: kind.name,
    looked: [
      search.env[kind.variable] === undefined ? `${kind.variable} (not set)` : kind.variable,
      ...found.map(({ path, problem }) => `${path} (${problem ?? ""})`),
      ...(found.length === 0 ? [`PATH (${kind.names.join(", ")})`, ...(kind.places?.(search) ?? [])] : [])
    ],
    remedies: [kind.remedy]
  })
})
